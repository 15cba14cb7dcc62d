/*
 * Pages of `explain`: one screen for a variant, or two variants side by side, from the JSON of
 * pmpp-explain/1 and nothing else.
 *
 * A variant's explanation is an array of entries, one for each launch, which differ in launch,
 * trace, resources and occupancy only. A field that is missing or null is left out, or says
 * why where the JSON does.
 */
#ifndef PMPP_HOST_CLI_EXPLAIN_PAGE_H
#define PMPP_HOST_CLI_EXPLAIN_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define PAGE_COLUMNS 100

struct page_style {
	bool colour;
	bool verbose; /* every line that ran, figures behind the notes, the whole checklist */
};

/*
 * Exercise 6.3 of PMPP, 4th ed., for any access: "coalesced", "uncoalesced" or "n/a (shared)".
 * Coalesced is a request that touches at most one sector more than its active lanes' bytes fill:
 * the one is for an access that does not begin on a sector's boundary. Rows of half a warp (a block
 * of 16 x 16) or less have one each, if a row fills two sectors.
 */
const char *access_coalescing(const json_t *access);

/* Adds the field "coalescing" to every access of the entries. */
void explain_complete(json_t *entries);

/* entries: at least one. */
void explain_page(FILE *out, const json_t *entries, const struct page_style *style);

/* A variant that did not get so far: its head, and its status and reason. */
void explain_lost_page(FILE *out, const json_t *row, const struct page_style *style);

/* Side by side: entries as above. */
void explain_diff(
	FILE *out, const json_t *first, const json_t *second, const struct page_style *style);

#endif
