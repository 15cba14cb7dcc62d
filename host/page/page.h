/*
 * The page of `report`: one HTML file that needs no network and no other file.
 *
 * The parts of page.c, in this order: the devices and their backends, the rows of all files, the pairs of
 * two backends; the figures of the charts, as one JSON object in the page; the sections, which write
 * text, tables and the places of charts; head, policy, order and introductions of the sections. page.js
 * draws the charts from the JSON, sorts and filters; page.css is the style sheet.
 *
 * Without a script, and in print, the tables have all figures.
 */
#ifndef PMPP_HOST_PAGE_PAGE_H
#define PMPP_HOST_PAGE_PAGE_H

#include "host/compare/compare.h"

/* Makes the page. *ret_text: HTML, ended by a zero; malloc'ed. */
enum pmpp_status page_make(const struct result_files *input, char **ret_text, size_t *ret_length,
	struct pmpp_error *error);

#endif
