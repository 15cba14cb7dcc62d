/*
 * The problems of a result file, for `run --like`: the job runs the sizes, types, operations and data
 * of the file, so that both can be compared.
 */
#ifndef PMPP_HOST_RUN_LIKE_H
#define PMPP_HOST_RUN_LIKE_H

#include "common/family.h"
#include "host/record/result.h"

/* Zero-initialise. */
struct like_list {
	struct problem
		*items; /* without seed; each problem once, in the order of the rows; owned */
	size_t count;
};

/* Appends the problems of the timed rows of families that the program has. Returns false if there is no
 * memory. */
bool like_add(struct like_list *list, const struct result_row_list *rows);

/* Returns the problem number `index` of a family; NULL: there are fewer. */
const struct problem *like_of(
	const struct like_list *list, const struct family *family, size_t index);

void like_finish(struct like_list *list);

#endif
