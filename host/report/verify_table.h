/*
 * The table of `verify`: one line for each backend, variant and point of a sweep, over all sizes.
 */
#ifndef PMPP_HOST_REPORT_VERIFY_TABLE_H
#define PMPP_HOST_REPORT_VERIFY_TABLE_H

#include "host/record/event.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* The line in progress. Zero-initialise. */
struct verify_line {
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	char *coverage;        /* of the sizes that passed; owned; NULL = none */
	bool coverage_differs; /* it is not the same at all sizes */
	struct result_row
		worst; /* the row that the line names; owned; present where there is one */
};

void verify_line_begin(struct verify_line *line);
void verify_line_finish(struct verify_line *line);

/* Adds a row. The first failure is named, else the first row that was not run. */
void verify_line_add(struct verify_line *line, const struct result_row *row);

/* Whether the line has something to print: there were rows, and they fit on the device. */
bool verify_line_is_shown(const struct verify_line *line);

/* The cells "23" or "2 of 14", and "0.85" or "-". */
#define VERIFY_CELL_BYTES 48
void verify_line_format(const struct verify_line *line, char ret_sizes[VERIFY_CELL_BYTES],
	char ret_error[VERIFY_CELL_BYTES]);

/* Writes what was checked, or the status and the reason of the row that the line names. No line
 * end.
 */
void verify_line_put_checked(
	const struct verify_line *line, FILE *out, const struct page_style *style);

/* Prints the titles of the columns. */
void verify_titles_put(FILE *out, const struct page_style *style);

/* Prints the line. */
void verify_line_put(const struct verify_line *line, const struct group_record *group, FILE *out,
	const struct page_style *style);

#endif
