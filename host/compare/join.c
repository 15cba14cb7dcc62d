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

/* Sorts by family and variant, then by the order of the first rows, so that the groups of a variant
 * are neighbours. */
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

/* A group of the base that has no row of a side, and the nearest group that has one. */
struct unpaired {
	struct joined *group, *near; /* near: NULL = none */
	int distance;                /* number of fields that differ */
	size_t rank;                 /* position among the unpaired groups */
	unsigned required;           /* fields that must not differ */
};

/* Number of candidates that are tried before and after the position of an unpaired group. A limit
 * is needed because sweeps over thousands of sizes have thousands of groups. Their order is the
 * same on both sides. */
#define NEAR_WINDOW 32

static bool is_free(const struct joined *candidate, const struct joined *group)
{
	return !candidate->near_to || candidate->near_to == group;
}

/* Finds the free candidate with the fewest differences. */
static void find_nearest(const struct comparison *comparison, struct joined *const *candidates,
	size_t count, struct unpaired *item)
{
	size_t first = item->rank > NEAR_WINDOW ? item->rank - NEAR_WINDOW : 0;

	item->near = NULL;
	for (size_t i = first; i < count && i <= item->rank + NEAR_WINDOW; i++) {
		if (!is_free(candidates[i], item->group))
			continue;
		unsigned difference =
			join_difference(comparison, item->group->rows[0], candidates[i]->rows[0]);
		int distance = __builtin_popcount(difference);
		if (difference & item->required || (item->near && distance >= item->distance))
			continue;
		item->near = candidates[i];
		item->distance = distance;
	}
}

/* Pairs the unpaired groups of a side with candidates, in the order of the number of
 * differences. */
static void pair_side(const struct comparison *comparison, struct unpaired *unpaired,
	size_t unpaired_count, struct joined *const *candidates, size_t candidate_count,
	size_t side)
{
	for (size_t i = 0; i < unpaired_count; i++)
		find_nearest(comparison, candidates, candidate_count, &unpaired[i]);
	for (int max = 0; max < ROW_FIELD_COUNT; max++)
		for (size_t i = 0; i < unpaired_count; i++) {
			struct unpaired *item = &unpaired[i];
			if (!item->near || item->group->near[side] || item->distance > max)
				continue;
			if (!is_free(item->near, item->group))
				find_nearest(comparison, candidates, candidate_count, item);
			if (!item->near || item->distance > max)
				continue;
			item->group->near[side] = item->near;
			item->near->near_to = item->group;
		}
}

/* Returns the fields in which the nearest row of a side must not differ: the backend, if the side has rows in
 * it. Otherwise the rows of a second size would join rows of another backend. */
static unsigned required_fields(const struct side_record *side, const struct joined *group)
{
	const char *backend = text_or_empty(group->rows[0]->texts[ROW_BACKEND]);

	return text_list_has(&side->backends, backend) ? COMPARE_BIT(ROW_BACKEND) : 0;
}

/* Pairs the groups of one variant. For each side without a row, a group of the base gets the
 * nearest group. unpaired and candidates: scratch arrays with space for all groups. */
static void pair_variant(const struct comparison *comparison, struct joined *const *groups,
	size_t count, struct unpaired *unpaired, struct joined **candidates)
{
	for (size_t side = 1; side < comparison->document->sides.count; side++) {
		size_t unpaired_count = 0, candidate_count = 0;
		for (size_t i = 0; i < count; i++) {
			bool of_base = has_side(groups[i], 0), of_side = has_side(groups[i], side);
			if (of_base && !of_side) {
				unpaired[unpaired_count] = (struct unpaired){.group = groups[i],
					.rank = unpaired_count,
					.required = required_fields(
						&comparison->document->sides.items[side],
						groups[i])};
				unpaired_count++;
			} else if (of_side && !of_base) {
				candidates[candidate_count++] = groups[i];
			}
		}
		pair_side(comparison, unpaired, unpaired_count, candidates, candidate_count, side);
	}
}

static bool find_near(struct comparison *comparison, struct join *join)
{
	size_t side_count = comparison->document->sides.count;
	struct joined **sorted = calloc(join->count + 1, sizeof *sorted);
	struct joined **candidates = calloc(join->count + 1, sizeof *candidates);
	struct unpaired *unpaired = calloc(join->count + 1, sizeof *unpaired);
	bool ok = sorted && candidates && unpaired;

	for (size_t i = 0; i < join->count && ok; i++) {
		sorted[i] = &join->groups[i];
		join->groups[i].near = calloc(side_count, sizeof *join->groups[i].near);
		ok = join->groups[i].near != NULL;
	}
	if (ok)
		qsort(sorted, join->count, sizeof *sorted, by_variant);
	bool pairs = ok && !comparison->options->separate;
	for (size_t first = 0, end; pairs && first < join->count; first = end) {
		for (end = first + 1;
			end < join->count && same_variant(sorted[first], sorted[end]);)
			end++;
		pair_variant(comparison, &sorted[first], end - first, unpaired, candidates);
	}
	free(sorted);
	free(candidates);
	free(unpaired);
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
		for (size_t i = 0; i < join.count; i++)
			drop_doubled(&join.groups[i], &comparison->document->sides);
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
