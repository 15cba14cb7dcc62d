/*
 * The rate that stands for a time in charts: the family's own figure, else GFLOP/s or GB/s, as the
 * table of `run` shows it.
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
	const char *name;    /* "GB/s"; of a row where it is the family's own */
	bool less_is_better; /* a time for each thing, not a rate */
};

/* The kind that all timed cells of these rows have. order: indices into page->comparison.rows. */
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
