/* The verifier on the fake backend: its counts, and its bounds. */
#include "common/data.h"
#include "host/suite/suite.h"
#include "host/suite/verify.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"
#include "tests/support/variants.h"

/* ---- A device with the largest allowed errors ------------------------------------------------ */

/* Errors as fractions of the allowed errors; set by each test. */
static struct {
	struct arithmetic arithmetic;
	double share;
} limit;

static float flushed(double value)
{
	bool lost = limit.arithmetic.flushes_f32 && fabs(value) < 0x1p-126;

	return lost ? 0 : (float)value;
}

/* The result of a function, too large or too small by a share of the allowed error. */
static float worst(enum arithmetic_function function, double argument, double value, int sign)
{
	double error = arithmetic_relative_error(&limit.arithmetic, function, argument);

	return flushed(value * (1 + sign * limit.share * error));
}

/* exp is too large in the numerator, too small in the sum, and the quotient too large. */
static void softmax(const struct fake_launch *launch, bool naive)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	float *b = fake_arg_buffer(launch, 1);
	int columns = args[2].as.i;

	for (uint64_t r = 0; r < launch->launch->groups[0]; r++, a += columns, b += columns) {
		float largest = a[0], sum = 0;

		for (int c = 1; c < columns; c++)
			largest = fmaxf(largest, a[c]);
		for (int c = 0; c < columns; c++) {
			float x = naive ? a[c] : a[c] - largest;
			sum += worst(ARITHMETIC_EXP, (double)x, exp((double)x), -1);
		}
		float scale = worst(ARITHMETIC_DIVIDE, (double)sum, 1 / (double)sum, 1);
		for (int c = 0; c < columns; c++) {
			float x = naive ? a[c] : a[c] - largest;
			float value = worst(ARITHMETIC_EXP, (double)x, exp((double)x), 1);
			b[c] = flushed((double)(value * scale));
		}
	}
}

static void softmax_safe(const struct fake_launch *launch)
{
	softmax(launch, false);
}

static void softmax_naive(const struct fake_launch *launch)
{
	softmax(launch, true);
}

/* Sums of subnormal numbers: each of them, and each sum, becomes 0. */
static void vecadd_fine(const struct fake_launch *launch)
{
	const float *a = fake_arg_buffer(launch, 0);
	const float *b = fake_arg_buffer(launch, 1);
	float *c = fake_arg_buffer(launch, 2);

	for (uint64_t i = 0; i < launch->launch->args[3].as.ul; i++)
		c[i] = flushed((double)flushed((double)a[i]) + (double)flushed((double)b[i]));
}

static void traverse_row_walk(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	float *s = fake_arg_buffer(launch, 1);
	int columns = args[3].as.i;

	for (int r = 0; r < args[2].as.i; r++, a += columns) {
		float sum = 0;

		for (int c = 0; c < columns; c++)
			sum = flushed((double)sum + (double)flushed((double)a[c]));
		s[r] = sum;
	}
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Changes of the kernel to the right answer; set by each test. */
static struct {
	float added;   /* added to each element */
	float instead; /* replaces each element; 0: no change */
} defect;

static float spoiled(float value)
{
	return defect.instead != 0 ? defect.instead : value + defect.added;
}

static void matmul_naive(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	const float *b = fake_arg_buffer(launch, 1);
	float *c = fake_arg_buffer(launch, 2);
	int m = args[3].as.i, n = args[4].as.i, k = args[5].as.i;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int kk = 0; kk < k; kk++)
				sum = flushed((double)fmaf(flushed((double)a[(int64_t)i * k + kk]),
					flushed((double)b[(int64_t)kk * n + j]), sum));
			c[i * n + j] = spoiled(sum);
		}
}

static void setup(void)
{
	static const struct fake_kernel_row rows[] = {{"matmul_naive", matmul_naive, 0},
		{"vecadd_fine", vecadd_fine, 0}, {"traverse_row_walk", traverse_row_walk, 0},
		{"softmax_safe", softmax_safe, 0}, {"softmax_naive", softmax_naive, 0}};

	fake_suite_setup();
	fake_control.kernels = rows;
	fake_control.kernel_count = sizeof rows / sizeof *rows;
	fake_control.info.limits.global_bytes = 1ull << 30;
	fake_control.info.limits.max_buffer_bytes = 1ull << 29;
	memset(&defect, 0, sizeof defect);
	memset(&limit, 0, sizeof limit);
}

/* The fake's arithmetic for every --math, and the share of the allowed errors that kernels make. */
static void set_limit(const struct arithmetic *arithmetic, double share)
{
	limit.arithmetic = *arithmetic;
	limit.share = share;
	for (int math = 0; math < GPU_MATH_COUNT; math++)
		fake_control.info.arithmetic[math] = *arithmetic;
}

