#include "host/report/history_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clean_text.h"
#include "host/report/columns.h"
#include "host/report/curve.h"
#include "host/report/format.h"
#include "host/report/wrap.h"

enum column {
	COL_STARTED,
	COL_MEDIAN,
	COL_HALF_WIDTH,
	COL_CHANGE,
	COL_DRIVER,
	COL_HOST,
	COL_GIT,
	COL_LABEL,
	COLUMN_COUNT
};

/* CHANGE, DRIVER, GIT and LABEL are as wide as their longest text. */
static const struct table_column columns[COLUMN_COUNT] = {
	[COL_STARTED] = {"started (UTC)", 19, 2, 0, false},
	[COL_MEDIAN] = {"median", -8, 2, 0, false},
	[COL_HALF_WIDTH] = {"±", -5, 2, 2, false},
	[COL_CHANGE] = {"change", 6, 2, 1, false},
	[COL_DRIVER] = {"driver", 6, 2, 4, false},
	[COL_HOST] = {"host", 8, 2, 5, false},
	[COL_GIT] = {"git", 3, 2, 6, false},
	[COL_LABEL] = {"label", 5, 2, 3, false},
};

/* The columns of a series. */
struct history_table {
	struct table_column columns[COLUMN_COUNT];
	bool shown[COLUMN_COUNT];
};

#define CURVE_COLUMNS 80 /* of a curve, if the terminal has no limit */

typedef char cell_text[80];

/* ---- Cells --------------------------------------------------------------------------------- */

/* "1.05x slower"; "" for NaN. */
static void format_change(double ratio, char *text, size_t size)
{
	char factor[32];

	*text = '\0';
	if (!isfinite(ratio))
		return;
	format_factor(ratio > 1 ? ratio : 1 / ratio, factor, sizeof factor);
	snprintf(text, size, "%s %s", factor, ratio > 1 ? "slower" : "faster");
}

/* "2026-11-22 19:31:25" for "2026-11-22T19:31:25Z" */
static void format_started(const char *started, char *text, size_t size)
{
	snprintf(text, size, "%.19s", started);
	char *letter = strchr(text, 'T');
	if (letter)
		*letter = ' ';
}

/* change: NaN if the level does not change at this point. */
static void fill_cells(
	const struct history_point *point, double change, cell_text cells[COLUMN_COUNT])
{
	size_t size = sizeof(cell_text);
	bool ok = point->status == OUTCOME_OK;

	memset(cells, 0, COLUMN_COUNT * size);
	format_started(text_or_empty(point->started_utc), cells[COL_STARTED], size);
	if (ok) {
		format_ns(point->median_ns, cells[COL_MEDIAN], size);
		format_percent(100 * point->half_width, cells[COL_HALF_WIDTH], size);
	} else {
		format_status(point->status, cells[COL_MEDIAN], size);
	}
	format_change(change, cells[COL_CHANGE], size);
	format_driver(NULL, text_or_empty(point->driver), cells[COL_DRIVER], size);
	snprintf(cells[COL_HOST], size, "%.8s", text_or_empty(point->host_id));
	snprintf(cells[COL_GIT], size, "%.13s", text_or_empty(point->git));
	clean_text(text_or_empty(point->label), strlen(text_or_empty(point->label)), CLEAN_LINE,
		cells[COL_LABEL], size);
}

static double change_at(const struct history_series *series, size_t point)
{
	for (size_t i = 0; i < series->changes.count; i++)
		if (series->changes.items[i].point == (int64_t)point)
			return series->changes.items[i].ratio;
	return NAN;
}

/* ---- Table --------------------------------------------------------------------------------- */

static void choose_columns(
	const struct history_series *series, int width, struct history_table *table)
{
	static const enum column fitted[] = {COL_CHANGE, COL_DRIVER, COL_GIT, COL_LABEL};
	cell_text cells[COLUMN_COUNT];

	memcpy(table->columns, columns, sizeof columns);
	for (size_t i = 0; i < series->points.count; i++) {
		fill_cells(&series->points.items[i], change_at(series, i), cells);
		for (size_t j = 0; j < sizeof fitted / sizeof *fitted; j++) {
			struct table_column *column = &table->columns[fitted[j]];
			int needed = wrap_columns(cells[fitted[j]]);
			column->width = needed > column->width ? needed : column->width;
		}
	}
	columns_choose(table->columns, COLUMN_COUNT, width, table->shown);
}

/* Prints the shown cells, without blanks at the end of the line. */
static void put_cells(
	FILE *out, const char *const cells[COLUMN_COUNT], const struct history_table *table)
{
	int last = COLUMN_COUNT - 1;

	while (last > 0 && (!table->shown[last] || !*cells[last]))
		last--;
	for (int c = 0; c <= last; c++) {
		int width = table->columns[c].width;
		if (!table->shown[c])
			continue;
		fprintf(out, "%*s", table->columns[c].gap, "");
		format_put_padded(out, cells[c], c == last && width > 0 ? 0 : width);
	}
	fputc('\n', out);
}

static void put_point(FILE *out, const struct history_point *point, double change,
	const struct history_table *table, const struct history_style *style)
{
	bool ok = point->status == OUTCOME_OK;
	enum style line = isfinite(change) ? STYLE_YELLOW : STYLE_PLAIN;
	cell_text cells[COLUMN_COUNT];
	const char *texts[COLUMN_COUNT];

	fill_cells(point, change, cells);
	for (int c = 0; c < COLUMN_COUNT; c++)
		texts[c] = cells[c];
	line = ok ? line : format_status_style(point->status);
	if (line != STYLE_PLAIN)
		fputs(style_code(style->colour, line), out);
	put_cells(out, texts, table);
	if (line != STYLE_PLAIN)
		fputs(style_code(style->colour, STYLE_PLAIN), out);
	if (!ok && point->reason)
		fprintf(out, "      %s\n", point->reason);
}

static void put_table(
	FILE *out, const struct history_series *series, const struct history_style *style)
{
	const char *titles[COLUMN_COUNT];
	struct history_table table;

	choose_columns(series, style->width, &table);
	for (int c = 0; c < COLUMN_COUNT; c++)
		titles[c] = columns[c].title;
	fputs(style_code(style->colour, STYLE_BOLD), out);
	put_cells(out, titles, &table);
	fputs(style_code(style->colour, STYLE_PLAIN), out);
	for (size_t i = 0; i < series->points.count; i++)
		put_point(out, &series->points.items[i], change_at(series, i), &table, style);
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

static void put_curve(
	FILE *out, const struct history_series *series, const struct history_style *style)
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
		.unicode = style->unicode};
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

void history_text_put(
	FILE *out, const struct history_document *history, const struct history_style *style)
{
	for (size_t i = 0; i < history->series.count; i++) {
		const struct history_series *series = &history->series.items[i];
		fputs(i ? "\n" : "", out);
		put_title(out, history, series);
		put_table(out, series, style);
		put_curve(out, series, style);
		put_closing(out, series);
	}
}
