/*
 * One variant on a bench: checks, builds, verifies and times it.
 */
#ifndef PMPP_HOST_SUITE_VARIANT_H
#define PMPP_HOST_SUITE_VARIANT_H

#include "host/suite/bench.h"

/* Checks that a variant can run on a device. If it cannot, the functions return false and set the
 * outcome's status and reason. */

/* Whether the variant's needs, macros and domain allow it to run on the device. */
bool feasible_here(struct outcome *outcome, const struct gpu_device_info *info);

/* Whether the blocks and grids of the outcome's plan fit the device. If a block does not fit, the function
 * sets outcome->block_limit. */
bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits);

/* Index of the plan's first launch of the variant's kernel. Its resources are those of the run. */
size_t feasible_main_launch(const struct outcome *outcome);

/* Checks, builds and verifies the variant. If its blocks do not fit the device, the largest declared
 * config whose blocks fit replaces the outcome's config, and the row's `fallback` has the replaced
 * values and the limit. Values that the user chose stay. *ret_run is bound if the row's status is
 * OUTCOME_OK. After a failure of the variant itself, the outcome has the reason and the function
 * returns PMPP_OK. */
enum pmpp_status variant_verify(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error);

/* Times a variant after variant_verify(), if it passed. untimed: the reason why it is not timed. If it
 * is "", the bench must be calibrated. */
enum pmpp_status variant_time(struct bench *bench, const struct bound_run *run, const char *untimed,
	struct outcome *outcome, struct pmpp_error *error);

/* Variants can be verified, but not timed, on a device that cannot run the suite's own kernels. For
 * such a failure the function returns PMPP_OK, and ret_untimed has the reason. Otherwise it returns
 * `status`, and ret_untimed is unchanged. */
enum pmpp_status variant_absorb_calibration(
	enum pmpp_status status, char *ret_untimed, size_t size, struct pmpp_error *error);

#define MAX_PEERS 2
#define MAX_COMPANIONS (MAX_PEERS + 2) /* and one for the step, one for the claim */

/* Points into itself: do not copy it. */
struct companion {
	struct outcome outcome;
	struct operands operands; /* some inputs are borrowed from the bench */
	struct bound_run run;
};

/* Zero-initialised: none. */
struct companions {
	struct companion items[MAX_COMPANIONS];
	size_t count;
};

#endif
