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

/* ---- Points -------------------------------------------------------------------------------- */

/* Configs of one variant. */
struct fallback_points {
	struct config *items; /* owned by the caller, who frees it */
	size_t count;
	struct config
		smallest; /* the last point, which may not fit; the config if it has no points */
};

/* Makes the points below a config whose plans have blocks that fit the device. The points are every
 * combination of the choices of its macros up to the config's values that the row declares feasible.
 * Macros that the user chose and the width of a warp stay. The first point has the largest product of
 * values. Among equal products, the first point has the largest value of the last macro. Returns
 * false for lack of memory. */
bool fallback_points_make(const struct config *config, const struct problem *problem,
	const struct gpu_limits *limits, struct fallback_points *ret_points);

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

#endif
