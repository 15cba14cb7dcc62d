/* Errors that the standards allow: every figure of the tables, and underflow. */
#include "common/arithmetic.h"
#include "common/family.h"
#include "tests/support/test.h"

#define ULP_OF_ONE 0x1p-23
#define FLUSH 0x1p-126

static const struct error_row {
	const char *name;
	struct arithmetic arithmetic;
	enum arithmetic_function function;
	double argument, value, error;
} error_rows[] = {
	/* OpenCL C 3.0, 7.4, full profile */
	{"opencl: division", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_DIVIDE, 3, 1,
		2.5 * ULP_OF_ONE},
	{"opencl: exact division", {.rules = ARITHMETIC_OPENCL, .exact_divide = true},
		ARITHMETIC_DIVIDE, 3, 1, 0.5 * ULP_OF_ONE},
	{"opencl: sqrt", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_SQRT, 4, 2, 6 * ULP_OF_ONE},
	{"opencl: exact sqrt", {.rules = ARITHMETIC_OPENCL, .exact_divide = true}, ARITHMETIC_SQRT,
		4, 2, ULP_OF_ONE},
	{"opencl: exp", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_EXP, 0, 1, 3 * ULP_OF_ONE},
	{"opencl: exp of -20", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_EXP, -20, 0x1p-29,
		3 * 0x1p-52},
	{"opencl: sin", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_SIN, 1, -0.5, 2 * ULP_OF_ONE},
	{"opencl: an exact division does not change exp",
		{.rules = ARITHMETIC_OPENCL, .exact_divide = true}, ARITHMETIC_EXP, 0, 1,
		3 * ULP_OF_ONE},
	/* The same, with -cl-unsafe-math-optimizations */
	{"relaxed: division", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_DIVIDE, 3, 1,
		2.5 * ULP_OF_ONE},
	{"relaxed: exp", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_EXP, 0, 1,
		3 * ULP_OF_ONE},
	{"relaxed: exp of -20", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_EXP, -20, 0x1p-29,
		43 * 0x1p-52},
	{"relaxed: sin", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_SIN, 0, 0, 0x1p-11},
	{"relaxed: cos", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_COS, 0, 1, 0x1p-11},
	/* Embedded profile */
	{"embedded: division", {.rules = ARITHMETIC_OPENCL_EMBEDDED}, ARITHMETIC_DIVIDE, 3, 1,
		3 * ULP_OF_ONE},
	{"embedded: sqrt", {.rules = ARITHMETIC_OPENCL_EMBEDDED}, ARITHMETIC_SQRT, 1, 1,
		4 * ULP_OF_ONE},
	{"embedded: exp", {.rules = ARITHMETIC_OPENCL_EMBEDDED}, ARITHMETIC_EXP, 0, 1,
		4 * ULP_OF_ONE},
	{"embedded, relaxed: exp", {.rules = ARITHMETIC_OPENCL_EMBEDDED_RELAXED}, ARITHMETIC_EXP,
		-20, 0x1p-29, 4 * 0x1p-52},
	/* CUDA: half an ulp more than in the guide */
	{"cuda: exp", {.rules = ARITHMETIC_CUDA}, ARITHMETIC_EXP, 0, 1, 2.5 * ULP_OF_ONE},
	{"cuda: exp2", {.rules = ARITHMETIC_CUDA}, ARITHMETIC_EXP2, 0, 1, 2.5 * ULP_OF_ONE},
	{"opencl: exp2", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_EXP2, -20, 1, 3 * ULP_OF_ONE},
	{"relaxed: exp2", {.rules = ARITHMETIC_OPENCL_RELAXED}, ARITHMETIC_EXP2, -20, 1,
		(3 + 40) * ULP_OF_ONE},
	{"cuda: division", {.rules = ARITHMETIC_CUDA}, ARITHMETIC_DIVIDE, 3, 1, 0.5 * ULP_OF_ONE},
	{"fast: division", {.rules = ARITHMETIC_CUDA_FAST}, ARITHMETIC_DIVIDE, 3, 1,
		2.5 * ULP_OF_ONE},
	{"fast: exp of -10", {.rules = ARITHMETIC_CUDA_FAST}, ARITHMETIC_EXP, -10, 1,
		(2.5 + 11.73) * ULP_OF_ONE},
	{"fast: sin", {.rules = ARITHMETIC_CUDA_FAST}, ARITHMETIC_SIN, 3, 0.5, 0x1p-21},
	/* Native functions */
	{"opencl: native exp", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_NATIVE_EXP, 0, 1, 0x1p-10},
	{"opencl: native cos", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_NATIVE_COS, 1.5, 0,
		0x1p-10},
	{"cuda: __cosf", {.rules = ARITHMETIC_CUDA}, ARITHMETIC_NATIVE_COS, 1.5, 0, 0x1p-21},
	/* Results near underflow */
	{"a subnormal result", {.rules = ARITHMETIC_OPENCL}, ARITHMETIC_EXP, -100, 0x1p-145,
		3.5 * 0x1p-149},
	{"a flushed result", {.rules = ARITHMETIC_OPENCL, .flushes_f32 = true}, ARITHMETIC_EXP,
		-100, 0x1p-145, FLUSH},
};

