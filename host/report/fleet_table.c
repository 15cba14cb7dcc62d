#include "host/report/fleet_table.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/fleet.h"
#include "host/record/text.h"
#include "host/report/device_summary.h"
#include "host/report/format.h"

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
	const struct result_list *results = &report->document.results;
	size_t of_class[OUTCOME_CLASS_COUNT] = {0};

	for (size_t i = 0; i < results->count; i++)
		of_class[result_row_class(&results->items[i])]++;
	fprintf(out, "%4lld  %-*s  %-*s  %-*s  ", (long long)report->rank, widths[0],
		or_dash(report->host), widths[1], or_dash(report->device), widths[2],
		or_dash(report->uuid));
	if (report->exit_code >= 0)
		fprintf(out, "%5zu  %6zu  %7zu  %4lld", of_class[OUTCOME_CLASS_OK],
			of_class[OUTCOME_CLASS_FAILED] + of_class[OUTCOME_CLASS_BROKEN],
			of_class[OUTCOME_CLASS_SKIPPED] + of_class[OUTCOME_CLASS_UNVERIFIED],
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

static bool same_work(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       text_equal(a->build.math, b->build.math) &&
	       named_list_equal(&a->problem, &b->problem) &&
	       named_list_equal(&a->macros, &b->macros);
}

static bool is_timed(const struct result_row *row)
{
	return result_row_median_ns(row) > 0;
}

/* The rank's timed row of the same variant, problem and build options; NULL = none. */
static const struct result_row *find_row(
	const struct fleet_report *report, const struct result_row *like)
{
	const struct result_list *results = &report->document.results;

	for (size_t i = 0; i < results->count; i++)
		if (is_timed(&results->items[i]) && same_work(&results->items[i], like))
			return &results->items[i];
	return NULL;
}

static void put_straggler(
	FILE *out, const struct fleet_report *report, const struct result_row *row, double ratio)
{
	fprintf(out, "    rank %lld, %s, %s: %s %s/%s ", (long long)report->rank,
		or_dash(report->host), or_dash(report->uuid), row->backend, row->family,
		row->variant);
	record_put_value(&result_row_type, row, "problem", out);
	fprintf(out, " takes %.3f times the median of the other ranks\n", ratio);
}

struct judge {
	FILE *out;
	const struct fleet_report_list *reports;
	struct fleet_time *times, *scratch; /* beside the reports; owned */
	size_t found;
};

/* Compares a row of a rank with the same row of the other ranks with such a device. */
static void judge_row(struct judge *judge, size_t rank, const struct result_row *row)
{
	const struct fleet_report *own = &judge->reports->items[rank];
	size_t count = 0, index = 0;
	double ratio;

	for (size_t i = 0; i < judge->reports->count; i++) {
		const struct fleet_report *report = &judge->reports->items[i];
		const struct result_row *same =
			text_equal(report->device, own->device) ? find_row(report, row) : NULL;
		if (i == rank)
			index = count;
		if (!same)
			continue;
		struct fleet_time *time = &judge->times[count++];
		time->median = result_row_median_ns(same);
		result_row_interval_ns(same, time->ci95);
	}
	if (!fleet_is_straggler(judge->times, count, index, judge->scratch, &ratio))
		return;
	if (judge->found++ == 0)
		fputs("stragglers: slower than the other ranks with such a device\n", judge->out);
	put_straggler(judge->out, own, row, ratio);
}

static void put_stragglers(FILE *out, const struct fleet_report_list *reports)
{
	struct judge judge = {.out = out,
		.reports = reports,
		.times = calloc(reports->count + 1, sizeof *judge.times),
		.scratch = calloc(reports->count + 1, sizeof *judge.scratch)};

	for (size_t i = 0; i < reports->count && judge.times && judge.scratch; i++) {
		const struct result_list *results = &reports->items[i].document.results;
		for (size_t j = 0; j < results->count; j++)
			if (is_timed(&results->items[j]))
				judge_row(&judge, i, &results->items[j]);
	}
	free(judge.times);
	free(judge.scratch);
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
		if (report->exit_code == 0 && !report->message)
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

void fleet_table_put(FILE *out, const struct fleet_report_list *reports)
{
	put_ranks(out, reports);
	put_untimed(out, reports);
	put_stragglers(out, reports);
	put_failed(out, reports);
}
