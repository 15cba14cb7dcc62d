/*
 * Functions of a process that differ between operating systems. The build takes os_process_linux.c
 * or os_process_darwin.c.
 */
#ifndef PMPP_HOST_IO_OS_PROCESS_H
#define PMPP_HOST_IO_OS_PROCESS_H

#include <limits.h>
#include <stdbool.h>

/* Path of the running program. Returns false if the path is unknown, or longer than PATH_MAX. */
bool os_program_path(char ret_path[PATH_MAX]);

/* Lets the system send a signal to this process when its parent ends. macOS: no effect; the guard
 * (host/run/worker.c) kills the worker. */
void os_end_with_parent(int signal_number);

/* Name of this process in ps and top, of at most 15 characters. macOS: no effect. */
void os_name_process(const char *name);

/* Returns "KILL" for SIGKILL; "?" for an unknown number. */
const char *os_signal_name(int number);

/* Closes all files from the descriptor `first` on. */
void os_close_from(int first);

#endif
