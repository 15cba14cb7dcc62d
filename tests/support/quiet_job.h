/* A quiet job whose events a test makes: a collector without workers. */
#ifndef PMPP_TESTS_SUPPORT_QUIET_JOB_H
#define PMPP_TESTS_SUPPORT_QUIET_JOB_H

#include "host/run/collector.h"

struct quiet_job {
	struct job_options options;
	struct job job;
	struct collector collector;
};

/* The caller finishes the collector with collector_finish(). */
void quiet_job_begin(struct quiet_job *job, enum job_action action);

/* Gives the event of one task to the collector. Finishes the event. */
void quiet_job_emit(struct quiet_job *job, struct event *event);

/* collector_finish(), for FINISHED. */
void quiet_job_end(struct quiet_job *job);

#endif
