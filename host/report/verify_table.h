/*
 * The table of `verify`: one line for each backend, variant and point of a sweep, over all sizes.
 */
#ifndef PMPP_HOST_REPORT_VERIFY_TABLE_H
#define PMPP_HOST_REPORT_VERIFY_TABLE_H

#include "host/record/event.h"
#include "host/report/table.h"

#include <stdio.h>

/* The line in progress. Zero-initialise. */
struct verify_line {
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	char *coverage;          /* of the sizes that passed; owned; NULL = none */
	bool coverage_differs;   /* the sizes have different coverages */
	bool own_kernel;         /* of the user */
	char *fallback;          /* of the first row that has one; owned; NULL = none */
	struct text_list sizes;  /* of all rows, "f32 sum random: n=7 (skipped)"; owned */
	struct result_row worst; /* the row that the line names; owned; present if there is one */
};

void verify_line_begin(struct verify_line *line);
void verify_line_finish(struct verify_line *line);

/* Adds a row. The line names the first row that failed, else the first row that was not run. */
void verify_line_add(struct verify_line *line, const struct result_row *row);

/* Whether the line is printed: a size passed, or the row that the line names is not too large for
 * the device. */
bool verify_line_is_shown(const struct verify_line *line);

/* Writes "vecadd/fine on opencl:0.0: failed at n=7 f32 random: REASON" if the row has no right
 * result. Otherwise writes nothing and returns false. */
bool row_put_trouble(
	const struct result_row *row, const char *label, const char *device, FILE *out);

/* Makes the table. with_backend: it has a column with the backend, as files with several devices. */
void verify_table_init(struct table *table, bool with_backend);

/* Adds the line as a row. A coverage that does not fit `width` columns is shortened; 0 = no limit. */
void verify_table_row(struct table *table, const struct verify_line *line, const char *device,
	const char *backend, const char *name, int width);

/* Lists the sizes of all rows, one line for each element type, operation and kind of data:
 * "    sizes, f32 sum random: n=1; n=7 (skipped)". A size without a status passed. */
void verify_line_put_sizes(const struct verify_line *line, FILE *out);

#endif
