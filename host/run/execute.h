/*
 * Executes a job: all driver work, in a worker process (worker.h) or in this process.
 */
#ifndef PMPP_HOST_RUN_EXECUTE_H
#define PMPP_HOST_RUN_EXECUTE_H

#include "host/run/event_sink.h"
#include "host/run/job.h"

/* Runs the tasks from index `skip`. The order of tasks is fixed: after a crash, another execution
 * skips the tasks that are done. Its variants are timed in turn with the peers of their group in
 * `peers`. It also skips the devices `passed`, which are lost, or have no work left. The last event
 * is EVENT_DONE. A signal (stop.h) ends the job between tasks: PMPP_INTERRUPTED. */
enum pmpp_status job_execute(const struct job *job, const struct job_progress *progress,
	const struct event_sink *sink, struct pmpp_error *error);

#endif
