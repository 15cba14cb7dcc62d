/*
 * The bounds of `instructions` reject a row that skips any number of trips. They accept a row,
 * computed on the host, with the largest errors that the standards allow, and reject a row with
 * eight times these errors.
 */
#include "common/bound.h"
#include "common/family.h"
#include "tests/support/test.h"

#define ELEMENTS 16
#define TOO_MUCH 8
#define TABLE 256
#define MAX_TRIPS 2048

/* ---- Skipped trips --------------------------------------------------------------------------- */

static struct problem problem_of(const struct family *family, int64_t trips)
{
	struct problem problem = problem_default(family);

	problem.dim[0] = ELEMENTS;
	problem.dim[1] = trips;
	return problem;
}

static void make_inputs(const struct family *family, float *ret_a, float *ret_table)
{
	struct problem problem = problem_of(family, 1);

	for (int i = 0; i < ELEMENTS; i++)
		ret_a[i] = 1 + (float)i / ELEMENTS;
	family->fill(&problem, 1, 0, TABLE, ret_table);
}

/* The answers of a row after `trips` trips. */
static void answer(const struct variant *variant, int64_t trips, struct expected *ret_expected)
{
	const struct family *family = variant_family(variant);
	struct problem problem = problem_of(family, trips);
	float a[ELEMENTS], table[TABLE];
	const void *inputs[PMPP_MAX_OPERANDS] = {a, table};

	make_inputs(family, a, table);
	variant->reference(variant, &problem, inputs,
		(struct region){.rows = ELEMENTS, .columns = 1}, ret_expected);
}

static double gamma_of_store(const struct family *family, int64_t trips)
{
	struct problem problem = problem_of(family, trips);

	return bound_of_chain(CHAIN_ANY, problem_chain(&problem), F32_UNIT_ROUNDOFF);
}

static void fewer_trips(const void *context)
{
	const struct variant *variant = context;
	/* The errors of native functions hide one trip of several hundred. */
	bool native = strstr(variant->name, "-native");
	int64_t max = native ? 64 : MAX_TRIPS;
	double gamma = gamma_of_store(variant_family(variant), max);
	struct expected right[ELEMENTS], wrong[ELEMENTS];

	for (int64_t trips = 1; trips <= max; trips = trips < 64 ? trips + 1 : trips * 2) {
		answer(variant, trips, right);
		for (int64_t done = 1; done < trips; done++) {
			double largest = 0;

			answer(variant, done, wrong);
			for (int i = 0; i < ELEMENTS; i++)
				largest = fmax(largest,
					bound_ratio(DTYPE_F32, wrong[i].value, &right[i], gamma));
			if (!(largest > 1))
				test_fail("%lld of %lld trips pass: %g of the bound",
					(long long)done, (long long)trips, largest);
		}
	}
}

TEST(too_many_trips, "too many trips")
{
	const struct family *family = family_find("instructions");
	struct problem max = problem_of(family, MAX_TRIPS);
	struct problem more = problem_of(family, MAX_TRIPS + 1);

	CHECK(NIL(family->invalid(&max)), HAS(family->invalid(&more), "use 1 to 2048"));
}

/* ---- Shorter forms --------------------------------------------------------------------------- */

/* Forms of a row, some with the factor of its trips. */
static double short_fma(double x, int64_t trips, double factor)
{
	(void)factor;
	double angle = acos(0.25), t = (double)trips;

	return (x * sin((t + 1) * angle) - sin(t * angle)) / sin(angle);
}

static double short_add(double x, int64_t trips, double term)
{
	return x + term * (double)trips;
}

static double short_mul(double x, int64_t trips, double factor)
{
	return x * pow(factor, (double)trips);
}

static double merged_mul(double x, int64_t trips, double factor)
{
	float product = (float)x;

	for (int64_t trip = 0; trip < trips; trip++)
		product *= (float)factor;
	return product;
}

static double merged_divide(double x, int64_t trips, double divisor)
{
	float quotient = (float)x;

	for (int64_t trip = 0; trip < trips; trip++)
		quotient /= (float)divisor;
	return quotient;
}

