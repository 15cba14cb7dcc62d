#include "common/families/matmul_answer.h"

#include "common/data.h"

#include <math.h>
#include <stdlib.h>

/* ---- Reference ------------------------------------------------------------------------------- */

#define REFERENCE_COLUMNS 256 /* the sums of this many columns stay in the first-level cache */

/* Computes the columns column to column + count - 1 of a row of C; count <= REFERENCE_COLUMNS. */
static void reference_stretch(const struct problem *problem, const void *const *inputs, int64_t row,
	int64_t column, int64_t count, struct expected *ret_expected)
{
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	const float *a = (const float *)inputs[OPERAND_A] + row * k;
	const float *b = (const float *)inputs[OPERAND_B] + column;
	double value[REFERENCE_COLUMNS] = {0};
	double terms[REFERENCE_COLUMNS] = {0};

	for (int64_t kk = 0; kk < k; kk++, b += n) {
		double factor = a[kk];

		for (int64_t j = 0; j < count; j++) {
			double term = factor * b[j];
			value[j] += term;
			terms[j] += fabs(term);
		}
	}
	for (int64_t j = 0; j < count; j++)
		ret_expected[j] = (struct expected){.value = value[j], .terms = terms[j]};
}

/* Adds the loss of products with a subnormal factor, which may become 0. */
static void add_lost_operands(const struct problem *problem, enum dtype dtype,
	const void *const *inputs, int64_t row, int64_t column, int64_t count,
	struct expected *ret_expected)
{
	const struct arithmetic *arithmetic = &problem->arithmetic;
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	const float *a = (const float *)inputs[OPERAND_A] + row * k;
	const float *b = (const float *)inputs[OPERAND_B] + column;

	for (int64_t kk = 0; kk < k; kk++, b += n) {
		double factor = a[kk];
		bool lost = arithmetic_operand_loss(arithmetic, dtype, factor) > 0;

		for (int64_t j = 0; j < count; j++)
			if (lost || arithmetic_operand_loss(arithmetic, dtype, (double)b[j]) > 0)
				ret_expected[j].slack += fabs(factor * b[j]);
	}
}

void matmul_add_underflow(const struct problem *problem, enum dtype dtype,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	double underflow =
		arithmetic_underflow(&problem->arithmetic, dtype, (double)problem->dim[DIM_K]);
	bool flushes = arithmetic_flushes(&problem->arithmetic, dtype);

	for (int64_t i = 0; i < region.rows; i++, ret_expected += region.columns) {
		for (int64_t j = 0; j < region.columns; j++)
			ret_expected[j].slack += underflow;
		if (flushes)
			add_lost_operands(problem, dtype, inputs, region.row + i, region.column,
				region.columns, ret_expected);
	}
}

void matmul_sums(const struct problem *problem, const void *const *inputs, struct region region,
	struct expected *ret_expected)
{
	for (int64_t i = 0; i < region.rows; i++)
		for (int64_t j = 0; j < region.columns; j += REFERENCE_COLUMNS) {
			int64_t left = region.columns - j;

			reference_stretch(problem, inputs, region.row + i, region.column + j,
				left < REFERENCE_COLUMNS ? left : REFERENCE_COLUMNS,
				ret_expected + i * region.columns + j);
		}
}

void matmul_reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	matmul_sums(problem, inputs, region, ret_expected);
	matmul_add_underflow(problem, DTYPE_F32, inputs, region, ret_expected);
}

double matmul_issued(
	const struct problem *problem, double tile_m, double tile_n, double input_bytes)
{
	double m = (double)problem->dim[DIM_M];
	double n = (double)problem->dim[DIM_N];
	double k = (double)problem->dim[DIM_K];

	return input_bytes * (m * k * ceil(n / tile_n) + k * n * ceil(m / tile_m)) + 4 * m * n;
}

/* ---- Integers, exactly ----------------------------------------------------------------------- */

int64_t matmul_integer_limit(const struct problem *problem)
{
	return bound_integer_limit(problem->dim[DIM_K], 2);
}

#define PLACE_STREAM 0x6b

void matmul_fill_wide(const struct problem *problem, size_t operand, int64_t first, int64_t count,
	int64_t limit, float *target)
{
	uint64_t seed = problem->seed;
	uint64_t k = (uint64_t)problem->dim[DIM_K], n = (uint64_t)problem->dim[DIM_N];

	for (int64_t e = 0; e < count; e++) {
		uint64_t i = (uint64_t)(first + e);
		uint64_t place = operand == OPERAND_A ? i % k : i / n;
		bool has_wide = place % 2 == operand;

		if (!data_is_wide(seed, PLACE_STREAM, place, (double)k))
			data_fill_integer(
				DTYPE_F32, &target[e], (int64_t)i, 1, seed, operand, limit);
		else if (has_wide)
			target[e] = (float)data_wide(seed, operand, i);
		else
			target[e] = data_bits(seed, operand, i) & 1 ? 1 : -1;
	}
}

/* Matrix times vector in integers modulo 2^64. Returns false if an element is not an integer with a
 * magnitude below 2^24 (for example NaN). */
static bool multiply_by_vector(const float *matrix, int64_t rows, int64_t columns,
	const uint64_t *vector, uint64_t *ret_product, int64_t *ret_row, int64_t *ret_column)
{
	for (int64_t i = 0; i < rows; i++) {
		uint64_t sum = 0;
		for (int64_t j = 0; j < columns; j++) {
			float element = matrix[i * columns + j];
			if (!(fabsf(element) < 0x1p24f) || element != truncf(element)) {
				*ret_row = i;
				*ret_column = j;
				return false;
			}
			sum += (uint64_t)(int64_t)element * vector[j];
		}
		ret_product[i] = sum;
	}
	return true;
}

/*
 * Freivalds' check: C t = A (B t) for a random integer vector t, in O(n^2). It is exact, because
 * sums on both sides are modulo 2^64. An element of t is one of 2^16 odd numbers. Therefore a
 * single wrong element, which differs by less than 2^25, never passes, and several wrong elements
 * in one row pass with a probability of at most 2^-16. (R. Freivalds, Probabilistic machines can
 * use less running time, IFIP 1977.)
 */
enum exact_result matmul_exact_check(const struct problem *problem, const void *const *inputs,
	const void *output, int64_t *ret_row, int64_t *ret_column)
{
	int64_t m = problem->dim[DIM_M];
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	uint64_t *t = malloc((size_t)n * sizeof *t);
	uint64_t *bt = malloc((size_t)k * sizeof *bt);
	uint64_t *abt = malloc((size_t)m * sizeof *abt);
	uint64_t *ct = malloc((size_t)m * sizeof *ct);
	enum exact_result result = EXACT_NO_MEMORY;
	int64_t row = 0;
	int64_t column = 0;

	if (!t || !bt || !abt || !ct)
		goto out;
	result = EXACT_WRONG;
	for (int64_t j = 0; j < n; j++)
		t[j] = 2 * (data_bits(problem->seed, 0x467265, (uint64_t)j) >> 48) + 1;
	if (!multiply_by_vector(inputs[OPERAND_B], k, n, t, bt, &row, &column) ||
		!multiply_by_vector(inputs[OPERAND_A], m, k, bt, abt, &row, &column) ||
		!multiply_by_vector(output, m, n, t, ct, &row, &column))
		goto out;
	while (row < m && abt[row] == ct[row])
		row++;
	if (row == m)
		result = EXACT_EQUAL;
out:
	if (result == EXACT_WRONG) {
		*ret_row = row;
		*ret_column = column;
	}
	free(t);
	free(bt);
	free(abt);
	free(ct);
	return result;
}
