/*
 * Most chains of operations draw towards a point that the operation decides; there the errors of
 * early trips fade, and the reference ends once it stands still. Others have an answer in closed
 * form.
 */
#include "common/families/instructions_answer.h"

#include <math.h>
#include <string.h>

/* ---- Operations ---------------------------------------------------------------------------- */

#define F16_UNIT_ROUNDOFF 0x1p-11
#define F64_UNIT_ROUNDOFF 0x1p-53
#define ULP 0x1p-23 /* of f32, at most, relative */

/* Most errors that OpenCL C 1.2, 7.4 allows; CUDA's are smaller (CUDA C++ Programming Guide,
 * mathematical functions: sinf, cosf and expf 2 ulp, __sinf and __cosf 2^-21 absolute). What native
 * forms may be off is left to the implementation: they are held to what half_sin() and the like
 * must reach. */
#define DIVIDE_ERROR (2.5 * ULP)
#define SQRT_ERROR (3 * ULP)
#define SIN_ERROR (4 * ULP)
#define EXP_ERROR (3 * ULP)
#define NATIVE_ERROR (8192 * ULP)

/* One trip in double, and how far the row may be off it by its own roundings. */
struct step {
	double value, error;
};

struct operation {
	const char *variant;
	int factor;      /* the kernel's last argument, in eighths where it is no integer */
	double per_trip; /* operations of a trip */

	/* Either a step, and how much of an error before it is left after it, < 1; ... */
	struct step (*step)(const struct operation *operation, double x, double c);
	double slope;

	/* ... or the whole answer for one element. */
	void (*answer)(const struct operation *operation, const struct problem *problem,
		const void *const *inputs, int64_t i, struct expected *ret_expected);
};

static double factor_of(const struct operation *operation)
{
	return operation->factor / 8.0;
}

static struct step step_fma(const struct operation *operation, double x, double c)
{
	double value = factor_of(operation) * x + c;

	return (struct step){value, F32_UNIT_ROUNDOFF * fabs(value)};
}

static struct step step_f64(const struct operation *operation, double x, double c)
{
	struct step step = step_fma(operation, x, c);

	/* The reference is no better. */
	return (struct step){step.value, 2 * F64_UNIT_ROUNDOFF * fabs(step.value)};
}

static struct step step_f16(const struct operation *operation, double x, double c)
{
	struct step step = step_fma(operation, x, c);

	return (struct step){step.value, F16_UNIT_ROUNDOFF * fabs(step.value)};
}

static struct step step_sqrt(const struct operation *operation, double x, double c)
{
	double value = sqrt(factor_of(operation) * x + c);

	/* Half of what the root's argument is off by. */
	return (struct step){value, (F32_UNIT_ROUNDOFF / 2 + SQRT_ERROR) * value};
}

/* factor * f + c, where f is off by `error` of itself. */
static struct step step_of(const struct operation *operation, double f, double error, double c)
{
	struct step step = step_fma(operation, f, c);

	step.error += factor_of(operation) * error * fabs(f);
	return step;
}

static struct step step_sin(const struct operation *operation, double x, double c)
{
	return step_of(operation, sin(x), SIN_ERROR, c);
}

static struct step step_sin_native(const struct operation *operation, double x, double c)
{
	return step_of(operation, sin(x), NATIVE_ERROR, c);
}

static struct step step_cos(const struct operation *operation, double x, double c)
{
	return step_of(operation, cos(x), SIN_ERROR, c);
}

/* Near its zero a cosine's error is that of the argument, and absolute: as at 1. */
static struct step step_cos_native(const struct operation *operation, double x, double c)
{
	struct step step = step_of(operation, cos(x), 0, c);

	step.error += factor_of(operation) * NATIVE_ERROR;
	return step;
}

static struct step step_exp(const struct operation *operation, double x, double c)
{
	return step_of(operation, exp(-x), EXP_ERROR, c);
}

static struct step step_exp_native(const struct operation *operation, double x, double c)
{
	return step_of(operation, exp(-x), NATIVE_ERROR, c);
}

/* exp(-x) exp(-x / 2) exp(-x / 4): three functions, two products. */
static struct step step_exp_product(const struct operation *operation, double x, double c)
{
	return step_of(operation, exp(-1.75 * x), 3 * EXP_ERROR + 2 * F32_UNIT_ROUNDOFF, c);
}

