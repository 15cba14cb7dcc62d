#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/parity.h"
#include "host/compare/fields.h"
#include "host/page/section.h"

#define NEAR 0.05
/* Half-width of a 99 % interval / half-width of a 95 % interval, for a normal distribution. */
#define WIDTH_99 1.314

/* The verdicts of parity, SAME to AMBG, are verdicts. */
_Static_assert((int)PARITY_AMBG == (int)VERDICT_AMBG, "same order of verdicts");

/* ---- Parity rows ----------------------------------------------------------------------------- */

static double ratio_of(const struct parity_row *row)
{
	return row->round_ratio > 0 && isfinite(row->round_ratio) ? row->round_ratio : row->ratio;
}

/* Returns whether a parity row has times of both rows of a pair. */
static bool is_of(const struct page *page, const struct page_pair *pair,
	const struct result_document *document, const struct parity_row *row)
{
	const struct comparison_row *of = pair->row->compared;
	const struct page_side *side = &page->sides[pair->row->side];
	const struct device_record *device = device_of_key(document, row->device);

	if (!text_equal(row->variant, of->variant) || !text_equal(row->family, of->family) ||
		!named_list_equal(&row->problem, &of->problem) ||
		!named_list_equal(&row->macros, &of->macros) || !row->same_device ||
		!parity_is_timed(row->verdict) || !(ratio_of(row) > 0) || isinf(ratio_of(row)) ||
		row->backends.count != 2 || !text_equal(row->backends.items[0], side->backend) ||
		!text_equal(row->backends.items[1], page->sides[pair->other->side].backend))
		return false;
	char *identity = device ? device_identity_on_host(device, document)
				: strdup(text_or_empty(row->device));
	bool same = identity && strcmp(identity, side->identity) == 0;
	free(identity);
	return same;
}

/* Finds the parity row with the most samples; NULL: none. */
static const struct parity_row *find_row(const struct page *page, const struct page_pair *pair)
{
	const struct parity_row *best = NULL;

	for (size_t f = 0; f < page->input->count; f++) {
		const struct result_document *document = &page->input->items[f].document;
		for (size_t i = 0; i < document->parity.count; i++) {
			const struct parity_row *row = &document->parity.items[i];
			if (is_of(page, pair, document, row) && (!best || row->n > best->n))
				best = row;
		}
	}
	return best;
}

static void use_row(struct page_pair *pair, const struct parity_row *row)
{
	bool bounded = row->ci95[0] > 0 && row->ci95[1] >= row->ci95[0] && isfinite(row->ci95[1]);

	pair->ratio = ratio_of(row);
	pair->ci95[0] = bounded ? row->ci95[0] : NAN;
	pair->ci95[1] = bounded ? row->ci95[1] : NAN;
	pair->tolerance = row->tolerance;
	pair->verdict = (enum verdict)row->verdict;
	pair->bits = row->bit_identical;
	pair->in_turn = true;
}

/* ---- Two times ------------------------------------------------------------------------------- */

/* The times were not measured in turn. The errors of both are independent, so the squares of their
 * relative half-widths add up. */
static void divide_times(const struct page *page, struct page_pair *pair)
{
	const struct cell_record *a = pair->row->cell, *b = pair->other->cell;
	const char *type = page->comparison.sides.items[pair->row->side].type;
	const struct verdict_limits limits = verdict_limits_of(type);
	double width = hypot(
		log(a->ci95_ns[1] / a->ci95_ns[0]) / 2, log(b->ci95_ns[1] / b->ci95_ns[0]) / 2);
	double ratio = a->median_ns / b->median_ns;
	const double ci99[] = {ratio * exp(-WIDTH_99 * width), ratio * exp(WIDTH_99 * width)};

	pair->ratio = ratio;
	pair->ci95[0] = ratio * exp(-width);
	pair->ci95[1] = ratio * exp(width);
	pair->tolerance = limits.same;
	pair->verdict = verdict_of(pair->ci95, ci99, &limits);
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Returns the next row of another backend of the device. The rows of all sides are neighbours. */
static const struct page_row *partner_of(const struct page *page, const struct page_row *row)
{
	const struct page_row *other = row + 1, *end = page->rows + page->row_count;

	for (; other < end && other->compared == row->compared; other++)
		if (other->timed && page_device(page, other) == page_device(page, row))
			return other;
	return NULL;
}

bool page_make_pairs(struct page *page)
{
	page->pairs = calloc(page->row_count + 1, sizeof *page->pairs);
	for (size_t i = 0; page->pairs && i < page->row_count; i++) {
		const struct page_row *row = &page->rows[i], *other = partner_of(page, row);
		if (!row->timed || !other)
			continue;
		bool swap = text_equal(page->sides[other->side].backend, "opencl");
		struct page_pair *pair = &page->pairs[page->pair_count++];
		pair->row = swap ? other : row;
		pair->other = swap ? row : other;
		const struct parity_row *parity = find_row(page, pair);
		if (parity)
			use_row(pair, parity);
		else
			divide_times(page, pair);
	}
	return page->pairs != NULL;
}

size_t page_count_pairs(const struct page *page, size_t device, bool near)
{
	size_t count = 0;

	for (size_t i = 0; i < page->pair_count; i++)
		count += page_device(page, page->pairs[i].row) == device &&
			 (!near || fabs(log(page->pairs[i].ratio)) <= log(1 + NEAR));
	return count;
}
