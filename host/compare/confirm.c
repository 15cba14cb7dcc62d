#include <stdlib.h>

#include "host/compare/internal.h"

static int by_p(const void *a, const void *b)
{
	double x = (*(struct cell_record *const *)a)->p_slow;
	double y = (*(struct cell_record *const *)b)->p_slow;

	return (x > y) - (x < y);
}

static void confirm_side(
	struct cell_record **cells, size_t count, struct verdict_counts_record *counts)
{
	bool confirmed = true;

	qsort(cells, count, sizeof *cells, by_p);
	for (size_t k = 0; k < count; k++) {
		confirmed &= cells[k]->p_slow <= verdict_p_limit(k, count);
		if (cells[k]->verdict != VERDICT_SLOW)
			continue;
		cells[k]->confirmed = truth_of(confirmed);
		counts->confirmed += confirmed;
	}
}

enum pmpp_status confirm_slow(struct comparison *comparison)
{
	struct comparison_document *document = comparison->document;
	struct cell_record **cells = calloc(document->rows.count + 1, sizeof *cells);

	if (!cells)
		return PMPP_FAIL(
			comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	for (size_t side = 1; side < document->sides.count; side++) {
		size_t count = 0;
		for (size_t r = 0; r < document->rows.count; r++) {
			const struct comparison_row *row = &document->rows.items[r];
			struct cell_record *cell = &row->cells.items[side];
			if (cell->p_slow >= 0 && !row->peer) /* not NAN: judged */
				cells[count++] = cell;
		}
		confirm_side(cells, count, &document->counts.items[side - 1]);
	}
	free(cells);
	return PMPP_OK;
}
