/*
 * The charts of the section "sweeps": variants with several sizes.
 */
#ifndef PMPP_HOST_PAGE_SWEEP_CHART_H
#define PMPP_HOST_PAGE_SWEEP_CHART_H

#include "host/page/side_rows.h"

/* Sizes that make a sweep: different bytes of the operands. */
#define SWEEP_SIZES 3

/* One variant on one side: rows that differ in their size only. */
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

/* Finds the variants with SWEEP_SIZES sizes or more. false for lack of memory; *ret_sweeps is then
 * empty. */
bool sweeps_make(const struct side_rows *rows, struct sweeps *ret_sweeps);
void sweeps_finish(struct sweeps *sweeps);

/* Whether both are of one side and one family: they share a chart. */
bool sweeps_share_chart(const struct sweep *a, const struct sweep *b);

/* The variant, and its type and macros if other sweeps of the chart have the same variant. */
char *sweep_name(const struct sweeps *sweeps, size_t index);

/* Rate against bytes of the operands for the sweeps that share the chart of sweep `index`. false
 * for lack of memory; *ret_chart is then empty. */
bool sweep_chart(const struct page *page, const struct sweeps *sweeps, size_t index,
	struct chart *ret_chart);

#endif
