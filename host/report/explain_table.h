/*
 * The table above the pages of `explain`: a row for each variant.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_TABLE_H
#define PMPP_HOST_REPORT_EXPLAIN_TABLE_H

#include "host/record/explanation.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* Returns the index of the first entry that does not explain the variant of entry `first`. A variant has an
 * entry for each launch. */
size_t explain_variant_end(const struct explanation_record *entries, size_t count, size_t first);

/* entries: of one family; count >= 1. */
void explain_table_put(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style);

#endif
