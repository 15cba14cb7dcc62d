#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct compared_row *x = *(const struct compared_row *const *)a;
	const struct compared_row *y = *(const struct compared_row *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_first(const void *a, const void *b)
{
	size_t x = ((const struct joined *)a)->rows[0]->order;
	size_t y = ((const struct joined *)b)->rows[0]->order;

	return (x > y) - (x < y);
}

/* Sorts the rows and makes a group of each key. */
static void make_groups(struct join *join)
{
	qsort(join->rows, join->row_count, sizeof *join->rows, by_key);
	for (size_t i = 0; i < join->row_count; i++) {
		if (i == 0 || strcmp(join->rows[i]->key, join->rows[i - 1]->key) != 0)
			join->groups[join->count++] = (struct joined){.rows = &join->rows[i]};
		join->groups[join->count - 1].count++;
	}
	qsort(join->groups, join->count, sizeof *join->groups, by_first);
}

/* Returns whether an earlier row of the group on the same side is from the same run in another
 * file: a copy of the file, or an export of the store. */
static bool is_doubled(const struct joined *group, size_t index)
{
	const struct compared_row *row = group->rows[index];
	const char *run = row->document->run.id;

	for (size_t i = 0; run && *run && i < index; i++)
		if (group->rows[i]->side == row->side && group->rows[i]->file != row->file &&
			text_equal(group->rows[i]->document->run.id, run))
			return true;
	return false;
}

/* Removes the rows whose run is already in the group, and counts the removed rows. */
static void drop_doubled(struct joined *group, struct side_list *sides)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct compared_row *row = group->rows[i];
		/* The rows before `kept` are the rows before i without the doubled rows. */
		group->rows[kept] = row;
		if (!is_doubled(group, kept)) {
			kept++;
			continue;
		}
		struct side_record *side = &sides->items[row->side];
		side->doubled++;
		side->rows -= result_row_median_ns(row->row) > 0;
	}
	group->count = kept;
}

/* ---- Rows that nearly match ------------------------------------------------------------------ */

/* Number of rows of each side that are tried before and after a group. A limit is needed because sweeps over
 * thousands of sizes have thousands of rows. */
#define NEAR_WINDOW 32

const struct compared_row *join_near(const struct comparison *comparison, const struct join *join,
	const struct joined *group, size_t side)
{
	const size_t window = NEAR_WINDOW * comparison->document->sides.count;
	size_t first = (size_t)(group->rows - join->rows);
	size_t end = first + window < join->row_count ? first + window : join->row_count;
	const struct compared_row *near = NULL;
	int least = ROW_FIELD_COUNT;

	for (size_t i = first > window ? first - window : 0; i < end; i++) {
		if (join->rows[i]->side != side)
			continue;
		unsigned difference =
			compared_row_difference(group->rows[0], join->rows[i], comparison->by);
		int count = __builtin_popcount(difference);
		if (count >= least ||
			difference & (COMPARE_BIT(ROW_FAMILY) | COMPARE_BIT(ROW_VARIANT)))
			continue;
		near = join->rows[i];
		least = count;
	}
	return near;
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool join_make(struct comparison *comparison, struct join *ret_join)
{
	const size_t count = comparison->rows.count;
	struct join join = {.rows = calloc(count + 1, sizeof *join.rows),
		.row_count = count,
		.groups = calloc(count + 1, sizeof *join.groups)};
	bool ok = join.rows && join.groups;

	for (size_t i = 0; i < count && ok; i++) {
		ok = compared_row_set_key(&comparison->rows.items[i], comparison->by);
		join.rows[i] = &comparison->rows.items[i];
	}
	if (ok) {
		make_groups(&join);
		for (size_t i = 0; i < join.count; i++)
			drop_doubled(&join.groups[i], &comparison->document->sides);
	}
	*ret_join = join;
	return ok;
}

void join_finish(struct join *join)
{
	free(join->groups);
	free(join->rows);
}
