/*
 * A comparison as text: the compared sides, a table of verdicts (two sides) or a matrix (more
 * sides), and a summary. Text, Markdown and CSV have the same rows. The text leaves some rows out if
 * some sides are shipped devices (compare --with) and others are not.
 */
#ifndef PMPP_HOST_REPORT_COMPARE_TEXT_H
#define PMPP_HOST_REPORT_COMPARE_TEXT_H

#include <stdio.h>

#include "host/record/comparison.h"
#include "host/report/page_style.h"

/* Lines fit the width of the style. A matrix that is too wide is printed in several parts. */
void compare_text_put(
	FILE *out, const struct comparison_document *document, const struct page_style *style);

#endif
