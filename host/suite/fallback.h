/*
 * Fallback: the configs that can replace a config whose blocks do not fit a device.
 */
#ifndef PMPP_HOST_SUITE_FALLBACK_H
#define PMPP_HOST_SUITE_FALLBACK_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/suite/outcome.h"

/* ---- Limits -------------------------------------------------------------------------------- */

/* Writes the limit for blocks that a launch of the plan exceeds, or that another kernel of its
 * program exceeds; "" if every block fits. */
void fallback_block_limit(
	const struct plan *plan, const struct gpu_limits *limits, char *ret_text, size_t size);

/* Threads of the largest block of the plan and of the other kernels of its program; 0 if there is
 * none. */
uint64_t fallback_block_threads(const struct plan *plan);

/* ---- Points -------------------------------------------------------------------------------- */

/* Configs of one variant. Zero-initialise. */
struct fallback_points {
	struct config *items; /* owned */
	size_t count;
};

/* Makes the points below a config: every combination of the choices of its macros up to the
 * config's values that the row declares feasible. Macros that the user chose and the width of a
 * warp stay. The first point has the largest product of values. Among equal products, the first
 * point has the largest value of the last macro. Returns false for lack of memory. */
bool fallback_points_make(const struct config *config, struct fallback_points *ret_points);
/* Drops the points whose plans have blocks that do not fit the device. */
void fallback_points_drop(struct fallback_points *points, const struct problem *problem,
	const struct gpu_limits *limits);
void fallback_points_finish(struct fallback_points *points);

/* Writes "TILE_M=64 instead of 128, TILE_K=8 instead of 16": the macros that differ. */
void fallback_values_text(
	const struct config *config, const struct config *instead_of, char *ret_text, size_t size);

/* Replaces the config by the first of its points whose plan has blocks that fit the device. It
 * stays if it fits, if no point fits or if there is no memory. For kernels that are launched
 * without a search. */
void fallback_fit(
	struct config *config, const struct problem *problem, const struct gpu_limits *limits);

/* ---- Known results -------------------------------------------------------------------------- */

#define FALLBACK_TEXT_BYTES 512

/* The result of one search on a device. */
struct fallback {
	struct config from;
	struct config to; /* if `fits` */
	unsigned threads; /* of the largest block of `from` */
	unsigned shared;  /* largest dynamic shared memory of a block of `from`, in bytes */
	enum dtype dtype;
	size_t op;
	bool fits;
	char text[FALLBACK_TEXT_BYTES]; /* for the row: the replaced values, or why nothing fits */
};

/* Zero-initialise. */
struct fallbacks {
	struct fallback *items; /* owned */
	size_t count;
};

/* Returns the result for a config and a problem; NULL: not searched. Sizes of the problem matter
 * only if the plan's blocks depend on them. */
const struct fallback *fallbacks_find(const struct fallbacks *fallbacks,
	const struct config *config, const struct problem *problem);

/* Adds a result. to: NULL if nothing fits. Without memory, the result is not kept. */
void fallbacks_add(struct fallbacks *fallbacks, const struct config *from, const struct config *to,
	const struct problem *problem, const char *text);
void fallbacks_finish(struct fallbacks *fallbacks);

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
