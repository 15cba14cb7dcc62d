/*
 * Inside the worker: functions of all jobs that open devices and report events.
 */
#ifndef PMPP_HOST_RUN_RUNNER_H
#define PMPP_HOST_RUN_RUNNER_H

#include "host/run/event_sink.h"
#include "host/run/task.h"

struct runner {
	const struct job *job;
	const struct event_sink *sink;
	struct pmpp_error *error;
	const struct job_progress *progress; /* of earlier executions of the job */

	/* Of emulators if the job has none: the model of the measuring device. NULL = the default. */
	const struct access_model *model;

	size_t total; /* number of tasks, for the progress line; 0 = unknown */
	struct inventory inventory;
};

/* Sends an event and finishes it. */
void runner_emit(struct runner *runner, struct event *event);

void runner_emit_note(struct runner *runner, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns an event with the fields of the row that are known before the task runs on the device, an
 * outcome and a reason. number: of the task */
struct event runner_row_event(const struct runner *runner, const struct gpu_device_info *info,
	enum event_kind kind, const struct task *task, int64_t number, enum outcome_status outcome,
	const char *reason);

#define RUNNER_NAME_BYTES 600

/* The device and variant of a row, for job_progress.hung. */
void runner_kernel_name(const struct result_row *row, char ret_name[RUNNER_NAME_BYTES]);

/* Opens a suite and reports the device. timed: its roofs and its timer are measured, unless it is
 * emulated. */
enum pmpp_status runner_open_suite(struct runner *runner, const struct gpu_device_info *info,
	bool timed, struct suite **ret_suite);

/* ---- The jobs ------------------------------------------------------------------------------- */

/* `run`, `verify`, `roofline` (ladders.c): groups of tasks on every device that the job's query names.
 * `parity`: on one device through OpenCL and CUDA, or on two devices if the backends share none. */
enum pmpp_status ladders_job(struct runner *runner);

/* `explain` (explain_job.c): traces every variant on an emulator, and measures it if there is a device.
 * runner->inventory has the backends that --backend and --device name; this function finds the
 * emulator. */
enum pmpp_status explain_job(struct runner *runner);

/* `selftest` (selftest_job.c): sends a row for each mutant of the job's variants, also for those that are
 * not run. A choice of the mutants begins within the first limit, and each mutant ends within the other
 * limit: the choice takes at most two minutes. If job.last_begin_ns is INFINITY, all mutants run. */
#define SELFTEST_BEGIN_S 100
#define SELFTEST_MUTANT_S 20
#define SELFTEST_NO_TIME "no time was left" /* reason of mutants after the first limit */

enum pmpp_status selftest_job(struct runner *runner);

#endif
