#include "host/report/device_summary.h"

#include <string.h>

#include "common/array.h"

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

void device_summary_add(struct device_summary *summary, const char *name, enum outcome_class class)
{
	size_t i = 0;

	while (i < summary->count && strcmp(summary->items[i].name, name) != 0)
		i++;
	if (i == summary->count) {
		struct device_tally *larger =
			array_resize(summary->items, summary->count + 1, sizeof *larger);
		/* If memory is not available, only these lines do not count the row. */
		if (!larger)
			return;
		summary->items = larger;
		larger[summary->count++] = (struct device_tally){.of_class = {0}};
		snprintf(larger[i].name, sizeof larger[i].name, "%s", name);
	}
	summary->items[i].of_class[class]++;
}

void device_summary_put(FILE *out, const struct device_summary *summary)
{
	for (size_t i = 0; i < summary->count && summary->count > 1; i++) {
		fprintf(out, "    %s: ", summary->items[i].name);
		device_summary_put_counts(summary->items[i].of_class, out);
		fputc('\n', out);
	}
}
