/*
 * Shared data of the page's sections: the sides, the joined rows, and the page under construction.
 */
#ifndef PMPP_HOST_PAGE_SECTION_H
#define PMPP_HOST_PAGE_SECTION_H

#include "host/page/chart.h"
#include "host/page/html.h"
#include "host/page/input.h"

/* A side of the page: one device through one backend. It has the same index as in page->comparison,
 * and the same tint and mark in all charts. The tint depends on the device, the mark on the
 * backend. */
struct page_side {
	char *name;        /* "NVIDIA H200, CUDA"; unique */
	char *device_name; /* "NVIDIA H200"; with a number if two devices have the same name; unique
			    */
	size_t device_index; /* equal on all sides of the device; the devices are numbered from 0 */
	const char *backend;
	const struct device_record *device; /* from the newest file that has the device */
	const struct view_record *view;     /* through this backend; NULL = the file has none */
	const struct roofs_record *roofs;   /* of the view, else of the device; NULL = unknown */
	unsigned tint, mark;
};

struct page;

/* Writes a section to page->out, and adds its charts with page_chart(). Writes nothing if there is
 * no data. Returns false if there is no memory. */
typedef bool section_fn(struct page *page);

struct page {
	const struct page_input *input;
	FILE *out; /* text of the current section */
	/* All rows of all files, joined. A side is a pair of device and backend, so a file with one
	 * device and one backend has one side. */
	struct comparison_document comparison;
	struct comparison_sections problems; /* rows of the same family and problem */
	struct page_side *sides;
	size_t side_count;
	struct page_parts *parts; /* the page so far: text and charts (page.c) */
};

/* Adds the chart at this place of the section and empties *chart. Below the chart, write the table
 * of the same figures between page_table_begin() and page_table_end(), which put it into a closed
 * <details>. */
bool page_chart(struct page *page, struct chart *chart);
void page_table_begin(struct page *page, const char *summary);
void page_table_end(struct page *page);

/* Begins a <section> with a heading, and adds the heading to the page's list of contents. id:
 * letters and '-'. */
void page_section_begin(struct page *page, const char *id, const char *heading);
void page_section_end(struct page *page);

/* Writes the mark of a side, as in legends. */
void page_put_sign(const struct page *page, size_t side);

/* A cell with warnings about samples: "throttled, noisy". flags: enum timing_flag. */
void page_put_flags(struct html_table *table, unsigned flags);

/* Returns the result row of a cell of page->comparison. If several files have the row, returns the
 * one with the most samples. NULL: the side has no such row. */
const struct result_row *page_row(
	const struct page *page, const struct comparison_row *row, size_t side);

section_fn section_devices;   /* the devices, their drivers and roofs; the files */
section_fn section_ladders;   /* each family and problem: all variants on all sides */
section_fn section_against;   /* device against device: the fastest variants, small multiples */
section_fn section_rooflines; /* each side: every variant as a point, its floor marked */
section_fn section_parity;    /* OpenCL against CUDA on each device, with intervals */
section_fn section_sweeps;    /* variants with several sizes; cache sizes marked */
section_fn section_claims;    /* which claim holds on which side */
section_fn section_skipped;   /* variants without a time, and the reasons */
section_fn section_explained; /* annotated sources */

#endif
