/*
 * The page of `report`: one HTML file that needs no network, no script and no other file.
 *
 *     page      writes the page from records; order of the sections
 *     parts     the page under construction: text, charts, list of contents
 *     sides     devices and backends, and their rows
 *     section_* one section each: text, charts, and the table behind each chart
 *     html      text and tables
 *     chart     the data of a chart
 *     figure    a chart in the page: title, legend, drawing
 *     layout    ranges, ticks, and the place of every text of a chart
 *     gnuplot   charts to SVG, all in one process
 *     annotated_source, access_figure, lane_drawing
 *               explained kernels: the listing, the notes of a line, their drawings
 *     svg       gnuplot's output, reduced to known elements and attributes
 *     style.css embedded
 */
#ifndef PMPP_HOST_PAGE_PAGE_H
#define PMPP_HOST_PAGE_PAGE_H

#include "host/page/input.h"

struct page_output {
	char *text; /* HTML, ended by a zero; owned */
	size_t length;
	size_t chart_count; /* number of drawn charts */
	char *warning;      /* why the page has no charts; owned; NULL = no warning */
};

/* Makes the page. */
enum pmpp_status page_make(
	const struct page_input *input, struct page_output *ret_output, struct pmpp_error *error);

void page_output_finish(struct page_output *output);

#endif
