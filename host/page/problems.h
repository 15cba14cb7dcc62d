/*
 * The problems of a page: the rows of one family and size, in ladder order.
 */
#ifndef PMPP_HOST_PAGE_PROBLEMS_H
#define PMPP_HOST_PAGE_PROBLEMS_H

#include "host/page/section.h"

struct page_problem {
	size_t *order; /* indices into page->comparison.rows, in ladder order; owned */
	size_t count;
	size_t variants; /* rows that are timed on at least one side */
	size_t cells;    /* timed cells */
};

/* Makes the problem of a section of page->problems. Returns false if there is no memory. */
bool page_problem_make(const struct page *page, size_t section, struct page_problem *ret_problem);
void page_problem_finish(struct page_problem *problem);

const struct comparison_row *page_problem_row(
	const struct page *page, const struct page_problem *problem, size_t index);

/* The family of a section of page->problems. */
const char *page_problem_family(const struct page *page, size_t section);

/* Returns whether an earlier section has the same family. */
bool page_problem_is_later(const struct page *page, size_t section);

/* Returns whether a row is timed on a side. */
bool page_is_timed(const struct comparison_row *row, size_t side);

/* Returns "tiled", or "tiled TILE=32" if the problem has the variant with several macro values.
 * malloc'ed; NULL if there is no memory. */
char *page_row_label(const struct page *page, const struct page_problem *problem, size_t index);

#endif
