#include "host/report/self_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/format.h"

static void put_share(FILE *out, size_t count, size_t pairs)
{
	char text[32];

	format_percent(pairs ? 100 * (double)count / (double)pairs : NAN, text, sizeof text);
	format_put_padded(out, text, -9);
}

static int by_sd(const void *a, const void *b)
{
	double x = ((const struct self_variant *)a)->floor.sd;
	double y = ((const struct self_variant *)b)->floor.sd;

	return (x > y) - (x < y);
}

static void put_sd(FILE *out, double sd, int width)
{
	char text[32] = "-";

	if (isfinite(sd))
		snprintf(text, sizeof text, "%.2f%%", 100 * sd);
	format_put_padded(out, text, width);
}

static void put_family(FILE *out, const struct self_family *family, int width)
{
	const size_t *verdicts = family->verdicts;
	size_t count = family->variant_count;
	struct self_variant *sorted = calloc(count + 1, sizeof *sorted);
	bool known = sorted && count;

	if (known) {
		memcpy(sorted, family->variants, count * sizeof *sorted);
		qsort(sorted, count, sizeof *sorted, by_sd);
	}
	format_put_padded(out, family->family, width);
	format_put_padded(out, family->backend, 9);
	fprintf(out, "%8zu", count);
	put_sd(out, known ? sorted[count / 2].floor.sd : NAN, -9);
	put_sd(out, known ? sorted[count - 1].floor.sd : NAN, -9);
	put_sd(out, family->used_default.sd, -9);
	put_share(out, verdicts[VERDICT_SAME], family->pairs);
	put_share(out, verdicts[VERDICT_AMBG], family->pairs);
	put_share(out, verdicts[VERDICT_FAST] + verdicts[VERDICT_SLOW], family->pairs);
	fprintf(out, "%9zu\n", family->pairs);
	free(sorted);
}

static const char *device_name(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return text_or_empty(document->devices.items[i].name);
	return text_or_empty(key);
}

/* The families of the device of family `first`; returns the index after the last of them. */
static size_t put_device(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t first)
{
	const char *device = families->items[first].device;
	size_t end = first;
	int width = 8;

	for (; end < families->count && text_equal(families->items[end].device, device); end++)
		width = (int)fmax(width, (double)strlen(families->items[end].family) + 2);
	fprintf(out, "%s\n", device_name(document, device));
	format_put_padded(out, "family", width);
	fputs("backend  variants  typical  largest  default     SAME     AMBG  "
	      "FAST/SLOW    pairs\n",
		out);
	for (size_t i = first; i < end; i++)
		put_family(out, &families->items[i], width);
	return end;
}

void self_text_put(FILE *out, const struct result_document *document,
	const struct self_families *families, size_t runs, size_t repetitions)
{
	size_t pairs = 0, wrong = 0, same = 0;

	fprintf(out, "this machine compared with itself: %zu runs", runs);
	if (repetitions > 1)
		fprintf(out, " of %zu processes each", repetitions);
	fputc('\n', out);
	for (size_t i = 0; i < families->count;)
		i = put_device(out, document, families, i);
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
