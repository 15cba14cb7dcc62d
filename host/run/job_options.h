/*
 * Options of a job: the options of `run`, `verify`, `parity`, `roofline` and `explain`.
 */
#ifndef PMPP_HOST_RUN_JOB_OPTIONS_H
#define PMPP_HOST_RUN_JOB_OPTIONS_H

#include "host/run/targets.h"
#include "host/suite/suite.h"

/* --in or --out NAME=FILE */
struct operand_file {
	char name[16];
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

	const char *backend, *device; /* NULL = neither an option nor an environment variable */
	const char *backend_from, *device_from; /* for messages: "--backend", "PMPP_BACKEND" */
	struct size_list sizes;
	const struct like_list *like; /* run: problems of another file; NULL = not given */
	struct tunable_list tunables;
	struct choices choices;
	struct operand_file_list in, out;
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

#endif