TEST_ROWS(function_error, error_rows, "%s", row->name)
{
	double error = arithmetic_error(&row->arithmetic, row->function, row->argument, row->value);

	test_near(error, row->error, 1e-4 * row->error);
	/* Every figure of the table is set. */
	for (int rules = 0; rules < ARITHMETIC_RULES_COUNT; rules++)
		for (int f = 0; f < ARITHMETIC_FUNCTION_COUNT; f++) {
			struct arithmetic arithmetic = {.rules = (enum arithmetic_rules)rules};

			IS(arithmetic_error(&arithmetic, (enum arithmetic_function)f, 0, 1) >=
				0.5 * ULP_OF_ONE);
		}
}

TEST(underflow, "underflow, of results and of operands")
{
	struct arithmetic keeps = {0};
	struct arithmetic flushes = {.flushes_f32 = true, .flushes_f16 = true};
	struct arithmetic only_f32 = {.flushes_f32 = true};

	test_near(arithmetic_underflow(&keeps, DTYPE_F32, 10), 10 * 0x1p-150, 0);
	test_near(arithmetic_underflow(&keeps, DTYPE_F16, 10), 10 * 0x1p-25, 0);
	test_near(arithmetic_underflow(&flushes, DTYPE_F32, 10), 10 * FLUSH, 0);
	test_near(arithmetic_underflow(&flushes, DTYPE_F16, 10), 10 * 0x1p-14, 0);
	test_near(arithmetic_underflow(&only_f32, DTYPE_F16, 2), 0x1p-24, 0);
	/* Underflow of an addition is exact, unless operands or results become 0. */
	test_near(arithmetic_sum_underflow(&keeps, 10), 0, 0);
	test_near(arithmetic_sum_underflow(&flushes, 10), 20 * FLUSH, 0);
	test_near(arithmetic_flushed_below(&keeps, DTYPE_F32), 0, 0);
	test_near(arithmetic_flushed_below(&flushes, DTYPE_F32), FLUSH, 0);
	test_near(arithmetic_flushed_below(&flushes, DTYPE_F16), 0x1p-14, 0);
	test_near(arithmetic_flushed_below(&only_f32, DTYPE_F32), FLUSH, 0);
	test_near(arithmetic_flushed_below(&only_f32, DTYPE_F16), 0, 0);
}

/* Loads and stores of f16 lose subnormal numbers in the embedded profile only. */
TEST(f16_storage, "f16 in memory, in the embedded profile")
{
	static const uint16_t a[] = {0x0001, 0x3c00, 0x0400, 0x3c00}; /* 2^-24, 1, 2^-14, 1 */
	static const uint16_t b[] = {0x0001, 0x0001, 0x8001, 0x3c00}; /* -2^-24 in the third row */
	static const double lost[] = {
		0x1p-24 + 0x1p-24 + 0x1p-23, 0x1p-24, 0x1p-24 + 0x1p-14 - 0x1p-24, 0};
	const void *const inputs[] = {a, b};
	const struct family *family = family_find("vecadd");

	for (int rules = 0; rules < ARITHMETIC_RULES_COUNT; rules++) {
		bool embedded = rules == ARITHMETIC_OPENCL_EMBEDDED ||
				rules == ARITHMETIC_OPENCL_EMBEDDED_RELAXED;
		struct problem problem = {.family = family,
			.dim = {4},
			.dtype = DTYPE_F16,
			.arithmetic = {.rules = (enum arithmetic_rules)rules, .flushes_f16 = true}};
		struct expected expected[4];

		family->reference(&problem, inputs, (struct region){0, 4, 0, 1}, expected);
		for (size_t i = 0; i < 4; i++)
			test_near(expected[i].slack, embedded ? lost[i] : 0, 0);
	}
}

/* A cached reference is valid for one arithmetic only. */
TEST(part_of_the_problem, "the arithmetic is a part of the problem")
{
	struct problem a = problem_default(families[0]);
	struct problem b = a;

	IS(problem_equal(&a, &b));
	b.arithmetic.rules = ARITHMETIC_CUDA;
	NOT(problem_equal(&a, &b));
	b = a;
	b.arithmetic.exact_divide = true;
	NOT(problem_equal(&a, &b));
	b = a;
	b.arithmetic.flushes_f32 = true;
	NOT(problem_equal(&a, &b));
	b = a;
	b.arithmetic.flushes_f16 = true;
	NOT(problem_equal(&a, &b));
}
