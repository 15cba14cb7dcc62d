/*
 * The reference of softmax: answers and their slack. For the family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_SOFTMAX_ANSWER_H
#define PMPP_COMMON_FAMILIES_SOFTMAX_ANSWER_H

#include "common/family.h"

enum {
	DIM_ROWS,
	DIM_COLUMNS
};
enum {
	OPERAND_A,
	OPERAND_B
};

/* Computes one region of the output from A, in row-major order (family.reference). naive: the
 * errors of a kernel that does not subtract the maximum. Several threads may call it at the same
 * time. */
void softmax_answer(const struct problem *problem, const float *a, struct region region, bool naive,
	struct expected *ret_expected);

#endif
