/*
 * Runs a job apart from the user's process: a forked worker does all driver work and sends its
 * events through a pipe, one JSON object per line. If a variant crashes or hangs, only its own row
 * is lost: a new worker runs the tasks after it.
 */
#ifndef PMPP_HOST_RUN_WORKER_H
#define PMPP_HOST_RUN_WORKER_H

#include "host/run/event_sink.h"
#include "host/run/job.h"

/* Limits, in seconds, on what --timeout does not limit. Tests shorten them. */
struct worker_limits {
	double between_s; /* between tasks: driver start, roofs; --timeout if that is longer */
	double end_s;     /* the end of a worker after its last event, and after SIGKILL */
};

extern struct worker_limits worker_limits;

/*
 * Executes the whole job. The sink gets the events in this process; EVENT_FATAL becomes the
 * returned status and error. Rows with the status crashed or timeout are made here.
 *
 * A worker that dies or hangs between two tasks is replaced, too. If that happens again before the
 * next task begins, that task is crashed or timeout. PMPP_LAUNCH or PMPP_TIMEOUT: it happened
 * before any task, or to several tasks in a row; or a worker does not end although it was killed.
 *
 * Between stop_begin() and stop_end() signals end the job with PMPP_INTERRUPTED. With
 * options->no_isolate the job runs here, without timeout and rescue, and signals end it after the
 * task in progress.
 */
enum pmpp_status worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

#endif
