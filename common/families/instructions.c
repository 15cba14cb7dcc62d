/*
 * instructions: the throughput of operations. Every row runs one kind of operation `trips` times on
 * each element of A, in independent chains, so that throughput is the limit. The metric is
 * operations per cycle of a multiprocessor. The ideas of the rows have the published figures.
 *
 * Every row has its own reference. Every answer depends on every trip, so verification detects skipped
 * work: a skipped trip changes the answer by more than its bound. Chains of arithmetic have an answer
 * in closed form. Chains of functions converge to a point that depends on the function, so the errors
 * of early trips vanish. Their answer is the sum of x over the trips. The reference stops its loop
 * when x has converged.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/warp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	DIM_N,
	DIM_TRIPS
};
enum {
	OPERAND_A,
	OPERAND_T,
	OPERAND_B
};

#define TABLE 256                     /* coefficients */
#define TABLE_SUM ((TABLE + 1) / 2.0) /* of all coefficients */
/* constant-uniform: neighbouring elements with one index, at least as many as a warp has lanes. */
#define UNIFORM 128

/* Maximum number of trips for which the answers depend on each trip: f16 counts the trips exactly,
 * products do not overflow or underflow, and errors are smaller than the effect of one trip. */
#define MAX_TRIPS 2048

/* ---- Operations ---------------------------------------------------------------------------- */

/* Minimum number of operations of a trip; compilers may add others. 0 = the operations of
 * config_flops(). A single f32 sum or product counts as two: it takes the time of a multiply-add.
 * special: functions of the hardware, such as the reciprocal in a division. */
struct mix {
	double f32, integer, special;
	bool constants; /* all trips of a chain have the same operands: with relaxed arithmetic an
			 * OpenCL compiler may combine any number of trips into one operation */
	bool library;   /* calls a precise function; its operations depend on the compiler */
};

#define F64_UNIT_ROUNDOFF 0x1p-53
#define ULP 0x1p-23 /* of f32, at most, relative */

/* One trip in double, and the largest error of the row's roundings in this trip. */
struct step {
	double value, error;
};

