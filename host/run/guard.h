/*
 * The guard of a job: a small process beside the worker. When the job has ended, or the parent was
 * killed, the guard kills what a worker left running (compilers) and removes the job's folder of
 * temporary files. It does so also when parent and worker die of SIGKILL.
 */
#ifndef PMPP_HOST_RUN_GUARD_H
#define PMPP_HOST_RUN_GUARD_H

#include "common/status.h"

#include <sys/types.h>

struct guard;

/* Makes the folder (in TMPDIR, or /tmp) and starts the process. Where no folder can be made, the
 * job has no folder of its own: temporary files lie in TMPDIR then. */
enum pmpp_status guard_create(struct guard **ret_guard, struct pmpp_error *error);

/* Ends the job: waits until nothing is left, at most some seconds. TMPDIR is as before. */
void guard_destroy(struct guard **guard);

/* Names the group of processes to kill; 0: none. The worker calls this before it starts anything.
 */
void guard_watch(const struct guard *guard, pid_t group);

/* Makes the job's folder the TMPDIR of this process and of what it starts. */
void guard_use_folder(struct guard *guard);

/* Waits for a process to end, at most limit_s seconds. 1: it has ended, with *ret_status of
 * waitpid(). 0: it has not. */
int guard_wait(pid_t pid, double limit_s, int *ret_status);

#endif
