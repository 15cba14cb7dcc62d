#include "host/report/device_summary.h"

#include <stdlib.h>

#include "host/compare/compare.h"

void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out)
{
	static const struct {
		enum outcome_class class;
		const char *words;
	} order[] = {{OUTCOME_CLASS_OK, "ok"}, {OUTCOME_CLASS_FAILED, "failed"},
		{OUTCOME_CLASS_BROKEN, "broken (build, launch, timeout, crash)"},
		{OUTCOME_CLASS_UNVERIFIED, "unverified"}, {OUTCOME_CLASS_SKIPPED, "skipped"}};
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		size_t count = of_class[order[i].class];
		if (count == 0)
			continue;
		fprintf(out, "%s%zu %s", separator, count, order[i].words);
		separator = ", ";
	}
}

/* ---- Devices ------------------------------------------------------------------------------- */

static bool same_device(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->device, b->device) && text_equal(a->backend, b->backend);
}

/* The rows of a device and backend. */
struct device_counts {
	const struct result_row *first;
	size_t of_class[OUTCOME_CLASS_COUNT];
};

static void put_device(
	FILE *out, const struct result_document *document, const struct device_counts *device)
{
	const struct view_record *view =
		device_view(device_of_key(document, device->first->device), device->first->backend);
	char title[DEVICE_TITLE_BYTES] = "";

	if (view)
		device_title(view->name, view->platform, title, sizeof title);
	fprintf(out, "    %s:%s %s: ", text_or_empty(device->first->backend),
		view ? view->index : "", title);
	device_summary_put_counts(device->of_class, out);
	fputc('\n', out);
}

void device_summary_put(FILE *out, const struct result_document *document)
{
	const struct result_row_list *rows = &document->results;
	struct device_counts *devices = calloc(rows->count + 1, sizeof *devices);
	size_t count = 0;

	for (size_t i = 0; i < rows->count && devices; i++) {
		size_t d = 0;
		while (d < count && !same_device(devices[d].first, &rows->items[i]))
			d++;
		if (d == count)
			devices[count++].first = &rows->items[i];
		devices[d].of_class[result_row_class(&rows->items[i])]++;
	}
	for (size_t d = 0; d < count && count > 1; d++)
		put_device(out, document, &devices[d]);
	free(devices);
}
