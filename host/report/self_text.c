#include "host/report/self_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/columns.h"
#include "host/report/format.h"
#include "host/report/wrap.h"

enum column {
	COL_FAMILY,
	COL_BACKEND,
	COL_VARIANTS,
	COL_TYPICAL,
	COL_LARGEST,
	COL_DEFAULT,
	COL_SAME,
	COL_AMBG,
	COL_CHANGED,
	COL_PAIRS,
	COLUMN_COUNT
};

/* FAMILY and BACKEND are as wide as their longest text. */
static const struct table_column self_columns[COLUMN_COUNT] = {
	[COL_FAMILY] = {"family", 6, 0, 0, false},
	[COL_BACKEND] = {"backend", 7, 2, 0, false},
	[COL_VARIANTS] = {"variants", -8, 2, 3, false},
	[COL_TYPICAL] = {"typical", -7, 2, 0, false},
	[COL_LARGEST] = {"largest", -7, 2, 0, false},
	[COL_DEFAULT] = {"default", -7, 2, 1, false},
	[COL_SAME] = {"SAME", -6, 2, 0, false},
	[COL_AMBG] = {"AMBG", -6, 2, 0, false},
	[COL_CHANGED] = {"FAST/SLOW", -9, 2, 0, false},
	[COL_PAIRS] = {"pairs", -6, 2, 2, false},
};

typedef char cell_text[32];

/* The table of a device. */
struct self_table {
	FILE *out;
	struct table_column columns[COLUMN_COUNT];
	bool shown[COLUMN_COUNT];
};

/* texts: one for each column */
static void put_cells(const struct self_table *table, const char *const texts[COLUMN_COUNT])
{
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!table->shown[i])
			continue;
		fprintf(table->out, "%*s", table->columns[i].gap, "");
		format_put_padded(table->out, texts[i], table->columns[i].width);
	}
	fputc('\n', table->out);
}

static void format_share(size_t count, size_t pairs, cell_text text)
{
	format_percent(pairs ? 100 * (double)count / (double)pairs : NAN, text, sizeof(cell_text));
}

static int by_sd(const void *a, const void *b)
{
	double x = ((const struct self_variant *)a)->floor.sd;
	double y = ((const struct self_variant *)b)->floor.sd;

	return (x > y) - (x < y);
}

static void format_sd(double sd, cell_text text)
{
	if (isfinite(sd))
		snprintf(text, sizeof(cell_text), "%.2f%%", 100 * sd);
	else
		snprintf(text, sizeof(cell_text), "-");
}

static void put_family(const struct self_table *table, const struct self_family *family)
{
	const size_t *verdicts = family->verdicts;
	size_t count = family->variant_count;
	struct self_variant *sorted = calloc(count + 1, sizeof *sorted);
	bool known = sorted && count;
	cell_text cells[COLUMN_COUNT];
	const char *texts[COLUMN_COUNT];

	if (known) {
		memcpy(sorted, family->variants, count * sizeof *sorted);
		qsort(sorted, count, sizeof *sorted, by_sd);
	}
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		texts[i] = cells[i];
	texts[COL_FAMILY] = family->family;
	texts[COL_BACKEND] = family->backend;
	snprintf(cells[COL_VARIANTS], sizeof(cell_text), "%zu", count);
	format_sd(known ? sorted[count / 2].floor.sd : NAN, cells[COL_TYPICAL]);
	format_sd(known ? sorted[count - 1].floor.sd : NAN, cells[COL_LARGEST]);
	format_sd(family->used_default.sd, cells[COL_DEFAULT]);
	format_share(verdicts[VERDICT_SAME], family->pairs, cells[COL_SAME]);
	format_share(verdicts[VERDICT_AMBG], family->pairs, cells[COL_AMBG]);
	format_share(
		verdicts[VERDICT_FAST] + verdicts[VERDICT_SLOW], family->pairs, cells[COL_CHANGED]);
	snprintf(cells[COL_PAIRS], sizeof(cell_text), "%zu", family->pairs);
	put_cells(table, texts);
	free(sorted);
}

static void put_device_title(FILE *out, const struct result_document *document, const char *key)
{
	char *title = NULL;

	for (size_t i = 0; i < document->devices.count && !title; i++)
		if (text_equal(document->devices.items[i].key, key))
			title = device_record_title(&document->devices.items[i]);
	fprintf(out, "%s\n", title ? title : text_or_empty(key));
	free(title);
}

static void widen(struct table_column *column, const char *text)
{
	int columns = wrap_columns(text);

	column->width = columns > column->width ? columns : column->width;
}

/* Prints the families with the same device as family `first`. Returns the index after the last of
 * them. */
static size_t put_device(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t first, int width)
{
	const char *device = families->items[first].device;
	struct self_table table = {.out = out};
	const char *titles[COLUMN_COUNT];
	size_t end = first;

	memcpy(table.columns, self_columns, sizeof self_columns);
	for (; end < families->count && text_equal(families->items[end].device, device); end++) {
		widen(&table.columns[COL_FAMILY], families->items[end].family);
		widen(&table.columns[COL_BACKEND], families->items[end].backend);
	}
	columns_choose(table.columns, COLUMN_COUNT, width, table.shown);
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		titles[i] = self_columns[i].title;
	put_device_title(out, document, device);
	put_cells(&table, titles);
	for (size_t i = first; i < end; i++)
		put_family(&table, &families->items[i]);
	return end;
}

void self_text_put(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t runs, size_t repetitions, int width)
{
	size_t pairs = 0, wrong = 0, same = 0;

	fprintf(out, "this machine compared with itself: %zu runs", runs);
	if (repetitions > 1)
		fprintf(out, " of %zu processes each", repetitions);
	fputc('\n', out);
	for (size_t i = 0; i < families->count;)
		i = put_device(out, document, families, i, width);
	for (size_t i = 0; i < families->count; i++) {
		const size_t *verdicts = families->items[i].verdicts;
		pairs += families->items[i].pairs;
		same += verdicts[VERDICT_SAME];
		wrong += verdicts[VERDICT_FAST] + verdicts[VERDICT_SLOW];
	}
	if (pairs)
		fprintf(out,
			"false alarms (FAST or SLOW): %zu of %zu pairs, %.2f %%; SAME: %.1f %%\n",
			wrong, pairs, 100 * (double)wrong / (double)pairs,
			100 * (double)same / (double)pairs);
}
