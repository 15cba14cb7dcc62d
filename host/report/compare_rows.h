/*
 * A comparison as tables: one for each family and problem. Text, Markdown and CSV have these rows. The
 * text leaves some rows out if some sides are shipped devices (compare --with) and others are not.
 */
#ifndef PMPP_HOST_REPORT_COMPARE_ROWS_H
#define PMPP_HOST_REPORT_COMPARE_ROWS_H

#include "host/record/comparison.h"
#include "host/report/table.h"

/* Prints the tables of the shown rows, and the meanings of their marks. style: of a terminal; NULL:
 * Markdown, with all rows. With more than two sides, a row has a line for each side that has the row.
 * Tables without a row that a shipped device has at this size are left out. */
void compare_rows_put(
	FILE *out, const struct comparison_document *document, const struct page_style *style);

#endif