/* user: the inputs for INPUT_USER, or NULL. The caller finishes the outcome. */
static struct outcome verify_problem(
	const struct problem *problem, const char *variant, const void *const *user)
{
	struct config config = config_default(variant_find(problem->family, variant));
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct outcome outcome;

	for (size_t i = 0; user && user[i]; i++)
		options.user_inputs[i] = user[i];
	struct suite *suite = runs_open(&options);
	memset(&outcome, 0, sizeof outcome);
	test_ok(suite_run(suite, &config, problem, SUITE_VERIFY, &outcome, &test_error));
	suite_close(&suite);
	test_note("%s %.3g: %s", outcome_status_name((enum outcome_status)outcome.row.status),
		outcome.row.verify.max_ratio, text_or_empty(outcome.row.reason));
	return outcome;
}

static struct outcome verify(
	const char *family, const char *variant, int64_t a, int64_t b, int64_t c)
{
	struct problem problem = problem_default(family_find(family));

	problem.dim[0] = a;
	problem.dim[1] = b;
	problem.dim[2] = c;
	return verify_problem(&problem, variant, NULL);
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* A product with large k is checked on random data and on integers. Both passes find the same
 * element. */
TEST(counted_once, "a wrong element counts once in several passes")
{
	setup();
	defect.instead = NAN;
	RUNS_OUTCOME outcome = verify("matmul", "naive", 1, 1, 100000);
	CHECK(EQUAL(outcome.row.status, OUTCOME_FAILED), EQUAL(outcome.row.verify.mismatches, 1),
		EQUAL(outcome.row.verify.nan, 1), HAS(outcome.row.reason, "1 wrong (1 unwritten"));
	outcome_finish(&outcome);
	defect.instead = -3e38f;
	outcome = verify("matmul", "naive", 2, 3, 100000);
	CHECK(EQUAL(outcome.row.status, OUTCOME_FAILED), EQUAL(outcome.row.verify.mismatches, 6),
		EQUAL(outcome.row.verify.nan, 0));
	IS(isinf(outcome.row.verify.max_ratio)); /* of the integers, a later pass */
}

/* ---- Bounds -------------------------------------------------------------------------------- */

/* h u = 1: an answer with an error of 1, a far wrong answer, and the right answer. */
TEST(long_product, "a product of 2^24 terms")
{
	static const struct {
		float added, instead;
		enum outcome_status status;
	} rows[] = {{0, 0, OUTCOME_OK}, {1, 0, OUTCOME_FAILED}, {0, -3e38f, OUTCOME_FAILED}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		setup();
		defect.added = rows[i].added;
		defect.instead = rows[i].instead;
		RUNS_OUTCOME outcome = verify("matmul", "naive", 1, 1, 1 << 24);
		EQUAL(outcome.row.status, rows[i].status);
		STRING(outcome.row.verify.coverage, "all elements; all on integers");
		IS(rows[i].instead == 0 || outcome.row.verify.max_ratio > 1e30);
	}
}

/* A quotient of sums has no finite bound beyond h u = 1, and softmax is exact for no integers. */
TEST(without_a_bound, "a row without a finite bound is unverified")
{
	setup();
	RUNS_OUTCOME outcome = verify("softmax", "online", 1, 1 << 29, 0);
	CHECK(EQUAL(outcome.row.status, OUTCOME_UNVERIFIED),
		HAS(outcome.row.reason, "cannot be verified at this size"),
		NOT(outcome.row.verify.record.present), NOT(outcome.row.timing.record.present),
		EQUAL(fake_slot_count(FAKE_SLOT_launch), 0));
}

/* Every row at its default and largest size: a finite bound or the check on integers rejects wrong
 * answers, or the row is unverified. */
TEST(every_row_is_judged, "every row can be checked, or is unverified")
{
	EACH_VARIANT (variant) {
		const struct family *family = variant_family(variant);
		struct config config = config_default(variant);
		struct problem problem = problem_default(family);

		for (size_t d = 0; d < family->dim_count; d++)
			problem.dim[d] = family->dim_max;
		bool finite = isfinite(config_bound(&config, &problem));
		bool possible = verify_is_possible(&config, &problem);
		if (!finite && possible)
			test_fail("%s/%s: an infinite bound at its largest size", family->name,
				variant->name);
		problem_default_size(&problem, DEVICE_CLASS_GPU);
		IS(config_bound(&config, &problem) < BLIND_BOUND);
		IS(verify_is_possible(&config, &problem));
	}
}

/* ---- What the standards allow --------------------------------------------------------------- */

static const struct arithmetic opencl = {.rules = ARITHMETIC_OPENCL};
static const struct arithmetic relaxed = {.rules = ARITHMETIC_OPENCL_RELAXED, .flushes_f32 = true};
static const struct arithmetic embedded = {
	.rules = ARITHMETIC_OPENCL_EMBEDDED, .flushes_f32 = true};
static const struct arithmetic cuda = {.rules = ARITHMETIC_CUDA, .exact_divide = true};
static const struct arithmetic cuda_fast = {.rules = ARITHMETIC_CUDA_FAST, .flushes_f32 = true};

/* A device with the largest allowed errors passes; with twice these errors it fails. With one
 * column only exp(0) / exp(0) is rounded. */
static const struct softmax_row {
	const char *name, *variant;
	const struct arithmetic *arithmetic;
	int64_t rows, columns;
} softmax_rows[] = {
	{"opencl, one column", "safe", &opencl, 37, 1},
	{"opencl", "safe", &opencl, 37, 41},
	{"opencl, naive", "naive", &opencl, 37, 41},
	{"relaxed", "safe", &relaxed, 37, 41},
	{"relaxed, naive", "naive", &relaxed, 37, 41},
	{"relaxed, one column, naive", "naive", &relaxed, 37, 1},
	{"embedded, one column", "safe", &embedded, 37, 1},
	{"embedded", "safe", &embedded, 37, 41},
	{"cuda, one column", "safe", &cuda, 37, 1},
	{"cuda fast", "safe", &cuda_fast, 37, 41},
	{"cuda fast, naive", "naive", &cuda_fast, 37, 41},
};

TEST_ROWS(softmax_allowed, softmax_rows, "softmax: %s", row->name)
{
	struct problem problem = problem_default(family_find("softmax"));

	problem.data = 1; /* small values, as `naive` requires */
	problem.dim[0] = row->rows;
	problem.dim[1] = row->columns;
	for (int beyond = 0; beyond < 2; beyond++) {
		setup();
		set_limit(row->arithmetic, beyond ? 2 : 1);
		RUNS_OUTCOME outcome = verify_problem(&problem, row->variant, NULL);
		EQUAL(outcome.row.status, beyond ? OUTCOME_FAILED : OUTCOME_OK);
	}
}

/* Inputs around the least normal number, on a device that flushes: the answer is right if flushing
 * is allowed, else wrong. */
static const struct flush_row {
	const char *family, *variant;
	int64_t dim[PMPP_MAX_DIMS];
	float scale_a, scale_b;
} flush_rows[] = {
	{"vecadd", "fine", {1000}, 0x1p-126f, 0x1p-126f},
	{"traverse", "row-walk", {30, 100}, 0x1p-126f, 1},
	{"matmul", "naive", {9, 8, 100}, 0x1p-63f, 0x1p-64f},
	{"matmul", "naive", {9, 8, 100}, 0x1p-126f, 1000},
};

TEST_ROWS(flush_allowed, flush_rows, "flushed: %s %g %g", row->family, (double)row->scale_a,
	(double)row->scale_b)
{
	static float a[4096], b[4096];
	struct problem problem = problem_default(family_find(row->family));
	const void *user[] = {a, problem.family->operand_count > 2 ? b : NULL, NULL};

	data_fill_random(DTYPE_F32, a, 0, 4096, 5, 0);
	data_fill_random(DTYPE_F32, b, 0, 4096, 5, 1);
	for (int i = 0; i < 4096; i++) {
		a[i] *= row->scale_a;
		b[i] *= row->scale_b;
	}
	memcpy(problem.dim, row->dim, sizeof problem.dim);
	problem.source = INPUT_USER;
	for (int allowed = 0; allowed < 2; allowed++) {
		setup();
		set_limit(&relaxed, 1);
		for (int math = 0; math < GPU_MATH_COUNT && !allowed; math++)
			fake_control.info.arithmetic[math] = opencl;
		RUNS_OUTCOME outcome = verify_problem(&problem, row->variant, user);
		EQUAL(outcome.row.status, allowed ? OUTCOME_OK : OUTCOME_FAILED);
	}
}

/* A device that keeps subnormal numbers still rounds each of the k multiply-adds by up to half of
 * the least. */
TEST(subnormal_products, "products that are subnormal")
{
	static float a[100], b[100];
	struct problem problem = problem_default(family_find("matmul"));
	const void *user[] = {a, b, NULL};

	for (int i = 0; i < 100; i++) {
		a[i] = 0x1.8p-75f;
		b[i] = 0x1.8p-76f; /* a product is rounded up by 7/16 of the least */
	}
	memcpy(problem.dim, (int64_t[PMPP_MAX_DIMS]){1, 1, 100}, sizeof problem.dim);
	problem.source = INPUT_USER;
	setup();
	set_limit(&opencl, 1);
	RUNS_OUTCOME outcome = verify_problem(&problem, "naive", user);
	EQUAL(outcome.row.status, OUTCOME_OK);
}
