/*
 * How a page of text is printed.
 */
#ifndef PMPP_HOST_REPORT_PAGE_STYLE_H
#define PMPP_HOST_REPORT_PAGE_STYLE_H

#include <stdbool.h>

#define PAGE_COLUMNS 100

struct page_style {
	bool colour;
	bool verbose; /* every executed line, the figures behind the notes, the whole checklist */
};

#endif