static const struct short_row {
	const char *variant, *form;
	double (*answer)(double x, int64_t trips, double factor);
	double factor;
	enum arithmetic_rules rules;
} short_rows[] = {
	{"fma", "in closed form", short_fma, 0, ARITHMETIC_OPENCL},
	{"add", "in closed form", short_add, 2, ARITHMETIC_OPENCL},
	{"mul", "in closed form", short_mul, 63 / 64.0, ARITHMETIC_CUDA},
	{"mul", "one product in a trip", merged_mul, 63 / 64.0, ARITHMETIC_OPENCL},
	{"reciprocal-mul", "in closed form", short_mul, 64 / 63.0, ARITHMETIC_CUDA},
	{"divide", "in closed form", short_mul, 64 / 63.0, ARITHMETIC_CUDA},
	{"divide", "one division in a trip", merged_divide, 63 / 64.0, ARITHMETIC_CUDA},
};

/* Each form has other bits in some element. */
TEST_ROWS(short_form, short_rows, "%s: %s", row->variant, row->form)
{
	static const int64_t trips[] = {17, 64, 256, MAX_TRIPS};
	const struct family *family = family_find("instructions");
	const struct variant *variant = variant_find(family, row->variant);
	const struct problem filled = problem_of(family, 1);
	float a[ELEMENTS], table[TABLE];
	const void *inputs[PMPP_MAX_OPERANDS] = {a, table};

	family->fill(&filled, 0, 0, ELEMENTS, a);
	family->fill(&filled, 1, 0, TABLE, table);
	for (size_t t = 0; t < sizeof trips / sizeof *trips; t++) {
		struct problem problem = problem_of(family, trips[t]);
		struct expected expected[ELEMENTS];
		double largest = 0;

		problem.arithmetic.rules = row->rules;
		variant->reference(variant, &problem, inputs,
			(struct region){.rows = ELEMENTS, .columns = 1}, expected);
		for (int i = 0; i < ELEMENTS; i++)
			largest = fmax(
				largest, bound_ratio(DTYPE_F32,
						 (float)row->answer(a[i], trips[t], row->factor),
						 &expected[i], gamma_of_store(family, trips[t])));
		if (!(largest > 1))
			test_fail("%lld trips: %g of the bound", (long long)trips[t], largest);
	}
}

/* ---- Errors that the standards allow --------------------------------------------------------- */

/* A result with `share` of the allowed error, upwards or downwards. If divisions are rounded
 * correctly, only one result is allowed. */
static float off_by(double share, const struct problem *problem, enum arithmetic_function function,
	double argument, double value)
{
	bool divides = function == ARITHMETIC_DIVIDE;

	if (divides && fabs(share) <= 1 &&
		arithmetic_relative_error(&problem->arithmetic, function, argument) ==
			F32_UNIT_ROUNDOFF)
		return (float)value;
	double allowed = arithmetic_error(&problem->arithmetic, function, argument, value);
	double rounding = ldexp(1, ilogb(value) - 24);

	return (float)(value + share * allowed - copysign(rounding, share));
}

struct function_row;
typedef float trip_fn(const struct function_row *row, const struct problem *problem, double share,
	float x, float c);

/* A row of the family, and how one trip computes its x. */
struct function_row {
	const char *variant;
	trip_fn *trip;
	bool is_sum; /* the answer is the sum of x over the trips, else the last x */
	/* trip_half(): half of of(sign x) */
	enum arithmetic_function function;
	double (*of)(double x);
	double sign;
};

static float trip_half(const struct function_row *row, const struct problem *problem, double share,
	float x, float c)
{
	double argument = row->sign * x;

	return fmaf(0.5f, off_by(share, problem, row->function, argument, row->of(argument)), c);
}

static float trip_sqrt(__attribute__((unused)) const struct function_row *row,
	const struct problem *problem, double share, float x, float c)
{
	float argument = fmaf(0.5f, x, c);

	return off_by(share, problem, ARITHMETIC_SQRT, argument, sqrt(argument));
}

static float trip_exp_product(__attribute__((unused)) const struct function_row *row,
	const struct problem *problem, double share, float x, float c)
{
	float product = 1;

	for (double part = 1; part >= 0.25; part /= 2)
		product *= off_by(share, problem, ARITHMETIC_EXP, -part * x, exp(-part * x));
	return fmaf(0.5f, product, c);
}

static float trip_exp_sum(__attribute__((unused)) const struct function_row *row,
	const struct problem *problem, double share, float x, float c)
{
	float argument = fmaf(-0.25f, x, fmaf(-0.5f, x, -x));

	return fmaf(0.5f, off_by(share, problem, ARITHMETIC_EXP, argument, exp(argument)), c);
}

/* x / factor / second, the factors 9/8 and 7/8. */
static float trip_divide(__attribute__((unused)) const struct function_row *row,
	const struct problem *problem, double share, float x, float c)
{
	float first = off_by(share, problem, ARITHMETIC_DIVIDE, 1.125, x / 1.125);

	(void)c;
	return off_by(share, problem, ARITHMETIC_DIVIDE, 0.875, first / 0.875);
}

