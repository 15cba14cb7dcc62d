/*
 * The signs of a wrong output (common/model/mistake.h): which elements are wrong, and whether they are right for other
 * inputs, such as an input without its last term.
 */
#ifndef PMPP_COMMON_SYMPTOMS_H
#define PMPP_COMMON_SYMPTOMS_H

#include "common/family.h"

struct symptoms_input {
	const struct problem *problem;
	const void *const *inputs; /* one array for each operand; NULL for the output */
	const void *values;        /* the output, by rows */
	uint32_t poison;           /* four bytes of an element that the kernel did not write */
	double gamma;              /* bound of the output (config_bound()) */
	int64_t block[2];          /* threads of a block in x and y */
	int64_t threads;           /* threads of the grid in x */
};

struct symptoms {
	unsigned
		signs; /* bits of enum mistake_sign; 0: nothing is wrong, or the output is too large */
	int64_t from_row,
		from_column; /* all wrong elements are in these rows and columns, which are all wrong; -1: not so */
};

/* Returns false if there is no memory. Outputs and sums that are long are not examined. */
bool symptoms_find(const struct symptoms_input *input, struct symptoms *ret_symptoms);

#endif
