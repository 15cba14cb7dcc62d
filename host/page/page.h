/*
 * The page of `report`: one HTML file that needs no network, no script and no other file.
 *
 *     page      loads nothing; makes the page from records; order of the sections
 *     section_* one section each: text, charts, and the table behind each chart
 *     html      text and tables
 *     chart     the data of a chart
 *     gnuplot   charts to SVG, all in one process
 *     svg       what gnuplot wrote, reduced to known elements and attributes
 *     style.css embedded
 */
#ifndef PMPP_HOST_PAGE_PAGE_H
#define PMPP_HOST_PAGE_PAGE_H

#include "host/compare/compare.h"
#include "host/record/explanation.h"
#include "host/record/result.h"

/* The files of a page, as they were read. */
struct page_input {
	const struct compared_file *files;
	size_t file_count;
	const struct explain_document *explanations;
	size_t explanation_count;
	const struct tool_record *tool; /* the command that makes the page */
};

/* Makes the page. *ret_page is malloc'ed, *ret_length its bytes. *ret_warning: why the page has no
 * charts (malloc'ed), else NULL. */
enum pmpp_status page_make(const struct page_input *input, char **ret_page, size_t *ret_length,
	char **ret_warning, struct pmpp_error *error);

#endif
