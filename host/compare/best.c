#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/compare/internal.h"

/* A variant that solves the problem, on one side; never a peer. */
struct candidate {
	const struct comparison_row *row;
	const struct cell_record *cell;
};

static int by_time(const void *a, const void *b)
{
	double x = ((const struct candidate *)a)->cell->median_ns;
	double y = ((const struct candidate *)b)->cell->median_ns;

	return (x > y) - (x < y);
}

/* Returns whether the intervals overlap: the variant may be as fast as the fastest. */
static bool is_tied(const struct cell_record *fastest, const struct cell_record *cell)
{
	return !(cell->ci95_ns[0] > fastest->ci95_ns[1]);
}

static bool add_best(struct comparison_document *document, struct candidate *candidates,
	size_t count, size_t side)
{
	struct best_record *best = record_list_add(&best_type, &document->best);
	char *problem = comparison_row_problem(candidates[0].row);

	if (best) {
		best->side = (int64_t)side;
		text_set(&best->family, candidates[0].row->family);
		text_set(&best->problem, problem);
		qsort(candidates, count, sizeof *candidates, by_time);
		for (size_t i = 0; i < count; i++) {
			if (!is_tied(candidates[0].cell, candidates[i].cell))
				continue;
			text_list_add(&best->variants, candidates[i].row->variant);
			if (candidates[i].cell->own_kernel)
				text_list_add(&best->own_kernels, candidates[i].row->variant);
		}
	}
	free(problem);
	return best != NULL;
}

/* Adds the fastest variants of one side in the rows of one section. */
static bool best_of(const struct comparison *comparison, const size_t *order, size_t count,
	size_t side, struct candidate *candidates)
{
	struct comparison_document *document = comparison->document;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct comparison_row *row = &document->rows.items[order[i]];
		if (comparison->own_times[order[i]] >> side & 1 && !row->peer &&
			variant_solves_family(
				text_or_empty(row->family), text_or_empty(row->variant)))
			candidates[n++] = (struct candidate){row, &row->cells.items[side]};
	}
	return n < 2 || add_best(document, candidates, n, side);
}

enum pmpp_status best_make(struct comparison *comparison)
{
	struct comparison_document *document = comparison->document;
	struct comparison_sections sections = comparison_sections_make(document);
	struct candidate *candidates = calloc(document->rows.count + 1, sizeof *candidates);
	bool ok = sections.order && candidates;

	for (size_t s = 0; s < sections.count && ok; s++)
		for (size_t side = 0; side < document->sides.count && ok; side++)
			ok = best_of(comparison, &sections.order[sections.starts[s]],
				sections.starts[s + 1] - sections.starts[s], side, candidates);
	comparison_sections_finish(&sections);
	free(candidates);
	return ok ? PMPP_OK
		  : PMPP_FAIL(
			    comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
}
