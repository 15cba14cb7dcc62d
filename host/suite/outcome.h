/*
 * The result of the suite for one variant.
 */
#ifndef PMPP_HOST_SUITE_OUTCOME_H
#define PMPP_HOST_SUITE_OUTCOME_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/record/result.h"
#include "host/sensors/sensors.h"

/* A stage of long work, for the progress line. */
typedef void suite_progress_fn(void *context, const char *text);

/* A note for the user, one line. The same note may be reported more than once. */
typedef void suite_note_fn(void *context, const char *text);

struct suite_options {
	enum gpu_math math;
	const char *kernel_dir; /* root to read kernels from; NULL: embedded */
	bool as_project;        /* judge kernels of kernel_dir as the project's: mutants */
	bool bitwise;           /* kernels of kernel_dir must keep the promise of equal bits */
	bool no_roofs;          /* do not measure roofs; those of earlier runs are used */
	const char *roof_dir;   /* root of the roof kernels; for tests only */
	bool traced;            /* emulators: also verify with the traced build (exact bounds) */
	const struct access_model *model; /* of an emulator; NULL: the default; others ignore it */
	bool model_limits;                /* the emulator has the limits of the model's GPU */
	bool fenced;    /* buffers between unmapped pages, if the device allows them; no timing */
	bool unguarded; /* no guards: the engine checks the bounds of operands itself */
	bool flush;     /* flush the last-level cache before cold samples (default) */
	double min_time_ms; /* minimum sum of all samples */
	size_t min_samples; /* 0: the default of sampling_limits_of() */
	size_t max_samples;
	suite_progress_fn *progress; /* may be NULL */
	void *progress_context;
	suite_note_fn *note; /* receives the compilers' warnings; may be NULL */
	void *note_context;
	/* INPUT_USER: host arrays by rows, in the order of family->operands; NULL = none. The
	 * caller owns them. */
	const void *user_inputs[PMPP_MAX_OPERANDS];
	struct sensor_places sensor_places; /* for tests only */
};

/* min_time 50 ms, the default number of samples up to 200, flush on. */
#define SUITE_OPTIONS_DEFAULT \
	((struct suite_options){.flush = true, .min_time_ms = 50, .max_samples = 200})

struct outcome {
	/* Owned. The row of result files: status, reason, check, times, figures. derived.step,
	 * derived.total and claim are absent, because they also depend on other rows. */
	struct result_row row;

	struct config config;
	struct problem problem;
	struct plan plan;
	enum gpu_math math;
	struct floors floors; /* unknown before derive_figures() */
	struct gpu_kernel_resources step_resources[PMPP_MAX_STEPS]; /* by index of plan.steps */
	size_t main_launch; /* the first launch of the variant's kernel; set with the resources */
	const char *suspicion; /* cause of a wrong result, or suspicion of kernel_warnings, valid
				  as long as the programs of the bench; NULL = none */
	bool promises_bits;    /* two runs must give the same bits */
	bool block_limit;  /* unsupported because of a limit for blocks: a smaller one may fit */
	char untimed[128]; /* reason why there are no times; "" = timed */
};

/* Initialises an unverified outcome with unknown figures. info: the device. For a kernel of the user the
 * work is that of the problem, because the work of the kernel is unknown. */
void outcome_init(struct outcome *outcome, const struct config *config,
	const struct problem *problem, const struct gpu_device_info *info,
	const struct suite_options *options);
void outcome_finish(struct outcome *outcome); /* frees what it owns; twice is allowed */

/* Sets the status and the reason (`what` followed by `detail`). Returns false. */
bool outcome_refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail);

/* Adds the note "family/variant: TEXT" to the row, unless the row has it. */
void outcome_note(struct outcome *outcome, const char *text);

/* Records why there are no times. The text also becomes the row's reason if it has none. */
void outcome_leave_untimed(struct outcome *outcome, const char *reason);

/* Initialises a row with the fields that are known before the variant runs, from family to repro,
 * with a note for each figure that is unknown on the device. kernel_dir: as in struct suite_options.
 * The caller finishes it. If memory runs out, texts are NULL; the writer of the record reports
 * this. */
void fill_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info, const char *kernel_dir, struct result_row *ret_row);

/* Append the size of each dimension, or the value of each macro, to an empty list. LANES is left out
 * if it is the device's width. */
void fill_dims(const struct problem *problem, struct named_list *list);
void fill_macros(const struct config *config, struct named_list *list);

/* Fills the record and marks it as present. */
void fill_resources(const struct gpu_kernel_resources *resources, struct resources_record *record);

#endif
