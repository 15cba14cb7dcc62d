/*
 * Programs that run without a shell: compilers and addr2line.
 */
#ifndef PMPP_HOST_IO_COMMAND_H
#define PMPP_HOST_IO_COMMAND_H

#include <stddef.h>

/* Reads a file or a pipe to its end; the caller frees the text. limit_s: stop after N seconds; 0: no limit. NULL: there
 * is no memory, or the time is up. */
char *command_read_all(int file, double limit_s, size_t *ret_size);

/* Runs a program in a folder (NULL: the current folder) and returns its output, stdout and stderr, as clean lines; the
 * caller frees the text. arguments ends with NULL. limit_s: kill it, and what it started, after N seconds; 0: no limit.
 * Returns NULL if the program cannot run, or is killed. */
char *command_run(char *const arguments[], const char *folder, double limit_s, int *ret_exit);

#endif
