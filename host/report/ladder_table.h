/*
 * The tables of `run` and `parity`: a header for a group of rows, then one line for each row. A
 * table has the columns that fit the width of its style.
 */
#ifndef PMPP_HOST_REPORT_LADDER_TABLE_H
#define PMPP_HOST_REPORT_LADDER_TABLE_H

#include "host/record/event.h"
#include "host/report/columns.h"
#include "host/report/page_style.h"

#include <stdio.h>

#define LADDER_MAX_COLUMNS 16

/* Zero-initialise. */
struct ladder_table {
	FILE *out;
	struct page_style style;
	bool bandwidth;  /* rates are GB/s, else GFLOP/s */
	bool long_limit; /* the column of limits also has the largest floor */
	char second[32]; /* backend of the second side of parity */
	struct table_column columns[LADDER_MAX_COLUMNS];
	size_t column_count;
	bool shown[LADDER_MAX_COLUMNS];
};

/* Prints the header. roofs: of the group's device; unknown roofs are not finite. */
void ladder_table_begin(struct ladder_table *table, FILE *out, const struct page_style *style,
	const struct group_record *group, const struct roofs_record *roofs);

/* Prints a row. row: complete, including derived.step and claim. */
void ladder_table_row(
	const struct ladder_table *table, const char *label, const struct result_row *row);

/* Prints a row of parity. rows: the two sides, in the order of parity->backends. */
void ladder_table_parity(const struct ladder_table *table, const char *label,
	const struct parity_row *parity, const struct result_row rows[2]);

#endif
