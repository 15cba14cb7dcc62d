/*
 * Every answer depends on every trip: a skipped trip changes the answer by more than its bound.
 * Chains of arithmetic have an answer in closed form. Chains of functions converge to a point that
 * depends on the function, so the errors of early trips vanish. Their answer is the sum of x over
 * the trips. The reference stops its loop when x has converged.
 */
#include "common/families/instructions_answer.h"

#include <math.h>
#include <string.h>

/* ---- Operations ---------------------------------------------------------------------------- */

#define F64_UNIT_ROUNDOFF 0x1p-53
#define ULP 0x1p-23 /* of f32, at most, relative */

/* One trip in double, and the largest error of the row's roundings in this trip. */
struct step {
	double value, error;
};

struct operation {
	const char *variant;
	int factor;      /* the kernel's last argument; in eighths, except for int-mul */
	double per_trip; /* operations of a trip */
	struct instructions_mix mix;

	/* Either a step and its slope (the fraction of an earlier error that remains, < 1), ... */
	struct step (*step)(const struct operation *operation, const struct arithmetic *arithmetic,
		double x, double c);
	double slope;
	double (*exact)(double x);         /* f in a step factor * f(x) + c */
	enum arithmetic_function function; /* for the allowed errors of f */

	/* ... or the whole answer for one element. */
	void (*answer)(const struct operation *operation, const struct problem *problem,
		const void *const *inputs, int64_t i, struct expected *ret_expected);

	/* Returns the only right value of an element, for arithmetic that is rounded correctly: a
	 * shorter form of the loop has other roundings. x: an element of A. NULL: there is none. */
	float (*rounded)(const struct operation *operation, float x, int64_t trips);
	bool divides; /* `rounded` also needs divisions that are rounded correctly */
};

static double factor_of(const struct operation *operation)
{
	return operation->factor / 8.0;
}

/* factor * f + c, where f has the absolute error `error`. */
static struct step step_of(const struct operation *operation, double f, double error, double c)
{
	double value = factor_of(operation) * f + c;
	double carried = factor_of(operation) * error;

	return (struct step){value, carried + F32_UNIT_ROUNDOFF * (fabs(value) + carried)};
}

static struct step step_function(
	const struct operation *operation, const struct arithmetic *arithmetic, double x, double c)
{
	double f = operation->exact(x);

	return step_of(operation, f, arithmetic_error(arithmetic, operation->function, x, f), c);
}

static double exp_of_minus(double x)
{
	return exp(-x);
}

static struct step step_sqrt(
	const struct operation *operation, const struct arithmetic *arithmetic, double x, double c)
{
	double argument = factor_of(operation) * x + c;
	double error = arithmetic_relative_error(arithmetic, ARITHMETIC_SQRT, argument);

	/* A root halves the relative error of its argument. */
	return (struct step){sqrt(argument), (F32_UNIT_ROUNDOFF / 2 + error) * sqrt(argument)};
}

/* exp(-x) exp(-x / 2) exp(-x / 4): three functions, two products. */
static struct step step_exp_product(
	const struct operation *operation, const struct arithmetic *arithmetic, double x, double c)
{
	double value = exp(-1.75 * x), error = 2 * F32_UNIT_ROUNDOFF;

	for (double part = 1; part >= 0.25; part /= 2)
		error += arithmetic_relative_error(arithmetic, operation->function, part * x);
	return step_of(operation, value, expm1(error) * value, c);
}

/* The same as exp(-x - x / 2 - x / 4): two sums, up to 1.75 x, before one function. */
static struct step step_exp_sum(
	const struct operation *operation, const struct arithmetic *arithmetic, double x, double c)
{
	double value = exp(-1.75 * x), sums = 2 * F32_UNIT_ROUNDOFF * 1.75 * fabs(x);
	double error = arithmetic_relative_error(arithmetic, operation->function, 1.75 * x);

	return step_of(operation, value, expm1(error + sums) * value, c);
}

/* ---- Answers with their bits --------------------------------------------------------------- */

static float rounded_fma(const struct operation *operation, float x, int64_t trips)
{
	const float factor = (float)factor_of(operation);
	float before = 1;

	for (int64_t trip = 0; trip < trips; trip++) {
		float next = fmaf(factor, x, -before);

		before = x;
		x = next;
	}
	return x;
}

static float rounded_f64(const struct operation *operation, float start, int64_t trips)
{
	const double factor = factor_of(operation);
	double x = start, before = 1;

	for (int64_t trip = 0; trip < trips; trip++) {
		double next = fma(factor, x, -before);

		before = x;
		x = next;
	}
	return (float)x;
}

