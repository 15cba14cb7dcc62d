#include "host/run/like.h"

#include <stdlib.h>

/* Sets type, operation and data. Returns false if the family does not have them. */
static bool choose(const struct result_row *row, struct problem *problem)
{
	const struct family *family = problem->family;

	for (size_t c = 0; c < family_choice_count(family); c++) {
		problem_choose(problem, c);
		const char *dtype = family->dtype_count ? dtype_info(problem->dtype)->name : NULL;
		if ((!dtype || text_equal(dtype, row->dtype)) &&
			(!family->ops[0] || text_equal(family->ops[problem->op], row->op)) &&
			(!family->data[0] || text_equal(family->data[problem->data], row->data)))
			return true;
	}
	return false;
}

/* Returns false if the program cannot run the problem of the row. */
static bool problem_of(const struct result_row *row, struct problem *ret_problem)
{
	const struct family *family = family_find(text_or_empty(row->family));

	if (!family || !(result_row_median_ns(row) > 0))
		return false;
	*ret_problem = problem_default(family);
	for (size_t i = 0; i < family->dim_count; i++) {
		ret_problem->dim[i] = named_list_get(&row->problem, family->dim_names[i], 0);
		if (ret_problem->dim[i] < 1)
			return false;
	}
	return choose(row, ret_problem) && (!family->invalid || !family->invalid(ret_problem));
}

bool like_add(struct like_list *list, const struct result_row_list *rows)
{
	for (size_t r = 0; r < rows->count; r++) {
		struct problem problem;
		bool known = !problem_of(&rows->items[r], &problem);
		for (size_t i = 0; i < list->count && !known; i++)
			known = problem_equal(&list->items[i], &problem);
		if (known)
			continue;
		struct problem *items = realloc(list->items, (list->count + 1) * sizeof *items);
		if (!items)
			return false;
		list->items = items;
		items[list->count++] = problem;
	}
	return true;
}

const struct problem *like_of(
	const struct like_list *list, const struct family *family, size_t index)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].family == family && index-- == 0)
			return &list->items[i];
	return NULL;
}

void like_finish(struct like_list *list)
{
	free(list->items);
	*list = (struct like_list){0};
}
