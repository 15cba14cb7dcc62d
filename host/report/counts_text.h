/*
 * A comparison of the counts of two explain files as a table.
 */
#ifndef PMPP_HOST_REPORT_COUNTS_TEXT_H
#define PMPP_HOST_REPORT_COUNTS_TEXT_H

#include <stdio.h>

#include "host/record/comparison.h"
#include "host/report/page_style.h"

/* Prints notes, the changed counts, and how many there are. */
void counts_text_put(
	FILE *out, const struct count_document *document, const struct page_style *style);

/* The table of the changed counts, as Markdown or CSV. malloc'ed; NULL for lack of memory. */
char *counts_table(const struct count_document *document, bool markdown);

/* Changes of one effect. */
size_t counts_of_effect(const struct count_document *document, enum count_effect effect);

#endif
