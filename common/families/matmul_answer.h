/*
 * The answer C = A B: the part of matmul that does not depend on variants. For the family's own
 * files only.
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

/* Computes values and sums of magnitudes; slack is 0. */
void matmul_sums(const struct problem *problem, const void *const *inputs, struct region region,
	struct expected *ret_expected);

/* Adds the underflow errors of k fused multiply-adds in a float type to the slack, and the loss of
 * products with operands that may become 0. */
void matmul_add_underflow(const struct problem *problem, enum dtype dtype,
	const void *const *inputs, struct region region, struct expected *ret_expected);

/* Bytes that blocks of tile_m x tile_n elements load and store: A is read once for each column of blocks, B
 * once for each row of blocks. */
double matmul_issued(
	const struct problem *problem, double tile_m, double tile_n, double input_bytes);

/* family->reference, family->integer_limit and family->exact_check. */
void matmul_reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected);
int64_t matmul_integer_limit(const struct problem *problem);

/* family->fill_wide. For every second index of the sum, the elements of A are wide, and those of B
 * are 1 or -1. For the other indices, the elements of B are wide, and those of A are 1 or -1. */
void matmul_fill_wide(const struct problem *problem, size_t operand, int64_t first, int64_t count,
	int64_t limit, float *target);
enum exact_result matmul_exact_check(const struct problem *problem, const void *const *inputs,
	const void *output, int64_t *ret_row, int64_t *ret_column);

#endif
