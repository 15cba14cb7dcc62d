/*
 * Text that drivers and compilers write to stderr in a worker process: warnings, messages of dlopen(),
 * assertions. It is kept for the row, so that it does not mix with the table.
 */
#ifndef PMPP_HOST_RUN_DRIVER_TEXT_H
#define PMPP_HOST_RUN_DRIVER_TEXT_H

#include <stddef.h>

/* Returns a temporary file without a name, which the caller closes; -1: none could be made. */
int driver_text_open(void);

/* In the worker: stderr is the file from now on. fd -1: no change. */
void driver_text_redirect(int fd);

/* Replaces *text by the content of the file, without white space at its end, and empties the file. NULL:
 * there is none. Of a long text only the end is kept. */
void driver_text_move(int fd, char **text);

/* Cuts a text that is longer than 1 MiB to its end, so that a driver that writes without an end does
 * not fill the disk. fd -1: no change. */
void driver_text_limit(int fd);

/* Writes "; " and the line that says why a worker died: the last line that is no note. Writes "" if
 * there is none. Does not empty the file. */
void driver_text_cause(int fd, char *target, size_t size);

#endif
