/*
 * How text for people is printed.
 */
#ifndef PMPP_HOST_REPORT_PAGE_STYLE_H
#define PMPP_HOST_REPORT_PAGE_STYLE_H

#include <stdbool.h>

struct page_style {
	bool colour;
	bool verbose; /* every executed line, the figures behind the notes, the whole checklist */
	int width;    /* columns of the terminal; 0 = no limit, as in a file or a pipe */
};

#endif
