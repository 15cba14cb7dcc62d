#include "host/page/problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"

/* ---- Order ----------------------------------------------------------------------------------- */

struct rung {
	size_t row, rank, order;
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

static int by_rank(const void *a, const void *b)
{
	const struct rung *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

bool page_is_timed(const struct comparison_row *row, size_t side)
{
	return row->cells.items[side].median_ns > 0;
}

static void count_timed(const struct page *page, struct page_problem *problem)
{
	for (size_t i = 0; i < problem->count; i++) {
		size_t before = problem->cells;
		for (size_t side = 0; side < page->side_count; side++)
			problem->cells += page_is_timed(page_problem_row(page, problem, i), side);
		problem->variants += problem->cells > before;
	}
}

bool page_problem_make(const struct page *page, size_t section, struct page_problem *ret_problem)
{
	const struct comparison_sections *sections = &page->problems;
	size_t first = sections->starts[section], count = sections->starts[section + 1] - first;
	struct rung *rungs = calloc(count + 1, sizeof *rungs);
	struct page_problem problem = {
		.order = calloc(count + 1, sizeof *problem.order), .count = count};
	bool ok = rungs && problem.order;

	for (size_t i = 0; i < count && ok; i++) {
		size_t row = sections->order[first + i];
		rungs[i] = (struct rung){row, rank_of(&page->comparison.rows.items[row]), i};
	}
	if (ok) {
		qsort(rungs, count, sizeof *rungs, by_rank);
		for (size_t i = 0; i < count; i++)
			problem.order[i] = rungs[i].row;
		count_timed(page, &problem);
		*ret_problem = problem;
	} else {
		free(problem.order);
	}
	free(rungs);
	return ok;
}

void page_problem_finish(struct page_problem *problem)
{
	free(problem->order);
	*problem = (struct page_problem){0};
}

/* ---- Access ---------------------------------------------------------------------------------- */

const struct comparison_row *page_problem_row(
	const struct page *page, const struct page_problem *problem, size_t index)
{
	return &page->comparison.rows.items[problem->order[index]];
}

static const struct comparison_row *first_row(const struct page *page, size_t section)
{
	return &page->comparison.rows.items[page->problems.order[page->problems.starts[section]]];
}

const char *page_problem_family(const struct page *page, size_t section)
{
	return text_or_empty(first_row(page, section)->family);
}

bool page_problem_is_later(const struct page *page, size_t section)
{
	for (size_t i = 0; i < section; i++)
		if (strcmp(page_problem_family(page, i), page_problem_family(page, section)) == 0)
			return true;
	return false;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Returns whether another row of the same variant has another value of the macro. */
static bool differs(const struct page *page, const struct page_problem *problem,
	const struct comparison_row *row, const struct named_value *macro)
{
	for (size_t i = 0; i < problem->count; i++) {
		const struct comparison_row *other = page_problem_row(page, problem, i);
		if (other != row && text_equal(other->variant, row->variant) &&
			named_list_get(&other->macros, macro->name, INT64_MIN) != macro->value)
			return true;
	}
	return false;
}

char *page_row_label(const struct page *page, const struct page_problem *problem, size_t index)
{
	const struct comparison_row *row = page_problem_row(page, problem, index);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(text_or_empty(row->variant), out);
	for (size_t i = 0; i < row->macros.count; i++) {
		const struct named_value *macro = &row->macros.items[i];
		if (differs(page, problem, row, macro))
			fprintf(out, " %s=%lld", macro->name, (long long)macro->value);
	}
	fclose(out);
	return text;
}
