/*
 * `compare --fleet`: the files of a fleet (pmpp-run --fleet) as a table. A line for each rank, the ranks that are
 * slower than the others, and the ranks that failed or have no file.
 */
#ifndef PMPP_HOST_REPORT_FLEET_TABLE_H
#define PMPP_HOST_REPORT_FLEET_TABLE_H

#include "host/compare/compare.h"

#include <stdio.h>

#define FLEET_MAX_RANKS 65536

/* Sorts the files by rank, and prints the table in lines of at most `width` columns; 0: no limit. A rank can
 * have several equal rows: the first one is compared with the first ones of the other ranks, the second one
 * with the second ones. count >= 1. *ret_exit: the worst of 3 (a failed row), 5 (a row without a result, or
 * a rank without a file), 4 (a confirmed straggler), 77 (all rows were skipped). PMPP_USAGE with the reason:
 * a file without a rank, files of two fleets, two files of one rank. */
enum pmpp_status fleet_table_put(FILE *out, struct compared_file *files, size_t count, int width,
	int *ret_exit, struct pmpp_error *error);

#endif