struct operation {
	const char *variant;
	int factor;      /* the kernel's last argument; in eighths, except for int-mul */
	double per_trip; /* operations that the row's metric counts in a trip */
	struct mix mix;

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

static float coefficient(int64_t j)
{
	return (float)(j * 37 % TABLE + 1) / TABLE;
}

/* A[i] + the sum of `trips` entries of the table, from `start` on, cyclic. `exact`: the entries
 * are the numbers 1 to 256, divided by 256; sums of 2^16 entries are exact. */
static void sum_table(const struct problem *problem, double x, const float *table, int64_t start,
	bool exact, struct expected *ret_expected)
{
	int64_t trips = problem->dim[DIM_TRIPS];
	double turns = (double)(trips / TABLE);
	double value = table ? 0 : turns * TABLE_SUM, terms = value;

	for (int64_t j = 0; table && j < TABLE; j++) {
		value += turns * (double)table[j];
		terms += turns * fabs((double)table[j]);
	}
	for (int64_t j = 0; j < trips % TABLE; j++) {
		double entry = table ? (double)table[(start + j) % TABLE]
				     : (double)coefficient((start + j) % TABLE);

		value += entry;
		terms += fabs(entry);
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
	sum_table(problem, start_of(inputs, i), NULL, i / UNIFORM, true, ret_expected);
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
	ret_expected->slack =
		errors + bound_of_chain(CHAIN_ANY, trips - 1, F32_UNIT_ROUNDOFF) * (sum + errors);
}

static void reference(const struct variant *variant, const struct problem *problem,
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

static const char *invalid(const struct problem *problem)
{
	return problem->dim[DIM_TRIPS] > MAX_TRIPS ? "trips is larger than 2048: use 1 to 2048"
						   : NULL;
}

/* ---- Plans and work ------------------------------------------------------------------------- */

/* In every row a trip has two operations (those of a multiply-add) besides the functions. */
static double flops(const struct problem *problem)
{
	return 2 * problem_volume(problem);
}

/* A and B. Most rows do not use T, and the others read it from constant memory. */
static double bytes_compulsory(const struct problem *problem)
{
	return 2 * sizeof(float) * (double)problem->dim[DIM_N];
}

static double operations_done(const struct config *config, const struct problem *problem)
{
	return operation_of(config->variant)->per_trip * problem_volume(problem);
}

static struct plan_launch *add_table(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	return plan_add_kernel(ret_plan, config->variant->entry,
		ceil_div(problem->dim[DIM_N], config_tile(config, DIM_N)),
		config_value(config, "BLOCK"),
		PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
			{PLAN_ARG_ULONG, problem->dim[DIM_N]},
			{PLAN_ARG_INT, problem->dim[DIM_TRIPS]}));
}

static void plan_table(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_table(config, problem, ret_plan);
}

static void plan_global(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = add_table(config, problem, ret_plan);

	memmove(&launch->args[2], &launch->args[1], 3 * sizeof *launch->args);
	launch->args[1] = (struct plan_arg){PLAN_ARG_OPERAND, OPERAND_T};
	launch->arg_count++;
}

static void plan_chains(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = add_table(config, problem, ret_plan);

	plan_launch_add(launch, PLAN_ARG_INT, operation_of(config->variant)->factor);
}

static double issued_global(const struct config *config, const struct problem *problem)
{
	(void)config;
	return bytes_compulsory(problem) + sizeof(float) * problem_volume(problem);
}

/* Whether an OpenCL compiler may combine sums, products and exponentials. */
static bool may_reorder(enum arithmetic_rules rules)
{
	return rules == ARITHMETIC_OPENCL_RELAXED || rules == ARITHMETIC_OPENCL_EMBEDDED_RELAXED;
}

/* The number of hardware functions in a trip. CUDA's fast arithmetic replaces a precise function by
 * the native one, and may move a reciprocal out of the loop. CUDA's precise division tests its
 * operands in the units that calculate the reciprocal (FCHK in NVRTC's machine code for compute
 * capability 9.0; assumed for all others). */
static double special_functions(const struct mix *mix, enum arithmetic_rules rules)
{
	bool divides = mix->library && mix->constants;

	if (!mix->library)
		return mix->special;
	if (may_reorder(rules))
		return 0;
	if (rules == ARITHMETIC_CUDA_FAST)
		return divides ? 0 : fmax(1, mix->special);
	return rules == ARITHMETIC_CUDA && divides ? 2 * mix->special : mix->special;
}

/* A load and a store of each element. */
static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	enum arithmetic_rules rules = problem->arithmetic.rules;
	struct mix mix = operation_of(config->variant)->mix;
	double special = special_functions(&mix, rules);

	work->bytes_read -= sizeof(float) * TABLE; /* only one row reads it */
	work->l2_bytes -= sizeof(float) * TABLE;
	work->uncounted = mix.library;
	if (mix.constants && may_reorder(rules))
		work->operations[OPERATIONS_F32] = NAN;
	else if (mix.f32 > 0)
		work->operations[OPERATIONS_F32] = mix.f32 * problem_volume(problem);
	if (special > 0)
		work->operations[OPERATIONS_SPECIAL] = special * problem_volume(problem);
	if (mix.integer > 0)
		work->operations[OPERATIONS_INTEGER] = mix.integer * problem_volume(problem);
	traffic_set(work, 2 * traffic_warps(problem->dim[DIM_N], config_value(config, "BLOCK")), 0);
}

/* Number of coefficients that the threads of all elements load. The distance between the chains of
 * a thread is the length of the table. So all chains of a thread have the same index, also if the
 * lanes have different indices. */
static double coefficients(const struct config *config, const struct problem *problem)
{
	int chains = config_value(config, "CHAINS");
	int64_t threads = ceil_div(problem->dim[DIM_N], chains);
	int loads = config_value(config, "LANES") == 1 ? 1 : chains;

	return (double)loads * (double)threads * (double)problem->dim[DIM_TRIPS];
}

/* The index of a coefficient takes a sum and a mask. */
static void traffic_table(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	traffic(config, problem, work);
	work->operations[OPERATIONS_INTEGER] = 2 * coefficients(config, problem);
}

/* A warp loads 32 neighbouring coefficients. */
static void traffic_global(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	traffic_table(config, problem, work);
	work->bytes_read += sizeof(float) * TABLE;
	work->l2_bytes += sizeof(float) * TABLE;
	work->l1_passes += coefficients(config, problem) / WARP_THREADS;
}

/* A division may need only one special function. Some forms need no additions for indices. */
static void certain(const struct config *config, const struct problem *problem,
	double ret_operations[OPERATIONS_COUNT])
{
	struct mix mix = operation_of(config->variant)->mix;
	struct floor_work work = config_traffic(config, problem);

	memcpy(ret_operations, work.operations, sizeof work.operations);
	if (mix.library &&
		ret_operations[OPERATIONS_SPECIAL] > mix.special * problem_volume(problem))
		ret_operations[OPERATIONS_SPECIAL] = mix.special * problem_volume(problem);
	if (mix.integer <= 0)
		ret_operations[OPERATIONS_INTEGER] = NAN;
}

/* ---- Data and sizes ------------------------------------------------------------------------- */

static uint64_t fraction(const struct problem *problem, size_t operand, uint64_t i)
{
	return problem->source == INPUT_CASE
		       ? data_case_below(1 << 23, (int64_t)i, problem->dim[DIM_N], problem->seed,
				 operand, problem->data_case)
		       : data_bits(problem->seed, operand, i) >> 41;
}

/* A: any f32 in [1, 2), and 1 itself in CASE_ZEROS. The elements do not depend on each other, so
 * other cases would show nothing more than random elements. T: the same coefficients as in
 * constant memory; in other data random ones of the same range, so that a kernel must read them. */
static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	float *values = target;

