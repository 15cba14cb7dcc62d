/*
 * Comparisons of result files: one row for each variant, with a cell for each side (schema
 * pmpp-compare/1). comparison.def gives units and meanings.
 */
#ifndef PMPP_HOST_RECORD_COMPARISON_H
#define PMPP_HOST_RECORD_COMPARISON_H

#include "common/model/verdict.h"
#include "host/record/result.h"

#define RECORDS "host/record/comparison.def"
#include "host/record/records.inc"

#define COMPARISON_SCHEMA "pmpp-compare/1"

/* The problem of a row as text, such as "f32 k=64 m=64 n=64": type, operation, data (if not
 * random), sizes, math (if not default). Backend and device follow, unless they are the compared
 * fields. malloc'ed; NULL if there is no memory. */
char *comparison_row_problem(const struct comparison_row *row);

/* Sections of a comparison. A section has the rows of one family and problem: section s has the
 * rows order[starts[s]] to order[starts[s + 1] - 1]. Sections are in the order of their first
 * rows. */
struct comparison_sections {
	size_t *order, *starts; /* owned; NULL if there is no memory */
	size_t count;
};

struct comparison_sections comparison_sections_make(const struct comparison_document *document);
void comparison_sections_finish(struct comparison_sections *sections);

#define COMPARE_LETTER_BYTES 24

/* Short name of a side in tables and reasons: "base" and "new" if there are two sides, else "A",
 * "B", ... */
void compare_letter(size_t side, size_t side_count, char ret_letter[COMPARE_LETTER_BYTES]);

/* Returns the counter of a verdict. */
int64_t *verdict_counts_at(struct verdict_counts_record *counts, enum verdict verdict);

#endif
