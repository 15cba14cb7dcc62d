#include "host/page/parity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "host/compare/fields.h"
#include "host/report/format.h"

#define NEAR 0.05
/* Half-width of a 99 % interval / half-width of a 95 % interval, for a normal distribution. */
#define WIDTH_99 1.314

static bool is_positive(double value)
{
	return value > 0 && isfinite(value);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static char *problem_of(const struct named_list *problem, const struct named_list *macros)
{
	char sizes[200], own[200];
	char *text = NULL;

	format_sizes(problem, sizes, sizeof sizes);
	format_sizes(macros, own, sizeof own);
	text_format(&text, "%s%s%s", sizes, *own ? " " : "", own);
	return text;
}

/* Adds a pair and takes its text. Of two equal pairs the one with more samples stays. */
static bool add_pair(struct parity_pairs *pairs, struct parity_pair *pair)
{
	for (size_t i = 0; i < pairs->count && pair->problem; i++) {
		struct parity_pair *other = &pairs->items[i];
		if (strcmp(pair->variant, other->variant) != 0 ||
			strcmp(pair->family, other->family) != 0 ||
			strcmp(pair->problem, other->problem) != 0)
			continue;
		struct parity_pair less = pair->samples > other->samples ? *other : *pair;
		if (pair->samples > other->samples)
			*other = *pair;
		free(less.problem);
		return true;
	}
	struct parity_pair *larger =
		pair->problem ? array_resize(pairs->items, pairs->count + 1, sizeof *larger) : NULL;
	if (!larger) {
		free(pair->problem);
		return false;
	}
	pairs->items = larger;
	larger[pairs->count++] = *pair;
	return true;
}

/* Exchanges the two sides. */
static void invert(struct parity_pair *pair)
{
	double low = pair->ci95[0];

	pair->ratio = 1 / pair->ratio;
	pair->ci95[0] = 1 / pair->ci95[1];
	pair->ci95[1] = 1 / low;
	if (pair->verdict == VERDICT_FAST || pair->verdict == VERDICT_SLOW)
		pair->verdict = pair->verdict == VERDICT_FAST ? VERDICT_SLOW : VERDICT_FAST;
}

/* ---- Parity rows ----------------------------------------------------------------------------- */

/* Returns whether the row has times of both sides of the pairs. *ret_inverted: in the other order. */
static bool is_of(const struct page *page, const struct parity_pairs *pairs,
	const struct result_document *document, const struct parity_row *row, bool *ret_inverted)
{
	const struct page_side *sides[] = {
		&page->sides[pairs->sides[0]], &page->sides[pairs->sides[1]]};
	const struct device_record *device = device_of_key(document, row->device);

	if (!parity_is_timed(row->verdict) || row->backends.count != 2 || !row->same_device)
		return false;
	char *identity = device ? device_identity_on_host(device, document)
				: strdup(text_or_empty(row->device));
	bool same = identity && strcmp(identity, sides[0]->identity) == 0;
	free(identity);
	*ret_inverted = text_equal(row->backends.items[0], sides[1]->backend);
	return same && text_equal(row->backends.items[*ret_inverted], sides[0]->backend) &&
	       text_equal(row->backends.items[!*ret_inverted], sides[1]->backend);
}

static bool add_parity(struct parity_pairs *pairs, const struct parity_row *row, bool inverted)
{
	static const enum verdict verdicts[PARITY_VERDICT_COUNT] = {
		[PARITY_SAME] = VERDICT_SAME,
		[PARITY_FAST] = VERDICT_FAST,
		[PARITY_SLOW] = VERDICT_SLOW,
		[PARITY_AMBG] = VERDICT_AMBG,
	};
	double ratio = is_positive(row->round_ratio) ? row->round_ratio : row->ratio;
	bool bounded = row->ci95[0] > 0 && row->ci95[1] >= row->ci95[0] && isfinite(row->ci95[1]);
	struct parity_pair pair = {.family = text_or_empty(row->family),
		.variant = text_or_empty(row->variant),
		.ratio = ratio,
		.ci95 = {bounded ? row->ci95[0] : NAN, bounded ? row->ci95[1] : NAN},
		.tolerance = row->tolerance,
		.verdict = verdicts[row->verdict],
		.bits = row->bit_identical,
		.in_turn = true,
		.samples = row->n};

	if (!is_positive(ratio))
		return true;
	if (inverted)
		invert(&pair);
	pair.problem = problem_of(&row->problem, &row->macros);
	return add_pair(pairs, &pair);
}

static bool add_parities(const struct page *page, struct parity_pairs *pairs)
{
	bool ok = true, inverted;

	for (size_t f = 0; f < page->input->file_count; f++) {
		const struct result_document *document = &page->input->files[f].document;
		for (size_t i = 0; i < document->parity.count && ok; i++)
			if (is_of(page, pairs, document, &document->parity.items[i], &inverted))
				ok = add_parity(pairs, &document->parity.items[i], inverted);
	}
	return ok;
}

/* ---- Two sides ------------------------------------------------------------------------------- */

/* Adds the ratio of two times that were not measured in turn. The errors of both are independent, so
 * the squares of their relative half-widths add up. */
static bool add_times(const struct page *page, struct parity_pairs *pairs,
	const struct page_row *first, const struct page_row *second)
{
	const double *a = first->cell->ci95_ns, *b = second->cell->ci95_ns;
	const char *type = page->comparison.sides.items[first->side].type;
	const struct verdict_limits limits = verdict_limits_of(type);
	double ratio = first->cell->median_ns / second->cell->median_ns;
	double width = hypot(log(a[1] / a[0]) / 2, log(b[1] / b[0]) / 2);
	double ci99[] = {ratio * exp(-WIDTH_99 * width), ratio * exp(WIDTH_99 * width)};
	struct parity_pair pair = {.family = page_family(page, first),
		.variant = text_or_empty(first->compared->variant),
		.problem = problem_of(&first->compared->problem, &first->compared->macros),
		.ratio = ratio,
		.ci95 = {ratio * exp(-width), ratio * exp(width)},
		.tolerance = limits.same,
		.samples = -1};

	pair.verdict = verdict_of(pair.ci95, ci99, &limits);
	return add_pair(pairs, &pair);
}

/* The two sides of a variant are in one row of the comparison, and therefore neighbours. */
static bool add_sides(const struct page *page, struct parity_pairs *pairs)
{
	bool ok = true;

	for (size_t i = 0, next; i < page->row_count && ok; i = next) {
		const struct page_row *found[2] = {NULL, NULL};
		for (next = i; next < page->row_count &&
			       page->rows[next].compared == page->rows[i].compared;
			next++)
			for (size_t s = 0; s < 2; s++)
				if (page->rows[next].side == pairs->sides[s] &&
					page->rows[next].timed)
					found[s] = &page->rows[next];
		if (found[0] && found[1])
			ok = add_times(page, pairs, found[0], found[1]);
	}
	return ok;
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Finds the first two timed sides of a device. */
static bool find_sides(const struct page *page, size_t device, struct parity_pairs *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < page->side_count && count < 2; i++)
		if (page->sides[i].device == device && page->comparison.sides.items[i].rows > 0)
			pairs->sides[count++] = i;
	if (count == 2 && text_equal(page->sides[pairs->sides[1]].backend, "opencl")) {
		size_t first = pairs->sides[0];
		pairs->sides[0] = pairs->sides[1];
		pairs->sides[1] = first;
	}
	return count == 2;
}

bool parity_pairs_make(struct page *page)
{
	/* The element behind the last device ends the list. */
	struct parity_pairs *pairs = calloc(page->device_count + 1, sizeof *pairs);
	bool ok = pairs != NULL;

	page->pairs = pairs;
	if (ok)
		pairs[page->device_count].sides[0] = SIZE_MAX;
	for (size_t i = 0; ok && i < page->device_count; i++)
		if (find_sides(page, i, &pairs[i]))
			ok = add_parities(page, &pairs[i]) && add_sides(page, &pairs[i]);
	return ok;
}

void parity_pairs_free(struct parity_pairs *pairs)
{
	for (size_t i = 0; pairs && pairs[i].sides[0] != SIZE_MAX; i++) {
		for (size_t p = 0; p < pairs[i].count; p++)
			free(pairs[i].items[p].problem);
		free(pairs[i].items);
	}
	free(pairs);
}

size_t parity_pairs_near(const struct parity_pairs *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < pairs->count; i++)
		count += fabs(log(pairs->items[i].ratio)) <= log(1 + NEAR);
	return count;
}
