#include "host/page/parity_pairs.h"

#include "common/array.h"
#include "host/page/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_positive(double value)
{
	return value > 0 && isfinite(value);
}

/* ---- Sides ----------------------------------------------------------------------------------- */

static bool has_times(const struct page *page, size_t side)
{
	return page->comparison.sides.items[side].rows > 0;
}

static bool is_backend(const struct page *page, size_t side, const char *backend)
{
	return text_equal(page->sides[side].backend, backend);
}

/* Finds the two timed sides of a device. first: its first timed side; otherwise returns false. */
static bool find_sides(const struct page *page, size_t first, size_t ret_sides[2])
{
	size_t found[2], count = 0;

	for (size_t i = 0; i < page->side_count; i++) {
		if (page->sides[i].device_index != page->sides[first].device_index ||
			!has_times(page, i))
			continue;
		if (i < first)
			return false;
		if (count < 2)
			found[count++] = i;
	}
	if (count < 2)
		return false;
	bool swap = is_backend(page, found[1], "opencl");
	ret_sides[0] = found[swap];
	ret_sides[1] = found[!swap];
	return true;
}

/* A page, and the side of each row of its files, in the order of the rows. */
struct finder {
	const struct page *page;
	size_t *sides; /* owned */
};

static bool finder_make(const struct page *page, struct finder *ret_finder)
{
	const struct page_parts *parts = page->parts;
	struct finder finder = {page, calloc(parts->result_count + 1, sizeof *finder.sides)};

	for (size_t i = 0; finder.sides && i < parts->result_count; i++)
		finder.sides[parts->results[i].order] = parts->results[i].side;
	*ret_finder = finder;
	return finder.sides != NULL;
}

/* Returns the side of a backend of a parity row. file_sides: sides of the rows of its file.
 * SIZE_MAX: no row of the file is on that side. */
static size_t side_of_parity(const struct result_document *document, const size_t *file_sides,
	const struct parity_row *parity, size_t backend)
{
	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (text_equal(row->device, parity->device) &&
			text_equal(row->backend, parity->backends.items[backend]))
			return file_sides[i];
	}
	return SIZE_MAX;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* "n=64 TILE=16" */
static char *problem_of(const struct named_list *problem, const struct named_list *macros)
{
	const struct named_list *lists[] = {problem, macros};
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t l = 0; out && l < 2; l++)
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct named_value *value = &lists[l]->items[i];
			fprintf(out, "%s%s=%" PRId64, separator, value->name, value->value);
			separator = " ";
		}
	if (out)
		fclose(out);
	return text;
}

static void pair_finish(struct parity_pair *pair)
{
	free(pair->family);
	free(pair->variant);
	free(pair->problem);
}

/* Sets the texts. Returns false if there is no memory. */
static bool set_texts(struct parity_pair *pair, const char *family, const char *variant,
	const struct named_list *problem, const struct named_list *macros)
{
	pair->family = strdup(text_or_empty(family));
	pair->variant = strdup(text_or_empty(variant));
	pair->problem = problem_of(problem, macros);
	return pair->family && pair->variant && pair->problem;
}

static struct parity_pair *find_pair(
	const struct parity_sides *sides, const struct parity_pair *like)
{
	for (size_t i = 0; i < sides->count; i++) {
		struct parity_pair *pair = &sides->items[i];
		if (strcmp(pair->variant, like->variant) == 0 &&
			strcmp(pair->family, like->family) == 0 &&
			strcmp(pair->problem, like->problem) == 0)
			return pair;
	}
	return NULL;
}

/* Adds a pair and moves its texts. If there is an equal pair, keeps the pair with more samples. */
static bool add_pair(struct parity_sides *sides, struct parity_pair *pair)
{
	struct parity_pair *other = find_pair(sides, pair);

	if (other) {
		struct parity_pair less = pair->samples > other->samples ? *other : *pair;
		*other = pair->samples > other->samples ? *pair : *other;
		pair_finish(&less);
		return true;
	}
	struct parity_pair *larger = array_resize(sides->items, sides->count + 1, sizeof *larger);
	if (!larger) {
		pair_finish(pair);
		return false;
	}
	sides->items = larger;
	larger[sides->count++] = *pair;
	return true;
}

/* Exchanges the two sides. */
static void invert(struct parity_pair *pair)
{
	double low = pair->ci95[0];

	pair->ratio = 1 / pair->ratio;
	pair->ci95[0] = 1 / pair->ci95[1];
	pair->ci95[1] = 1 / low;
	if (pair->verdict == VERDICT_FAST)
		pair->verdict = VERDICT_SLOW;
	else if (pair->verdict == VERDICT_SLOW)
		pair->verdict = VERDICT_FAST;
}

/* ---- Parity rows ----------------------------------------------------------------------------- */

/* Sets all members except the texts. Returns false if the row has no times. */
static bool set_figures(const struct parity_row *row, struct parity_pair *pair)
{
	static const enum verdict verdicts[PARITY_VERDICT_COUNT] = {
		[PARITY_SAME] = VERDICT_SAME,
		[PARITY_FAST] = VERDICT_FAST,
		[PARITY_SLOW] = VERDICT_SLOW,
		[PARITY_AMBG] = VERDICT_AMBG,
	};
	double ratio = is_positive(row->round_ratio) ? row->round_ratio : row->ratio;
	bool has_interval =
		row->ci95[0] > 0 && row->ci95[1] >= row->ci95[0] && isfinite(row->ci95[1]);

	if (!parity_is_timed(row->verdict) || !is_positive(ratio))
		return false;
	*pair = (struct parity_pair){.ratio = ratio,
		.ci95 = {has_interval ? row->ci95[0] : NAN, has_interval ? row->ci95[1] : NAN},
		.tolerance = row->tolerance,
		.verdict = verdicts[row->verdict],
		.bit_identical = row->bit_identical,
		.in_turn = true,
		.samples = row->n};
	return true;
}

