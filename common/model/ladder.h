/*
 * Ladders: how much faster a variant is than the variants above it.
 */
#ifndef PMPP_COMMON_MODEL_LADDER_H
#define PMPP_COMMON_MODEL_LADDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/stats.h"

struct ladder_macro {
	const char *name;
	int64_t value;
};

#define LADDER_MAX_MACROS 8

/* One row of results. Nothing is owned. */
struct ladder_rung {
	const char *variant, *backend;
	struct ladder_macro macros[LADDER_MAX_MACROS]; /* different names, in any order */
	size_t macro_count;
	double median_ns;  /* NAN = not timed */
	double ci95_ns[2]; /* 95 % interval of the median, ascending; NAN = unknown */
};

/* The rung of the named variant among the rungs before a rung, all of one problem and device; NULL
 * if there is none. Only timed rungs of the same backend count. In a sweep it is the rung with the
 * most equal macros; if several have as many, it is the first one. */
const struct ladder_rung *ladder_find(const char *variant, const struct ladder_rung *rung,
	const struct ladder_rung *before, size_t count);

/* The ratio of the medians, over / rung; > 1: the rung is faster. All members are NAN if `over` is
 * NULL or a median is unknown.
 *
 * The two medians come from separate samples. The interval goes from the least to the largest ratio
 * of values in the two intervals. With independent samples it covers the true ratio in at least
 * 95 % of all cases: about 99.4 % if both intervals are equally wide, because the half-widths are
 * added, although sqrt(a^2 + b^2) would be enough. It does not cover what changes between the two
 * blocks of samples, for example the clock of the device: stats_ratio_of() needs samples taken in
 * turn. */
struct stats_ratio ladder_ratio(const struct ladder_rung *over, const struct ladder_rung *rung);

#endif
