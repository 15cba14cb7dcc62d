/*
 * The charts of the section "parity".
 */
#ifndef PMPP_HOST_PAGE_PARITY_CHART_H
#define PMPP_HOST_PAGE_PARITY_CHART_H

#include "host/page/parity_pairs.h"

/* The tolerance that most pairs have; NAN: unknown, or not between 0 and 1. */
double parity_chart_tolerance(const struct parity_sides *sides);

/* The ratios of all pairs: one chart row for each family. The functions return false for lack of
 * memory. *ret_chart is then empty, and it has no series if there is nothing to show. */
bool parity_chart_families(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart);

/* The pairs that are not SAME: one chart row for each pair, the largest ratio first. */
bool parity_chart_differences(
	const struct page *page, const struct parity_sides *sides, struct chart *ret_chart);

#endif
