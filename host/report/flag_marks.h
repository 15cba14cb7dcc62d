/*
 * Marks: the characters that tables print after a time, and their meanings. A mark stands for a flag
 * of the time, for a fallback of the row, or for a kernel of the user.
 */
#ifndef PMPP_HOST_REPORT_FLAG_MARKS_H
#define PMPP_HOST_REPORT_FLAG_MARKS_H

#include "host/record/comparison.h"

#include <stddef.h>
#include <stdio.h>

/* The index in flag_marks is the bit number of enum timing_flag, or of FLAG_MARK_FALLBACK and
 * FLAG_MARK_OWN. */
struct flag_mark {
	const char *mark;
	const char *name; /* "throttled" */
	const char *meaning;
};

#define FLAG_MARK_COUNT 7
extern const struct flag_mark flag_marks[FLAG_MARK_COUNT];

/* Smaller tiles than the default: result_row.fallback. Not a bit of enum timing_flag. */
#define FLAG_MARK_FALLBACK (1u << 5)

/* result_row.own_kernel. Not a bit of enum timing_flag. */
#define FLAG_MARK_OWN_INDEX 6
#define FLAG_MARK_OWN (1u << FLAG_MARK_OWN_INDEX)

/* "!~": the marks of the flags. */
#define FLAG_MARKS_BYTES (FLAG_MARK_COUNT + 1)
void flag_marks_format(unsigned flags, char ret_text[FLAG_MARKS_BYTES]);

/* result_row_flags(), and the bits of a fallback and of an own kernel. A row without a time has only
 * FLAG_MARK_OWN. */
unsigned flag_marks_of_row(const struct result_row *row);

/* The flags of the time of a comparison; 0 if there is no time. */
unsigned flag_marks_of_cell(const struct cell_record *cell);

/* Writes each flag as "! throttled: ...", between two texts: "  " and "\n" for a line. */
void flag_marks_put(FILE *out, const char *before, unsigned flags, const char *after);

/* Prints a list of Markdown that explains the marks. Prints nothing if there are no flags. */
void flag_marks_markdown(FILE *out, unsigned flags);

#endif