	for (int64_t e = 0; e < count; e++) {
		uint64_t i = (uint64_t)(first + e);

		if (operand == OPERAND_A)
			values[e] = 1 + (float)fraction(problem, operand, i) / 0x1p23f;
		else if (problem->source == INPUT_RANDOM)
			values[e] = coefficient((int64_t)i);
		else
			values[e] =
				(float)(data_bits(problem->seed, operand, i) % TABLE + 1) / TABLE;
	}
}

static bool check_inputs(
	const struct problem *problem, const void *const *inputs, char *ret_text, size_t size)
{
	const float *a = inputs[OPERAND_A];
	const float *table = inputs[OPERAND_T];

	for (int64_t i = 0; i < problem->dim[DIM_N]; i++)
		if (!(a[i] >= 1 && a[i] < 2)) {
			snprintf(ret_text, size, "A[%lld] = %g is not in [1, 2)", (long long)i,
				(double)a[i]);
			return false;
		}
	for (int64_t j = 0; j < TABLE; j++)
		if (!f32_is_finite(table[j])) {
			snprintf(ret_text, size, "T[%lld] is not finite", (long long)j);
			return false;
		}
	return true;
}

/* Odd and even numbers of trips: near the unroll factor, beyond the table, and the maximum. */
static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(37), AT(2)}},
	{{AT(1), AT(MAX_TRIPS)}},
	{{AT(3), AT(2039)}},
	{{AT(997), AT(17)}},
	{{TILES(DIM_N, 1, -1), AT(3)}},
	{{TILES(DIM_N, 1, 0), AT(8)}},
	{{TILES(DIM_N, 1, 1), AT(7)}},
	{{TILES(DIM_N, 5, 3), AT(31)}},
	{{LARGE_PART(0, 64, -3), AT(64)}},
};

static const struct check_rule check = {
	.large = {.max = 1 << 24}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The rows -------------------------------------------------------------------------------- */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, DIM_N),
	VECTOR("T", OPERAND_IN, DIM_ONE, .rows_scale = TABLE),
	VECTOR("B", OPERAND_OUT, DIM_N),
};

static const int block_choices[] = {32, 64, 128, 256, 0};
static const int chain_choices[] = {1, 2, 4, 8, 16, 0};

#define ROW(what) \
	.book = "6.4", .technique = (what), .tile = {{"BLOCK", "CHAINS"}}, .reference = reference

