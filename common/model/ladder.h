/*
 * Ladders: how much faster a variant is than the variants above it.
 */
#ifndef PMPP_COMMON_MODEL_LADDER_H
#define PMPP_COMMON_MODEL_LADDER_H

#include <stddef.h>
#include <stdint.h>

struct ladder_macro {
	const char *name;
	int64_t value;
};

/* One row of results. Nothing is owned. */
struct ladder_rung {
	const char *variant, *backend;
	const struct ladder_macro *macros; /* different names, in any order */
	size_t macro_count;
	double median_ns; /* NAN = not timed */
};

/* The median, in ns, of the named variant among the rungs before a rung, all of one problem and
 * device. Only timed rungs of the same backend count. In a sweep the one with the most equal
 * macros is used, the first of those. NAN where there is none. */
double ladder_median(const char *variant, const struct ladder_rung *rung,
	const struct ladder_rung *before, size_t count);

/* Ratios of times, > 1: the rung is faster; NAN = unknown. */
struct ladder_factors {
	double step;  /* base / rung */
	double total; /* first / rung; 1 for the first variant itself */
};

/* base: the variant that the step compares with; NULL = none. first: the first variant of the
 * family. */
struct ladder_factors ladder_factors(const char *base, const char *first,
	const struct ladder_rung *rung, const struct ladder_rung *before, size_t count);

#endif
