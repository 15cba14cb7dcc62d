/*
 * The charts of the section "parity".
 */
#ifndef PMPP_HOST_PAGE_PARITY_CHART_H
#define PMPP_HOST_PAGE_PARITY_CHART_H

#include "host/page/parity_pairs.h"

/* Returns the tolerance of most pairs; NAN: unknown, or not between 0 and 1. */
double parity_chart_tolerance(const struct parity_sides *sides);

/* Makes the chart of the ratios of all pairs: one chart row for each family. The functions return
 * false if there is no memory; *ret_chart is then empty. It has no series if there is no data. */
bool parity_chart_families(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart);

/* Makes the chart of the pairs that are not SAME: one chart row for each pair, the largest ratio
 * first. */
bool parity_chart_differences(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart);

#endif
