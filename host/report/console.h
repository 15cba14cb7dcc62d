/*
 * What the user sees of a job: the table on one stream, progress and notes on stderr. Consumes
 * events (job.h) and nothing else.
 */
#ifndef PMPP_HOST_REPORT_CONSOLE_H
#define PMPP_HOST_REPORT_CONSOLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "host/cli/options.h"
#include "host/report/format.h"

enum column {
	COL_LABEL,
	COL_TECHNIQUE,
	COL_CHECK,
	COL_MEDIAN,
	COL_NOTCH,
	COL_RATE,
	COL_METRIC,
	COL_ROOF,
	COL_LIMIT,
	COL_STEP,
	COL_TOTAL,
	COL_CLAIM,
	COLUMN_COUNT
};

struct console {
	FILE *out; /* tables; NULL = quiet */
	bool colour, error_colour;
	bool progress; /* a line on stderr that is wiped before anything else is written */
	bool verbose, quiet;
	bool roofline; /* the devices' roofs are the table */

	bool progress_shown;
	char stage[200];
	double started_s; /* the task in progress, or the stage outside of one */

	json_t *group;    /* the group event in progress; NULL before the first */
	bool group_begun; /* its header is printed: with its first row */
	size_t table_count;
	json_t *last_log; /* compiler log shown last; NULL = none */
	json_t *device;   /* the last device event */
	int widths[COLUMN_COUNT];

	/* verify: the line in progress */
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	json_t *worst_row; /* the first row that is not ok; NULL = none */
};

/* Where tables and colours go follows from the options and from what is a terminal. */
void console_init(struct console *console, const struct cli_options *options);
void console_finish(struct console *console);

/* Whether to colour a stream: --color, NO_COLOR, terminal. */
bool console_wants_colour(const struct cli_options *options, FILE *stream);

/* A line on stderr, before which the progress line is wiped. Notes are left out when quiet. */
void console_note(struct console *console, const char *message);
void console_warn(struct console *console, const char *message);

void console_progress(struct console *console, const char *stage);
void console_tick(struct console *console);
void console_start(struct console *console, const json_t *event);

void console_device(struct console *console, json_t *event);
void console_group(struct console *console, json_t *event);

/* row: complete, derived/step and claim included. */
void console_row(struct console *console, const char *label, json_t *row);
void console_parity(
	struct console *console, const char *label, const json_t *parity, const json_t *rows);
void console_group_end(struct console *console);

/* Where a page of `explain` goes, apart from the one before; NULL when quiet. */
FILE *console_begin_page(struct console *console);

/* The compiler's log of a row, if it has one, on stderr. */
void console_log(struct console *console, const json_t *row);

/* ---- console_table.c: run, parity, roofline -----------------------------------------------------
 */

/* The roofs of the last device event. */
void table_roofs(struct console *console);

void table_begin(struct console *console);
void table_row(struct console *console, const char *label, const json_t *row);
void table_parity(
	struct console *console, const char *label, const json_t *parity, const json_t *rows);

/* ---- console_verify.c ------------------------------------------------------------------------ */

void verify_begin(struct console *console);
void verify_row(struct console *console, json_t *row);
void verify_end(struct console *console);

/* ---- Shared formatting (console.c) ----------------------------------------------------------- */

/* How a row that is not ok shows itself, by its status word. */
enum style word_style(const char *status);

/* "build error" of "build_error": a status of files, for the user. */
void status_words(const char *status, char *text, size_t size);

/* Wipes the progress line: before anything is written to out or stderr. */
void console_wipe(struct console *console);

/* json_number_value of a field below the row ("derived", "gflops"); NaN where it is none. */
double row_number(const json_t *row, const char *object, const char *field);

/* Median, or half notch as a fraction, of the samples that stand for the row; NaN without. */
double row_median_ns(const json_t *row);
double row_notch(const json_t *row);

/* A text field; "" where it is none. */
const char *row_text(const json_t *row, const char *field);

#endif
