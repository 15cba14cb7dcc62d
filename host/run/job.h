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
#include "host/run/targets.h"
#include "host/suite/suite.h"

/* ---- Options -------------------------------------------------------------------------------- */

/* --in, --expect or --out NAME=FILE */
struct operand_file {
	char name[64]; /* as long as names in problem files */
	const char *path;
};

struct operand_file_list {
	struct operand_file items[PMPP_MAX_OPERANDS];
	size_t count;
};

#define JOB_MAX_BLOCKS 256

/* --blocks. numbers: the listed blocks, ascending, without duplicates; empty if none is listed. */
struct block_choice {
	enum trace_blocks which;
	uint64_t numbers[JOB_MAX_BLOCKS];
	size_t count;
};

/* Texts belong to the caller and outlive the job. */
struct job_options {
	const char *const *words; /* FAMILY[/VARIANT]... */
	size_t word_count;

	const struct own_kernel *const *own; /* kernels of the user, besides the words */
	size_t own_count;

	const char *backend, *device; /* NULL = neither an option nor an environment variable */
	const char *backend_from, *device_from; /* for messages: "--backend", "PMPP_BACKEND" */
	struct size_list sizes;
	const struct like_list *like; /* run: problems of another file; NULL = not given */
	struct tunable_list tunables;
	struct choices choices;
	struct operand_file_list in, out, expect;
	uint64_t seed;

	struct suite_options suite; /* without the members that runner_open_suite() sets */
	double tolerance;           /* parity: NAN = calculated from the noise of the samples */
	double timeout_s;           /* of one variant */
	int engine;                 /* index into engines (engine.h) */
	size_t shard_index, shard_count; /* 1 <= index <= count; 1/1 without --shard */
	bool no_isolate;
	size_t repetitions; /* run: number of repetitions, each in new processes; >= 1 */
	bool peers;         /* run: also time the libraries of the families */
	bool every_view;    /* run: all backends of the device (DEVICE_RULE_EVERY_VIEW) */

	const char
		*model; /* verify, explain: access model; model occupancy: unit; NULL = not given */
	size_t width;   /* verify, explain: lanes in lockstep; 0 = as the model */

	struct block_choice blocks; /* explain: blocks to trace */
	size_t step_limit;          /* explain: basic blocks of a traced launch; 0 = not given */
	const char *cc; /* explain: compute capability of the models; NULL = not given */
	bool twins;     /* explain: the kernels of each variant in both languages */
};

/* A repetition on a CPU is JOB_SHORT_RUNS short runs with fewer samples each (why: repeat.c). */
#define JOB_SHORT_RUNS 4

/* Minimum number of samples of a slow variant in a short run. */
#define JOB_SHORT_SAMPLES 3

static inline bool job_splits_runs(const struct job_options *options)
{
	return options->repetitions > 1;
}

/* ---- The job --------------------------------------------------------------------------------- */

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
	struct text_list hung;   /* kernels of the user that did not end: runner_kernel_name() */
	bool unfenced; /* run the next task without unmapped pages: it crashed with them */
	bool again;    /* an earlier worker has ended */
};

/* PMPP_USAGE with the reason if an option is invalid. options outlives the job. */
enum pmpp_status job_prepare(enum job_action action, const struct job_options *options,
	struct job *ret_job, struct pmpp_error *error);
void job_finish(struct job *job);

#endif
