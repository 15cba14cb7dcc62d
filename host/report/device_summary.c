#include "host/report/device_summary.h"

#include <stdlib.h>
#include <string.h>

/* ---- Classes ------------------------------------------------------------------------------- */

static const char *const class_words[OUTCOME_CLASS_COUNT] = {
	[OUTCOME_CLASS_OK] = "ok",
	[OUTCOME_CLASS_FAILED] = "failed",
	[OUTCOME_CLASS_BROKEN] = "broken (build, launch, timeout, crash)",
	[OUTCOME_CLASS_SKIPPED] = "skipped",
	[OUTCOME_CLASS_UNVERIFIED] = "unverified",
};

void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out)
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

static struct device_tally *tally_of(
	struct device_summary *summary, const char *label, const char *name)
{
	for (size_t i = 0; i < summary->count; i++)
		if (strcmp(summary->items[i].label, label) == 0 &&
			strcmp(summary->items[i].name, name) == 0)
			return &summary->items[i];
	struct device_tally *larger =
		realloc(summary->items, (summary->count + 1) * sizeof *summary->items);
	if (!larger)
		return NULL;
	summary->items = larger;
	struct device_tally *added = &larger[summary->count];
	*added = (struct device_tally){.label = strdup(label), .name = strdup(name)};
	if (!added->label || !added->name) {
		free(added->label);
		free(added->name);
		return NULL;
	}
	summary->count++;
	return added;
}

void device_summary_add(struct device_summary *summary, const char *label, const char *name,
	enum outcome_class class)
{
	struct device_tally *tally = tally_of(summary, label, name);

	/* If memory is not available, only these lines do not count the row. */
	if (tally)
		tally->of_class[class]++;
}

void device_summary_finish(struct device_summary *summary)
{
	for (size_t i = 0; i < summary->count; i++) {
		free(summary->items[i].label);
		free(summary->items[i].name);
	}
	free(summary->items);
	*summary = (struct device_summary){0};
}

void device_summary_put(FILE *out, const struct device_summary *summary)
{
	for (size_t i = 0; i < summary->count && summary->count > 1; i++) {
		fprintf(out, "    %s %s: ", summary->items[i].label, summary->items[i].name);
		device_summary_put_counts(summary->items[i].of_class, out);
		fputc('\n', out);
	}
}
