/*
 * A machine compared with itself, for people (host/compare/self.h).
 */
#ifndef PMPP_HOST_REPORT_SELF_TEXT_H
#define PMPP_HOST_REPORT_SELF_TEXT_H

#include <stdio.h>

#include "host/compare/self.h"

/* runs: number of runs of each variant; repetitions: number of processes of a run. width: columns of
 * the terminal; the tables have the columns that fit it. 0 = no limit. */
void self_text_put(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t runs, size_t repetitions, int width);

#endif
