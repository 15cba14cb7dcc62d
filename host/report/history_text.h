/* The history of a variant as tables and curves. */
#ifndef PMPP_HOST_REPORT_HISTORY_TEXT_H
#define PMPP_HOST_REPORT_HISTORY_TEXT_H

#include "host/record/history.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* Prints a title, a table, a curve and a closing line for each series. unicode: draw curves with
 * Unicode characters, else ASCII. */
void history_text_put(FILE *out, const struct history_document *history,
	const struct page_style *style, bool unicode);

#endif