static float rounded_add(const struct operation *operation, float x, int64_t trips)
{
	const float factor = (float)factor_of(operation);

	for (int64_t trip = 0; trip < 2 * trips; trip++)
		x += factor;
	return x;
}

static float multiply(float x, float factor, float second, int64_t trips)
{
	for (int64_t trip = 0; trip < trips; trip++) {
		x *= factor;
		x *= second;
	}
	return x;
}

static float rounded_mul(const struct operation *operation, float x, int64_t trips)
{
	const float factor = (float)factor_of(operation);

	return multiply(x, factor, 2 - factor, trips);
}

static float rounded_reciprocal(const struct operation *operation, float x, int64_t trips)
{
	const float factor = (float)factor_of(operation);

	return multiply(x, 1 / factor, 1 / (2 - factor), trips);
}

static float rounded_divide(const struct operation *operation, float x, int64_t trips)
{
	const float factor = (float)factor_of(operation);

	for (int64_t trip = 0; trip < trips; trip++) {
		x /= factor;
		x /= 2 - factor;
	}
	return x;
}

/* The bits of all elements would take longer than the kernel. So many trips take about 1 ms. */
#define ROUNDED_TRIPS ((int64_t)1 << 16)

static bool has_bits(const struct operation *operation, const struct problem *problem, int64_t i)
{
	enum arithmetic_rules rules = problem->arithmetic.rules;
	double all = (double)problem->dim[DIM_N] * (double)problem->dim[DIM_TRIPS];
	int64_t distance = (int64_t)fmax(1, all / ROUNDED_TRIPS);
	bool divides = rules == ARITHMETIC_CUDA || problem->arithmetic.exact_divide;

	return operation->rounded && i % distance == 0 && (divides || !operation->divides) &&
	       (rules == ARITHMETIC_CUDA || rules == ARITHMETIC_OPENCL);
}

/* ---- Answers in closed form ---------------------------------------------------------------- */

static double start_of(const void *const *inputs, int64_t i)
{
	return (double)((const float *)inputs[OPERAND_A])[i];
}

/*
 * next x = factor x - previous x, where the first x is the input and the previous x is 1. With
 * 2 cos(angle) = factor this is the recurrence of the Chebyshev polynomials U (NIST Digital Library
 * of Mathematical Functions, 18.5.2 and table 18.9.1):
 *
 *   x after t trips = x U_t - U_(t-1),   U_t = sin((t + 1) angle) / sin(angle)
 *
 * The recurrence is linear: an error of one trip is multiplied by |U| <= 1 / sin(angle), and the
 * errors add up. The angle has the cosine 1/4, so x has no period (I. Niven, Irrational Numbers,
 * 1956, corollary 3.12). Skipping 1 to 2047 trips turns x by more than 0.002 radians. The bound is
 * 0.00013 of the largest x.
 */
static void rotate(const struct operation *operation, const struct problem *problem, double x,
	double unit_roundoff, struct expected *ret_expected)
{
	double angle = acos(factor_of(operation) / 2);
	double trips = (double)problem->dim[DIM_TRIPS];
	double largest = (x + 1) / sin(angle); /* limit of |x| in all trips */
	double growth = unit_roundoff / (1 - unit_roundoff) / sin(angle);

	ret_expected->value = (x * sin((trips + 1) * angle) - sin(trips * angle)) / sin(angle);
	/* The last term: the rounding of `angle`, multiplied by the trips. */
	ret_expected->slack =
		largest * (expm1(trips * growth) + (trips + 1) * 8 * F64_UNIT_ROUNDOFF);
}

static void answer_fma(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	rotate(operation, problem, start_of(inputs, i), F32_UNIT_ROUNDOFF, ret_expected);
}

static void answer_f64(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	rotate(operation, problem, start_of(inputs, i), F64_UNIT_ROUNDOFF, ret_expected);
	ret_expected->terms = fabs(ret_expected->value); /* the only rounding to f32 */
}

/* x += factor. The start, -1024 x, is rounded to an integer. Sums are integers up to 2048. */
static void answer_f16(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	double start = (double)f16_to_float(f16_from_double(-1024 * start_of(inputs, i)));

	ret_expected->value = start + factor_of(operation) * (double)problem->dim[DIM_TRIPS];
}

/* x += factor, twice per trip. The factor is an integer: a sum is rounded only when it reaches the
 * next power of two, with an error of half an ulp. The sum of these errors is at most one ulp of
 * the last sum. */
static void answer_add(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	double sums = 2 * (double)problem->dim[DIM_TRIPS];

	ret_expected->value = start_of(inputs, i) + sums * factor_of(operation);
	ret_expected->slack = ULP * ret_expected->value;
}

