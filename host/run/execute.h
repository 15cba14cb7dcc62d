/*
 * A job, executed: all driver work, in a worker process (worker.h) or in this one.
 */
#ifndef PMPP_HOST_RUN_EXECUTE_H
#define PMPP_HOST_RUN_EXECUTE_H

#include <signal.h>

#include "host/run/event_sink.h"
#include "host/run/job.h"

/* Reports the tasks from number skip on; tasks have a fixed order, so that after a crash another
 * execution skips those that are done. The last event is EVENT_DONE. Stops between tasks when *stop
 * becomes non-zero (PMPP_INTERRUPTED). */
enum pmpp_status job_execute(const struct job *job, size_t skip, const struct event_sink *sink,
	const volatile sig_atomic_t *stop, struct pmpp_error *error);

#endif