#define ROW_ARITHMETIC(use)                                                                        \
	ROW("f32"), .file = "arithmetic", .entry = "instructions_arithmetic", .plan = plan_chains, \
		    .traffic = traffic,                                                            \
		    .macros = {{"BLOCK", 256, block_choices}, {"CHAINS", 8, chain_choices},        \
			    {use, 1, NULL}}

#define ROW_FUNCTION(use, what)                                                                 \
	ROW(what), .file = "functions", .entry = "instructions_functions", .plan = plan_chains, \
		   .traffic = traffic, .repro = REPRO_RUN,                                      \
		   .macros = {{"BLOCK", 256, block_choices}, {"CHAINS", 4, NULL}, {use, 1, NULL}}

#define ROW_TYPE(stem, what)                                                         \
	ROW(what), .file = stem, .entry = "instructions_" stem, .plan = plan_chains, \
		   .traffic = traffic,                                               \
		   .macros = {{"BLOCK", 256, block_choices}, {"CHAINS", 8, NULL}}

#define ROW_TABLE(lanes) \
	.file = "table", \
	.macros = {{"BLOCK", 256, block_choices}, {"CHAINS", 4, NULL}, {"LANES", (lanes), NULL}}

/* Published: CUDA C++ Programming Guide, throughput of native arithmetic instructions, for compute
 * capability 9.0, in results per cycle and multiprocessor. */
#define PUBLISHED(rate) "published rate: " #rate " per cycle and multiprocessor"

static const struct variant variants[] = {
	{.name = "fma",
		.idea = "a rotation: next x = factor * x - previous x; every other variant is compared "
			"with it, directly or through its base; " PUBLISHED(128),
		ROW_ARITHMETIC("USE_FMA")},
	{.name = "add",
		.idea = "two sums per iteration; " PUBLISHED(128),
		.base = "fma",
		ROW_ARITHMETIC("USE_ADD")},
	{.name = "mul",
		.idea = "two products per iteration; " PUBLISHED(128),
		.base = "fma",
		ROW_ARITHMETIC("USE_MUL")},
	{.name = "int-mul",
		.idea = "32-bit integers, next x = factor * x + c modulo 2^32; " PUBLISHED(64),
		.base = "fma",
		.claim = {.text = "half the rate of fma: >= 0.4 x, <= 0.67 x",
			.at_least = 0.4,
			.at_most = 0.67},
		.operations = OPERATIONS_INTEGER,
		ROW_TYPE("int_mul", "i32")},
	{.name = "divide",
		.idea = "two quotients per iteration: reciprocals, corrected by multiply-adds",
		.base = "mul",
		ROW_FUNCTION("USE_DIVIDE", "division")},
	{.name = "reciprocal-mul",
		.idea = "the same quotients as products with a reciprocal that is computed once",
		.base = "divide",
		.claim = {.text = "times a reciprocal >= 2 x divided", .at_least = 2},
		ROW_ARITHMETIC("USE_RECIPROCAL")},
	{.name = "sqrt",
		.idea = "a correctly rounded square root after a multiply-add",
		.base = "fma",
		ROW_FUNCTION("USE_SQRT", "root")},
	{.name = "sin",
		.idea = "a precise sine: the argument is reduced, then a polynomial is evaluated",
		.base = "fma",
		ROW_FUNCTION("USE_SIN", "function")},
	{.name = "sin-native",
		.idea = "the sine of the special function unit; " PUBLISHED(16),
		.base = "sin",
		.claim = {.text = "fast sine >= 2 x precise", .at_least = 2},
		ROW_FUNCTION("USE_SIN_NATIVE", "fast function")},
	{.name = "cos",
		.idea = "a precise cosine",
		.base = "sin",
		ROW_FUNCTION("USE_COS", "function")},
	{.name = "cos-native",
		.idea = "the cosine of the special function unit; " PUBLISHED(16),
		.base = "cos",
		.claim = {.text = "fast cosine >= 2 x precise", .at_least = 2},
		ROW_FUNCTION("USE_COS_NATIVE", "fast function")},
	{.name = "exp",
		.idea = "a precise exponential: a power of two after an exact product",
		.base = "sin",
		ROW_FUNCTION("USE_EXP", "function")},
	{.name = "exp-native",
		.idea = "the power of two of the special function unit; " PUBLISHED(16),
		.base = "exp",
		ROW_FUNCTION("USE_EXP_NATIVE", "fast function")},
	{.name = "exp-product",
		.idea = "exp(x) exp(y) exp(z), counted as one operation",
		.base = "exp",
		ROW_FUNCTION("USE_EXP_PRODUCT", "three functions")},
	{.name = "exp-sum",
		.idea = "exp(x + y + z): the same number with one function",
		.base = "exp-product",
		.claim = {.text = "one function >= 2 x three", .at_least = 2},
		ROW_FUNCTION("USE_EXP_SUM", "one function")},
	{.name = "f64-fma",
		.idea = "the rotation of `fma` in f64; " PUBLISHED(64) ", 2 on GPUs for graphics",
		.base = "fma",
		.needs = PMPP_CAP_FP64,
		.operations = OPERATIONS_F64,
		.claim = {.text = "f64 <= 0.67 x f32", .at_most = 0.67},
		ROW_TYPE("f64", "f64")},
	{.name = "f16-fma",
		.idea = "next x = factor * x + factor in f16; one instruction computes two values, and "
			"both halves of a word have the factor; " PUBLISHED(256),
		.base = "fma",
		.needs = PMPP_CAP_FP16,
		.operations = OPERATIONS_F16,
		.claim = {.text = "half2 >= 1.5 x f32", .at_least = 1.5},
		ROW_TYPE("f16", "f16")},
	{.name = "constant-divergent",
		.idea = "constant memory, a different index for each lane: the hardware serves one index "
			"after another",
		.base = "fma",
		ROW("constant memory"),
		.entry = "instructions_constant",
		.plan = plan_table,
		.traffic = traffic_table,
		ROW_TABLE(1)},
	{.name = "constant-uniform",
		.idea = "constant memory, one index for 128 neighbouring elements, so one per warp of any "
			"width: a broadcast",
		.base = "constant-divergent",
		.claim = {.text = "one index per warp >= 2 x one per lane",
			.at_least = 2,
			.needs = CLAIM_OF_WARPS},
		ROW("constant memory"),
		.entry = "instructions_constant",
		.plan = plan_table,
		.traffic = traffic_table,
		ROW_TABLE(UNIFORM)},
	{.name = "global-table",
		.idea = "global memory, neighbouring indices for neighbouring lanes, from the first-level "
			"cache",
		.base = "constant-divergent",
		.claim = {.text = "cached global memory >= 2 x constant memory, one index per lane",
			.at_least = 2,
			.needs = CLAIM_OF_WARPS},
		ROW("global memory"),
		.entry = "instructions_global",
		.plan = plan_global,
		.bytes_issued = issued_global,
		.traffic = traffic_global,
		ROW_TABLE(1)},
};

