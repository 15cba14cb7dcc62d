#include "host/compare/self.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/repetition.h"

/* A variant with the medians of all its runs. */
struct timed_variant {
	const struct result_row *row;
	double *medians_ns; /* runs * repetitions; owned */
	double *log_means;  /* by run; owned */
};

struct timed_family {
	struct timed_variant *variants; /* owned */
	size_t count;
	size_t runs, repetitions;
	const char *type; /* of the device */
	double tolerance;
};

/* ---- Variants -------------------------------------------------------------------------------- */

static bool is_of(const struct result_row *row, const struct self_family *family)
{
	return text_equal(row->family, family->family) &&
	       text_equal(row->backend, family->backend) && text_equal(row->device, family->device);
}

/* Appends a row that was timed in all runs. */
static void add_variant(struct timed_family *family, const struct result_row *row)
{
	struct timed_variant variant = {.row = row};
	size_t all = family->runs * family->repetitions;

	if (row->status != OUTCOME_OK || result_row_medians(row, &variant.medians_ns) != all) {
		free(variant.medians_ns);
		return;
	}
	variant.log_means = calloc(family->runs, sizeof *variant.log_means);
	for (size_t i = 0; variant.log_means && i < all; i++)
		variant.log_means[i / family->repetitions] +=
			log(variant.medians_ns[i]) / (double)family->repetitions;
	if (variant.log_means)
		family->variants[family->count++] = variant;
	else
		free(variant.medians_ns);
}

static void timed_family_finish(struct timed_family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		free(family->variants[i].medians_ns);
		free(family->variants[i].log_means);
	}
	free(family->variants);
}

/* ---- Floors ---------------------------------------------------------------------------------- */

/* Sum of squared distances of the values from their mean, without two of them. */
static double squares_without(const double *values, size_t count, size_t a, size_t b)
{
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == a || i == b)
			continue;
		sum += values[i];
		n++;
	}
	for (size_t i = 0; i < count; i++)
		if (i != a && i != b)
			squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
	return squares;
}

/* The floor of one process run, from all runs but two; a = b = runs leaves out none. The means over
 * the repetitions vary by 1 / repetitions of the variance of one. scratch: one double for each
 * variant. */
static struct noise_floor floor_without(
	const struct timed_family *family, size_t a, size_t b, double *scratch)
{
	size_t left = family->runs - (a < family->runs) - (b < family->runs);

	for (size_t v = 0; v < family->count; v++)
		scratch[v] = (double)family->repetitions *
			     squares_without(family->variants[v].log_means, family->runs, a, b) /
			     (double)(left - 1);
	return noise_floor_of(scratch, family->count, left);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static struct repetition_estimate estimate_of(
	const struct timed_family *family, size_t v, size_t run, const struct noise_floor *floor)
{
	const struct timed_variant *variant = &family->variants[v];
	const struct repetitions runs = {
		.medians_ns = &variant->medians_ns[run * family->repetitions],
		.count = family->repetitions,
		.half_width = timing_record_primary(&variant->row->timing)->half_width,
		.floor = *floor};

	return repetition_estimate_of(&runs);
}

static void judge_pairs(
	const struct timed_family *family, double *scratch, struct self_family *self)
{
	for (size_t a = 0; a < family->runs; a++)
		for (size_t b = a + 1; b < family->runs; b++) {
			const struct noise_floor floor =
				family->runs < 4 ? self->used_default
						 : floor_without(family, a, b, scratch);
			for (size_t v = 0; v < family->count; v++) {
				const struct repetition_estimate sides[] = {
					estimate_of(family, v, a, &floor),
					estimate_of(family, v, b, &floor)};
				const struct repetition_ratio ratio =
					repetition_ratio_of(&sides[1], &sides[0]);
				self->verdicts[verdict_of(ratio.ci95, family->tolerance)]++;
				self->pairs++;
			}
		}
}

/* ---- Public ---------------------------------------------------------------------------------- */

static const char *type_of(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return document->devices.items[i].type;
	return NULL;
}

/* Completes a family. Without a variant that was timed in all runs, variants is 0. */
static bool measure_family(const struct result_document *document, struct timed_family *family,
	struct self_family *self)
{
	size_t rows = document->results.count;
	double *scratch = calloc(rows + 1, sizeof *scratch);

	family->variants = calloc(rows + 1, sizeof *family->variants);
	for (size_t i = 0; family->variants && i < rows; i++)
		if (is_of(&document->results.items[i], self))
			add_variant(family, &document->results.items[i]);
	bool ok = scratch && family->variants;
	self->used_default = noise_floor_default(family->type);
	self->variants = family->count;
	if (ok && family->count) {
		self->floor = floor_without(family, family->runs, family->runs, scratch);
		judge_pairs(family, scratch, self);
	}
	timed_family_finish(family);
	free(scratch);
	return ok;
}

/* Appends a family, if it is new. */
static struct self_family *add_family(struct self_families *families, const struct result_row *row)
{
	for (size_t i = 0; i < families->count; i++)
		if (is_of(row, &families->items[i]))
			return NULL;
	families->items[families->count] = (struct self_family){
		.family = row->family, .backend = row->backend, .device = row->device};
	return &families->items[families->count++];
}

struct self_families self_compare(
	const struct result_document *document, size_t runs, size_t repetitions, double tolerance)
{
	size_t rows = document->results.count;
	struct self_families families = {.items = calloc(rows + 1, sizeof *families.items)};
	bool ok = families.items != NULL;

	for (size_t i = 0; i < rows && ok; i++) {
		struct self_family *self = add_family(&families, &document->results.items[i]);
		if (!self)
			continue;
		const char *type = type_of(document, self->device);
		struct timed_family family = {.runs = runs,
			.repetitions = repetitions,
			.type = type,
			.tolerance = isfinite(tolerance) ? tolerance : verdict_tolerance(type)};
		ok = measure_family(document, &family, self);
	}
	if (!ok) {
		free(families.items);
		families = (struct self_families){0};
	}
	return families;
}
