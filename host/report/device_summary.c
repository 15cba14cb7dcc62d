#include "host/report/device_summary.h"

#include "host/compare/fields.h"

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

/* Returns whether no row before it is of the same device. */
static bool is_first(const struct result_row *rows, size_t index)
{
	size_t i = 0;

	while (!same_device(&rows[i], &rows[index]))
		i++;
	return i == index;
}

void device_summary_put(FILE *out, const struct result_document *document)
{
	const struct result_row *rows = document->results.items;
	size_t count = document->results.count, devices = 0;

	for (size_t i = 0; i < count; i++)
		devices += is_first(rows, i);
	for (size_t i = 0; i < count && devices > 1; i++) {
		const struct view_record *view =
			device_view(device_of_key(document, rows[i].device), rows[i].backend);
		char title[DEVICE_TITLE_BYTES] = "";
		size_t of_class[OUTCOME_CLASS_COUNT] = {0};
		if (!is_first(rows, i))
			continue;
		for (size_t k = i; k < count; k++)
			of_class[result_row_class(&rows[k])] += same_device(&rows[i], &rows[k]);
		if (view)
			device_title(view->name, view->platform, title, sizeof title);
		fprintf(out, "    %s:%s %s: ", text_or_empty(rows[i].backend),
			view ? view->index : "", title);
		device_summary_put_counts(of_class, out);
		fputc('\n', out);
	}
}