/* A trip multiplies or divides by factor and by 2 - factor: by 1 - (factor - 1)^2. */
static double both_factors(const struct operation *operation)
{
	return factor_of(operation) * (2 - factor_of(operation));
}

/* x times each^trips. Each of the two operations of a trip has the relative error `error`. trips is
 * negative for divisions. */
static void scale(double x, double each, double trips, double error, struct expected *ret_expected)
{
	ret_expected->value = x * pow(each, trips);
	ret_expected->slack = ret_expected->value * expm1(2 * fabs(trips) * error);
}

static void answer_mul(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	scale(start_of(inputs, i), both_factors(operation), (double)problem->dim[DIM_TRIPS],
		F32_UNIT_ROUNDOFF, ret_expected);
}

/* Divisors: factor and 2 - factor. `more`: relative error of an operation besides the division. */
static void divide(const struct operation *operation, const struct problem *problem, double x,
	double more, struct expected *ret_expected)
{
	double error = arithmetic_relative_error(
		&problem->arithmetic, ARITHMETIC_DIVIDE, factor_of(operation));

	scale(x, both_factors(operation), -(double)problem->dim[DIM_TRIPS], error + more,
		ret_expected);
}

static void answer_divide(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	divide(operation, problem, start_of(inputs, i), 0, ret_expected);
}

static void answer_reciprocal(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	divide(operation, problem, start_of(inputs, i), F32_UNIT_ROUNDOFF, ret_expected);
}

/* x = factor x + c modulo 2^32, trips times, by repeated squaring. Skipping j trips changes x by
 * c (factor^j - 1) / (factor - 1) times an odd number. For nearly all c this is not 0 modulo 2^32,
 * and the change is visible in the upper 24 bits. */
static void answer_int_mul(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	uint32_t c = (uint32_t)(start_of(inputs, i) * 0x1p23);
	uint32_t times = (uint32_t)operation->factor, plus = c; /* for 1, 2, 4 ... trips */
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
	return (float)(j * 37 % INSTRUCTIONS_TABLE + 1) / INSTRUCTIONS_TABLE;
}

/* A[i] + the sum of `trips` entries of the table, from `start` on, cyclic. `exact`: the entries
 * are the numbers 1 to 256, divided by 256; sums of 2^16 entries are exact. */
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
	if (!exact)
		ret_expected->slack = (double)trips * F32_UNIT_ROUNDOFF * terms;
}

static void answer_uniform(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, start_of(inputs, i), NULL, i / INSTRUCTIONS_UNIFORM, true, ret_expected);
}

static void answer_divergent(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, start_of(inputs, i), NULL, i, true, ret_expected);
}

static void answer_global(const struct operation *operation, const struct problem *problem,
	const void *const *inputs, int64_t i, struct expected *ret_expected)
{
	(void)operation;
	sum_table(problem, start_of(inputs, i), inputs[OPERAND_T], i, problem->source != INPUT_USER,
		ret_expected);
}

/* ---- Reference ----------------------------------------------------------------------------- */

#define LCG 1664525 /* factor of a linear congruential generator: odd, with a long period */

/* A trip also has a multiply-add and a sum. Precise sines need no function of the hardware. */
#define NATIVE .mix = {.f32 = 4, .special = 1}
#define PRECISE(count) .mix = {.f32 = 4, .special = (count), .library = true}

#define FUNCTION(name, f, errors, largest_slope, mix)                                 \
	{                                                                             \
		.variant = (name), .factor = 4, .per_trip = 1, .step = step_function, \
		.slope = (largest_slope), .exact = (f), .function = (errors), mix     \
	}

