#include "host/report/causes.h"

#include <stdlib.h>
#include <string.h>

#include "host/report/console.h"

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Not a time limit or a build error: they say nothing about the answer. */
static bool is_wrong(const struct result_row *row)
{
	return row->status == OUTCOME_FAILED || row->status == OUTCOME_LAUNCH_ERROR ||
	       row->status == OUTCOME_CRASHED;
}

/* Whether two rows have the same variant, macros and device. */
static bool same_kernel(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->device, b->device) &&
	       named_list_equal(&a->macros, &b->macros);
}

/* The rows of one variant, and all rows. */
struct evidence {
	const struct result_row_list *all;
	const struct result_row *first; /* first wrong row of the variant */
};

/* ---- Multiples of the tile ------------------------------------------------------------------ */

/* Whether the dimensions of the mask are multiples of the tile. */
static bool fits_tile(const struct result_row *row, int64_t tile, unsigned mask)
{
	bool fits = true;

	for (size_t d = 0; d < row->problem.count; d++)
		if (mask >> d & 1)
			fits = fits && row->problem.items[d].value % tile == 0;
	return fits;
}

/* Whether the right rows of the variant are those that fit the tile. */
static bool separates(const struct evidence *evidence, int64_t tile, unsigned mask)
{
	size_t right = 0, wrong = 0;

	for (size_t i = 0; i < evidence->all->count; i++) {
		const struct result_row *row = &evidence->all->items[i];
		bool ok = row->status == OUTCOME_OK;
		if (!same_kernel(row, evidence->first) || (!ok && !is_wrong(row)))
			continue;
		if (fits_tile(row, tile, mask) != ok)
			return false;
		right += ok;
		wrong += !ok;
	}
	return right > 0 && wrong > 0;
}

static void put_tile(
	FILE *out, const struct evidence *evidence, const struct named_value *macro, unsigned mask)
{
	const struct named_list *dims = &evidence->first->problem;
	size_t count = 0;

	fputs("right only where ", out);
	for (size_t d = 0; d < dims->count; d++)
		if (mask >> d & 1)
			fprintf(out, "%s%s", count++ ? " and " : "", dims->items[d].name);
	fprintf(out, " %s of %s=%lld. Test the indices against the size",
		count > 1 ? "are multiples" : "is a multiple", macro->name,
		(long long)macro->value);
}

/* Finds the largest macro whose multiples are the sizes with a right result. */
static bool put_tile_cause(FILE *out, const struct evidence *evidence)
{
	const struct result_row *first = evidence->first;
	const struct named_value *best = NULL;
	unsigned best_mask = 0;

	for (size_t m = 0; m < first->macros.count; m++) {
		const struct named_value *macro = &first->macros.items[m];
		if (macro->value < 2 || (best && macro->value <= best->value))
			continue;
		for (unsigned mask = (1u << first->problem.count) - 1; mask > 0; mask--)
			if (separates(evidence, macro->value, mask)) {
				best = macro;
				best_mask = mask;
				break;
			}
	}
	if (best)
		put_tile(out, evidence, best, best_mask);
	return best != NULL;
}

/* ---- A wrong compiler ----------------------------------------------------------------------- */

/* Whether two engines ran one source with one problem. */
static bool same_run(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->dtype, b->dtype) && text_equal(a->op, b->op) &&
	       text_equal(a->data, b->data) && named_list_equal(&a->problem, &b->problem) &&
	       *text_or_empty(a->build.source_sha256) &&
	       text_equal(a->build.source_sha256, b->build.source_sha256);
}

static bool put_engine_cause(FILE *out, const struct evidence *evidence)
{
	static const char *const emulators[][2] = {{"opencl", "opencl-emu"}, {"cuda", "cuda-emu"}};
	const struct result_row_list *all = evidence->all;
	const char *emulator = NULL;

	if (evidence->first->status != OUTCOME_FAILED)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(emulators); i++)
		if (text_equal(evidence->first->backend, emulators[i][0]))
			emulator = emulators[i][1];
	for (size_t i = 0; i < all->count && emulator; i++) {
		const struct result_row *row = &all->items[i];
		if (!text_equal(row->backend, emulator) || row->status != OUTCOME_OK ||
			!same_run(row, evidence->first))
			continue;
		fputs("wrong at", out);
		row_put_problem(out, row);
		fprintf(out,
			", but right on %s with the same source: the compiler of %s is suspected. "
			"docs/vendors.md has known faults of drivers",
			emulator, evidence->first->backend);
		return true;
	}
	return false;
}

/* ---- All ----------------------------------------------------------------------------------- */

static bool (*const causes[])(FILE *out, const struct evidence *evidence) = {
	put_tile_cause, put_engine_cause};

static bool is_first_wrong(const struct result_row_list *all, size_t index)
{
	/* Backwards, because the previous wrong row is usually of the same variant. */
	for (size_t i = index; i-- > 0 && is_wrong(&all->items[index]);)
		if (is_wrong(&all->items[i]) && same_kernel(&all->items[i], &all->items[index]))
			return false;
	return is_wrong(&all->items[index]);
}

void causes_put(FILE *out, const struct result_document *document)
{
	const struct result_row_list *all = &document->results;

	for (size_t i = 0; i < all->count; i++)
		for (size_t c = 0; is_first_wrong(all, i) && c < ARRAY_COUNT(causes); c++) {
			const struct evidence evidence = {all, &all->items[i]};
			const struct result_row *row = &all->items[i];
			char *text = NULL;
			size_t size;
			FILE *found = open_memstream(&text, &size);
			bool is_cause = found && causes[c](found, &evidence);

			if (found)
				fclose(found);
			if (is_cause)
				fprintf(out, "%s/%s on %s: %s\n", text_or_empty(row->family),
					text_or_empty(row->variant), text_or_empty(row->backend),
					text);
			free(text);
		}
}
