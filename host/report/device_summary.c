#include "host/report/device_summary.h"

#include <string.h>

/* ---- Classes ------------------------------------------------------------------------------- */

enum outcome_class result_row_class(const struct result_row *row)
{
	return row->status >= 0 ? outcome_class_of((enum outcome_status)row->status)
				: OUTCOME_CLASS_UNVERIFIED;
}

static const char *const class_words[OUTCOME_CLASS_COUNT] = {
	[OUTCOME_CLASS_OK] = "ok",
	[OUTCOME_CLASS_FAILED] = "failed",
	[OUTCOME_CLASS_BROKEN] = "broken (build, launch, timeout, crash)",
	[OUTCOME_CLASS_SKIPPED] = "skipped",
	[OUTCOME_CLASS_UNVERIFIED] = "unverified",
};

void class_counts_put(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out)
{
	static const enum outcome_class order[] = {OUTCOME_CLASS_OK, OUTCOME_CLASS_FAILED,
		OUTCOME_CLASS_BROKEN, OUTCOME_CLASS_UNVERIFIED, OUTCOME_CLASS_SKIPPED};
	const char *separator = "";

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		size_t count = of_class[order[i]];
		if (count == 0)
			continue;
		fprintf(out, "%s%zu %s", separator, count, class_words[order[i]]);
		separator = ", ";
	}
}

/* ---- Devices ------------------------------------------------------------------------------- */

static bool same_view(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->backend, b->backend) && text_equal(a->device, b->device);
}

/* Index of the first row of the view that row `index` ran on. */
static size_t first_of_view(const struct result_list *results, size_t index)
{
	size_t first = 0;

	while (!same_view(&results->items[first], &results->items[index]))
		first++;
	return first;
}

/* NULL: the device could not be opened. */
static const char *device_name(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return document->devices.items[i].name;
	return NULL;
}

static void put_view(FILE *out, const struct result_document *document, size_t first)
{
	const struct result_row *row = &document->results.items[first];
	const char *name = device_name(document, row->device);
	/* A key without UUID and PCI address repeats the name. */
	bool repeats = strncmp(text_or_empty(row->device), "name:", 5) == 0;
	size_t of_class[OUTCOME_CLASS_COUNT] = {0};

	for (size_t i = first; i < document->results.count; i++)
		if (same_view(row, &document->results.items[i]))
			of_class[result_row_class(&document->results.items[i])]++;
	fprintf(out, "    %s, %s%s%s: ", text_or_empty(row->backend), text_or_empty(name),
		name && !repeats ? ", " : "", name && repeats ? "" : text_or_empty(row->device));
	class_counts_put(of_class, out);
	fputc('\n', out);
}

void device_summary_put(FILE *out, const struct result_document *document)
{
	const struct result_list *results = &document->results;
	bool several = false;

	for (size_t i = 1; i < results->count; i++)
		several |= !same_view(&results->items[0], &results->items[i]);
	for (size_t i = 0; several && i < results->count; i++)
		if (first_of_view(results, i) == i)
			put_view(out, document, i);
}
