/*
 * The table of `compare --fleet`: a line for each rank, the stragglers, and the ranks that failed or
 * have no file.
 */
#ifndef PMPP_HOST_REPORT_FLEET_TABLE_H
#define PMPP_HOST_REPORT_FLEET_TABLE_H

#include "host/compare/stragglers.h"

#include <stdio.h>

/* Prints the table in lines of at most `width` columns; 0: no limit. files: sorted by rank,
 * count >= 1. Returns the exit code: the worst of 3 (a failed row), 5 (a row without a result, or a
 * rank without a file), 4 (a confirmed straggler), 77 (all rows were skipped). */
int fleet_table_put(FILE *out, const struct compared_file *files, size_t count,
	const struct straggler_list *stragglers, int width);

#endif
