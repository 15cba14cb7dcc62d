/* The history of a variant as tables and curves. */
#ifndef PMPP_HOST_REPORT_HISTORY_TEXT_H
#define PMPP_HOST_REPORT_HISTORY_TEXT_H

#include "host/record/history.h"

#include <stdio.h>

struct history_style {
	bool colour, unicode;
	int width; /* columns of the terminal; 0 = no limit */
};

void history_put(
	FILE *out, const struct history_document *history, const struct history_style *style);

#endif
