#include <stdlib.h>

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

/* Adds the fastest candidate, and those whose intervals overlap its interval. */
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
	}
	for (size_t i = 0; i < count && best; i++) {
		const struct cell_record *cell = candidates[i].cell;
		if (cell->ci95_ns[0] > candidates[0].cell->ci95_ns[1])
			continue;
		text_list_add(&best->variants, candidates[i].row->variant);
		if (cell->own_kernel)
			text_list_add(&best->own_kernels, candidates[i].row->variant);
	}
	free(problem);
	return best != NULL;
}

bool best_make(struct comparison_document *document)
{
	const struct comparison_row_list *rows = &document->rows;
	struct candidate *candidates = calloc(rows->count + 1, sizeof *candidates);
	bool ok = candidates != NULL;

	for (size_t first = 0, end; first < rows->count && ok; first = end) {
		end = comparison_section_end(document, first);
		for (size_t side = 0; side < document->sides.count && ok; side++) {
			size_t n = 0;
			for (size_t r = first; r < end; r++) {
				const struct comparison_row *row = &rows->items[r];
				if (row->cells.items[side].median_ns > 0 && !row->peer &&
					variant_solves_family(text_or_empty(row->family),
						text_or_empty(row->variant)))
					candidates[n++] =
						(struct candidate){row, &row->cells.items[side]};
			}
			ok = n < 2 || add_best(document, candidates, n, side);
		}
	}
	free(candidates);
	return ok;
}
