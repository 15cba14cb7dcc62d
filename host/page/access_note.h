/*
 * The notes below a source line: its memory accesses and divergent branches. Each note is a line of
 * text that opens to show a caption and a drawing.
 */
#ifndef PMPP_HOST_PAGE_ACCESS_NOTE_H
#define PMPP_HOST_PAGE_ACCESS_NOTE_H

#include "host/page/section.h"

/* Writes an access. times: number of equal accesses of the line. A note with a finding is open.
 * model: of the trace; NULL: the file has an unusable one. */
void access_note(struct page *page, const struct access_record *access,
	const struct access_model *model, unsigned times);

/* The branches of one line that diverge. */
struct branch_sum {
	unsigned count;
	double executions, divergent;
	const struct branch_record *shown; /* the branch with the most divergent executions */
};

/* Writes the branches of a line. sum->count must be above 0. */
void access_note_branch(
	struct page *page, const struct branch_sum *sum, const struct access_model *model);

/* Returns whether two records of a line have the same note. */
bool access_note_equal(const struct access_record *a, const struct access_record *b);

#endif
