/*
 * Runs a job apart from the user's process: a forked worker does all driver work and sends its
 * events through a pipe, one JSON object per line. If a variant crashes or hangs, only its own row
 * is lost: a new worker runs the tasks after it.
 */
#ifndef PMPP_HOST_RUN_WORKER_H
#define PMPP_HOST_RUN_WORKER_H

#include <sys/types.h>

#include "host/run/event_sink.h"
#include "host/run/job.h"

/*
 * Executes the whole job. The sink gets the events in this process; EVENT_FATAL becomes the
 * returned status and error. Rows with the status crashed or timeout are made here.
 *
 * If a worker dies or hangs between two tasks, a new worker runs the rest. If the new worker also
 * dies or hangs before the next task begins, the row of that task is crashed or timeout. If this
 * happens with several tasks in a row, or before any task, the device is lost: the sink gets
 * EVENT_LOST, and the job continues with its next device. Returns PMPP_LAUNCH or PMPP_TIMEOUT if
 * there is no other device, if the device is unknown, or if a worker does not end after SIGKILL.
 *
 * Between stop_begin() and stop_end() signals end the job with PMPP_INTERRUPTED. With
 * options->no_isolate the job runs in this process: there is no timeout and no new worker, and a
 * signal ends the job after the task in progress.
 */
enum pmpp_status worker_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

/* Runs the job job->options->repetitions times (repeat.c); JOB_SHORT_RUNS times as often if
 * job_splits_runs() and a device is a CPU. Each run is a worker_run() with all tasks, so that the runs
 * of a variant are far apart in time. After the last run the sink gets one row for each task, merged
 * from all runs (host/record/repetitions.h). Between runs its interim() gets the rows that are merged
 * from the runs so far. A run that skipped a task, or had another problem size, is dropped from the row
 * with a note. If a run ends early (interrupted, device lost), the sink gets the rows of the runs so
 * far. The error is returned. */
enum pmpp_status repeat_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

/* Waits until a child process ends, at most limit_s seconds. Then sends SIGKILL, and waits kill_limit_s seconds
 * more. limit_s 0: sends SIGKILL at once. Returns false if the process has still not ended: it
 * waits in a driver. */
bool guard_end(pid_t pid, double limit_s, double kill_limit_s);

#endif
