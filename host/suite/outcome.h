/*
 * The result of the suite for one variant.
 */
#ifndef PMPP_HOST_SUITE_OUTCOME_H
#define PMPP_HOST_SUITE_OUTCOME_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/record/result.h"
#include "host/suite/options.h"

struct outcome {
	/* Owned. The row of result files: status, reason, check, times, figures. derived.step,
	 * derived.total and claim are absent, because they also depend on other rows. */
	struct result_row row;

	struct config config;
	struct problem problem;
	struct plan plan;
	enum gpu_math math;
	struct floors floors;                  /* unknown before derive_figures() */
	struct gpu_kernel_resources resources; /* of the first launch */
	struct gpu_kernel_resources step_resources[PMPP_MAX_STEPS]; /* by index of plan.steps */
	const char *suspicion; /* suspicion of kernel_warnings, valid as long as the programs of
				  the bench; NULL = none */
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

#endif
