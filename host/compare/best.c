#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

/* A variant of a problem on one side. */
struct racer {
	const struct comparison_row *row;
	const struct cell_record *cell;
};

static int by_time(const void *a, const void *b)
{
	double x = ((const struct racer *)a)->cell->median_ns;
	double y = ((const struct racer *)b)->cell->median_ns;

	return (x > y) - (x < y);
}

/* Whether a variant is not known to be slower than the fastest: the intervals overlap. */
static bool is_tied(const struct cell_record *fastest, const struct cell_record *cell)
{
	return !(cell->ci95_ns[0] > fastest->ci95_ns[1]);
}

static bool add_best(
	struct comparison_document *document, struct racer *racers, size_t count, size_t side)
{
	struct best_record *best = record_list_add(&best_type, &document->best);
	char *problem = comparison_row_problem(racers[0].row);

	if (best) {
		best->side = (int64_t)side;
		text_set(&best->family, racers[0].row->family);
		text_set(&best->problem, problem);
		qsort(racers, count, sizeof *racers, by_time);
		for (size_t i = 0; i < count; i++)
			if (is_tied(racers[0].cell, racers[i].cell))
				text_list_add(&best->variants, racers[i].row->variant);
	}
	free(problem);
	return best != NULL;
}

/* Whether a side has a time for this row. A time that cannot be compared with that of the base may
 * belong to another problem. */
static bool races(const struct comparison_row *row, size_t side)
{
	const struct cell_record *base = &row->cells.items[0], *cell = &row->cells.items[side];

	return cell->median_ns > 0 && cell->problem.count == 0 &&
	       !(cell->verdict == VERDICT_NOCOMP && base->median_ns > 0);
}

/* The best of one side in the rows of one section. */
static bool best_of(struct comparison_document *document, const size_t *order, size_t count,
	size_t side, struct racer *racers)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct comparison_row *row = &document->rows.items[order[i]];
		if (races(row, side))
			racers[n++] = (struct racer){row, &row->cells.items[side]};
	}
	return n < 2 || add_best(document, racers, n, side);
}

enum pmpp_status best_make(struct comparison *comparison)
{
	struct comparison_document *document = comparison->document;
	struct comparison_sections sections = comparison_sections_make(document);
	struct racer *racers = calloc(document->rows.count + 1, sizeof *racers);
	bool ok = sections.order && racers;

	for (size_t s = 0; s < sections.count && ok; s++)
		for (size_t side = 0; side < document->sides.count && ok; side++)
			ok = best_of(document, &sections.order[sections.starts[s]],
				sections.starts[s + 1] - sections.starts[s], side, racers);
	comparison_sections_finish(&sections);
	free(racers);
	return ok ? PMPP_OK
		  : PMPP_FAIL(
			    comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
}
