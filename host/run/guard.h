/*
 * The guard of a job: a small second process. When the job ends, or the parent dies, the guard
 * kills the processes that a worker left (compilers). It then removes the job's folder of temporary
 * files. During the job it limits the text of drivers. It also works if SIGKILL ends the parent and the worker.
 */
#ifndef PMPP_HOST_RUN_GUARD_H
#define PMPP_HOST_RUN_GUARD_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct guard;

/* Starts the guard, which makes the folder (in TMPDIR, or /tmp). If the folder cannot be made,
 * temporary files are in TMPDIR itself and are not removed. Errors: PMPP_OUT_OF_MEMORY,
 * PMPP_INTERNAL. */
enum pmpp_status guard_create(struct guard **ret_guard, struct pmpp_error *error);

/* Ends the job: waits until the guard has killed and removed everything, at most a few seconds.
 * Restores TMPDIR and sets *guard to NULL. NULL is allowed. */
void guard_destroy(struct guard **guard);

/* Returns the file for the text of drivers; -1: none could be made. The guard owns it. */
int guard_driver_fd(const struct guard *guard);

/* Sets the process group to kill; 0: none. The worker calls this before it starts processes. */
void guard_watch(const struct guard *guard, pid_t group);

/* Sets TMPDIR of this process, and of the processes that it starts, to the job's folder. */
void guard_use_folder(struct guard *guard);

/* As guard_wait(), then sends SIGKILL if the process has not ended, and waits kill_limit_s seconds
 * more. limit_s 0: sends SIGKILL at once. Returns false if the process has still not ended: it
 * waits in a driver. */
bool guard_end(pid_t pid, double limit_s, double kill_limit_s);

/* In the worker: stderr is the file from now on. fd -1: no change. */
void driver_text_redirect(int fd);

/* Replaces *text by the content of the file, without white space at its end, and empties the file. NULL:
 * there is none. Of a long text only the end is kept. */
void driver_text_move(int fd, char **text);

/* Writes "; " and the line that says why a worker died: the last line that is no note. Writes "" if
 * there is none. Does not empty the file. */
void driver_text_cause(int fd, char *target, size_t size);

#endif
