/*
 * Prints the results of a job: tables on one stream, details on stderr. The caller passes devices,
 * groups and rows in the order of the events.
 */
#ifndef PMPP_HOST_REPORT_CONSOLE_H
#define PMPP_HOST_REPORT_CONSOLE_H

#include "host/report/ladder_table.h"
#include "host/report/terminal.h"
#include "host/report/verify_table.h"

struct console {
	struct terminal terminal;
	bool shows_roofs; /* the devices' roofs are the table */

	struct group_record group; /* in progress; owned; present if there is one */
	bool group_begun;          /* its header is printed: with its first row that ran */
	struct result_list held;   /* skipped rows before that row; owned */
	struct named_list labels;  /* beside held; owned */
	size_t table_count;
	struct roofs_record roofs; /* of the last device; owned */
	struct ladder_table ladder;
	struct verify_line line;
};

void console_init(
	struct console *console, const struct terminal_options *options, bool shows_roofs);
void console_finish(struct console *console);

void console_device(struct console *console, const char *label, const struct device_record *device);

/* Begins a group. The same group again (a new worker) is continued, unless its problem has changed.
 * Returns true if it is new. */
bool console_group(struct console *console, const struct group_record *group);
void console_group_end(struct console *console);

/* row: complete, derived.step and claim included. A group of which nothing ran has a table only if
 * no row is too large: its message is on stderr. */
void console_row(struct console *console, const char *label, const struct result_row *row);

/* rows: the two sides. */
void console_parity(struct console *console, const char *label, const struct parity_row *parity,
	const struct result_row rows[2]);

/* The stream for the next page of `explain`, after a separator; NULL when quiet. */
FILE *console_begin_page(struct console *console);

#endif
