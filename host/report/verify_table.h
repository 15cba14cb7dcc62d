/*
 * The table of `verify`: one line for each backend, variant and point of a sweep, over all sizes.
 */
#ifndef PMPP_HOST_REPORT_VERIFY_TABLE_H
#define PMPP_HOST_REPORT_VERIFY_TABLE_H

#include "host/record/event.h"
#include "host/report/table.h"

/* The line in progress. Zero-initialise. */
struct verify_line {
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	char *coverage;        /* of the sizes that passed; owned; NULL = none */
	bool coverage_differs; /* the sizes have different coverages */
	bool own_kernel;       /* of the user */
	char *fallback;        /* of the first row that has one; owned; NULL = none */
	char *worst; /* row_outcome() of the row that the line names; owned; NULL = none */
	int status;  /* of this row */
	enum outcome_class class; /* of this row */
	bool too_large;           /* this row is too large for the device */
};

void verify_line_finish(struct verify_line *line);

/* Adds a row. The line names the first row that failed, else the first row that was not run. */
void verify_line_add(struct verify_line *line, const struct result_row *row);

/* Whether the line is printed: a size passed, or the row that the line names is not too large for
 * the device. */
bool verify_line_is_shown(const struct verify_line *line);

/* Whether the result is wrong, or missing although the variant ran. */
bool row_is_trouble(enum outcome_class class);

/* Writes " m=37 n=41 k=43 f32 random". */
void row_put_problem(FILE *out, const struct result_row *row);

/* Returns the status and the reason, "failed at n=7 f32 random: REASON"; malloc'ed. */
char *row_outcome(const struct result_row *row);

void verify_table_init(struct table *table);

/* Adds the line as a row. A coverage that does not fit `width` columns is shortened; 0 = no limit. */
void verify_table_row(struct table *table, const struct verify_line *line, const char *device,
	const char *name, int width);

#endif
