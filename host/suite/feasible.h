/*
 * Checks that a variant can run on a device. If it cannot, the functions return false and set the
 * outcome's status and reason.
 */
#ifndef PMPP_HOST_SUITE_FEASIBLE_H
#define PMPP_HOST_SUITE_FEASIBLE_H

#include "host/suite/outcome.h"

/* The variant's needs, macros and domain allow it on the device. */
bool feasible_here(struct outcome *outcome, const struct gpu_device_info *info);

/* The blocks and grids of the outcome's plan fit the device. If a block does not fit, the function
 * sets outcome->block_limit. */
bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits);

/* The device has the resources that the compiler chose for each launch. If it does not, the
 * function sets outcome->block_limit. */
bool feasible_resources(struct outcome *outcome, const struct gpu_limits *limits);

/* Writes the limit that a compiled kernel and its block exceed; "" if there is none. */
void feasible_kernel_limit(const struct gpu_kernel_resources *resources, uint64_t threads,
	const struct gpu_limits *limits, char *ret_text, size_t size);

/* Classifies a failed build, whose error is set. A driver may reject blocks above the figure that it
 * reports, although other drivers accept them. For such a block the error becomes a block limit with
 * both numbers. Returns the status. */
enum pmpp_status feasible_build_failure(
	const struct plan *plan, const struct gpu_limits *limits, struct pmpp_error *error);

/* Index of the plan's first launch of the variant's kernel. Its resources are those of the run. */
size_t feasible_main_launch(const struct outcome *outcome);

#endif