static bool add_parity(const struct result_document *document, const size_t *file_sides,
	const struct parity_row *row, struct parity_sides *sides)
{
	struct parity_pair pair;

	if (row->backends.count != 2 || !row->same_device || !set_figures(row, &pair))
		return true;
	size_t first = side_of_parity(document, file_sides, row, 0);
	size_t second = side_of_parity(document, file_sides, row, 1);
	bool inverted = first == sides->sides[1] && second == sides->sides[0];
	if (!inverted && (first != sides->sides[0] || second != sides->sides[1]))
		return true;
	if (inverted)
		invert(&pair);
	if (!set_texts(&pair, row->family, row->variant, &row->problem, &row->macros)) {
		pair_finish(&pair);
		return false;
	}
	return add_pair(sides, &pair);
}

static bool add_parities(const struct finder *finder, struct parity_sides *sides)
{
	const struct page_input *input = finder->page->input;
	const size_t *file_sides = finder->sides;
	bool ok = true;

	for (size_t f = 0; f < input->file_count; f++) {
		const struct result_document *document = &input->files[f].document;
		for (size_t i = 0; i < document->parity.count && ok; i++)
			ok = add_parity(document, file_sides, &document->parity.items[i], sides);
		file_sides += document->results.count;
	}
	return ok;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* Adds shallow copies of the files that have only the rows of one side. The caller frees
 * document.results.items of each copy. */
static bool add_files(
	const struct finder *finder, size_t side, struct compared_file *files, size_t *count)
{
	const struct page_input *input = finder->page->input;
	const size_t *file_sides = finder->sides;

	for (size_t f = 0; f < input->file_count; f++) {
		const struct result_list *results = &input->files[f].document.results;
		struct result_row *rows = calloc(results->count + 1, sizeof *rows);
		size_t kept = 0;
		if (!rows)
			return false;
		for (size_t i = 0; i < results->count; i++)
			if (file_sides[i] == side)
				rows[kept++] = results->items[i];
		file_sides += results->count;
		if (kept == 0) {
			free(rows);
			continue;
		}
		files[*count] = input->files[f];
		files[*count].document.results = (struct result_list){rows, kept};
		++*count;
	}
	return true;
}

/* Does not replace a pair that was measured in turn. */
static bool add_compared(const struct comparison_document *comparison, struct parity_sides *sides)
{
	bool ok = true;

	for (size_t i = 0; i < comparison->rows.count && ok; i++) {
		const struct comparison_row *row = &comparison->rows.items[i];
		const struct cell_record *cell = &row->cells.items[1];
		if (cell->verdict < VERDICT_SAME || cell->verdict > VERDICT_AMBG ||
			!is_positive(cell->ratio))
			continue;
		struct parity_pair pair = {.ratio = cell->ratio,
			.ci95 = {cell->ci95[0], cell->ci95[1]},
			.tolerance = cell->tolerance,
			.verdict = (enum verdict)cell->verdict,
			.samples = -1};
		ok = set_texts(&pair, row->family, row->variant, &row->problem, &row->macros);
		if (ok)
			ok = add_pair(sides, &pair);
		else
			pair_finish(&pair);
	}
	return ok;
}

/* Uses the verdicts of `compare`, with the second side as the base. */
static bool add_comparison(const struct finder *finder, struct parity_sides *sides)
{
	const struct compare_options options = {.by = "backend", .tolerance = NAN};
	struct compared_file *files =
		calloc(2 * finder->page->input->file_count + 1, sizeof *files);
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct comparison_document comparison;
	size_t count = 0;
	bool ok = files && add_files(finder, sides->sides[1], files, &count) &&
		  add_files(finder, sides->sides[0], files, &count);

	if (ok) {
		enum pmpp_status status =
			compare_files(files, count, &options, &comparison, &error);
		ok = status != PMPP_OUT_OF_MEMORY;
		if (status == PMPP_OK) {
			ok = comparison.sides.count != 2 || add_compared(&comparison, sides);
			record_finish(&comparison_document_type, &comparison);
		}
		pmpp_error_clear(&error);
	}
	for (size_t i = 0; i < count; i++)
		free(files[i].document.results.items);
	free(files);
	return ok;
}

/* ---- Public ---------------------------------------------------------------------------------- */

static void sides_finish(struct parity_sides *sides)
{
	for (size_t i = 0; i < sides->count; i++)
		pair_finish(&sides->items[i]);
	free(sides->items);
}

bool parity_pairs_make(const struct page *page, struct parity_pairs *ret_pairs)
{
	struct parity_pairs pairs = {.items = calloc(page->side_count + 1, sizeof *pairs.items)};
	struct finder finder = {0};
	bool ok = pairs.items && finder_make(page, &finder);

	for (size_t i = 0; i < page->side_count && ok; i++) {
		struct parity_sides sides = {0};
		if (!find_sides(page, i, sides.sides))
			continue;
		ok = add_parities(&finder, &sides) && add_comparison(&finder, &sides);
		if (sides.count)
			pairs.items[pairs.count++] = sides;
	}
	free(finder.sides);
	if (!ok)
		parity_pairs_finish(&pairs);
	*ret_pairs = pairs;
	return ok;
}

void parity_pairs_finish(struct parity_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++)
		sides_finish(&pairs->items[i]);
	free(pairs->items);
	*pairs = (struct parity_pairs){0};
}
