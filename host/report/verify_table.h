/*
 * The table of `verify`: one line for each backend, variant and point of a sweep, over all sizes.
 */
#ifndef PMPP_HOST_REPORT_VERIFY_TABLE_H
#define PMPP_HOST_REPORT_VERIFY_TABLE_H

#include "host/record/event.h"

#include <stdio.h>

/* The line in progress. Zero-initialise. */
struct verify_line {
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	struct result_row
		worst; /* the row that the line names; owned; present where there is one */
};

void verify_line_begin(struct verify_line *line);
void verify_line_finish(struct verify_line *line);

/* Adds a row. The first failure is named, else the first row that was not run. */
void verify_line_add(struct verify_line *line, const struct result_row *row);

/* Prints the line, unless there were no rows. */
void verify_line_put(
	const struct verify_line *line, const struct group_record *group, FILE *out, bool colour);

#endif
