/*
 * The notes on the source lines of an explained kernel: its accesses, the executions of its lines, and
 * its divergent branches. The pages of `explain` and of `report` have the same notes.
 */
#ifndef PMPP_HOST_REPORT_EXPLAIN_NOTES_H
#define PMPP_HOST_REPORT_EXPLAIN_NOTES_H

#include "host/record/explanation.h"

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

/* Makes the notes; equal notes of a line become one. every: also for lines that all lanes run. Returns
 * no notes if there is no memory. */
struct explain_notes explain_notes_make(const struct explanation_record *entry, bool every);
void explain_notes_finish(struct explain_notes *notes);

#endif
