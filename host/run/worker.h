/*
 * Runs a job apart from the user's process: a forked worker does all driver work and sends its
 * events through a pipe, one JSON object per line. If a variant crashes or hangs, only its own row
 * is lost: a new worker runs the tasks after it.
 */
#ifndef PMPP_HOST_RUN_WORKER_H
#define PMPP_HOST_RUN_WORKER_H

#include "host/run/event_sink.h"
#include "host/run/job.h"

/*
 * Executes the whole job. The sink gets the events in this process; EVENT_FATAL becomes the
 * returned status and error. Rows with the status crashed or timeout are made here.
 *
 * SIGINT and SIGTERM end it with PMPP_INTERRUPTED; a second one kills the process. With
 * options->no_isolate the job runs here, without timeout and rescue.
 */
enum pmpp_status worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

#endif
