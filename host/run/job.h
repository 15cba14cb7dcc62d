/*
 * A job: the work of `run`, `verify`, `parity`, `roofline`, `explain` and `selftest` on
 * devices.
 *
 * job_prepare() checks names, sizes, tunables and files without a driver. For --kernel-dir it
 * checks the files that the job reads on every machine. worker_run() (worker.h) does all driver
 * work.
 */
#ifndef PMPP_HOST_RUN_JOB_H
#define PMPP_HOST_RUN_JOB_H

#include "host/io/npy.h"
#include "host/run/engine.h"
#include "host/run/job_options.h"

/* Zero-initialise. */
struct user_inputs {
	struct npy_array arrays[PMPP_MAX_OPERANDS]; /* in the order of the family's operands */
	bool given;
	int64_t dim[PMPP_MAX_DIMS]; /* from the files and --size; 0 = not known */
	enum dtype dtype;           /* of the files, if the family has several */
};

enum job_action {
	JOB_RUN,
	JOB_VERIFY,
	JOB_PARITY,
	JOB_ROOFLINE,
	JOB_EXPLAIN,
	JOB_SELFTEST
};

/* Limits of phases that are not subject to --timeout, in seconds. Tests shorten them. */
struct worker_limits {
	double between_s; /* between two tasks (driver start, roofs); --timeout if longer */
	double end_s;     /* until a worker ends after its last event, or after SIGKILL */
	size_t stalls;    /* tasks in a row that cannot begin before their device is lost */
};

struct job {
	enum job_action action;
	const struct job_options *options; /* not owned */
	struct device_query query;
	struct target_list targets;
	const struct engine *engine;
	void *engine_state; /* owned */
	struct user_inputs inputs;
	const char *output_path;          /* file of --out; NULL = none */
	const struct access_model *model; /* of emulators; NULL = the default */
	struct worker_limits limits;      /* job_prepare() sets them */
	double last_begin_ns; /* selftest: no mutant begins later (host_clock_ns()); INFINITY: all run */
};

/* What earlier executions of the job did. Zero-initialised: the first execution. */
struct job_progress {
	size_t skip;             /* tasks below this number are done */
	struct text_list passed; /* labels of devices that are skipped */
	bool unfenced; /* run the next task without unmapped pages: it crashed with them */
};

/* PMPP_USAGE with the reason if an option is invalid. options outlives the job. */
enum pmpp_status job_prepare(enum job_action action, const struct job_options *options,
	struct job *ret_job, struct pmpp_error *error);
void job_finish(struct job *job);

#endif
