/*
 * What C = A B is: the part of matmul that knows no variant. Of the family's own file only.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_ANSWER_H
#define PMPP_COMMON_FAMILIES_MATMUL_ANSWER_H

#include "common/family.h"

enum {
	DIM_M,
	DIM_N,
	DIM_K
};
enum {
	OPERAND_A,
	OPERAND_B,
	OPERAND_C
};

/* family->reference, family->integer_limit and family->exact_check. */
void matmul_reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected);
int64_t matmul_integer_limit(const struct problem *problem);
bool matmul_exact_check(const struct problem *problem, const void *const *inputs,
	const void *output, int64_t *ret_row, int64_t *ret_column);

#endif
