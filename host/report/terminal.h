/*
 * Notes, warnings and the progress line on stderr, and the colours of both streams.
 */
#ifndef PMPP_HOST_REPORT_TERMINAL_H
#define PMPP_HOST_REPORT_TERMINAL_H

#include "host/record/error.h"

#include <stdbool.h>
#include <stdio.h>

enum when {
	WHEN_AUTO,
	WHEN_YES,
	WHEN_NO
};

struct terminal_options {
	enum when progress, colour;
	bool quiet, verbose;
	bool stdout_taken; /* a file goes to stdout: tables go to stderr */
	bool no_tables;    /* the caller shows the results */
};

struct terminal {
	FILE *out; /* tables; NULL = quiet */
	bool colour, error_colour;
	int width, error_width; /* columns of out and of stderr; 0 = no limit */
	bool progress;          /* a line on stderr that is wiped before anything else is written */
	bool verbose, quiet;

	bool progress_shown;
	char stage[200];
	double started_s; /* the task in progress, or the stage outside of one */
	char *last_log;   /* compiler log shown last; owned; NULL = none */
};

/* Whether to colour a stream: the option, NO_COLOR, a terminal. */
bool terminal_wants_colour(enum when colour, FILE *stream);

/* Columns for the lines of a stream: those of its terminal, else the environment variable COLUMNS,
 * else 80 for a terminal and 0 (no limit) for a file or a pipe. Never between 1 and 39. */
int terminal_width(FILE *stream);

/* Writes a line with a prefix, "note: ". If it is longer than the width of the stream, it is broken
 * at blanks. */
void terminal_put_message(FILE *stream, const char *prefix, const char *message);

/* Whether the user's locale has UTF-8 (LC_ALL, LC_CTYPE, LANG). */
bool terminal_is_unicode(void);

void terminal_init(struct terminal *terminal, const struct terminal_options *options);
void terminal_finish(struct terminal *terminal);

/* Wipes the progress line: before anything is written to out or stderr. */
void terminal_wipe(struct terminal *terminal);

/* A line on stderr. Notes are left out when quiet. */
void terminal_note(struct terminal *terminal, const char *message);
void terminal_warn(struct terminal *terminal, const char *message);

/* With -v, the origin of an error in one line; nothing where the record is not present. */
void terminal_origin(struct terminal *terminal, const struct error_record *error);

/* The progress line: the stage of the task; a new task, timed from now; a tick that redraws. */
void terminal_progress(struct terminal *terminal, const char *stage);
void terminal_start(struct terminal *terminal, const char *task);
void terminal_tick(struct terminal *terminal);

/* The task is complete: the progress line stays empty until the next stage. */
void terminal_idle(struct terminal *terminal);

/* A compiler's log, indented; the same log once in a row. NULL is allowed. */
void terminal_log(struct terminal *terminal, const char *log);

#endif
