#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "host/page/section.h"

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

	row->rate = row->share = NAN;
	row->unit = own ? derived->metric_name : flops ? "GFLOP/s" : "GB/s";
	row->less_is_better = own && (family ? family->metric.kind == METRIC_NS_EACH
					     : strncmp(row->unit, "ns", 2) == 0);
	if (row->timed && derived->floor.record.present)
		row->share = known(derived->floor.ns) / row->cell->median_ns;
	if (row->timed && derived->record.present && known(figure) > 0 && isfinite(median)) {
		double change = row->cell->median_ns / median;
		row->rate = known(row->less_is_better ? figure * change : figure / change);
	}
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* The sections of families that this program does not know begin here. */
#define UNKNOWN_FAMILY (SIZE_MAX / 2)

/* Adds the places of the family and of the variant in its ladder to the order of the comparison. Unknown
 * families and variants are last. */
static void add_place(struct comparison_row *row, size_t row_count)
{
	size_t f = 0, rank = 0;

	while (f < family_count && !text_equal(families[f]->name, row->family))
		f++;
	const struct family *family = f < family_count ? families[f] : NULL;
	while (family && rank < family->variant_count &&
		!text_equal(family->variants[rank].name, row->variant))
		rank++;
	row->section += family ? f * row_count : UNKNOWN_FAMILY;
	row->order += rank * row_count;
}

static int by_place(const void *a, const void *b)
{
	const struct comparison_row *x = a, *y = b;
	int order = x->section >= UNKNOWN_FAMILY && y->section >= UNKNOWN_FAMILY
			    ? strcmp(text_or_empty(x->family), text_or_empty(y->family))
			    : 0;

	if (order)
		return order;
	return x->section != y->section ? (x->section > y->section) - (x->section < y->section)
					: (x->order > y->order) - (x->order < y->order);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Begins a family or a problem if the row has another one than the row before it. */
static void begin_groups(struct page *page, const struct comparison_row *row, bool first)
{
	if (first || !text_equal(row[-1].family, row->family))
		page->families[page->family_count++] =
			(struct page_family){.name = text_or_empty(row->family),
				.first = page->row_count,
				.first_problem = page->problem_count};
	if (!first && row[-1].section == row->section)
		return;
	struct page_problem *problem = &page->problems[page->problem_count++];
	problem->family = page->family_count - 1;
	problem->text = comparison_row_problem(row);
	problem->dtype = row->dtype;
	problem->first = page->row_count;
	page->families[problem->family].end_problem = page->problem_count;
	page->failed |= !problem->text;
}

/* Returns whether the problem has the variant with other macros. The rows are neighbours. */
static bool is_twin(const struct comparison_row *row, const struct comparison_row *other)
{
	return other->section == row->section && text_equal(other->variant, row->variant) &&
	       !named_list_equal(&other->macros, &row->macros);
}

/* Adds the rows of all sides of one row of the comparison. macros: as a part of their names */
static void add_rows(struct page *page, const struct comparison_row *compared, const char *macros)
{
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
		text_format(&row->label, "%s%s", text_or_empty(compared->variant), macros);
		page->failed |= !row->label;
		set_rate(row);
		page->problems[row->problem].timed[side] += row->timed;
	}
	page->families[page->family_count - 1].end = page->row_count;
	page->problems[page->problem_count - 1].end = page->row_count;
}

/* ---- Main problems --------------------------------------------------------------------------- */

/* Returns whether a side has its ladder at a problem, not only a few variants of a sweep. most: the
 * most timed rows of the side at one problem of the family */
static bool has_ladder(const struct page_problem *problem, const size_t *most, size_t side)
{
	return problem->timed[side] > 0 && 2 * problem->timed[side] >= most[side];
}

/* Returns the problem with the most timed rows of ladders. */
static size_t common_problem(
	const struct page *page, const struct page_family *family, const size_t *most)
{
	size_t best = family->first_problem;
	double most_rows = 0;

	for (size_t p = best; p < family->end_problem; p++) {
		const struct page_problem *problem = &page->problems[p];
		bool half = text_equal(problem->dtype, dtype_info(DTYPE_F16)->name);
		double rows = 0;
		for (size_t side = 0; side < page->side_count; side++)
			if (has_ladder(problem, most, side))
				rows += (double)problem->timed[side] * (half ? 1e-6 : 1);
		if (rows > most_rows) {
			most_rows = rows;
			best = p;
		}
	}
	return best;
}

static void mark_main_rows(struct page *page, const struct page_family *family)
{
	size_t most[COMPARE_MAX_SIDES] = {0}, own[COMPARE_MAX_SIDES];

	for (size_t p = family->first_problem; p < family->end_problem; p++)
		for (size_t side = 0; side < page->side_count; side++)
			if (page->problems[p].timed[side] > most[side]) {
				most[side] = page->problems[p].timed[side];
				own[side] = p;
			}
	size_t common = common_problem(page, family, most);
	for (size_t side = 0; side < page->side_count; side++)
		if (most[side] == 0 || has_ladder(&page->problems[common], most, side))
			own[side] = common;
	for (size_t i = family->first; i < family->end; i++)
		page->rows[i].main = page->rows[i].problem == own[page->rows[i].side];
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool page_make_rows(struct page *page)
{
	struct comparison_row *rows = page->comparison.rows.items;
	size_t count = page->comparison.rows.count;

	for (size_t i = 0; i < count; i++)
		add_place(&rows[i], count);
	if (count)
		qsort(rows, count, sizeof *rows, by_place);
	page->families = calloc(count + 1, sizeof *page->families);
	page->problems = calloc(count + 1, sizeof *page->problems);
	page->rows = calloc(count * page->side_count + 1, sizeof *page->rows);
	bool ok = page->families && page->problems && page->rows;
	for (size_t i = 0; i < count && ok; i++) {
		char macros[200] = "";
		if ((i > 0 && is_twin(&rows[i], &rows[i - 1])) ||
			(i + 1 < count && is_twin(&rows[i], &rows[i + 1])))
			format_macros(&rows[i].macros, macros, sizeof macros);
		begin_groups(page, &rows[i], i == 0);
		add_rows(page, &rows[i], macros);
	}
	for (size_t f = 0; ok && f < page->family_count; f++)
		mark_main_rows(page, &page->families[f]);
	return ok && !page->failed;
}

void page_finish(struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		free(page->sides[i].name);
		free(page->sides[i].device_name);
		free(page->sides[i].identity);
	}
	for (size_t i = 0; i < page->problem_count; i++)
		free(page->problems[i].text);
	for (size_t i = 0; i < page->row_count; i++)
		free(page->rows[i].label);
	free(page->sides);
	free(page->families);
	free(page->problems);
	free(page->rows);
	free(page->pairs);
}
