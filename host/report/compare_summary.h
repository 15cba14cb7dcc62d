/*
 * The summary of a comparison: the counts of verdicts, the fastest variants, the claims, and other
 * differences (source, driver, seed).
 */
#ifndef PMPP_HOST_REPORT_COMPARE_SUMMARY_H
#define PMPP_HOST_REPORT_COMPARE_SUMMARY_H

#include <stdio.h>

#include "host/record/comparison.h"

/* colour: print escape sequences of colours. */
void compare_summary_put(FILE *out, const struct comparison_document *document, bool colour);

#endif
