/*
 * A machine compared with itself (host/compare/self.h), as text.
 */
#ifndef PMPP_HOST_REPORT_SELF_TEXT_H
#define PMPP_HOST_REPORT_SELF_TEXT_H

#include <stdio.h>

#include "host/compare/self.h"

/* Prints a table of floors and verdicts for each device, and the share of false alarms. runs:
 * number of runs of each variant; repetitions: number of processes of a run. width: columns of the
 * terminal; the tables have the columns that fit it. 0 = no limit. */
void self_text_put(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t runs, size_t repetitions, int width);

#endif
