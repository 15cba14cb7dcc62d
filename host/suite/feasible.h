/*
 * Checks that a variant can run on a device. If it cannot, the functions return false and set the
 * outcome's status and reason.
 */
#ifndef PMPP_HOST_SUITE_FEASIBLE_H
#define PMPP_HOST_SUITE_FEASIBLE_H

#include "host/suite/outcome.h"

/* The variant's needs, macros and domain allow it on the device. */
bool feasible_here(struct outcome *outcome, const struct gpu_device_info *info);

/* The blocks and grids of the outcome's plan fit the device. */
bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits);

/* The device has the resources that the compiler chose for the first launch. */
bool feasible_resources(struct outcome *outcome, const struct gpu_limits *limits);

/* Index of the plan's first launch of the variant's kernel. Its resources are those of the run. */
size_t feasible_main_launch(const struct outcome *outcome);

#endif
