/*
 * The page of an explained variant, for the terminal and for `report`. A variant has one record (entry)
 * for each launch. The records of a variant differ in launch, trace, resources and occupancy only.
 * Unknown values are left out, or the page has the reason.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_TEXT_H
#define PMPP_HOST_REPORT_EXPLAIN_TEXT_H

#include "host/record/explanation.h"
#include "host/report/format.h"

#include <stdio.h>

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
	/* Writes the source lines of a launch, with their notes (explain_notes.h). */
	void (*put_notes)(void *context, const struct explanation_record *entry);
};

/* Writes what is known of a variant, without its name and problem. all: the whole checklist, not only
 * the open items. A variant that could not be explained has its status and the reason. */
void explain_put(const struct explain_writer *writer, const struct explanation_record *entries,
	size_t count, bool all);

#endif