/* The same as exp(-x - x / 2 - x / 4): two sums, up to 1.75 x, before one function. */
static struct step step_exp_sum(const struct operation *operation, double x, double c)
{
	return step_of(
		operation, exp(-1.75 * x), EXP_ERROR + 2 * F32_UNIT_ROUNDOFF * 1.75 * fabs(x), c);
}

/* ---- Answers in closed form ---------------------------------------------------------------- */

/* x += factor, twice a trip. */
static void answer_add(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	double factor = factor_of(operation);
	double x = (double)((const float *)inputs[OPERAND_A])[i];
	double sums = 2 * (double)problem->dim[DIM_TRIPS];

	/* Every sum on the way is rounded: x + factor, x + 2 factor, ... */
	ret_expected->value = x + sums * factor;
	ret_expected->slack = F32_UNIT_ROUNDOFF * (sums * fabs(x) + factor * sums * (sums + 1) / 2);
}

/* Times or divided by -2, then by 1/2: exact, but for divisions that are not rounded correctly. */
static void answer_turn(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	double x = (double)((const float *)inputs[OPERAND_A])[i];

	(void)operation;
	ret_expected->value = problem->dim[DIM_TRIPS] % 2 ? -x : x;
}

static void answer_divide(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	double error = DIVIDE_ERROR + F32_UNIT_ROUNDOFF; /* a quotient, or times a reciprocal */

	answer_turn(operation, problem, inputs, i, ret_expected);
	ret_expected->slack =
		fabs(ret_expected->value) * expm1(2 * (double)problem->dim[DIM_TRIPS] * error);
}

/* x = factor x + c modulo 2^32, trips times: the map's powers by repeated squaring. */
static void answer_int_mul(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	uint32_t c = (uint32_t)(((const float *)inputs[OPERAND_A])[i] * 0x1p23f);
	uint32_t times = (uint32_t)operation->factor, plus = c; /* of 1, 2, 4 ... trips */
	uint32_t x = c;

	for (uint64_t trips = (uint64_t)problem->dim[DIM_TRIPS]; trips; trips /= 2) {
		if (trips % 2)
			x = times * x + plus;
		plus = times * plus + plus;
		times *= times;
	}
	ret_expected->value = x >> 8;
}

float instructions_coefficient(int64_t j)
{
	return (float)(j * 37 % INSTRUCTIONS_TABLE) / INSTRUCTIONS_TABLE;
}

/* A[i] + the sum of `trips` neighbours of the table, from `start` on and round. `exact`: they are
 * the numbers 0 to 255 over 256, and 2^16 of them are summed without rounding. */
static void sum_table(const struct problem *problem, double x, const float *table, int64_t start,
	bool exact, struct expected *ret_expected)
{
	int64_t trips = problem->dim[DIM_TRIPS];
	double value = 0, terms = 0;

	for (int64_t j = 0; j < INSTRUCTIONS_TABLE; j++) {
		int64_t turns = trips / INSTRUCTIONS_TABLE + (j < trips % INSTRUCTIONS_TABLE);
		double entry =
			table ? (double)table[(start + j) % INSTRUCTIONS_TABLE]
			      : (double)instructions_coefficient((start + j) % INSTRUCTIONS_TABLE);

		value += (double)turns * entry;
		terms += (double)turns * fabs(entry);
	}
	ret_expected->value = x + value;
	ret_expected->terms = fabs(ret_expected->value);
	if (!exact || trips > 1 << 16)
		ret_expected->slack = (double)trips * F32_UNIT_ROUNDOFF * terms;
}

static void answer_uniform(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, (double)((const float *)inputs[OPERAND_A])[i], NULL, i / 32, true,
		ret_expected);
}

static void answer_divergent(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, (double)((const float *)inputs[OPERAND_A])[i], NULL, i, true,
		ret_expected);
}

static void answer_global(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, (double)((const float *)inputs[OPERAND_A])[i], inputs[OPERAND_T], i,
		problem->data != DATA_USER, ret_expected);
}

/* ---- Reference ----------------------------------------------------------------------------- */

#define LCG 1664525 /* factor of a linear congruential generator: odd, of no short period */

