/* The history of a variant as tables and curves. */
#ifndef PMPP_HOST_REPORT_HISTORY_TEXT_H
#define PMPP_HOST_REPORT_HISTORY_TEXT_H

#include "host/record/history.h"

#include <stdio.h>

struct history_style {
	bool colour;
	bool unicode; /* draw curves with Unicode characters, else ASCII */
	int width;    /* columns of the terminal; 0 = no limit */
};

/* Prints a title, a table, a curve and a closing line for each series. */
void history_text_put(
	FILE *out, const struct history_document *history, const struct history_style *style);

#endif
