/*
 * The charts of the section "sweeps": variants with several sizes.
 */
#ifndef PMPP_HOST_PAGE_SWEEP_CHART_H
#define PMPP_HOST_PAGE_SWEEP_CHART_H

#include "host/page/side_rows.h"

/* Minimum number of sizes of a sweep. A size is the number of bytes of the operands. */
#define SWEEP_SIZES 3

/* One variant on one side: rows that differ only in their size. */
struct sweep {
	const struct side_row **rows; /* timed, in the order of their bytes */
	size_t count;
	size_t first; /* index of its first row among all rows */
};

struct sweeps {
	const struct side_row **rows; /* of all sweeps; owned */
	struct sweep *items;          /* in the order of their first rows; owned */
	size_t count;
};

/* Finds the variants with SWEEP_SIZES sizes or more. Returns false if there is no memory;
 * *ret_sweeps is then empty. */
bool sweeps_make(const struct side_rows *rows, struct sweeps *ret_sweeps);
void sweeps_finish(struct sweeps *sweeps);

/* Returns whether both have the same side and family, so that they share a chart. */
bool sweeps_share_chart(const struct sweep *a, const struct sweep *b);

/* Returns the name of the variant, with type and macros if other sweeps of the chart have the same
 * variant. malloc'ed. */
char *sweep_name(const struct sweeps *sweeps, size_t index);

/* Makes the chart of the rate against the bytes of the operands, for all sweeps that share the
 * chart of sweep `index`. Returns false if there is no memory; *ret_chart is then empty. */
bool sweep_chart(const struct page *page, const struct sweeps *sweeps, size_t index,
	struct chart *ret_chart);

#endif
