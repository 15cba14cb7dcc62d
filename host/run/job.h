/*
 * A job: what `run`, `verify`, `parity`, `roofline` and `explain` do on devices, told as events.
 *
 * The job is made (job_prepare) without touching a driver; job_execute does all driver work and
 * says everything it finds through an event sink: in a worker process (worker.h) or in this one.
 * Tasks have a fixed order, so that after a crash a second execution can skip those already done.
 *
 * Events are JSON objects with a field "event":
 *   note      message                 for the user, on stderr
 *   device    device, label, text     an entry of `devices` (results/encode.h)
 *   group     group (number), family, labels [..], metric, ...: rows that stand together
 *   start     task (number), label, row (fields known before it ran)
 *   progress  text                    stage of the task in progress
 *   result    task, label, row        an entry of `results`
 *   parity    task, label, rows [opencl, cuda], parity (entry of `parity`)
 *   explanation  task, label, entries: the variant's part of `explanations` (pmpp-explain/1)
 *   misfit    task, row (fields known before), message: a size that does not fit on this device
 *   fatal     status, message, log    nothing more can be done
 *   done
 */
#ifndef PMPP_HOST_RUN_JOB_H
#define PMPP_HOST_RUN_JOB_H

#include <jansson.h>
#include <signal.h>

#include "host/cli/options.h"
#include "host/io/npy.h"
#include "host/run/device_select.h"
#include "host/run/oclgrind.h"
#include "host/suite/suite.h"

struct event_sink {
	/* event is the caller's: json_incref to keep it. */
	void (*emit)(void *context, json_t *event);
	void *context;
};

enum job_action {
	JOB_RUN,
	JOB_VERIFY,
	JOB_PARITY,
	JOB_ROOFLINE,
	JOB_EXPLAIN
};

struct job {
	enum job_action action;
	const struct cli_options *options;
	struct device_query query;
	struct target_list targets;
	struct oclgrind *oclgrind; /* owned; NULL: not the engine */

	struct npy_array inputs[PMPP_MAX_OPERANDS]; /* beside the family's operands; of --in */
	bool user_data;
	int64_t user_dim[PMPP_MAX_DIMS]; /* of the one family, from --in and --size */
	enum dtype user_dtype;           /* of the files, where that is the family's choice */
	const char *output_path;         /* --out of the output operand; NULL = none */
};

/* Everything that can be refused before a driver is touched: names, sizes, tunables, files.
 * PMPP_USAGE with the reason. */
enum pmpp_status job_prepare(enum job_action action, const struct cli_options *options,
	struct job *ret_job, struct pmpp_error *error);
void job_finish(struct job *job);

/* Tells the tasks from number skip on. Stops between tasks when *stop becomes non-zero
 * (PMPP_INTERRUPTED). */
enum pmpp_status job_execute(const struct job *job, size_t skip, const struct event_sink *sink,
	const volatile sig_atomic_t *stop, struct pmpp_error *error);

#endif
