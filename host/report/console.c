#include "host/report/console.h"

#include "host/report/flag_marks.h"
#include "host/report/roofs_text.h"
#include "host/report/row_details.h"
#include "host/report/wrap.h"

#include <stdlib.h>

/* ---- Held rows ----------------------------------------------------------------------------- */

static void drop_held(struct console *console)
{
	for (size_t i = 0; i < console->held.count; i++)
		record_finish(&result_row_type, &console->held.items[i]);
	free(console->held.items);
	console->held = (struct result_row_list){0};
	named_list_finish(&console->labels);
}

/* Returns false for lack of memory. */
static bool hold(struct console *console, const char *label, const struct result_row *row)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct result_row *copy = record_list_add(&result_row_type, &console->held);
	bool held = copy && record_copy(&result_row_type, row, copy, &ignored) == PMPP_OK &&
		    named_list_add(&console->labels, label, 0);

	pmpp_error_clear(&ignored);
	if (copy && !held) {
		record_finish(&result_row_type, copy);
		console->held.count--;
	}
	return held;
}

static bool holds_too_large(const struct console *console)
{
	for (size_t i = 0; i < console->held.count; i++)
		if (result_row_is_too_large(&console->held.items[i]))
			return true;
	return false;
}

/* ---- Init and finish ------------------------------------------------------------------------ */

void console_init(struct console *console, const struct terminal_options *options, bool shows_roofs)
{
	*console = (struct console){.shows_roofs = shows_roofs};
	terminal_init(&console->terminal, options);
	record_init(&group_type, &console->group);
	console->group.record.present = false;
	record_init(&roofs_type, &console->roofs);
}

void console_finish(struct console *console)
{
	terminal_finish(&console->terminal);
	verify_line_finish(&console->line);
	table_finish(&console->ladder);
	table_finish(&console->verified);
	drop_held(console);
	record_finish(&group_type, &console->group);
	record_finish(&roofs_type, &console->roofs);
}

/* ---- Devices ------------------------------------------------------------------------------- */

