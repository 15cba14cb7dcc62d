#include "host/page/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/report/format.h"

/* ---- Rates ----------------------------------------------------------------------------------- */

static double known(double value)
{
	return isfinite(value) && value > 0 ? value : NAN;
}

/* Sets the figure that `run` prints: the family's own, else GB/s or GFLOP/s. The cell has the median
 * of all runs, and the figure is from one run. */
static void set_rate(struct page_row *row)
{
	const struct derived_record *derived = &row->result->derived;
	const struct family *family = family_find(text_or_empty(row->compared->family));
	double median = result_row_median_ns(row->result);
	bool own = derived->metric_name && known(derived->metric) > 0;
	bool flops =
		!own && known(derived->gflops) > 0 && !(family && family_is_about_memory(family));
	double figure = own ? derived->metric : flops ? derived->gflops : derived->gbps;

	row->rate = NAN;
	row->share = row->timed && derived->floor.record.present
			     ? known(derived->floor.ns) / row->cell->median_ns
			     : NAN;
	row->unit = own ? derived->metric_name : flops ? "GFLOP/s" : "GB/s";
	row->less_is_better = own && (family ? family->metric.kind == METRIC_NS_EACH
					     : strncmp(row->unit, "ns", 2) == 0);
	if (!row->timed || !derived->record.present || !(known(figure) > 0) || !isfinite(median))
		return;
	double change = row->cell->median_ns / median;
	row->rate = known(row->less_is_better ? figure * change : figure / change);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* A comparison row and its place. */
struct rung {
	size_t family, problem, rank, row;
};

/* Unknown variants are last. */
static size_t rank_of(const struct comparison_row *row)
{
	const struct family *family = family_find(text_or_empty(row->family));
	size_t rank = 0;

	while (family && rank < family->variant_count &&
		!text_equal(family->variants[rank].name, row->variant))
		rank++;
	return rank;
}

static int by_place(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	for (size_t i = 0; i < sizeof(struct rung) / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static size_t family_index(struct page *page, const char *name)
{
	size_t i = 0;

	while (i < page->family_count && strcmp(page->families[i].name, name) != 0)
		i++;
	if (i == page->family_count)
		page->families[page->family_count++].name = name;
	return i;
}

/* Sorts the rows of the comparison by family, problem and rank in the ladder. malloc'ed. */
static struct rung *sort_rows(struct page *page)
{
	const struct comparison_row_list *rows = &page->comparison.rows;
	struct rung *rungs = calloc(rows->count + 1, sizeof *rungs);

	page->families = calloc(rows->count + 1, sizeof *page->families);
	if (!rungs || !page->families) {
		free(rungs);
		return NULL;
	}
	for (size_t r = 0; r < rows->count; r++) {
		const struct comparison_row *row = &rows->items[r];
		rungs[r] = (struct rung){family_index(page, text_or_empty(row->family)),
			row->section, rank_of(row), r};
	}
	qsort(rungs, rows->count, sizeof *rungs, by_place);
	return rungs;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool add_problem(struct page *page, const struct rung *rung)
{
	struct page_problem *problem = &page->problems[page->problem_count];
	struct page_family *family = &page->families[rung->family];

	if (family->end == 0)
		family->first = page->problem_count;
	family->end = ++page->problem_count;

	*problem = (struct page_problem){.family = rung->family,
		.text = comparison_row_problem(&page->comparison.rows.items[rung->row]),
		.first = page->row_count};
	return problem->text != NULL;
}

/* Adds the rows of all sides of one row of the comparison. */
static void add_rows(struct page *page, const struct comparison_row *compared)
{
	struct page_problem *problem = &page->problems[page->problem_count - 1];

	for (size_t side = 0; side < page->side_count; side++) {
		const struct cell_record *cell = &compared->cells.items[side];
		if (!cell->shown)
			continue;
		struct page_row *row = &page->rows[page->row_count++];
		*row = (struct page_row){.compared = compared,
			.cell = cell,
			.result = cell->shown,
			.side = side,
			.problem = page->problem_count - 1,
			.timed = cell->median_ns > 0};
		set_rate(row);
		problem->count++;
	}
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Sorts by problem and variant. */
static int by_variant(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;

	if (x->problem != y->problem)
		return x->problem < y->problem ? -1 : 1;
	return strcmp(text_or_empty(x->compared->variant), text_or_empty(y->compared->variant));
}

/* Labels the rows of one variant and problem: "tiled", with the macros if they differ. */
static bool label_variant(struct page_row **rows, size_t count)
{
	bool differ = false, ok = true;

	for (size_t i = 1; i < count; i++)
		differ |= !named_list_equal(&rows[0]->compared->macros, &rows[i]->compared->macros);
	for (size_t i = 0; i < count && ok; i++) {
		char macros[200] = "";
		if (differ)
			format_macros(&rows[i]->compared->macros, macros, sizeof macros);
		text_format(
			&rows[i]->label, "%s%s", text_or_empty(rows[i]->compared->variant), macros);
		ok = rows[i]->label != NULL;
	}
	return ok;
}

static bool label_rows(struct page *page)
{
	struct page_row **rows = calloc(page->row_count + 1, sizeof *rows);
	bool ok = rows != NULL;

	for (size_t i = 0; ok && i < page->row_count; i++)
		rows[i] = &page->rows[i];
	if (ok)
		qsort(rows, page->row_count, sizeof *rows, by_variant);
	for (size_t i = 0, next; ok && i < page->row_count; i = next) {
		for (next = i + 1;
			next < page->row_count && by_variant(&rows[i], &rows[next]) == 0;)
			next++;
		ok = label_variant(&rows[i], next - i);
	}
	free(rows);
	return ok;
}

/* ---- Main problems --------------------------------------------------------------------------- */

static size_t count_timed(const struct page *page, size_t problem, size_t side)
{
	const struct page_problem *of = &page->problems[problem];
	size_t count = 0;

	for (size_t i = of->first; i < of->first + of->count; i++)
		count += page->rows[i].side == side && page->rows[i].timed;
	return count;
}

/* For each side: the maximum number of timed rows at one problem of a family. */
struct largest {
	size_t counts[COMPARE_MAX_SIDES];
};

/* Returns whether a side has its ladder at a problem, not only a few variants of a sweep. */
static bool has_ladder(
	const struct page *page, const struct largest *largest, size_t problem, size_t side)
{
	size_t count = count_timed(page, problem, side);

	return count > 0 && 2 * count >= largest->counts[side];
}

/* Returns the problem with the ladders of the most sides; of equal ones the one with more rows. */
static size_t common_problem(
	const struct page *page, const struct page_family *family, const struct largest *largest)
{
	size_t best = family->first;
	double max = -1;

	for (size_t p = family->first; p < family->end; p++) {
		const struct page_row *row = &page->rows[page->problems[p].first];
		bool half = text_equal(row->compared->dtype, dtype_info(DTYPE_F16)->name);
		double sides = 0, cells = 0;
		for (size_t side = 0; side < page->side_count; side++) {
			sides += has_ladder(page, largest, p, side);
			cells += (double)count_timed(page, p, side);
		}
		if (sides > 0 && !half)
			sides += COMPARE_MAX_SIDES;
		if (sides + cells * 1e-6 > max) {
			max = sides + cells * 1e-6;
			best = p;
		}
	}
	return best;
}

static void mark(struct page *page, size_t problem, size_t side)
{
	const struct page_problem *of = &page->problems[problem];

	for (size_t i = of->first; i < of->first + of->count; i++)
		page->rows[i].main |= page->rows[i].side == side;
}

static void mark_family(struct page *page, const struct page_family *family)
{
	struct largest largest = {0};

	for (size_t side = 0; side < page->side_count; side++)
		for (size_t p = family->first; p < family->end; p++)
			if (count_timed(page, p, side) > largest.counts[side])
				largest.counts[side] = count_timed(page, p, side);
	size_t common = common_problem(page, family, &largest);
	for (size_t side = 0; side < page->side_count; side++) {
		size_t own = common;
		for (size_t p = family->first;
			p < family->end && !has_ladder(page, &largest, common, side); p++)
			if (count_timed(page, p, side) > count_timed(page, own, side))
				own = p;
		mark(page, own, side);
	}
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool model_make(struct page *page)
{
	size_t count = page->comparison.rows.count;
	struct rung *rungs = sort_rows(page);
	bool ok = rungs != NULL;

	page->rows = calloc(count * page->side_count + 1, sizeof *page->rows);
	page->problems = calloc(count + 1, sizeof *page->problems);
	ok = ok && page->rows && page->problems;
	for (size_t i = 0; i < count && ok; i++) {
		if (i == 0 || rungs[i].problem != rungs[i - 1].problem)
			ok = add_problem(page, &rungs[i]);
		if (ok)
			add_rows(page, &page->comparison.rows.items[rungs[i].row]);
	}
	free(rungs);
	ok = ok && label_rows(page);
	for (size_t f = 0; ok && f < page->family_count; f++)
		mark_family(page, &page->families[f]);
	return ok;
}

void model_finish(struct page *page)
{
	for (size_t i = 0; i < page->problem_count; i++)
		free(page->problems[i].text);
	for (size_t i = 0; i < page->row_count; i++)
		free(page->rows[i].label);
	free(page->families);
	free(page->problems);
	free(page->rows);
}
