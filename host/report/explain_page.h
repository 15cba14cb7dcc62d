/*
 * The page of an explained variant, for the terminal and for `report`. A variant has one record (entry)
 * for each launch. The records of a variant differ in launch, trace, resources and occupancy only.
 * Unknown values are left out, or the page has the reason.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_PAGE_H
#define PMPP_HOST_REPORT_EXPLAIN_PAGE_H

#include "host/record/explanation.h"
#include "host/report/format.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* ---- Notes on the source lines of a launch ----------------------------------------------------- */

/* Accesses, executions of lines, and divergent branches. */

enum note_weight {
	NOTE_QUIET,
	NOTE_MINOR, /* a line that not all lanes run */
	NOTE_BAD    /* a finding: it costs more than necessary */
};

struct explain_note {
	int64_t line;
	const char *source; /* text of the line; owned by the record */
	enum note_weight weight;
	unsigned times; /* number of equal notes on the line */
	char *text;     /* "load A: 32 sectors/request, strided; uncoalesced"; owned */
	char *detail;   /* more figures, with their keys in files; owned; NULL = none */
	/* What the note is about: one of them is not NULL. */
	const struct access_record *access;
	const struct line_record *executed;
	const struct branch_record
		*branch; /* that of the line with the most divergent executions */

	size_t order; /* notes of one line keep the order in which they were added */
};

struct explain_notes {
	struct explain_note *items; /* sorted by line; owned */
	size_t count;
};

/* Makes the notes; equal notes of a line become one. every: also for lines that all lanes run, and notes with
 * equal texts and other details stay apart. Returns no notes if there is no memory. */
struct explain_notes explain_notes_make(const struct explanation_record *entry, bool every);
void explain_notes_finish(struct explain_notes *notes);

/* ---- Texts ------------------------------------------------------------------------------------- */

/* Writes a text about an entry, or nothing. */
typedef void explain_text_fn(FILE *out, const struct explanation_record *entry);

explain_text_fn explain_put_name;    /* "scan/naive" */
explain_text_fn explain_put_problem; /* title, sizes, macros */

/* "OpenCL kernel cl_kernels/reduce/tree.cl". The language is left out if the name has no known ending. */
explain_text_fn explain_put_file;

/* Returns the text; malloc'ed; NULL for lack of memory. */
char *explain_text(explain_text_fn *put, const struct explanation_record *entry);

struct explain_writer {
	void *context;
	/* Writes a fact. Empty name: the text continues the previous fact. Both empty: the launch ends. */
	void (*put_fact)(void *context, const char *name, const char *text, enum style style);
	/* Writes the source lines of a launch, with their notes (explain_notes_make()). */
	void (*put_notes)(void *context, const struct explanation_record *entry);
};

/* Writes what is known of a variant, without its name and problem. all: also further facts, the notes of all
 * launches, and the whole checklist. Otherwise only the first launch has notes, and the checklist has the open
 * items. A variant that could not be explained has its status and the reason. */
void explain_put(const struct explain_writer *writer, const struct explanation_record *entries,
	size_t count, bool all);

/* ---- The page of `explain` ---------------------------------------------------------------------- */

/* One screen for a variant: at most 25 lines of 100 columns, except with -v and --map. To fit, notes are left out, and
 * their number is printed. */

#define EXPLAIN_PAGE_COLUMNS 100 /* if the terminal has no limit */

/* entries: of one variant, one for each launch; count >= 1. */
void explain_page(FILE *out, const struct explanation_record *entries, size_t count,
	const struct page_style *style);

#endif
