#include "host/page/side_rows.h"

#include "common/family.h"
#include "host/page/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Identities ------------------------------------------------------------------------------ */

static void put_named(FILE *out, const struct named_list *list, const char *separator)
{
	for (size_t i = 0; i < list->count; i++) {
		fprintf(out, "%s%s=%" PRId64, separator, list->items[i].name, list->items[i].value);
		separator = " ";
	}
}

/* "f32 sum random n=64" */
static char *problem_of(const struct result_row *row)
{
	const char *choices[] = {row->dtype, row->op, row->data};
	const char *separator = "";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (choices[i] && *choices[i]) {
			fprintf(out, "%s%s", separator, choices[i]);
			separator = " ";
		}
	put_named(out, &row->problem, separator);
	fclose(out);
	return text;
}

static char *kind_of(const struct result_row *row)
{
	const char *texts[] = {row->family, row->variant, row->dtype, row->op, row->data};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		fprintf(out, "%s\n", text_or_empty(texts[i]));
	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, "%s ", row->problem.items[i].name);
	put_named(out, &row->macros, "\n");
	/* A row that was not built has no mode of arithmetic. */
	if (row->build.record.present && row->build.math)
		fprintf(out, "\n%s", row->build.math);
	fclose(out);
	return text;
}

char *side_row_name(const struct result_row *row)
{
	char *text = NULL;

	text_format(&text, "%s/%s", text_or_empty(row->family), text_or_empty(row->variant));
	return text;
}

/* ---- Rates ----------------------------------------------------------------------------------- */

bool side_row_is_bandwidth(const struct result_row *row)
{
	const struct family *family = family_find(text_or_empty(row->family));

	return family ? family_is_about_memory(family) : !(row->work.flops > 0);
}

double side_row_rate(const struct side_row *row, bool bandwidth)
{
	double work = bandwidth ? row->row->work.bytes_compulsory : row->row->work.flops;

	return row->row->work.record.present && work > 0 && row->ns > 0 ? work / row->ns : NAN;
}

/* ---- Each row once --------------------------------------------------------------------------- */

/* A row without a verified result has no time on the page. */
static double time_of(const struct result_row *row)
{
	return row->status == OUTCOME_OK ? result_row_median_ns(row) : NAN;
}

static int64_t samples_of(const struct side_row *row)
{
	return row->ns > 0 ? timing_record_primary(&row->row->timing)->n : -1;
}

/* Samples of the current contract are preferred to samples of an older one. */
static bool is_current(const struct side_row *row)
{
	return row->ns > 0 && text_equal(row->row->timing.contract, TIMING_CONTRACT);
}

static bool is_better(const struct side_row *row, const struct side_row *than)
{
	if ((row->ns > 0) != (than->ns > 0))
		return row->ns > 0;
	if (is_current(row) != is_current(than))
		return is_current(row);
	return samples_of(row) > samples_of(than);
}

static int order_of(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* Rows that were not built have no mode of arithmetic, so only the start of their kind is compared.
 */
static int by_identity(const void *a, const void *b)
{
	const struct side_row *x = *(struct side_row *const *)a, *y = *(struct side_row *const *)b;
	int order = order_of(x->side, y->side);

	if (order == 0)
		order = strcmp(text_or_empty(x->row->family), text_or_empty(y->row->family));
	if (order == 0)
		order = strcmp(x->problem, y->problem);
	if (order == 0)
		order = strcmp(x->kind, y->kind);
	/* The items are in one array, so their addresses have an order. */
	return order ? order : (x > y) - (x < y);
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Returns whether both have the same variant and problem. `row` is sorted after `first`. */
static bool same_identity(const struct side_row *first, const struct side_row *row)
{
	if (first->side != row->side || strcmp(first->problem, row->problem) != 0)
		return false;
	return strcmp(first->kind, row->kind) == 0 ||
	       (!(first->ns > 0) && begins_with(row->kind, first->kind) &&
		       row->kind[strlen(first->kind)] == '\n');
}

static void drop(struct side_row *row)
{
	free(row->problem);
	free(row->kind);
	*row = (struct side_row){0};
}

/* Keeps the best of equal rows and empties all others. sorted: rows sorted by identity. */
static void drop_doubled(struct side_row **sorted, size_t count)
{
	for (size_t first = 0, i = 1; i < count; i++) {
		if (!same_identity(sorted[first], sorted[i])) {
			first = i;
			continue;
		}
		struct side_row *keep = sorted[first], *other = sorted[i];
		if (is_better(other, keep)) {
			/* Move the row to the place of the first one, to keep the ladder's
			 * order. */
			struct side_row moved = *keep;
			*keep = *other;
			*other = moved;
		}
		drop(other);
	}
}

/* ---- Main problems --------------------------------------------------------------------------- */

/* The timed rows of one problem of a family. */
struct problem_group {
	struct side_row **rows;
	size_t count;
	size_t sides; /* number of sides with a ladder at this problem: has_ladder() */
};

static int by_problem(const void *a, const void *b)
{
	const struct side_row *x = *(struct side_row *const *)a, *y = *(struct side_row *const *)b;
	int order = strcmp(text_or_empty(x->row->family), text_or_empty(y->row->family));

	if (order == 0)
		order = strcmp(x->problem, y->problem);
	if (order == 0)
		order = order_of(x->side, y->side);
	return order ? order : (x > y) - (x < y);
}

/* Returns the group that begins at `first`. */
static struct problem_group group_at(struct side_row **sorted, size_t count, size_t first)
{
	struct problem_group group = {.rows = sorted + first};

	while (first + group.count < count &&
		text_equal(group.rows[group.count]->row->family, group.rows[0]->row->family) &&
		strcmp(group.rows[group.count]->problem, group.rows[0]->problem) == 0)
		group.count++;
	return group;
}

static size_t rows_of_side(const struct problem_group *group, size_t side)
{
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += group->rows[i]->side == side;
	return count;
}

static void mark(const struct problem_group *group, size_t side)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->rows[i]->side == side)
			group->rows[i]->main = true;
}

