/*
 * The summary of a comparison: the counts of verdicts, the fastest variants, the claims, and what
 * else differs.
 */
#ifndef PMPP_HOST_REPORT_COMPARE_SUMMARY_H
#define PMPP_HOST_REPORT_COMPARE_SUMMARY_H

#include <stdio.h>

#include "host/record/comparison.h"

#define COMPARE_LETTER_BYTES 24

/* How a side is named in tables: "base" and "new" for two sides, else "A", "B", ... */
void compare_letter(size_t side, size_t side_count, char ret_letter[COMPARE_LETTER_BYTES]);

void compare_summary_put(FILE *out, const struct comparison_document *document, bool colour);

#endif