/* Slopes: the largest |derivative| of a step where x >= 1 (0.5 and more for sine and cosine). */
static const struct operation operations[] = {
	{.variant = "fma", .factor = 5, .per_trip = 1, .step = step_fma, .slope = 0.625},
	{.variant = "add", .factor = 5, .per_trip = 2, .answer = answer_add},
	{.variant = "mul", .factor = 16, .per_trip = 2, .answer = answer_turn},
	{.variant = "int-mul", .factor = LCG, .per_trip = 1, .answer = answer_int_mul},
	{.variant = "divide", .factor = 16, .per_trip = 2, .answer = answer_divide},
	{.variant = "reciprocal-mul", .factor = 16, .per_trip = 2, .answer = answer_divide},
	{.variant = "sqrt", .factor = 4, .per_trip = 1, .step = step_sqrt, .slope = 0.21},
	{.variant = "sin", .factor = 4, .per_trip = 1, .step = step_sin, .slope = 0.5},
	{.variant = "sin-native",
		.factor = 4,
		.per_trip = 1,
		.step = step_sin_native,
		.slope = 0.5},
	{.variant = "cos", .factor = 4, .per_trip = 1, .step = step_cos, .slope = 0.5},
	{.variant = "cos-native",
		.factor = 4,
		.per_trip = 1,
		.step = step_cos_native,
		.slope = 0.5},
	{.variant = "exp", .factor = 4, .per_trip = 1, .step = step_exp, .slope = 0.19},
	{.variant = "exp-native",
		.factor = 4,
		.per_trip = 1,
		.step = step_exp_native,
		.slope = 0.19},
	{.variant = "exp-product",
		.factor = 4,
		.per_trip = 1,
		.step = step_exp_product,
		.slope = 0.16},
	{.variant = "exp-sum", .factor = 4, .per_trip = 1, .step = step_exp_sum, .slope = 0.16},
	{.variant = "f64-fma", .factor = 5, .per_trip = 1, .step = step_f64, .slope = 0.625},
	{.variant = "f16-fma", .factor = 5, .per_trip = 1, .step = step_f16, .slope = 0.625},
	{.variant = "constant-divergent", .per_trip = 1, .answer = answer_divergent},
	{.variant = "constant-uniform", .per_trip = 1, .answer = answer_uniform},
	{.variant = "global-table", .per_trip = 1, .answer = answer_global},
};

static const struct operation *operation_of(const struct variant *variant)
{
	size_t i = 0;

	while (strcmp(operations[i].variant, variant->name) != 0)
		i++;
	return &operations[i];
}

/* Less than this of itself a trip: the rest of the way is far below what f32 can tell. */
#define STANDS_STILL 0x1p-40

static void follow(const struct operation *operation, const struct problem *problem, double c,
	struct expected *ret_expected)
{
	double x = c, error = 0, moved = INFINITY;

	for (int64_t t = 0; t < problem->dim[DIM_TRIPS] && moved > STANDS_STILL * fabs(x); t++) {
		struct step step = operation->step(operation, x, c);

		/* What is left of the error is in what is rounded now. */
		double left = operation->slope * error;

		moved = fabs(step.value - x);
		x = step.value;
		error = left + step.error * (1 + left / fabs(x));
		if (moved <= STANDS_STILL * fabs(x)) /* what it tends to */
			error = step.error / (1 - operation->slope * (1 + step.error / fabs(x)));
	}
	ret_expected->value = x;
	ret_expected->slack = error;
	if (operation->step == step_f64)
		ret_expected->terms = fabs(x); /* the only rounding to f32 */
}

void instructions_reference(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	const struct operation *operation = operation_of(variant);
	const float *a = inputs[OPERAND_A];

	for (int64_t r = 0; r < region.rows; r++) {
		int64_t i = region.row + r;
		double c = (double)a[i];

		ret_expected[r] = (struct expected){.value = 0};
		if (operation->step == step_f16)
			c = (double)half_to_float(half_from_double(c));
		if (operation->answer)
			operation->answer(operation, problem, inputs, i, &ret_expected[r]);
		else
			follow(operation, problem, c, &ret_expected[r]);
	}
}

int instructions_factor(const struct variant *variant)
{
	return operation_of(variant)->factor;
}

double instructions_per_trip(const struct variant *variant)
{
	return operation_of(variant)->per_trip;
}
