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

#define EXPLAIN_PAGE_COLUMNS 100 /* if the terminal has no limit */

/* The entries of one variant: one for each launch. */
struct explained_variant {
	const struct explanation_record *entries;
	size_t count; /* >= 1 */
};

/* Prints one variant, or two variants side by side. A variant alone that could not be explained has its
 * head, its status and the reason. */
void explain_page(FILE *out, const struct explained_variant *variants, size_t count,
	const struct page_style *style);

#endif
