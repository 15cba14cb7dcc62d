/*
 * The parts of the pages of `explain` (explain_page.h): texts of single figures, and text in
 * columns.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_TEXT_H
#define PMPP_HOST_REPORT_EXPLAIN_TEXT_H

#include "host/record/explanation.h"
#include "host/report/format.h"
#include "host/report/page_style.h"
#include "host/report/wrap.h"

/* ---- Columns ------------------------------------------------------------------------------- */

#define NAME_COLUMNS 12      /* for a fact's name */
#define PAGE_COLUMNS 100     /* of a page without a limit */
#define PAGE_MAX_COLUMNS 160 /* longer lines are hard to read */

/* Columns of a page: those of the terminal, at most PAGE_MAX_COLUMNS. */
int page_columns(const struct page_style *style);

/* Columns of a fact's name with the blanks behind it. A name without room for a blank ends in ": ".
 */
int fact_name_columns(const char *name);
void put_fact_name(FILE *out, const struct page_style *style, const char *name);

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