const struct family family_instructions = {
	.name = "instructions",
	.title = "throughput of operations",
	.size_help =
		"B[i] = result of `trips` iterations of the row's operation on A[i], 1 <= A[i] < 2, "
		"in f32; sizes n x trips, n from 1 to 2147483647, trips from 1 to 2048 (default 256)",
	.book = "PMPP 4th ed., 6.4",
	.dim_names = {"n", "trips"},
	.dim_count = 2,
	.dim_max = INT32_MAX,
	.dim_default = {[DIM_TRIPS] = 256},
	/* Four times 2048 threads with 8 chains on each of 132 multiprocessors. */
	.default_size = {[DEVICE_CLASS_GPU] = {(int64_t)132 * 2048 * 8 * 4, 2048},
		[DEVICE_CLASS_CPU] = {1 << 16},
		[DEVICE_CLASS_EMULATED] = {1 << 12, 32}},
	.invalid = invalid,
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = CASE_BIT(CASE_ASCENDING) | CASE_BIT(CASE_ZEROS),
	.check_inputs = check_inputs,
	.certain = certain,
	.flops = flops,
	.bytes_compulsory = bytes_compulsory,
	.check = &check,
	.metric = {.kind = METRIC_PER_CYCLE, .name = "op/cycle/SM", .count = operations_done},
	.shows_ulps = true,
	.variants = WITH_COUNT(variants),
};
