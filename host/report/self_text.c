#include "host/report/self_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/report/table.h"

/* The order of add_family(). */
static const struct table_column columns[] = {
	{.title = "family"},
	{.title = "backend"},
	{.title = "variants", .align = TABLE_RIGHT, .priority = 3},
	{.title = "typical", .align = TABLE_RIGHT},
	{.title = "largest", .align = TABLE_RIGHT},
	{.title = "default", .align = TABLE_RIGHT, .priority = 1},
	{.title = "SAME", .align = TABLE_RIGHT, .width = 6},
	{.title = "AMBG", .align = TABLE_RIGHT, .width = 6},
	{.title = "FAST/SLOW", .align = TABLE_RIGHT},
	{.title = "pairs", .align = TABLE_RIGHT, .priority = 2, .width = 6},
};

static int by_sd(const void *a, const void *b)
{
	double x = ((const struct self_variant *)a)->floor.sd;
	double y = ((const struct self_variant *)b)->floor.sd;

	return (x > y) - (x < y);
}

static void format_sd(double percent, char *text, size_t size)
{
	if (isfinite(percent))
		snprintf(text, size, "%.2f%%", percent);
	else
		snprintf(text, size, "-");
}

static void add_family(struct table *table, const struct self_family *family)
{
	const size_t *verdicts = family->verdicts;
	const size_t changed = verdicts[VERDICT_FAST] + verdicts[VERDICT_SLOW];
	const size_t counts[] = {verdicts[VERDICT_SAME], verdicts[VERDICT_AMBG], changed};
	size_t count = family->variant_count;
	struct self_variant *sorted = calloc(count + 1, sizeof *sorted);
	bool known = sorted && count;

	if (known) {
		memcpy(sorted, family->variants, count * sizeof *sorted);
		qsort(sorted, count, sizeof *sorted, by_sd);
	}
	table_row(table, STYLE_PLAIN);
	table_text(table, family->family);
	table_text(table, family->backend);
	table_format(table, "%zu", count);
	table_number(table, format_sd, known ? 100 * sorted[count / 2].floor.sd : NAN);
	table_number(table, format_sd, known ? 100 * sorted[count - 1].floor.sd : NAN);
	table_number(table, format_sd, 100 * family->used_default.sd);
	for (size_t i = 0; i < 3; i++)
		table_number(table, format_percent,
			family->pairs ? 100 * (double)counts[i] / (double)family->pairs : NAN);
	table_format(table, "%zu", family->pairs);
	free(sorted);
}

static void put_device_title(FILE *out, const struct result_document *document, const char *key)
{
	const struct device_record *device = device_of_key(document, key);
	char *title = device ? device_record_title(device) : NULL;

	fprintf(out, "%s\n", title ? title : text_or_empty(key));
	free(title);
}

/* Prints the families with the same device as family `first`. Returns the index after the last of
 * them. */
static size_t put_device(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t first, int width)
{
	const char *device = families->items[first].device;
	struct table table;
	size_t end = first;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (; end < families->count && text_equal(families->items[end].device, device); end++)
		add_family(&table, &families->items[end]);
	put_device_title(out, document, device);
	table_put(&table, out, &(struct page_style){.width = width});
	table_finish(&table);
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