static float trip_reciprocal(__attribute__((unused)) const struct function_row *row,
	const struct problem *problem, double share, float x, float c)
{
	(void)c;
	return x * off_by(share, problem, ARITHMETIC_DIVIDE, 1.125, 1 / 1.125) *
	       off_by(share, problem, ARITHMETIC_DIVIDE, 0.875, 1 / 0.875);
}

static const struct function_row function_rows[] = {
	{"sqrt", trip_sqrt, true},
	{"sin", trip_half, true, ARITHMETIC_SIN, sin, 1},
	{"sin-native", trip_half, true, ARITHMETIC_NATIVE_SIN, sin, 1},
	{"cos", trip_half, true, ARITHMETIC_COS, cos, 1},
	{"cos-native", trip_half, true, ARITHMETIC_NATIVE_COS, cos, 1},
	{"exp", trip_half, true, ARITHMETIC_EXP, exp, -1},
	{"exp-native", trip_half, true, ARITHMETIC_NATIVE_EXP, exp, -1},
	{"exp-product", trip_exp_product, true},
	{"exp-sum", trip_exp_sum, true},
	{"divide", trip_divide, false},
	{"reciprocal-mul", trip_reciprocal, false},
};

static const char *const rules_names[ARITHMETIC_RULES_COUNT] = {
	[ARITHMETIC_OPENCL] = "opencl",
	[ARITHMETIC_OPENCL_RELAXED] = "opencl, relaxed",
	[ARITHMETIC_OPENCL_EMBEDDED] = "embedded",
	[ARITHMETIC_OPENCL_EMBEDDED_RELAXED] = "embedded, relaxed",
	[ARITHMETIC_CUDA] = "cuda",
	[ARITHMETIC_CUDA_FAST] = "cuda, fast",
};

struct allowance_row {
	const struct function_row *function;
	enum arithmetic_rules rules;
};

/* The largest error of all elements, as a fraction of its bound. */
static double largest_ratio(const struct allowance_row *row, int64_t trips, double share)
{
	const struct family *family = family_find("instructions");
	const struct variant *variant = variant_find(family, row->function->variant);
	struct problem problem = problem_of(family, trips);
	struct expected expected[ELEMENTS];
	float a[ELEMENTS], table[TABLE];
	const void *inputs[PMPP_MAX_OPERANDS] = {a, table};
	double largest = 0;

	problem.arithmetic.rules = row->rules;
	make_inputs(family, a, table);
	variant->reference(variant, &problem, inputs,
		(struct region){.rows = ELEMENTS, .columns = 1}, expected);
	for (int i = 0; i < ELEMENTS; i++) {
		float x = a[i], sum = 0;

		for (int64_t trip = 0; trip < trips; trip++) {
			x = row->function->trip(row->function, &problem, share, x, a[i]);
			sum += x;
		}
		largest = fmax(largest, bound_ratio(DTYPE_F32, row->function->is_sum ? sum : x,
						&expected[i], gamma_of_store(family, trips)));
	}
	return largest;
}

static void allowed_errors(const void *context)
{
	static const int64_t trips[] = {1, 2, 3, 17, 64, 300, 2048};
	const struct allowance_row *row = context;

	for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			double allowed = largest_ratio(row, trips[i], sign);
			double too_much = largest_ratio(row, trips[i], sign * TOO_MUCH);

			if (!(allowed <= 1))
				test_fail("%lld trips, all errors allowed: %g of the bound",
					(long long)trips[i], allowed);
			if (trips[i] == 1 && !(too_much > 1))
				test_fail("%d times the allowed errors: %g of the bound", TOO_MUCH,
					too_much);
		}
}

int main(int argc, char **argv)
{
	const struct family *family = family_find("instructions");

	for (size_t v = 0; v < family->variant_count; v++)
		test_add(fewer_trips, &family->variants[v], "%s: fewer trips",
			family->variants[v].name);
	for (size_t f = 0; f < sizeof function_rows / sizeof *function_rows; f++)
		for (int r = 0; r < ARITHMETIC_RULES_COUNT; r++) {
			const struct allowance_row row = {
				&function_rows[f], (enum arithmetic_rules)r};
			test_add_copy(allowed_errors, &row, sizeof row, "%s: %s",
				function_rows[f].variant, rules_names[r]);
		}
	return test_run(argc, argv);
}
