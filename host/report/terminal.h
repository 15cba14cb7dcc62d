/*
 * Notes, warnings and the progress line on stderr, and the colours of both streams.
 */
#ifndef PMPP_HOST_REPORT_TERMINAL_H
#define PMPP_HOST_REPORT_TERMINAL_H

#include "host/record/result.h"
#include "host/report/page_style.h"

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
	bool map;          /* --map */
	bool wrong;        /* the kernel of the page has failed its checks */
	bool stdout_taken; /* a file is written to stdout, so tables are written to stderr */
};

struct terminal {
	FILE *out;               /* tables; NULL = quiet */
	struct page_style style; /* of tables and pages on `out` */
	bool error_colour;
	int error_width; /* columns of stderr; 0 = no limit */
	bool progress;   /* print a line on stderr that is wiped before other output */
	bool quiet;

	bool progress_shown;
	char stage[200];
	double started_s; /* start of the task, or of a stage without a task (monotonic) */
	char place[64];   /* "12 of 141, about 3 min left: "; "" = unknown */
	double first_s;   /* start of the first task */
	int64_t first;    /* its position */
	char *last_log;   /* the last printed compiler log; owned; NULL = none */
};

/* Whether to print colours to a stream. By default: on a terminal, unless NO_COLOR is set or
 * TERM is dumb. */
bool terminal_wants_colour(enum when colour, FILE *stream);

/* Columns for the lines of a stream: those of its terminal, else the environment variable COLUMNS,
 * else 80 for a terminal and 0 (no limit) for a file or a pipe. Never between 1 and 39. */
int terminal_width(FILE *stream);

/* The colours and the width of a stream. */
struct page_style terminal_page_style(const struct terminal_options *options, FILE *stream);

/* Writes a text of complete lines. Lines that are longer than terminal_width() of the stream are
 * broken at blanks. */
void terminal_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

void terminal_init(struct terminal *terminal, const struct terminal_options *options);
void terminal_finish(struct terminal *terminal);

/* Wipes the progress line. Call it before other output to `out` or stderr. */
void terminal_wipe(struct terminal *terminal);

/* Prints a line on stderr. Notes are not printed if the terminal is quiet. */
void terminal_note(struct terminal *terminal, const char *message);
void terminal_warn(struct terminal *terminal, const char *message);

/* With -v, prints the origin of an error in one line. Prints nothing if the record is not present.
 */
void terminal_origin(struct terminal *terminal, const struct error_record *error);

/* The progress line: terminal_start() begins a task (position: from 1; total 0:
 * unknown), whose time counts from now;
 * terminal_progress() sets the stage of the task; terminal_tick() prints the line again with the
 * new time. */
void terminal_progress(struct terminal *terminal, const char *stage);
void terminal_start(struct terminal *terminal, const char *task, int64_t position, int64_t total);
void terminal_tick(struct terminal *terminal);

/* The task is complete: the progress line stays empty until the next stage. */
void terminal_idle(struct terminal *terminal);

/* With -v, prints what a driver wrote to stderr, indented. text: may be NULL. */
void terminal_driver_text(struct terminal *terminal, const char *text);

/* Prints a compiler's log, indented. Equal logs in a row are printed once. log: may be NULL. */
void terminal_log(struct terminal *terminal, const char *log);

#endif
