/*
 * Pages of `explain`: one screen for a variant, or two variants side by side.
 *
 * The entries of a variant are one record for each launch. They differ in launch, trace, resources
 * and occupancy only. What is unknown is left out, or the page prints the reason.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_PAGE_H
#define PMPP_HOST_REPORT_EXPLAIN_PAGE_H

#include "host/record/explanation.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* One variant; count >= 1. */
void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style);

/* A lost explanation: its head, its status and the reason. */
void explain_lost_page(
	FILE *out, const struct explanation_record *record, const struct page_style *style);

/* Two variants side by side; both counts >= 1. */
void explain_diff(FILE *out, const struct explanation_record *first, size_t first_count,
	const struct explanation_record *second, size_t second_count,
	const struct page_style *style);

#endif
