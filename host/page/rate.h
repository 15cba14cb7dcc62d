/*
 * The rate that charts show for a time: the family's own figure, else GFLOP/s or GB/s, as in the
 * table of `run`.
 */
#ifndef PMPP_HOST_PAGE_RATE_H
#define PMPP_HOST_PAGE_RATE_H

#include "host/page/section.h"

enum rate_figure {
	RATE_METRIC,
	RATE_GFLOPS,
	RATE_GBPS
};

struct rate_kind {
	enum rate_figure figure;
	const char *name;    /* "GB/s"; belongs to a row if the figure is the family's own */
	bool less_is_better; /* the figure is a time per item, not a rate */
};

/* Returns the kind that all timed cells of these rows have. order: indices into
 * page->comparison.rows. */
struct rate_kind rate_kind_of(const struct page *page, const size_t *order, size_t count);

/* "GB/s (more is better)"; malloc'ed. */
char *rate_axis_name(const struct rate_kind *kind);

struct rate {
	double value, low, high; /* NAN: unknown; low and high: 95 % interval */
};

/* The rate of a row on a side; all NAN if it is not timed there. */
struct rate rate_of(const struct page *page, const struct rate_kind *kind,
	const struct comparison_row *row, size_t side);

#endif