void console_device(struct console *console, const char *label, const struct device_record *device)
{
	struct terminal *terminal = &console->terminal;
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	record_finish(&roofs_type, &console->roofs);
	/* If memory is not available, the header shows no roofs. */
	if (record_copy(&roofs_type, &device->roofs, &console->roofs, &ignored) != PMPP_OK)
		pmpp_error_clear(&ignored);
	terminal->started_s = 0;
	if (device->timer.reason)
		terminal_note(terminal, device->timer.reason);
	terminal_wipe(terminal);
	if (!console->shows_roofs || !terminal->out)
		return;
	const struct page_style style = {.colour = terminal->colour, .width = terminal->width};
	roofs_text_put(terminal->out, label, device, &style);
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Prints once for each table that other programs use the CPU: above the table, or above the first
 * row to which it applies. */
static void put_load(struct console *console, const struct result_row *row)
{
	struct terminal *terminal = &console->terminal;
	struct wrap wrap;

	if (console->load_put)
		return;
	FILE *out = wrap_begin(&wrap, terminal->out, terminal->width);
	console->load_put = flag_marks_put_load(out, row);
	wrap_end(&wrap);
}

/* Prints the header, from the data of the first row that ran, and the held rows. row: NULL = no row
 * ran. */
static bool begin_group(struct console *console, const struct result_row *row)
{
	struct terminal *terminal = &console->terminal;

	if (!terminal->out || !console->group.record.present)
		return false;
	if (console->group_begun)
		return true;
	if (console->table_count++ > 0)
		fputc('\n', terminal->out);
	terminal_wipe(terminal);
	if (row)
		put_load(console, row);
	const struct page_style style = {.colour = terminal->colour, .width = terminal->width};
	ladder_table_begin(
		&console->ladder, terminal->out, &style, &console->group, &console->roofs);
	console->group_begun = true;
	for (size_t i = 0; i < console->held.count; i++)
		ladder_table_row(
			&console->ladder, console->labels.items[i].name, &console->held.items[i]);
	table_flush(&console->ladder);
	drop_held(console);
	return true;
}

/* The line of a variant of `verify`. */
static void put_verified(struct console *console)
{
	struct terminal *terminal = &console->terminal;
	const struct group_record *group = &console->group;
	const struct page_style style = {.colour = terminal->colour, .width = terminal->width};
	struct wrap wrap;
	char name[160];

	if (!verify_line_is_shown(&console->line))
		return;
	if (console->table_count++ == 0) {
		verify_table_init(&console->verified, false);
		table_begin(&console->verified, terminal->out, &style);
	}
	snprintf(name, sizeof name, "%s/%s", group->family,
		group->rows.count ? group->rows.items[0].label : "");
	verify_table_row(
		&console->verified, &console->line, group->device, NULL, name, style.width);
	table_flush(&console->verified);
	if (terminal->verbose) {
		verify_line_put_sizes(
			&console->line, wrap_begin(&wrap, terminal->out, style.width));
		wrap_end(&wrap);
	}
	fflush(terminal->out);
}

/* With -q there is no table. Prints a line on stderr for each row without a right result. */
static void put_trouble(struct console *console, const struct result_row *row, const char *label,
	const char *device)
{
	char *text = NULL;
	size_t size;
	FILE *out = console->terminal.quiet ? open_memstream(&text, &size) : NULL;

	if (!out)
		return;
	bool trouble = row_put_trouble(row, label, device, out);
	if (fclose(out) == 0 && trouble)
		terminal_warn(&console->terminal, text);
	free(text);
}

void console_group_end(struct console *console)
{
	struct terminal *terminal = &console->terminal;

	terminal_wipe(terminal);
	if (!holds_too_large(console) && console->held.count)
		begin_group(console, NULL);
	drop_held(console);
	if (console->group_begun)
		table_end(&console->ladder);
	table_finish(&console->ladder);
	console->group_begun = false;
	if (console->group.record.present && console->group.action == GROUP_VERIFY && terminal->out)
		put_verified(console);
	if (console->line.worst.record.present)
		put_trouble(console, &console->line.worst, console->line.worst.variant,
			console->group.device);
	record_finish(&group_type, &console->group);
	console->group.record.present = false;
}

bool console_group(struct console *console, const struct group_record *group)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	if (console->group.record.present && console->group.number == group->number &&
		text_equal(console->group.problem, group->problem))
		return false;
	console_group_end(console);
	/* If memory is not available, the rows are only in the result file. */
	if (record_copy(&group_type, group, &console->group, &ignored) != PMPP_OK) {
		pmpp_error_clear(&ignored);
		console->group.record.present = false;
	}
	console->group_begun = false;
	console->load_put = false;
	verify_line_begin(&console->line);
	return true;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void end_row(struct console *console, const struct result_row *row)
{
	if (console->terminal.out)
		fflush(console->terminal.out);
	terminal_origin(&console->terminal, &row->error);
	terminal_log(&console->terminal, row->log);
	if (!console->terminal.verbose)
		return;
	struct wrap wrap;
	FILE *details = wrap_begin(&wrap, stderr, console->terminal.error_width);
	row_details_put(details, row);
	wrap_end(&wrap);
}

static bool is_skipped(const struct result_row *row)
{
	return row->status >= 0 &&
	       outcome_class_of((enum outcome_status)row->status) == OUTCOME_CLASS_SKIPPED;
}

static void put_row(struct console *console, const char *label, const struct result_row *row)
{
	if (!begin_group(console, row))
		return;
	if (row->timing.flags & TIMING_THROTTLED)
		put_load(console, row);
	ladder_table_row(&console->ladder, label, row);
	table_flush(&console->ladder);
}

void console_row(struct console *console, const char *label, const struct result_row *row)
{
	terminal_idle(&console->terminal);
	if (console->group.record.present && console->group.action == GROUP_VERIFY) {
		verify_line_add(&console->line, row);
	} else {
		put_trouble(console, row, label, text_or_empty(console->group.device));
		if (console->group_begun || !is_skipped(row) || !hold(console, label, row))
			put_row(console, label, row);
	}
	end_row(console, row);
}

void console_parity(struct console *console, const char *label, const struct parity_row *parity,
	const struct result_row rows[2])
{
	terminal_idle(&console->terminal);
	bool shown = console->group_begun ||
		     !(result_row_is_too_large(&rows[0]) || result_row_is_too_large(&rows[1]));
	if (shown && begin_group(console, &rows[0])) {
		put_load(console, &rows[1]);
		parity_table_row(&console->ladder, label, parity,
			(const struct result_row *const[2]){&rows[0], &rows[1]});
		table_flush(&console->ladder);
	}
	for (size_t i = 0; i < 2; i++) {
		put_trouble(console, &rows[i], label, text_or_empty(rows[i].backend));
		end_row(console, &rows[i]);
	}
}

FILE *console_begin_page(struct console *console)
{
	terminal_idle(&console->terminal);
	if (console->terminal.out && console->table_count++)
		fputc('\n', console->terminal.out);
	return console->terminal.out;
}
