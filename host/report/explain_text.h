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

#define NAME_COLUMNS 12      /* for the name of a fact */
#define PAGE_COLUMNS 100     /* of a page, if the terminal has no limit */
#define PAGE_MAX_COLUMNS 160 /* longer lines are hard to read */

/* Columns of a page: those of the terminal, at most PAGE_MAX_COLUMNS. */
int explain_text_columns(const struct page_style *style);

/* Columns of a fact's name and the blanks after it. After a name of NAME_COLUMNS or more, ": " is
 * printed. */
int explain_text_name_columns(const char *name);
void explain_text_put_name(FILE *out, const struct page_style *style, const char *name);

/* Prints "name        text". The text is wrapped in its own column. Prints nothing for an empty
 * text. */
void explain_text_put_fact(FILE *out, const struct page_style *style, enum style text_style,
	const char *name, const char *text);

/* ---- Figures ------------------------------------------------------------------------------- */

/* ret_name: "transpose/tiled". ret_text: title, problem, choices and macros. */
void explain_text_head(const struct explanation_record *entry, char *ret_name, size_t name_size,
	char *ret_text, size_t text_size);

/* "OpenCL kernel cl_kernels/reduce/tree.cl": the language and the kernel file. Without a known
 * ending of the name: the name only. */
void explain_text_file(const struct explanation_record *entry, char *ret_text, size_t size);

/* A line of the page about one entry. Lines with an empty text are left out. */
struct fact {
	const char *name;
	void (*text)(const struct explanation_record *entry, char *ret_text, size_t size);
};

extern const struct fact launch_facts[];  /* one launch: its kernel, grid and block */
extern const struct fact traced_facts[];  /* one launch: its trace and its build */
extern const struct fact variant_facts[]; /* the variant, in its first entry */
extern const size_t launch_fact_count, traced_fact_count, variant_fact_count;

/* Names of the checklist's items in one state: "coalescing, tiling". */
void explain_text_checklist(const struct explanation_record *entry, enum check_state state,
	char *ret_text, size_t size);

/* "race, lines 21 and 24: ..." */
void explain_text_defect(const struct defect_record *defect, char *ret_text, size_t size);

#endif
