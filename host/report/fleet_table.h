/*
 * The summary of a fleet: a line for each rank, the stragglers, and the ranks that failed.
 */
#ifndef PMPP_HOST_REPORT_FLEET_TABLE_H
#define PMPP_HOST_REPORT_FLEET_TABLE_H

#include "host/compare/stragglers.h"

#include <stdio.h>

/* Prints the summary in lines of at most `width` columns; 0: no limit. Below 80 columns a line of the
 * table may be longer. A rank that skipped all rows (exit code 77) is not listed as failed. */
void fleet_table_put(FILE *out, const struct fleet_report_list *reports,
	const struct straggler_list *stragglers, int width);

#endif
