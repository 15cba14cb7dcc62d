/*
 * A job that runs several times (--repeat), each time in a new process over all of its tasks, so
 * that the runs of a variant are far apart in time. After the last run the sink gets one row for
 * each task, merged from all runs (host/record/repetitions.h).
 */
#ifndef PMPP_HOST_RUN_REPEAT_H
#define PMPP_HOST_RUN_REPEAT_H

#include "host/run/event_sink.h"
#include "host/run/job.h"

/* Runs the job job->options->repetitions times; one run is worker_run(). If a run ends early
 * (interrupted, device lost), the sink gets the rows of the runs so far, and the error is returned.
 */
enum pmpp_status repeat_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

#endif
