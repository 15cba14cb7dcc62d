#include "common/families/softmax_answer.h"

#include "common/bound.h"

#include <math.h>
#include <pthread.h>

/* reach: the mean magnitude of exp's arguments, weighted by the terms of the sum. Some errors of
 * exp are proportional to it. */
struct row_sums {
	double max, sum, reach;
};

/* naive does not subtract the maximum: the argument of exp is x. */
static double argument_of(double x, const struct row_sums *sums, bool naive)
{
	return naive ? x : x - sums->max;
}

/* values: room for exp(x - max), or NULL. */
static struct row_sums sums_of(const float *x, int64_t columns, bool naive, struct expected *values)
{
	struct row_sums sums = {.max = -INFINITY};

	for (int64_t c = 0; c < columns; c++)
		sums.max = fmax(sums.max, x[c]);
	for (int64_t c = 0; c < columns; c++) {
		double value = exp(x[c] - sums.max);
		sums.sum += value;
		if (value > 0)
			sums.reach += value * fabs(argument_of(x[c], &sums, naive));
		if (values)
			values[c].value = value;
	}
	sums.reach /= sums.sum;
	return sums;
}

/* Several threads compute parts of a long row at the same time. They share the sums of the row. */
struct kept_sums {
	pthread_mutex_t lock;
	struct problem problem;
	const float *x;
	bool naive;
	struct row_sums sums;
};
/* clang-format off */
#define KEPT {.lock = PTHREAD_MUTEX_INITIALIZER}
/* clang-format on */
static struct kept_sums kept[] = {KEPT, KEPT, KEPT, KEPT, KEPT, KEPT, KEPT, KEPT};

static struct row_sums kept_sums_of(
	const struct problem *problem, const float *x, int64_t row, bool naive)
{
	struct kept_sums *slot = &kept[(size_t)row % (sizeof kept / sizeof *kept)];
	struct row_sums sums;

	pthread_mutex_lock(&slot->lock);
	if (slot->x != x || slot->naive != naive || !problem_equal(&slot->problem, problem)) {
		slot->sums = sums_of(x, problem->dim[DIM_COLUMNS], naive, NULL);
		slot->problem = *problem;
		slot->x = x;
		slot->naive = naive;
	}
	sums = slot->sums;
	pthread_mutex_unlock(&slot->lock);
	return sums;
}

/* Results and values of exp below the least normal number may be flushed to 0. */
#define FLUSHED 0x1p-126

/* Relative errors of an output's parts. */
struct part_errors {
	double fixed; /* equal for all outputs: two exps, the quotient, the product */
	double slope; /* of an exp, per unit of its argument */
};

#define LOG2E 1.4426950408889634

/*
 * A kernel of the user may calculate exp(d) as exp2(d L), where L is log2(e) in f32. The relative
 * error of L is below u / 4 (L - log2(e) < 2e-8), and that of the product is u. So the error of the
 * argument of exp2 is at most 5/4 u |d| log2(e), and that of the result a factor of 1 + 5/4 u |d|.
 * The error of the function exp2 is added.
 *
 * In another form, exp2(fma(x, L, -max L)), one rounding replaces those of d and of the product.
 * The rounding of max L is a factor of all terms, and vanishes in the quotient.
 */
static struct part_errors with_exp2(
	const struct arithmetic *arithmetic, struct part_errors errors, double difference)
{
	double fixed = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP2, 0);
	double of_one = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP2, LOG2E);
	double exp_error = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP, 0);

	errors.fixed += 2 * fmax(0, fixed - exp_error);
	errors.slope = fmax(errors.slope, of_one - fixed + 1.25 * F32_UNIT_ROUNDOFF + difference);
	return errors;
}

/*
 * y = exp(d) times 1 / S: errors of two exps (S is a sum of exps), a quotient and a product. One
 * more rounding covers the second-order terms. The rounding of d = x - max causes a relative error
 * of |d| u in exp(d); naive has no such difference. The chain covers the roundings of the sum.
 */
static struct part_errors errors_of(const struct problem *problem, bool naive)
{
	const struct arithmetic *arithmetic = &problem->arithmetic;
	double difference = naive ? 0 : F32_UNIT_ROUNDOFF;
	double exp_error = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP, 0);
	double of_one = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP, 1);
	double quotient = arithmetic_relative_error(arithmetic, ARITHMETIC_DIVIDE, 1);

	const struct part_errors errors = {
		.fixed = 2 * exp_error + quotient + 2 * F32_UNIT_ROUNDOFF,
		.slope = of_one - exp_error + difference};
	return problem->own_kernel ? with_exp2(arithmetic, errors, difference) : errors;
}

static struct expected expected_of(double x, double value, const struct row_sums *sums, bool naive,
	const struct part_errors *errors)
{
	double y = value / sums->sum;
	double own = value > 0 ? fabs(argument_of(x, sums, naive)) : 0;
	double error = errors->fixed + errors->slope * (own + sums->reach);

	return (struct expected){.value = y, .terms = y, .slack = y * error + FLUSHED};
}

void softmax_answer(const struct problem *problem, const float *a, struct region region, bool naive,
	struct expected *ret_expected)
{
	const struct part_errors errors = errors_of(problem, naive);
	int64_t columns = problem->dim[DIM_COLUMNS];
	bool whole = region.columns == columns;

	for (int64_t r = 0; r < region.rows; r++, ret_expected += region.columns) {
		int64_t row = region.row + r;
		const float *x = a + row * columns;
		struct row_sums sums = whole ? sums_of(x, columns, naive, ret_expected)
					     : kept_sums_of(problem, x, row, naive);

		for (int64_t c = 0; c < region.columns; c++) {
			double at = x[region.column + c];
			double value = whole ? ret_expected[c].value : exp(at - sums.max);
			ret_expected[c] = expected_of(at, value, &sums, naive, &errors);
		}
	}
}
