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

static int order_of_variants(const struct compared_row *a, const struct compared_row *b)
{
	int order =
		strcmp(text_or_empty(a->texts[ROW_FAMILY]), text_or_empty(b->texts[ROW_FAMILY]));

	return order ? order
		     : strcmp(text_or_empty(a->texts[ROW_VARIANT]),
			       text_or_empty(b->texts[ROW_VARIANT]));
}

/* Sorts by family and variant, then by the order of the first rows, so that the groups of a variant
 * are neighbours. */
static int by_variant(const void *a, const void *b)
{
	const struct compared_row *x = (*(struct joined *const *)a)->rows[0];
	const struct compared_row *y = (*(struct joined *const *)b)->rows[0];
	int order = order_of_variants(x, y);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Number of candidates that are tried before and after the position of an unpaired group. A limit
 * is needed because sweeps over thousands of sizes have thousands of groups. Their order is the
 * same on both sides. */
#define NEAR_WINDOW 32

/* Whether a candidate can be the nearest group of `group` with this number of differences. It must have the
 * same backend if the side has rows in this backend. Otherwise the rows of a second size would join rows of
 * another backend. */
static bool fits(const struct comparison *comparison, const struct side_record *side,
	const struct joined *group, const struct joined *candidate, int distance)
{
	const struct compared_row *a = group->rows[0], *b = candidate->rows[0];
	unsigned difference = compared_row_difference(a, b, comparison->by);
	bool needs_backend = text_list_has(&side->backends, text_or_empty(a->texts[ROW_BACKEND]));

	return (!candidate->near_to || candidate->near_to == group) &&
	       __builtin_popcount(difference) == distance &&
	       !(needs_backend && difference & COMPARE_BIT(ROW_BACKEND));
}

/* Pairs groups of the base without a row of a side with groups of the side. Few differences first. */
static void pair_side(const struct comparison *comparison, size_t side,
	struct joined *const *unpaired, size_t unpaired_count, struct joined *const *candidates,
	size_t candidate_count)
{
	const struct side_record *record = &comparison->document->sides.items[side];
	size_t left = unpaired_count < candidate_count ? unpaired_count : candidate_count;

	for (int distance = 0; distance < ROW_FIELD_COUNT && left; distance++)
		for (size_t i = 0; i < unpaired_count; i++) {
			struct joined *group = unpaired[i];
			size_t c = i > NEAR_WINDOW ? i - NEAR_WINDOW : 0;
			for (; c < candidate_count && c <= i + NEAR_WINDOW && !group->near[side];
				c++) {
				if (!fits(comparison, record, group, candidates[c], distance))
					continue;
				group->near[side] = candidates[c];
				candidates[c]->near_to = group;
				left--;
			}
		}
}

/* Pairs the groups of one variant. For each side without a row, a group of the base gets the
 * nearest group. unpaired and candidates: scratch arrays with space for all groups. */
static void pair_variant(const struct comparison *comparison, struct joined *const *groups,
	size_t count, struct joined **unpaired, struct joined **candidates)
{
	for (size_t side = 1; side < comparison->document->sides.count; side++) {
		size_t unpaired_count = 0, candidate_count = 0;
		for (size_t i = 0; i < count; i++) {
			bool of_base = has_side(groups[i], 0), of_side = has_side(groups[i], side);
			if (of_base && !of_side)
				unpaired[unpaired_count++] = groups[i];
			else if (of_side && !of_base)
				candidates[candidate_count++] = groups[i];
		}
		pair_side(comparison, side, unpaired, unpaired_count, candidates, candidate_count);
	}
}

static bool find_near(struct comparison *comparison, struct join *join)
{
	size_t side_count = comparison->document->sides.count, count = join->count;
	struct joined **sorted = calloc(3 * count + 1, sizeof *sorted);
	bool ok = sorted != NULL;

	for (size_t i = 0; i < count && ok; i++) {
		sorted[i] = &join->groups[i];
		join->groups[i].near = calloc(side_count, sizeof *join->groups[i].near);
		ok = join->groups[i].near != NULL;
	}
	if (ok)
		qsort(sorted, count, sizeof *sorted, by_variant);
	bool pairs = ok && !comparison->options->separate;
	for (size_t first = 0, end; pairs && first < count; first = end) {
		for (end = first + 1; end < count && order_of_variants(sorted[first]->rows[0],
							     sorted[end]->rows[0]) == 0;)
			end++;
		pair_variant(comparison, &sorted[first], end - first, sorted + count,
			sorted + 2 * count);
	}
	free(sorted);
	return ok;
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool join_make(struct comparison *comparison, struct join *ret_join)
{
	const size_t count = comparison->rows.count;
	struct join join = {.rows = calloc(count + 1, sizeof *join.rows),
		.groups = calloc(count + 1, sizeof *join.groups)};
	bool ok = join.rows && join.groups;

	for (size_t i = 0; i < count && ok; i++) {
		ok = compared_row_set_key(&comparison->rows.items[i], comparison->by);
		join.rows[i] = &comparison->rows.items[i];
	}
	if (ok) {
		make_groups(&join, count);
		for (size_t i = 0; i < join.count; i++)
			drop_doubled(&join.groups[i], &comparison->document->sides);
		ok = find_near(comparison, &join);
	}
	*ret_join = join;
	return ok;
}

void join_finish(struct join *join)
{
	for (size_t i = 0; i < join->count; i++)
		free(join->groups[i].near);
	free(join->groups);
	free(join->rows);
}
