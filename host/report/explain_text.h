/*
 * The facts of an explained kernel as texts, for the pages of `explain` and of `report`. A fact without
 * a text is left out.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_TEXT_H
#define PMPP_HOST_REPORT_EXPLAIN_TEXT_H

#include "host/record/explanation.h"

#include <stdio.h>

/* Writes a text about an entry, or nothing. */
typedef void fact_fn(FILE *out, const struct explanation_record *entry);

struct fact {
	const char *name;
	fact_fn *put;
};

/* Ended by a fact without a name. */
extern const struct fact launch_facts[];  /* one launch: its kernel, grid and block */
extern const struct fact traced_facts[];  /* one launch: its trace and its build */
extern const struct fact variant_facts[]; /* the variant, in its first entry */

void explain_put_name(FILE *out, const struct explanation_record *entry); /* "scan/naive" */
void explain_put_problem(
	FILE *out, const struct explanation_record *entry); /* title, sizes, macros */
void explain_put_technique(FILE *out, const struct explanation_record *entry); /* and its idea */

/* "OpenCL kernel cl_kernels/reduce/tree.cl". The language is left out if the name has no known ending. */
void explain_put_file(FILE *out, const struct explanation_record *entry);

/* "race, lines 21 and 24: ..." */
void explain_put_defects(FILE *out, const struct explanation_record *entry);

/* Names of the items of the checklist: "coalescing, tiling". */
void explain_put_open(FILE *out, const struct explanation_record *entry);
void explain_put_unknown(FILE *out, const struct explanation_record *entry);

/* Returns the text of a fact; malloc'ed; NULL for lack of memory. */
char *explain_text(fact_fn *put, const struct explanation_record *entry);

#endif
