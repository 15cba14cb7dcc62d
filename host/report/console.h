/*
 * Prints the results of a job: tables on one stream, details on stderr. The caller passes devices,
 * groups and rows in the order of the events. With terminal.style.markdown there are tables only.
 */
#ifndef PMPP_HOST_REPORT_CONSOLE_H
#define PMPP_HOST_REPORT_CONSOLE_H

#include "host/record/event.h"
#include "host/report/table.h"
#include "host/report/terminal.h"

/* A line of the table of `verify`: a backend, a variant and a point of a sweep, over all sizes. */
struct verify_line {
	size_t sizes_ok, sizes_seen;
	double worst_ratio;
	char *coverage;        /* of the sizes that passed; owned; NULL = none */
	bool coverage_differs; /* the sizes have different coverages */
	bool own_kernel;       /* of the user */
	char *fallback;        /* of the first row that has one; owned; NULL = none */
	char *worst; /* status and reason of the row that the line names; owned; NULL = none */
	int status;  /* of this row */
	enum outcome_class class; /* of this row */
	bool too_large;           /* this row is too large for the device */
};

struct console {
	struct terminal terminal;
	bool shows_roofs; /* the command prints the roofs of devices instead of tables of rows */

	struct group_record group; /* the current group; owned; present if there is one */
	bool group_begun;          /* the heading is printed, at the first row that ran */
	bool load_put;             /* put_load_text() has printed its line for the group */
	bool too_large;            /* a row before the first row that ran is too large */
	size_t table_count;
	struct roofs_record roofs; /* of the last device; owned */
	struct table ladder, verified;
	struct verify_line line;
};

void console_init(
	struct console *console, const struct terminal_options *options, bool shows_roofs);
void console_finish(struct console *console);

void console_device(struct console *console, const char *label, const struct device_record *device);

/* Begins a group. If a new worker reports the same group with the same problem, the group
 * continues. Returns true if the group is new. */
bool console_group(struct console *console, const struct group_record *group);
void console_group_end(struct console *console);

/* row: complete, including derived.step and claim. If no row of a group ran, and a row is too
 * large, no table is printed. The caller prints the message on stderr. */
void console_row(struct console *console, const char *label, const struct result_row *row);

/* rows: the results of the two sides. */
void console_parity(struct console *console, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2]);

/* Print the table of several variants, and the page of a variant, after a separator; nothing when quiet.
 * entries: one for each launch of each variant. */
void console_explained(
	struct console *console, const struct explanation_record *entries, size_t count);
void console_page(struct console *console, const struct explanation_record *entries, size_t count);

/* ---- Lines at the end of a job ---------------------------------------------------------------- */

/* Prints an empty line and the summary of the parity rows. Results that have no other side, because a
 * worker crashed, are not in it. Prints nothing if there are no results. */
void parity_summary_put(FILE *out, const struct result_document *document);

/* Writes "3 ok, 1 failed, 2 skipped", without counts of 0 and without a line end. */
void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out);

/* Writes a line for each device through one backend: "opencl:0.1 NAME: 3 ok", if there are two or more.
 * causes: then a line for each likely cause of wrong results that only the rows of several sizes or engines
 * show, for each variant on a device. */
void device_summary_put(FILE *out, const struct result_document *document, bool causes);

#endif
