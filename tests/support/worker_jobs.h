/* Jobs that run in a worker of their own. */
#ifndef PMPP_TESTS_SUPPORT_WORKER_JOBS_H
#define PMPP_TESTS_SUPPORT_WORKER_JOBS_H

#include "host/run/worker.h"

struct worker_job {
	struct job_options options;
	struct size_list sizes;
	struct engine engine; /* the job's own, for changes */
	struct job job;
	bool may_skip;
};

/* Prepares a job; size: NULL = no sizes. Options that are not set: all variants of the CUDA emulator, 120 s,
 * one shard. */
void worker_job_begin(struct worker_job *job, enum job_action action, const char *size,
	const struct job_options *options);

/* worker_run(); finishes the job. Without the emulator the row is skipped, unless the options name a
 * backend. */
enum pmpp_status worker_job_run(
	struct worker_job *job, void (*emit)(void *context, struct event *event), void *context);

#endif