/* Returns whether `group` is a better main problem than `than`. */
static bool is_more_common(const struct problem_group *group, const struct problem_group *than)
{
	if (group->sides != than->sides)
		return group->sides > than->sides;
	if (group->count != than->count)
		return group->count > than->count;
	return group->rows[0]->row->work.bytes_compulsory >
	       than->rows[0]->row->work.bytes_compulsory;
}

/* The groups of one family, and for each side its maximum number of rows in a group. */
struct family_groups {
	struct problem_group *items;
	size_t count;
	size_t max_rows[COMPARE_MAX_SIDES];
};

/* Returns whether a side has its ladder at this problem, not only a few variants of a sweep. */
static bool has_ladder(
	const struct family_groups *groups, const struct problem_group *group, size_t side)
{
	size_t rows = rows_of_side(group, side);

	return rows > 0 && 2 * rows >= groups->max_rows[side];
}

static void count_ladders(const struct page *page, struct family_groups *groups)
{
	for (size_t side = 0; side < page->side_count; side++) {
		groups->max_rows[side] = 0;
		for (size_t i = 0; i < groups->count; i++) {
			size_t rows = rows_of_side(&groups->items[i], side);
			if (rows > groups->max_rows[side])
				groups->max_rows[side] = rows;
		}
	}
	for (size_t i = 0; i < groups->count; i++) {
		groups->items[i].sides = 0;
		for (size_t side = 0; side < page->side_count; side++)
			groups->items[i].sides += has_ladder(groups, &groups->items[i], side);
	}
}

/* Marks the rows of one family. */
static void mark_main(const struct page *page, struct family_groups *groups)
{
	const struct problem_group *best = &groups->items[0];

	count_ladders(page, groups);
	for (size_t i = 1; i < groups->count; i++)
		if (is_more_common(&groups->items[i], best))
			best = &groups->items[i];
	for (size_t side = 0; side < page->side_count; side++) {
		const struct problem_group *own = best;
		for (size_t i = 0; i < groups->count && !has_ladder(groups, best, side); i++)
			if (rows_of_side(&groups->items[i], side) > rows_of_side(own, side))
				own = &groups->items[i];
		mark(own, side);
	}
}

/* sorted: the timed rows, sorted by problem. */
static bool mark_families(const struct page *page, struct side_row **sorted, size_t count)
{
	struct family_groups groups = {.items = calloc(count + 1, sizeof *groups.items)};

	for (size_t first = 0; groups.items && first < count;) {
		const char *family = sorted[first]->row->family;
		groups.count = 0;
		while (first < count && text_equal(sorted[first]->row->family, family)) {
			groups.items[groups.count] = group_at(sorted, count, first);
			first += groups.items[groups.count++].count;
		}
		mark_main(page, &groups);
	}
	free(groups.items);
	return groups.items != NULL;
}

/* ---- Public ---------------------------------------------------------------------------------- */

/* Sorts pointers to the rows. timed: only rows with a time. Returns the number of pointers. */
static size_t sort_rows(struct side_rows *rows, bool timed, struct side_row **sorted,
	int (*order)(const void *, const void *))
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (!timed || rows->items[i].ns > 0)
			sorted[count++] = &rows->items[i];
	if (count)
		qsort(sorted, count, sizeof *sorted, order);
	return count;
}

static void compact(struct side_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].row)
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
}

bool side_rows_make(const struct page *page, struct side_rows *ret_rows)
{
	const struct page_parts *parts = page->parts;
	struct side_rows rows = {.items = calloc(parts->result_count + 1, sizeof *rows.items)};
	struct side_row **sorted = calloc(parts->result_count + 1, sizeof *sorted);
	bool ok = rows.items && sorted;

	rows.count = ok ? parts->result_count : 0;
	for (size_t i = 0; i < rows.count && ok; i++) {
		const struct page_result *result = &parts->results[i];
		struct side_row *row = &rows.items[result->order];
		*row = (struct side_row){.row = result->row,
			.side = result->side,
			.ns = time_of(result->row),
			.problem = problem_of(result->row),
			.kind = kind_of(result->row)};
		ok = row->problem && row->kind;
	}
	if (ok) {
		drop_doubled(sorted, sort_rows(&rows, false, sorted, by_identity));
		compact(&rows);
		ok = mark_families(page, sorted, sort_rows(&rows, true, sorted, by_problem));
	}
	free(sorted);
	if (!ok)
		side_rows_finish(&rows);
	*ret_rows = rows;
	return ok;
}

void side_rows_finish(struct side_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		drop(&rows->items[i]);
	free(rows->items);
	*rows = (struct side_rows){0};
}
