/*
 * How pages and tables are printed.
 */
#ifndef PMPP_HOST_REPORT_PAGE_STYLE_H
#define PMPP_HOST_REPORT_PAGE_STYLE_H

#include <stdbool.h>

struct page_style {
	bool colour;
	bool verbose;  /* explain: all executed lines, the figures of notes, the whole checklist;
			 verify: the sizes */
	bool map;      /* explain: the sector or bank of each lane */
	bool wrong;    /* explain: a kernel that failed its checks, without advice on its speed */
	bool markdown; /* tables are Markdown */
	int width;     /* columns of the terminal; 0 = no limit, as in a file or a pipe */
};

#endif
