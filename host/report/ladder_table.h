/*
 * The ladder of a family as a table: one row for each variant, on one device. The tables of `run`,
 * of Markdown files and of pages are this table. Also the table of `parity`.
 */
#ifndef PMPP_HOST_REPORT_LADDER_TABLE_H
#define PMPP_HOST_REPORT_LADDER_TABLE_H

#include "host/record/event.h"
#include "host/report/table.h"

/* Makes the table of a group, a ladder or the table of `parity`, and calls table_begin(). The widths are
 * those of all rows that the group can have. */
void ladder_table_begin(struct table *table, FILE *out, const struct page_style *style,
	const struct group_record *group);

/* Adds a row. row: complete, including derived.step and claim. */
void ladder_table_row(struct table *table, const char *label, const struct result_row *row);

/* rows: the two sides, in the order of parity->backends. */
void parity_table_row(struct table *table, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2]);

/* Returns the result row of a side of a parity row, 0 or 1; NULL: the file does not have it. */
const struct result_row *parity_side_row(
	const struct result_document *document, const struct parity_row *parity, size_t side);

/* Writes the problem, the device and its roofs: "matmul  C = A B  f32  m=n=k=512      cuda:0 NVIDIA H200
 * (580.1)      roofs: 4265 GB/s copy, 65384 GFLOP/s fma (measured)". Unknown roofs are not finite. */
void ladder_put_heading(FILE *out, const struct page_style *style, const struct group_record *group,
	const struct roofs_record *roofs);

/* "tiled16", with the values of its macros if one of the rows is another row of the variant. */
void ladder_label(const struct result_row *row, const struct result_row *rows, size_t count,
	char *ret_text, size_t size);

#endif
