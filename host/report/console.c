#include "host/report/console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/flag_marks.h"
#include "host/report/roofs_text.h"
#include "host/report/row_details.h"
#include "host/report/wrap.h"

/* ---- Lines of verify ------------------------------------------------------------------------- */

static void line_finish(struct verify_line *line)
{
	free(line->worst);
	free(line->coverage);
	free(line->fallback);
	*line = (struct verify_line){.sizes_ok = 0};
}

/* Whether the result is wrong, or missing although the variant ran. */
static bool is_trouble(enum outcome_class class)
{
	return class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

void row_put_problem(FILE *out, const struct result_row *row)
{
	const char *const choices[] = {row->dtype, row->op, row->data};

	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%lld", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	for (size_t i = 0; i < ARRAY_COUNT(choices); i++)
		if (*text_or_empty(choices[i]))
			fprintf(out, " %s", choices[i]);
}

/* Returns the status and the reason, "failed at n=7 f32 random: REASON"; malloc'ed. */
static char *outcome_text(const struct result_row *row)
{
	char *text = NULL, words[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	format_status(row->status, words, sizeof words);
	fputs(words, out);
	if (is_trouble(result_row_class(row))) {
		fputs(" at", out);
		row_put_problem(out, row);
	}
	fprintf(out, ": %s", text_or_empty(row->reason));
	fclose(out);
	return text;
}

/* Adds a row. The line names the first row that failed, else the first row that was not run. */
static void line_add(struct verify_line *line, const struct result_row *row)
{
	const char *coverage = text_or_empty(row->verify.coverage);
	enum outcome_class class = result_row_class(row);

	line->sizes_seen++;
	line->own_kernel |= row->own_kernel;
	if (row->fallback && !line->fallback)
		text_set(&line->fallback, row->fallback);
	if (row->status == OUTCOME_OK) {
		line->sizes_ok++;
		line->worst_ratio = fmax(line->worst_ratio, row->verify.max_ratio);
		line->coverage_differs |= line->coverage && strcmp(line->coverage, coverage) != 0;
		if (!line->coverage)
			text_set(&line->coverage, coverage);
	} else if (!line->worst || (class != OUTCOME_CLASS_SKIPPED && !is_trouble(line->class))) {
		free(line->worst);
		line->worst = outcome_text(row);
		line->status = row->status;
		line->class = class;
		line->too_large = result_row_is_too_large(row);
	}
}

/* Whether the line is printed: a size passed, or the row that the line names is not too large for
 * the device. */
static bool line_is_shown(const struct verify_line *line)
{
	return line->sizes_ok || (line->worst && !line->too_large);
}

/* The order of add_line(). The widths are those of a table that is printed row by row. */
static const struct table_column verify_columns[] = {
	{.title = "device", .width = 12}, /* "opencl-emu:0" */
	{.title = "variant", .width = 29},
	{.title = "sizes ok", .align = TABLE_RIGHT},
	{.title = "error", .align = TABLE_RIGHT},
	{.title = "checked", .align = TABLE_REST},
};

#define COVERAGE_COLUMN (12 + 29 + 8 + 5 + 4 * 2)

/* Adds the line as a row. A coverage that does not fit `width` columns is shortened; 0 = no limit. */
static void add_line(struct table *table, const struct verify_line *line, const char *device,
	const char *name, int width)
{
	const char *coverage =
		line->coverage_differs ? "differs by size" : text_or_empty(line->coverage);
	/* "all elements; all on integers": the part before the semicolon, if the line would be too
	 * long. */
	bool fits = width == 0 || COVERAGE_COLUMN + wrap_columns(coverage) <= width;
	bool adapted = line->fallback && !(line->worst && line->class == OUTCOME_CLASS_SKIPPED);
	char ratio[32] = "-";

	table_row(table, STYLE_PLAIN);
	table_text(table, device);
	table_text(table, name);
	if (line->sizes_ok == line->sizes_seen || line->sizes_ok == 0)
		table_format(table, "%zu", line->sizes_ok);
	else
		table_format(table, "%zu of %zu", line->sizes_ok, line->sizes_seen);
	if (line->sizes_ok)
		snprintf(ratio, sizeof ratio, "%.2f", line->worst_ratio);
	table_text(table, ratio);
	table_format(table, "%.*s%s%s%s",
		(int)(line->worst || fits ? strlen(line->worst ? line->worst : coverage)
					  : strcspn(coverage, ";")),
		line->worst ? line->worst : coverage, adapted ? "; " : "",
		adapted ? line->fallback : "", line->own_kernel ? "; your kernel" : "")
		->style = line->worst ? format_status_style(line->status) : STYLE_PLAIN;
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
	line_finish(&console->line);
	table_finish(&console->ladder);
	table_finish(&console->verified);
	record_finish(&group_type, &console->group);
	record_finish(&roofs_type, &console->roofs);
}

void console_device(struct console *console, const char *label, const struct device_record *device)
{
	struct terminal *terminal = &console->terminal;
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	record_finish(&roofs_type, &console->roofs);
	/* If memory is not available, the heading shows no roofs. */
	if (record_copy(&roofs_type, &device->roofs, &console->roofs, &ignored) != PMPP_OK)
		pmpp_error_clear(&ignored);
	terminal->started_s = 0;
	if (device->timer.reason)
		terminal_note(terminal, device->timer.reason);
	terminal_wipe(terminal);
	if (console->shows_roofs && terminal->out)
		roofs_text_put(terminal->out, label, device, &terminal->style);
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Prints "other programs use this CPU (load 10.4 on 2 cores)" and a line end, if
 * device_state_is_busy(). Returns true if it printed the line. */
static bool put_load_text(FILE *out, const struct result_row *row)
{
	char *text = NULL;

	device_state_load_text(&row->device_state, &text);
	if (text)
		fprintf(out, "%s\n", text);
	free(text);
	return device_state_is_busy(&row->device_state);
}

/* Prints once for each table that other programs use the CPU: above the table, or above the first
 * row to which it applies. */
static void put_load(struct console *console, const struct result_row *row)
{
	struct wrap wrap;

	if (console->load_put)
		return;
	FILE *out = wrap_begin(&wrap, console->terminal.out, console->terminal.style.width);
	console->load_put = put_load_text(out, row);
	fputs(console->load_put && console->terminal.style.markdown ? "\n" : "", out);
	wrap_end(&wrap);
}

/* Begins a table after an empty line. */
static void begin_table(struct console *console)
{
	if (console->table_count++ > 0)
		fputc('\n', console->terminal.out);
	terminal_wipe(&console->terminal);
}

/* Prints the heading, at the first row that ran, and the rows so far. row: NULL = no row ran. */
static void begin_group(struct console *console, const struct result_row *row)
{
	if (!console->group_begun) {
		begin_table(console);
		if (row)
			put_load(console, row);
		ladder_put_heading(console->terminal.out, &console->terminal.style, &console->group,
			&console->roofs);
	}
	console->group_begun = true;
	if (row && row->timing.flags & TIMING_THROTTLED && !console->terminal.style.markdown)
		put_load(console, row);
	table_flush(&console->ladder);
}

static bool verifies(const struct console *console)
{
	return console->group.record.present && console->group.action == GROUP_VERIFY;
}

/* With -q there is no table. Prints a line on stderr for each row without a right result. */
static void put_trouble(struct console *console, const char *label, const char *device,
	enum outcome_class class, const char *outcome)
{
	char *text = NULL;

	if (!console->terminal.quiet || !is_trouble(class))
		return;
	text_format(&text, "%s/%s on %s: %s", text_or_empty(console->group.family), label, device,
		outcome);
	terminal_warn(&console->terminal, text_or_empty(text));
	free(text);
}

/* Prints the line of a variant of `verify`, and begins the next line. row: the row, if it is a line of
 * its own; NULL = all sizes. */
static void put_verified(struct console *console, const struct result_row *row)
{
	struct terminal *terminal = &console->terminal;
	const struct group_record *group = &console->group;
	const char *label = group->rows.count ? group->rows.items[0].label : "";
	char title[DEVICE_TITLE_BYTES], *device = NULL, *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (console->line.worst)
		put_trouble(console, label, text_or_empty(group->device), console->line.class,
			console->line.worst);
	device_title(text_or_empty(group->device_name), group->platform, title, sizeof title);
	text_format(&device, "%s %s", text_or_empty(group->device), title);
	if (out)
		fprintf(out, "%s/%s", group->family, label);
	if (out && row)
		row_put_problem(out, row);
	if (out)
		fclose(out);
	if (terminal->out && (terminal->style.markdown || line_is_shown(&console->line))) {
		if (console->table_count++ == 0) {
			table_init(&console->verified, verify_columns, ARRAY_COUNT(verify_columns));
			table_begin(&console->verified, terminal->out, &terminal->style);
		}
		add_line(&console->verified, &console->line,
			terminal->style.markdown ? text_or_empty(device) : group->device, name,
			terminal->style.width);
		table_flush(&console->verified);
		fflush(terminal->out);
	}
	free(device);
	free(name);
	line_finish(&console->line);
}

void console_group_end(struct console *console)
{
	terminal_wipe(&console->terminal);
	if (verifies(console) && console->line.sizes_seen)
		put_verified(console, NULL);
	if (console->ladder.row_count && console->terminal.out &&
		(!console->too_large || console->terminal.style.markdown))
		begin_group(console, NULL);
	if (console->group_begun)
		table_end(&console->ladder);
	console->group_begun = false;
	table_finish(&console->ladder);
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
	ladder_table_begin(
		&console->ladder, console->terminal.out, &console->terminal.style, group);
	console->load_put = console->too_large = false;
	return true;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void end_row(struct console *console, const char *label, const char *device,
	const struct result_row *row)
{
	struct wrap wrap;

	if (console->terminal.style.markdown)
		return;
	if (!verifies(console)) {
		char *outcome = outcome_text(row);
		put_trouble(console, label, device, result_row_class(row), text_or_empty(outcome));
		free(outcome);
	}
	if (console->terminal.out)
		fflush(console->terminal.out);
	terminal_origin(&console->terminal, &row->error);
	terminal_log(&console->terminal, row->log);
	if (!console->terminal.style.verbose)
		return;
	row_details_put(wrap_begin(&wrap, stderr, console->terminal.error_width), row);
	wrap_end(&wrap);
}

/* Prints the rows so far, unless all of them were skipped: they stay in the table until a row runs. */
static void put_rows(struct console *console, const struct result_row *row, bool ran)
{
	bool printed = console->terminal.out && console->group.record.present;

	if (!printed)
		table_drop_rows(&console->ladder);
	else if (console->group_begun || ran)
		begin_group(console, row);
}

void console_row(struct console *console, const char *label, const struct result_row *row)
{
	bool ran = result_row_class(row) != OUTCOME_CLASS_SKIPPED;

	terminal_idle(&console->terminal);
	if (verifies(console)) {
		line_add(&console->line, row);
		if (console->terminal.style.verbose)
			put_verified(console, row);
	} else {
		console->too_large |= result_row_is_too_large(row);
		ladder_table_row(&console->ladder, label, row);
		put_rows(console, row, ran);
	}
	end_row(console, label, text_or_empty(console->group.device), row);
}

void console_parity(struct console *console, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2])
{
	bool too_large = result_row_is_too_large(rows[0]) || result_row_is_too_large(rows[1]);

	terminal_idle(&console->terminal);
	if (console->group_begun || !too_large || console->terminal.style.markdown) {
		parity_table_row(&console->ladder, label, parity, rows);
		put_rows(console, rows[!device_state_is_busy(&rows[0]->device_state)], true);
	}
	for (size_t i = 0; i < 2; i++)
		end_row(console, label, text_or_empty(rows[i]->backend), rows[i]);
}

FILE *console_begin_page(struct console *console)
{
	terminal_idle(&console->terminal);
	if (console->terminal.out)
		begin_table(console);
	return console->terminal.out;
}
