#include "host/compare/self.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/repetition.h"

/* A variant with the medians of all runs. */
struct timed_variant {
	const struct result_row *row;
	double *medians_ns; /* of runs * repetitions processes; owned */
	double *log_means;  /* trimmed means, by run; owned */
	double share;       /* variance of a trimmed mean / variance of one process */
};

struct timed_family {
	struct timed_variant *variants; /* owned */
	size_t count;
	size_t runs, repetitions;
	size_t kind; /* noise_floor_class() */
	struct verdict_limits limits;
	struct noise_floor used_default;
	double *variances;                  /* scratch: two doubles for each variant; owned */
	const struct noise_spread *spreads; /* of each run, as in a comparison */
};

/* ---- Variants -------------------------------------------------------------------------------- */

static struct repetition_estimate estimate_of(const struct timed_family *family,
	const struct timed_variant *variant, size_t run, const struct noise_floor *floor)
{
	const struct repetitions runs = {
		.medians_ns = &variant->medians_ns[run * family->repetitions],
		.count = family->repetitions,
		.half_width = timing_record_primary(&variant->row->timing)->half_width,
		.floor = *floor};

	return repetition_estimate_of(&runs);
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
	for (size_t i = 0; variant.log_means && i < family->runs; i++) {
		const struct repetition_estimate run =
			estimate_of(family, &variant, i, &family->used_default);
		variant.log_means[i] = run.log_ns;
		variant.share = run.share;
	}
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
	free(family->variances);
}

/* ---- Floors ---------------------------------------------------------------------------------- */

/* Sum of squared distances of the values from their mean, without values a and b. */
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

/* Sets the variance of one process for each variant, and returns the typical variance. Excludes the
 * runs a and b; a = b = runs excludes no run. The variance of a mean over n processes is 1 / n of
 * the variance of one process. *ret_left: the number of remaining runs. */
