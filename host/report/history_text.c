#include "host/report/history_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/curve.h"
#include "host/report/table.h"

/* ---- Table --------------------------------------------------------------------------------- */

/* The order of add_point(). */
static const struct table_column columns[] = {
	{.key = "started_utc", .title = "started (UTC)", .width = 19},
	{.key = "median", .title = "median", .unit = "ns", .align = TABLE_RIGHT, .width = 8},
	{.key = "half_width",
		.title = "±",
		.unit = "%",
		.align = TABLE_RIGHT,
		.priority = 2,
		.width = 5},
	{.title = "change", .priority = 1},
	{.title = "driver", .priority = 4},
	{.title = "host", .priority = 5, .width = 8},
	{.title = "git", .priority = 6},
	{.title = "label", .priority = 3},
};

#define CURVE_COLUMNS 80 /* of a curve, if the terminal has no limit */

static double change_at(const struct history_series *series, size_t point)
{
	for (size_t i = 0; i < series->changes.count; i++)
		if (series->changes.items[i].point == (int64_t)point)
			return series->changes.items[i].ratio;
	return NAN;
}

/* change: NaN if the level does not change at this point. */
static void add_point(struct table *table, const struct history_point *point, double change)
{
	const char *started = text_or_empty(point->started_utc);
	bool ok = point->status == OUTCOME_OK, changed = isfinite(change);
	char text[128];

	table_row(table, !ok       ? format_status_style(point->status)
			 : changed ? STYLE_YELLOW
				   : STYLE_PLAIN);
	/* "2026-11-22 19:31:25" for "2026-11-22T19:31:25Z" */
	table_format(table, "%.10s%s%.8s", started, strlen(started) > 11 ? " " : "",
		strlen(started) > 11 ? started + 11 : "");
	if (ok) {
		table_number(table, format_ns, point->median_ns);
		table_number(table, format_percent, 100 * point->half_width);
	} else {
		format_status(point->status, text, sizeof text);
		table_text(table, text);
		table_text(table, "");
		table_below(table, text_or_empty(point->reason));
	}
	format_factor(change > 1 ? change : 1 / change, text, sizeof text);
	table_format(table, "%s%s", changed ? text : "",
		!changed     ? ""
		: change > 1 ? " slower"
			     : " faster");
	format_driver(NULL, text_or_empty(point->driver), text, sizeof text);
	table_text(table, text);
	table_format(table, "%.8s", text_or_empty(point->host_id));
	table_format(table, "%.13s", text_or_empty(point->git));
	table_text(table, point->label);
}

static void put_table(
	FILE *out, const struct history_series *series, const struct page_style *style)
{
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < series->points.count; i++)
		add_point(&table, &series->points.items[i], change_at(series, i));
	table_put(&table, out, style);
	table_finish(&table);
}

/* ---- Series -------------------------------------------------------------------------------- */

static void put_named(FILE *out, const struct named_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s=%lld", i ? " " : "  ", list->items[i].name,
			(long long)list->items[i].value);
}

/* " (uuid:1234abcd)": two cards of one model have the same name. */
static void put_identity(FILE *out, const char *identity)
{
	static const char uuid[] = "uuid:";

	if (strncmp(identity, uuid, strlen(uuid)) == 0)
		fprintf(out, " (%.*s)", (int)strlen(uuid) + 8, identity);
	else if (strncmp(identity, "pci:", 4) == 0)
		fprintf(out, " (%.*s)", (int)strcspn(identity, " "), identity);
}

static void put_title(
	FILE *out, const struct history_document *history, const struct history_series *series)
{
	fprintf(out, "%s/%s  %s%s%s", history->family, history->variant, series->dtype,
		series->op ? " " : "", text_or_empty(series->op));
	if (strcmp(series->data, "random") != 0)
		fprintf(out, " %s", series->data);
	put_named(out, &series->problem);
	put_named(out, &series->macros);
	fprintf(out, "  %s  %s", series->backend, series->device_name);
	put_identity(out, series->device);
	if (series->math && strcmp(series->math, "default") != 0)
		fprintf(out, "  --math=%s", series->math);
	if (series->contract)
		fprintf(out, "  %s", series->contract);
	if (series->own_kernel)
		fputs("  your kernel", out);
	fputc('\n', out);
}

static void put_curve(FILE *out, const struct history_series *series,
	const struct page_style *style, bool unicode)
{
	size_t count = series->points.count;
	struct curve_value *values = calloc(count + 1, sizeof *values);

	if (!values)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct history_point *point = &series->points.items[i];
		values[i].value = point->status == OUTCOME_OK ? point->median_ns : NAN;
		values[i].mark = isfinite(change_at(series, i));
	}
	const struct curve curve = {.values = values,
		.count = count,
		.format = format_ns,
		.width = style->width ? style->width : CURVE_COLUMNS,
		.unicode = unicode};
	if (count > 1)
		curve_put(out, &curve);
	free(values);
}

static void put_closing(FILE *out, const struct history_series *series)
{
	size_t count = series->changes.count;

	fprintf(out, "  %zu result%s, ", series->points.count,
		series->points.count == 1 ? "" : "s");
	if (count == 0)
		fputs("no change", out);
	else
		fprintf(out, "%zu change%s", count, count == 1 ? "" : "s");
	fprintf(out, " (floor of noise %.1f %%)\n", 100 * series->noise_sd);
}

void history_text_put(FILE *out, const struct history_document *history,
	const struct page_style *style, bool unicode)
{
	for (size_t i = 0; i < history->series.count; i++) {
		const struct history_series *series = &history->series.items[i];
		fputs(i ? "\n" : "", out);
		put_title(out, history, series);
		put_table(out, series, style);
		put_curve(out, series, style, unicode);
		put_closing(out, series);
	}
}
