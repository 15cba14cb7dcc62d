/*
 * A job that runs several times (--repeat). Each run is a new process with all tasks, so that the
 * runs of a variant are far apart in time. After the last run the sink gets one row for each task,
 * merged from all runs (host/record/repetitions.h). Between runs its interim() gets the rows that
 * are merged from the runs so far: after the first run, and whenever interim_is_due().
 *
 * A run that skipped a task, or had another problem size, is dropped from the row with a note.
 *
 * The speed of a CPU changes over seconds. On PoCL on a virtual machine a variant takes 1 to 2 s.
 * The deviations of two variants have a correlation of 0.46 after 2 to 4 s, 0.24 after 6 s and 0.1
 * after 16 s. More samples in a row hardly help, but more runs do. Therefore a repetition on a CPU
 * is JOB_SHORT_RUNS short runs with fewer samples each.
 */
#ifndef PMPP_HOST_RUN_REPEAT_H
#define PMPP_HOST_RUN_REPEAT_H

#include "host/run/event_sink.h"
#include "host/run/job.h"

/* Each writing merges and writes all rows of all runs. The total time of writing after each run
 * would grow with the square of the number of runs. With these limits it is at most 1/20 of the
 * time of the runs. A kill loses the last 10 s and the run in progress, or more if writing is slow.
 */
#define INTERIM_PAUSE_NS 10e9
#define INTERIM_PAUSE_WRITES 20

/* Runs the job job->options->repetitions times; JOB_SHORT_RUNS times as often if job_splits_runs()
 * and a device is a CPU. A single run is worker_run(). If a run ends early (interrupted, device
 * lost), the sink gets the rows of the runs so far. The error is returned. */
enum pmpp_status repeat_run(
	const struct job *job, const struct event_sink *sink, struct pmpp_error *error);

#endif
