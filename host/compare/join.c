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
static void make_groups(struct join *join, size_t row_count)
{
	qsort(join->rows, row_count, sizeof *join->rows, by_key);
	for (size_t i = 0; i < row_count; i++) {
		if (i == 0 || strcmp(join->rows[i]->key, join->rows[i - 1]->key) != 0)
			join->groups[join->count++] = (struct joined){.rows = &join->rows[i]};
		join->groups[join->count - 1].count++;
	}
	qsort(join->groups, join->count, sizeof *join->groups, by_first);
}

static bool has_side(const struct joined *group, size_t side)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->rows[i]->side == side)
			return true;
	return false;
}

/* ---- Rows that nearly match ------------------------------------------------------------------ */

unsigned join_difference(const struct comparison *comparison, const struct compared_row *a,
	const struct compared_row *b)
{
	unsigned difference = 0;

	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++)
		if ((compare_identity & COMPARE_BIT(i) & ~comparison->by) && a->texts[i] &&
			b->texts[i] && strcmp(a->texts[i], b->texts[i]) != 0)
			difference |= COMPARE_BIT(i);
	return difference;
}

/* The base's groups come first, then by variant: the groups of a variant are neighbours. */
static int by_variant(const void *a, const void *b)
{
	const struct compared_row *x = (*(struct joined *const *)a)->rows[0];
	const struct compared_row *y = (*(struct joined *const *)b)->rows[0];
	int order =
		strcmp(text_or_empty(x->texts[ROW_FAMILY]), text_or_empty(y->texts[ROW_FAMILY]));

	if (order == 0)
		order = strcmp(
			text_or_empty(x->texts[ROW_VARIANT]), text_or_empty(y->texts[ROW_VARIANT]));
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool same_variant(const struct joined *a, const struct joined *b)
{
	return text_equal(a->rows[0]->texts[ROW_FAMILY], b->rows[0]->texts[ROW_FAMILY]) &&
	       text_equal(a->rows[0]->texts[ROW_VARIANT], b->rows[0]->texts[ROW_VARIANT]);
}

/* The group of the same variant that has a side and not the base, with the fewest differences. */
static struct joined *nearest(const struct comparison *comparison, const struct joined *group,
	struct joined *const *candidates, size_t count, size_t side)
{
	struct joined *best = NULL;
	int least = ROW_FIELD_COUNT;

	for (size_t i = 0; i < count; i++) {
		struct joined *other = candidates[i];
		bool taken = other->near_to && other->near_to != group;
		if (other == group || taken || has_side(other, 0) || !has_side(other, side))
			continue;
		int differences = __builtin_popcount(
			join_difference(comparison, group->rows[0], other->rows[0]));
		if (differences < least) {
			least = differences;
			best = other;
		}
	}
	return best;
}

/* Pairs the groups of one variant. A group takes the nearest one for each side that it lacks. Pairs
 * with few differences are made first. */
static void pair_variant(const struct comparison *comparison, struct joined *const *groups,
	size_t count, size_t side_count)
{
	for (int most = 0; most < ROW_FIELD_COUNT; most++)
		for (size_t i = 0; i < count; i++) {
			if (!has_side(groups[i], 0))
				continue;
			for (size_t side = 1; side < side_count; side++) {
				if (has_side(groups[i], side) || groups[i]->near[side])
					continue;
				struct joined *near =
					nearest(comparison, groups[i], groups, count, side);
				if (!near || __builtin_popcount(join_difference(comparison,
						     groups[i]->rows[0], near->rows[0])) > most)
					continue;
				groups[i]->near[side] = near;
				near->near_to = groups[i];
			}
		}
}

static bool find_near(struct comparison *comparison, struct join *join)
{
	size_t side_count = comparison->document->sides.count;
	struct joined **sorted = calloc(join->count + 1, sizeof *sorted);
	bool ok = sorted != NULL;

	for (size_t i = 0; i < join->count && ok; i++) {
		sorted[i] = &join->groups[i];
		join->groups[i].near = calloc(side_count, sizeof *join->groups[i].near);
		ok = join->groups[i].near != NULL;
	}
	if (ok)
		qsort(sorted, join->count, sizeof *sorted, by_variant);
	for (size_t first = 0, end; ok && first < join->count; first = end) {
		for (end = first + 1;
			end < join->count && same_variant(sorted[first], sorted[end]);)
			end++;
		pair_variant(comparison, &sorted[first], end - first, side_count);
	}
	free(sorted);
	return ok;
}

/* ---- Public ---------------------------------------------------------------------------------- */

enum pmpp_status join_make(struct comparison *comparison, struct join *ret_join)
{
	struct join join = {0};
	bool ok = true;

	join.rows = calloc(comparison->row_count + 1, sizeof *join.rows);
	join.groups = calloc(comparison->row_count + 1, sizeof *join.groups);
	ok = join.rows && join.groups;
	for (size_t i = 0; i < comparison->row_count && ok; i++) {
		ok = compared_row_set_key(&comparison->rows[i], comparison->by);
		join.rows[i] = &comparison->rows[i];
	}
	if (ok) {
		make_groups(&join, comparison->row_count);
		ok = find_near(comparison, &join);
	}
	if (!ok) {
		join_finish(&join);
		return PMPP_FAIL(
			comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	}
	*ret_join = join;
	return PMPP_OK;
}

void join_finish(struct join *join)
{
	for (size_t i = 0; i < join->count; i++)
		free(join->groups[i].near);
	free(join->groups);
	free(join->rows);
}
