/*
 * The page of `explain`: one screen for a variant.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_PAGE_H
#define PMPP_HOST_REPORT_EXPLAIN_PAGE_H

#include "host/record/explanation.h"
#include "host/report/page_style.h"

#include <stdio.h>

#define EXPLAIN_PAGE_COLUMNS 100 /* if the terminal has no limit */

/* entries: of one variant, one for each launch; count >= 1. */
void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style);

#endif
