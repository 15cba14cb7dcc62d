/*
 * A comparison as tables: one for each family and problem. Text, Markdown and CSV have these rows. The
 * text leaves some rows out if some sides are shipped devices (compare --with) and others are not.
 */
#ifndef PMPP_HOST_REPORT_COMPARE_ROWS_H
#define PMPP_HOST_REPORT_COMPARE_ROWS_H

#include "host/record/comparison.h"
#include "host/report/table.h"

/* Whether the text shows the row: a side has a time. With shipped and other sides: one of the others
 * has the row. */
bool compare_row_is_shown(
	const struct comparison_document *document, const struct comparison_row *row);
bool compare_row_is_own(
	const struct comparison_document *document, const struct comparison_row *row);

/* Whether some sides, but not all, are shipped devices. */
bool compare_is_mixed(const struct comparison_document *document);

/* Whether shipped devices have the variant of a shown row, but only at other sizes. */
bool compare_row_is_unlike(
	const struct comparison_document *document, const struct comparison_row *row);

/* Prints the tables of the shown rows. A table with too many sides for the width has several parts.
 * Tables without a row that a shipped device has at this size are left out. */
void compare_rows_put(
	FILE *out, const struct comparison_document *document, const struct page_style *style);

/* The flags of the times of the shown rows. */
unsigned compare_rows_flags(const struct comparison_document *document);

/* "105 x faster" for ratios below 0.1, "105 x slower" from 10 on, else "0.988". */
void compare_format_ratio(double ratio, char *text, size_t size);

#endif
