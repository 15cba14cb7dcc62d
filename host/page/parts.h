/*
 * The page under construction. parts.c has the functions of section.h that write to it; the
 * sections do not use its members.
 */
#ifndef PMPP_HOST_PAGE_PARTS_H
#define PMPP_HOST_PAGE_PARTS_H

#include "host/page/section.h"

/* A result row of a file, and the side it belongs to. */
struct page_result {
	const struct result_row *row;
	size_t side;
	size_t order; /* among all rows of all files */
};

/* Insertions into the text when the page is assembled. */
enum place_kind {
	PLACE_CHART,
	PLACE_OPEN /* the attribute `open` of a <details>, if the page has no charts */
};

struct page_place {
	enum place_kind kind;
	size_t offset; /* in the text */
	size_t chart;  /* index */
};

struct page_heading {
	char *id, *text; /* owned */
};

struct page_parts {
	char *text; /* text of the sections; owned; complete after page->out is closed */
	size_t length;
	struct page_place *places; /* in order of their offsets; owned */
	size_t place_count;
	struct chart *charts; /* owned */
	size_t chart_count;
	struct page_heading *headings; /* owned */
	size_t heading_count;
	struct page_result *results; /* by side, variant and order; owned */
	size_t result_count;
	bool failed; /* there was no memory */
};

void page_parts_finish(struct page_parts *parts);

/* Sets page->sides and parts->results. page->comparison must be set. Returns false if there is no
 * memory. */
bool page_make_sides(struct page *page);
void page_free_sides(struct page *page);

/* Returns "CUDA" for "cuda"; an unknown backend unchanged. */
const char *page_backend_name(const char *backend);

#endif