static double variances_without(
	const struct timed_family *family, size_t a, size_t b, size_t *ret_left)
{
	size_t left = family->runs - (a < family->runs) - (b < family->runs);
	double *sorted = family->variances + family->count;

	for (size_t v = 0; v < family->count; v++)
		family->variances[v] =
			squares_without(family->variants[v].log_means, family->runs, a, b) /
			family->variants[v].share / (double)(left - 1);
	memcpy(sorted, family->variances, family->count * sizeof *sorted);
	*ret_left = left;
	return noise_floor_typical(sorted, family->count, (double)(left - 1));
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static void judge_pair(
	const struct timed_family *family, size_t a, size_t b, struct self_family *self)
{
	bool measured = family->runs >= SELF_MIN_RUNS;
	size_t left = 0;
	double typical = measured ? variances_without(family, a, b, &left) : 0;

	for (size_t v = 0; v < family->count; v++) {
		const struct noise_floor floor =
			measured ? noise_floor_of_variant(family->variances[v], left, typical)
				 : family->used_default;
		const struct noise_floor floors[] = {
			noise_floor_raised(&floor, &family->spreads[a]),
			noise_floor_raised(&floor, &family->spreads[b])};
		const struct timed_variant *variant = &family->variants[v];
		const struct repetition_estimate base = estimate_of(family, variant, a, &floors[0]);
		const struct repetition_estimate other =
			estimate_of(family, variant, b, &floors[1]);
		const struct repetition_ratio ratio = repetition_ratio_of(&other, &base);
		self->verdicts[verdict_of(ratio.ci95, ratio.ci99, &family->limits)]++;
		self->pairs++;
	}
}

/* Judges all pairs, and sets the floors from all runs. */
static void judge_family(const struct timed_family *family, struct self_family *self)
{
	size_t left = 0;

	for (size_t a = 0; a < family->runs; a++)
		for (size_t b = a + 1; b < family->runs; b++)
			judge_pair(family, a, b, self);
	double typical = variances_without(family, family->runs, family->runs, &left);
	for (size_t v = 0; v < family->count; v++)
		self->variants[v] = (struct self_variant){family->variants[v].row->variant,
			noise_floor_of_variant(family->variances[v], left, typical)};
	self->variant_count = family->count;
	self->floor = noise_floor_of(family->variances, family->count, left);
}

/* ---- Public ---------------------------------------------------------------------------------- */

static const char *type_of(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return document->devices.items[i].type;
	return NULL;
}

/* Collects the variants of a family that were timed in all runs. */
static bool collect_family(const struct result_document *document, struct timed_family *family,
	struct self_family *self)
{
	size_t rows = document->results.count;

	family->variants = calloc(rows + 1, sizeof *family->variants);
	family->variances = calloc(2 * rows + 1, sizeof *family->variances);
	self->variants = calloc(rows + 1, sizeof *self->variants);
	bool ok = family->variants && family->variances && self->variants;
	for (size_t i = 0; ok && i < rows; i++)
		if (result_row_same_problem(&document->results.items[i], self->first))
			add_variant(family, &document->results.items[i]);
	self->used_default = family->used_default;
	return ok;
}

/* The spread of each run over the variants of all families of a noise class. malloc'ed; NULL
 * if there is no memory. */
static struct noise_spread *spreads_of_runs(const struct timed_family *families, size_t count,
	size_t rows, size_t runs, size_t repetitions, size_t kind)
{
	struct noise_spread *spreads = calloc(runs, sizeof *spreads);
	double *variances = calloc(rows + 1, sizeof *variances);

	for (size_t run = 0; spreads && variances && run < runs && repetitions > 1; run++) {
		size_t variants = 0;
		double dof = 0;
		for (size_t f = 0; f < count; f++)
			for (size_t v = 0; families[f].kind == kind && v < families[f].count; v++)
				variances[variants++] = repetition_variance(
					&families[f].variants[v].medians_ns[run * repetitions],
					repetitions, &dof);
		spreads[run] = noise_floor_spread(variances, variants, dof);
	}
	if (!variances) {
		free(spreads);
		spreads = NULL;
	}
	free(variances);
	return spreads;
}

/* Appends a family, if it is new. */
static struct self_family *add_family(struct self_families *families, const struct result_row *row)
{
	for (size_t i = 0; i < families->count; i++)
		if (result_row_same_problem(row, families->items[i].first))
			return NULL;
	families->items[families->count] = (struct self_family){.first = row,
		.family = row->family,
		.backend = row->backend,
		.device = row->device};
	return &families->items[families->count++];
}

/* Judges the families of a noise class with the spreads of its runs. */
static bool judge_class(struct timed_family *families, struct self_families *all, size_t rows,
	size_t runs, size_t repetitions, size_t kind)
{
	struct noise_spread *spreads =
		spreads_of_runs(families, all->count, rows, runs, repetitions, kind);

	for (size_t i = 0; spreads && i < all->count; i++) {
		families[i].spreads = spreads;
		if (families[i].count && families[i].kind == kind)
			judge_family(&families[i], &all->items[i]);
	}
	bool ok = spreads != NULL;
	free(spreads);
	return ok;
}

struct self_families self_compare(
	const struct result_document *document, size_t runs, size_t repetitions, double tolerance)
{
	size_t rows = document->results.count;
	struct self_families all = {.items = calloc(rows + 1, sizeof *all.items)};
	struct timed_family *families = calloc(rows + 1, sizeof *families);
	bool ok = all.items && families;

	for (size_t i = 0; i < rows && ok; i++) {
		struct self_family *self = add_family(&all, &document->results.items[i]);
		if (!self)
			continue;
		const char *type = type_of(document, self->device);
		struct timed_family *family = &families[all.count - 1];
		*family = (struct timed_family){.runs = runs,
			.repetitions = repetitions,
			.kind = noise_floor_class(type),
			.limits = verdict_limits_with(tolerance, type, type),
			.used_default = noise_floor_default(type)};
		ok = collect_family(document, family, self);
	}
	for (size_t kind = 0; ok && kind < NOISE_CLASSES; kind++)
		ok = judge_class(families, &all, rows, runs, repetitions, kind);
	for (size_t i = 0; families && i < all.count; i++)
		timed_family_finish(&families[i]);
	free(families);
	if (!ok)
		self_families_finish(&all);
	return all;
}

void self_families_finish(struct self_families *families)
{
	for (size_t i = 0; i < families->count; i++)
		free(families->items[i].variants);
	free(families->items);
	*families = (struct self_families){0};
}
