/*
 * The parts of the pages of `explain` (explain_page.h): texts of single figures, and text in
 * columns.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_TEXT_H
#define PMPP_HOST_REPORT_EXPLAIN_TEXT_H

#include "host/record/explanation.h"
#include "host/report/format.h"
#include "host/report/page_style.h"

/* ---- Columns ------------------------------------------------------------------------------- */

#define NAME_COLUMNS 12 /* for a fact's name */

/* The next line of *text, broken at a blank to fit the columns. Returns its length in bytes, 0 at
 * the end; *ret_line is its start. *text advances past it. */
int text_wrap(const char **text, int columns, const char **ret_line);

/* A source line without indentation, cut to a number of columns (UTF-8). A cut line ends with an
 * ellipsis. */
void text_cut(const char *text, int columns, char *ret_text, size_t size);

/* "name        text", the text in a column of its own, wrapped. Nothing for an empty text. */
void put_fact(FILE *out, const struct page_style *style, enum style text_style, const char *name,
	const char *text);

/* ---- Figures ------------------------------------------------------------------------------- */

/* "transpose/tiled", and what it does: title, problem, choices, macros. */
void head_text(const struct explanation_record *entry, char *ret_name, size_t name_size,
	char *ret_text, size_t text_size);

/* A line of the page about one entry; an empty text is left out. */
struct fact {
	const char *name;
	void (*text)(const struct explanation_record *entry, char *ret_text, size_t size);
};

extern const struct fact launch_facts[];  /* one launch: which it is */
extern const struct fact traced_facts[];  /* one launch: its trace and its build */
extern const struct fact variant_facts[]; /* the variant */
extern const size_t launch_fact_count, traced_fact_count, variant_fact_count;

/* Names of the checklist's items that are in a state: "coalescing, tiling". */
void checklist_names(const struct explanation_record *entry, enum check_state state, char *ret_text,
	size_t size);

/* "race, lines 21 and 24: ..." */
void defect_text(const struct defect_record *defect, char *ret_text, size_t size);

#endif
