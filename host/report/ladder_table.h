/*
 * The ladder of a family as a table: one row for each variant, on one device. The tables of `run`,
 * of Markdown files and of pages are this table. Also the table of `parity`.
 */
#ifndef PMPP_HOST_REPORT_LADDER_TABLE_H
#define PMPP_HOST_REPORT_LADDER_TABLE_H

#include "host/record/event.h"
#include "host/report/table.h"

/* gpu: claims apply. peers: a row is compared with a library. */
void ladder_table_init(struct table *table, const char *family, bool gpu, bool peers);

/* Adds a row. row: complete, including derived.step and claim. */
void ladder_table_row(struct table *table, const char *label, const struct result_row *row);

/* results_only: no row has times. */
void parity_table_init(struct table *table, const char *const backends[2], bool results_only);

/* rows: the two sides, in the order of parity->backends; NULL: the file does not have it. */
void parity_table_row(struct table *table, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2]);

/* Prints the problem, the device and its roofs, and begins the table of a group (table_begin()). The
 * widths are those of all rows that the group can have. Unknown roofs are not finite. */
void ladder_table_begin(struct table *table, FILE *out, const struct page_style *style,
	const struct group_record *group, const struct roofs_record *roofs);

/* "tiled16", with the values of its macros if one of the rows is another row of the variant. */
void ladder_label(const struct result_row *row, const struct result_row *rows, size_t count,
	char *ret_text, size_t size);

#endif
