/*
 * Pages of `explain`: one screen for a variant, or two variants side by side.
 *
 * A variant has one record (entry) for each launch. The records of a variant differ in launch,
 * trace, resources and occupancy only. Unknown values are left out, or the page prints the reason.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_PAGE_H
#define PMPP_HOST_REPORT_EXPLAIN_PAGE_H

#include "host/record/explanation.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* Prints one variant. entries: one for each launch; count >= 1. */
void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style);

/* Prints a variant that could not be explained: its head, its status and the reason. */
void explain_lost_page(
	FILE *out, const struct explanation_record *record, const struct page_style *style);

/* Prints two variants side by side; both counts >= 1. */
void explain_diff(FILE *out, const struct explanation_record *first, size_t first_count,
	const struct explanation_record *second, size_t second_count,
	const struct page_style *style);

#endif