/* Slopes: the largest |derivative| of a step for x >= 1 (for sine and cosine: for x >= 0.5). */
static const struct operation operations[] = {
	{.variant = "fma",
		.factor = 4,
		.per_trip = 1,
		.answer = answer_fma,
		.rounded = rounded_fma},
	{.variant = "add",
		.factor = 8,
		.per_trip = 2,
		.answer = answer_add,
		.rounded = rounded_add,
		.mix = {.f32 = 4, .constants = true}},
	{.variant = "mul",
		.factor = 9,
		.per_trip = 2,
		.answer = answer_mul,
		.rounded = rounded_mul,
		.mix = {.f32 = 4, .constants = true}},
	{.variant = "int-mul",
		.factor = LCG,
		.per_trip = 1,
		.answer = answer_int_mul,
		.mix = {.integer = 1}},
	{.variant = "divide",
		.factor = 9,
		.per_trip = 2,
		.answer = answer_divide,
		.rounded = rounded_divide,
		.divides = true,
		.mix = {.special = 2, .constants = true, .library = true}},
	{.variant = "reciprocal-mul",
		.factor = 9,
		.per_trip = 2,
		.answer = answer_reciprocal,
		.rounded = rounded_reciprocal,
		.divides = true,
		.mix = {.f32 = 4, .constants = true}},
	{.variant = "sqrt",
		.factor = 4,
		.per_trip = 1,
		.step = step_sqrt,
		.slope = 0.21,
		PRECISE(1)},
	FUNCTION("sin", sin, ARITHMETIC_SIN, 0.5, PRECISE(0)),
	FUNCTION("sin-native", sin, ARITHMETIC_NATIVE_SIN, 0.5, NATIVE),
	FUNCTION("cos", cos, ARITHMETIC_COS, 0.5, PRECISE(0)),
	FUNCTION("cos-native", cos, ARITHMETIC_NATIVE_COS, 0.5, NATIVE),
	FUNCTION("exp", exp_of_minus, ARITHMETIC_EXP, 0.19, PRECISE(1)),
	FUNCTION("exp-native", exp_of_minus, ARITHMETIC_NATIVE_EXP, 0.19, NATIVE),
	{.variant = "exp-product",
		.factor = 4,
		.per_trip = 1,
		.step = step_exp_product,
		PRECISE(3),
		.function = ARITHMETIC_EXP,
		.slope = 0.16},
	{.variant = "exp-sum",
		.factor = 4,
		.per_trip = 1,
		.step = step_exp_sum,
		PRECISE(1),
		.function = ARITHMETIC_EXP,
		.slope = 0.16},
	{.variant = "f64-fma",
		.factor = 4,
		.per_trip = 1,
		.answer = answer_f64,
		.rounded = rounded_f64},
	{.variant = "f16-fma", .factor = 8, .per_trip = 1, .answer = answer_f16},
	{.variant = "constant-divergent",
		.per_trip = 1,
		.answer = answer_divergent,
		.mix = {.f32 = 2}},
	{.variant = "constant-uniform", .per_trip = 1, .answer = answer_uniform, .mix = {.f32 = 2}},
	{.variant = "global-table", .per_trip = 1, .answer = answer_global, .mix = {.f32 = 2}},
};

static const struct operation *operation_of(const struct variant *variant)
{
	size_t i = 0;

	while (strcmp(operations[i].variant, variant->name) != 0)
		i++;
	return &operations[i];
}

/* x has converged when its relative change in a trip is at most this. */
#define CONVERGED 0x1p-40

/*
 * The sum of x over the trips. Skipping a trip changes the sum by one x, which is 1 to 2.5. The
 * bound is the error of an x times the trips. For precise functions the bound is smaller than an x
 * at all sizes. Native and relaxed functions of OpenCL may have an error of 2^-10: from several
 * hundred trips on, the bound hides a skipped trip.
 */
static void sum_steps(const struct operation *operation, const struct problem *problem, double c,
	struct expected *ret_expected)
{
	int64_t trips = problem->dim[DIM_TRIPS], t = 0;
	double x = c, error = 0, moved = INFINITY, sum = 0, errors = 0;

	for (; t < trips && moved > CONVERGED * fabs(x); t++) {
		struct step step = operation->step(operation, &problem->arithmetic, x, c);

		/* The rounding of this step acts on x with its remaining error. */
		double left = operation->slope * error;

		moved = fabs(step.value - x);
		x = step.value;
		error = left + step.error * (1 + left / fabs(x));
		sum += x;
		errors += error;
		if (moved <= CONVERGED * fabs(x)) /* the limits of the error and of x */
			error = step.error / (1 - operation->slope * (1 + step.error / fabs(x))) +
				moved / (1 - operation->slope);
	}
	sum += (double)(trips - t) * x;
	errors += (double)(trips - t) * error;
	ret_expected->value = sum;
	/* No x is negative. The first addition is exact: it adds to 0. */
	ret_expected->slack = errors + bound_gamma(trips - 1, F32_UNIT_ROUNDOFF) * (sum + errors);
}

void instructions_reference(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	const struct operation *operation = operation_of(variant);

	for (int64_t r = 0; r < region.rows; r++) {
		int64_t i = region.row + r;

		ret_expected[r] = (struct expected){.value = 0};
		if (has_bits(operation, problem, i))
			ret_expected[r].value = (double)operation->rounded(operation,
				((const float *)inputs[OPERAND_A])[i], problem->dim[DIM_TRIPS]);
		else if (operation->answer)
			operation->answer(operation, problem, inputs, i, &ret_expected[r]);
		else
			sum_steps(operation, problem, start_of(inputs, i), &ret_expected[r]);
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

struct instructions_mix instructions_mix(const struct variant *variant)
{
	return operation_of(variant)->mix;
}
