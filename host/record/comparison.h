/*
 * Comparisons of result files: one row for each variant, with a cell for each side (schema
 * pmpp-compare/1). comparison.def gives units and meanings.
 */
#ifndef PMPP_HOST_RECORD_COMPARISON_H
#define PMPP_HOST_RECORD_COMPARISON_H

#include "common/model/verdict.h"
#include "host/record/result.h"

/* Effects of a changed count. Words: NULL ends the list. */
enum count_effect {
	COUNT_BETTER,
	COUNT_WORSE,
	COUNT_EFFECT_COUNT
};
extern const char *const count_effect_words[COUNT_EFFECT_COUNT + 1];

#define RECORDS "host/record/comparison.def"
#include "common/records.inc"

#define COMPARISON_SCHEMA "pmpp-compare/1"
#define COUNT_SCHEMA "pmpp-counts/1"

/* The problem of a row as text, such as "f32 k=64 m=64 n=64": type, operation, data (if not
 * random), sizes, math (if not default). Backend and device follow, unless they are the compared
 * fields. malloc'ed; NULL if there is no memory. */
char *comparison_row_problem(const struct comparison_row *row);

/* Returns the counter of a verdict. */
int64_t *verdict_counts_at(struct verdict_counts_record *counts, enum verdict verdict);

#endif
