/*
 * One access or branch in an annotated source: a line of text that opens to show a drawing and its
 * caption.
 */
#ifndef PMPP_HOST_PAGE_ACCESS_FIGURE_H
#define PMPP_HOST_PAGE_ACCESS_FIGURE_H

#include "host/record/explanation.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes an access. times: number of equal accesses of the line. A figure with a finding is open.
 * model: of the trace; NULL: the file has an unusable one. *drawings: as in annotated_source(). */
void access_figure(FILE *out, const struct access_record *access, const struct access_model *model,
	unsigned times, unsigned *drawings);

/* The branches of one line that diverge. */
struct branch_sum {
	unsigned count;
	double executions, divergent;
	const struct branch_record *shown; /* the branch with the most divergent executions */
};

/* Writes the branches of a line. sum->count must be above 0. */
void access_figure_branch(FILE *out, const struct branch_sum *sum, const struct access_model *model,
	unsigned *drawings);

/* Returns whether two records of a line have the same figure. */
bool access_figure_equal(const struct access_record *a, const struct access_record *b);

#endif
