#include "host/report/fleet_table.h"

#include <string.h>

#include "common/model/exit_code.h"
#include "host/record/text.h"

/* ---- Ranks --------------------------------------------------------------------------------- */

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static int width_of(const struct fleet_report_list *reports, size_t offset, const char *title)
{
	size_t width = strlen(title);

	for (size_t i = 0; i < reports->count; i++) {
		const char *text =
			or_dash(*(char *const *)((const char *)&reports->items[i] + offset));
		if (strlen(text) > width)
			width = strlen(text);
	}
	return (int)width;
}

static void put_rank(FILE *out, const struct fleet_report *report, const int widths[3])
{
	fprintf(out, "%4lld  %-*s  %-*s  %-*s  ", (long long)report->rank, widths[0],
		or_dash(report->host), widths[1], or_dash(report->device), widths[2],
		or_dash(report->uuid));
	if (report->exit_code >= 0)
		fprintf(out, "%5lld  %6lld  %7lld  %4lld", (long long)report->ok,
			(long long)report->failed, (long long)report->skipped,
			(long long)report->exit_code);
	else
		fprintf(out, "%5s  %6s  %7s  %4s", "-", "-", "-", "-");
	fprintf(out, "%s%s\n", report->message ? "  " : "", text_or_empty(report->message));
}

static void put_ranks(FILE *out, const struct fleet_report_list *reports)
{
	const int widths[] = {
		width_of(reports, offsetof(struct fleet_report, host), "host"),
		width_of(reports, offsetof(struct fleet_report, device), "device"),
		width_of(reports, offsetof(struct fleet_report, uuid), "UUID or address"),
	};

	fprintf(out, "rank  %-*s  %-*s  %-*s     ok  failed  skipped  exit\n", widths[0], "host",
		widths[1], "device", widths[2], "UUID or address");
	for (size_t i = 0; i < reports->count; i++)
		put_rank(out, &reports->items[i], widths);
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

void fleet_table_put(
	FILE *out, const struct fleet_report_list *reports, const struct straggler_list *stragglers)
{
	put_ranks(out, reports);
	put_untimed(out, reports);
	put_stragglers(out, stragglers);
	put_failed(out, reports);
}
