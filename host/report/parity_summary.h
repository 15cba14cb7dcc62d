/*
 * The summary of `parity`: the number of rows of each verdict, and the rows with the largest
 * differences that are not SAME. Each of these rows has the differences of its two builds.
 */
#ifndef PMPP_HOST_REPORT_PARITY_SUMMARY_H
#define PMPP_HOST_REPORT_PARITY_SUMMARY_H

#include "host/record/result.h"

#include <stdio.h>

/* Maximum number of rows whose builds are shown. */
#define PARITY_SUMMARY_WORST 3

/* Prints an empty line and the summary of the parity rows. Results that have no other side, because a
 * worker crashed, are not in it. Prints nothing if there are no results. */
void parity_summary_put(FILE *out, const struct result_document *document);

#endif
