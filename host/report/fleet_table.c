#include "host/report/fleet_table.h"

#include <string.h>

#include "common/model/exit_code.h"
#include "host/record/text.h"
#include "host/report/wrap.h"

/* ---- Ranks --------------------------------------------------------------------------------- */

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

enum text_column {
	COLUMN_HOST,
	COLUMN_DEVICE,
	COLUMN_UUID,
	COLUMN_COUNT,
};

/* On a narrow terminal the first of these columns are cut first, down to `min_width`. */
static const struct text_column_row {
	const char *title;
	size_t offset;
	int min_width;
} text_columns[COLUMN_COUNT] = {
	[COLUMN_HOST] = {"host", offsetof(struct fleet_report, host), 12},
	[COLUMN_DEVICE] = {"device", offsetof(struct fleet_report, device), 16},
	[COLUMN_UUID] = {"UUID or address", offsetof(struct fleet_report, uuid), 12},
};

static const enum text_column cut_order[] = {COLUMN_DEVICE, COLUMN_UUID, COLUMN_HOST};

#define COUNTS_TITLE "   ok  failed  skipped  exit"
#define OTHER_COLUMNS ((int)(sizeof "rank" - 1 + sizeof COUNTS_TITLE - 1) + 2 * COLUMN_COUNT + 2)

static const char *text_of(const struct fleet_report *report, enum text_column column)
{
	return or_dash(*(char *const *)((const char *)report + text_columns[column].offset));
}

/* width: columns of the terminal; 0: no limit */
static void choose_widths(
	const struct fleet_report_list *reports, int width, int ret_widths[COLUMN_COUNT])
{
	int total = OTHER_COLUMNS;

	for (int column = 0; column < COLUMN_COUNT; column++) {
		ret_widths[column] = wrap_columns(text_columns[column].title);
		for (size_t i = 0; i < reports->count; i++) {
			int columns = wrap_columns(text_of(&reports->items[i], column));
			if (columns > ret_widths[column])
				ret_widths[column] = columns;
		}
		total += ret_widths[column];
	}
	for (size_t i = 0; i < COLUMN_COUNT && width && total > width; i++) {
		int *cut = &ret_widths[cut_order[i]];
		int more = *cut - text_columns[cut_order[i]].min_width;
		if (more > total - width)
			more = total - width;
		if (more > 0) {
			*cut -= more;
			total -= more;
		}
	}
}

static void put_text(FILE *out, const char *text, int width)
{
	char cut[256];

	wrap_cut(text, width, cut, sizeof cut);
	fprintf(out, "  %s%*s", cut, width - wrap_columns(cut), "");
}

static void put_ranks(FILE *out, const struct fleet_report_list *reports, int width)
{
	int widths[COLUMN_COUNT];

	choose_widths(reports, width, widths);
	fputs("rank", out);
	for (int column = 0; column < COLUMN_COUNT; column++)
		put_text(out, text_columns[column].title, widths[column]);
	fputs("  " COUNTS_TITLE "\n", out);
	for (size_t i = 0; i < reports->count; i++) {
		const struct fleet_report *report = &reports->items[i];
		fprintf(out, "%4lld", (long long)report->rank);
		for (int column = 0; column < COLUMN_COUNT; column++)
			put_text(out, text_of(report, column), widths[column]);
		if (report->exit_code >= 0)
			fprintf(out, "  %5lld  %6lld  %7lld  %4lld\n", (long long)report->ok,
				(long long)report->failed, (long long)report->skipped,
				(long long)report->exit_code);
		else
			fprintf(out, "  %5s  %6s  %7s  %4s\n", "-", "-", "-", "-");
	}
}

/* ---- Stragglers ---------------------------------------------------------------------------- */

static void put_stragglers(FILE *out, const struct straggler_list *stragglers)
{
	if (stragglers->count)
		fputs("stragglers: SLOW against the median rank with this model of device "
		      "(ratio of the times, 95 % interval)\n",
			out);
	for (size_t i = 0; i < stragglers->count; i++) {
		const struct straggler *straggler = &stragglers->items[i];
		const struct fleet_report *report = straggler->report;
		fprintf(out, "    rank %lld, %s, %s: %s  %.3f  [%.3f, %.3f]\n",
			(long long)report->rank, or_dash(report->host), or_dash(report->uuid),
			straggler->time->label, straggler->ratio.ratio, straggler->ratio.ci95[0],
			straggler->ratio.ci95[1]);
	}
}

/* ---- Lines below the table ----------------------------------------------------------------- */

/* Prints each reason once: ranks that share a device have the same reason. */
static void put_untimed(FILE *out, const struct fleet_report_list *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		const char *untimed = reports->items[i].untimed;
		bool known = false;
		for (size_t j = 0; j < i && untimed; j++)
			known |= text_equal(reports->items[j].untimed, untimed);
		if (untimed && !known)
			fprintf(out, "untimed: %s\n", untimed);
	}
}

static void put_failed(FILE *out, const struct fleet_report_list *reports)
{
	const char *separator = "ranks that failed: ";

	for (size_t i = 0; i < reports->count; i++) {
		const struct fleet_report *report = &reports->items[i];
		bool skipped = report->exit_code == EXIT_CODE_ALL_SKIPPED;
		if ((report->exit_code == EXIT_CODE_OK || skipped) && !report->message)
			continue;
		fprintf(out, "%s%lld", separator, (long long)report->rank);
		if (report->message)
			fprintf(out, " (%s)", report->message);
		else
			fprintf(out, " (exit %lld)", (long long)report->exit_code);
		separator = ", ";
	}
	if (strcmp(separator, ", ") == 0)
		fputc('\n', out);
}

void fleet_table_put(FILE *out, const struct fleet_report_list *reports,
	const struct straggler_list *stragglers, int width)
{
	struct wrap wrap;

	put_ranks(out, reports, width);
	out = wrap_begin(&wrap, out, width);
	put_untimed(out, reports);
	put_stragglers(out, stragglers);
	put_failed(out, reports);
	wrap_end(&wrap);
}
