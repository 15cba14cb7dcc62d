/*
 * The tables of `run` and `parity`: a header for a group of rows, then one line for each row.
 */
#ifndef PMPP_HOST_REPORT_LADDER_TABLE_H
#define PMPP_HOST_REPORT_LADDER_TABLE_H

#include "host/record/event.h"

#include <stdio.h>

enum column {
	COL_LABEL,
	COL_TECHNIQUE,
	COL_CHECK,
	COL_MEDIAN,
	COL_HALF_WIDTH,
	COL_RATE,
	COL_METRIC,
	COL_ROOF,
	COL_LIMIT,
	COL_STEP,
	COL_TOTAL,
	COL_CLAIM,
	COLUMN_COUNT
};

/* Zero-initialise. */
struct ladder_table {
	FILE *out;
	bool colour;
	bool bandwidth;          /* rates are GB/s, else GFLOP/s */
	const char *metric_name; /* the family's own figure; "" = none */
	int widths[COLUMN_COUNT];
};

/* Prints the header. roofs: of the group's device; not present = unknown. */
void ladder_table_begin(struct ladder_table *table, FILE *out, bool colour,
	const struct group_record *group, const struct roofs_record *roofs);

/* row: complete, derived.step and claim included. */
void ladder_table_row(
	const struct ladder_table *table, const char *label, const struct result_row *row);

/* rows: the two sides, in the order of parity->backends. */
void ladder_table_parity(const struct ladder_table *table, const char *label,
	const struct parity_row *parity, const struct result_row rows[2]);

#endif
