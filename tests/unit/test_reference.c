/* The families' arithmetic: reference, exact check, integer limit, chain, work model. */
#include "common/data.h"
#include "common/family.h"
#include "common/model/floor.h"
#include "tests/support/test.h"

enum {
	M,
	N,
	K
};

struct matrices {
	struct problem problem;
	float *a, *b, *c;
	const void *inputs[PMPP_MAX_OPERANDS];
};

static float *floats(int64_t count)
{
	float *values = calloc((size_t)count, sizeof *values);

	SOME(values);
	return values;
}

/* Integer operands and their exact product. */
static void make(struct matrices *matrices, int64_t m, int64_t n, int64_t k)
{
	const struct family *family = family_find("matmul");

	*matrices = (struct matrices){
		{.family = family, .dim = {m, n, k}, .seed = 9, .source = INPUT_INTEGER}};
	int64_t limit = family->integer_limit(&matrices->problem);
	matrices->a = floats(m * k);
	matrices->b = floats(k * n);
	matrices->c = floats(m * n);
	data_fill_integer(DTYPE_F32, matrices->a, 0, m * k, 9, 0, limit);
	data_fill_integer(DTYPE_F32, matrices->b, 0, k * n, 9, 1, limit);
	matrices->inputs[0] = matrices->a;
	matrices->inputs[1] = matrices->b;
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			int64_t sum = 0;
			for (int64_t kk = 0; kk < k; kk++)
				sum += (int64_t)matrices->a[i * k + kk] *
				       (int64_t)matrices->b[kk * n + j];
			IS(llabs(sum) < 1 << 24);
			matrices->c[i * n + j] = (float)sum;
		}
}

static void drop(struct matrices *matrices)
{
	free(matrices->a);
	free(matrices->b);
	free(matrices->c);
}

static bool is_right(const struct matrices *matrices, int64_t *ret_row, int64_t *ret_column)
{
	const struct family *family = matrices->problem.family;

	return family->exact_check(&matrices->problem, matrices->inputs, matrices->c, ret_row,
		       ret_column) == EXACT_EQUAL;
}

static const struct shape {
	int64_t dim[3];
} shapes[] = {{{1, 1, 1}}, {{1, 9, 4}}, {{9, 1, 4}}, {{7, 5, 3}}, {{16, 16, 16}}, {{3, 4, 1}},
	{{2, 3, 300}}};
/* A row for each shape. */
#define TEST_SHAPES(function, name)                                                 \
	TEST_ROWS(function, shapes, name " %lldx%lldx%lld", (long long)row->dim[M], \
		(long long)row->dim[N], (long long)row->dim[K])

/* ---- matmul: reference --------------------------------------------------------------------- */

TEST_SHAPES(reference_is_exact, "matmul reference")
{
	const int64_t *shape = row->dim;
	FINISHED(drop) struct matrices matrices;
	FREED struct expected *got = calloc((size_t)(shape[M] * shape[N]), sizeof *got);

	SOME(got);
	make(&matrices, shape[M], shape[N], shape[K]);
	matrices.problem.family->reference(
		&matrices.problem, matrices.inputs, (struct region){0, shape[M], 0, shape[N]}, got);
	for (int64_t i = 0; i < shape[M]; i++)
		for (int64_t j = 0; j < shape[N]; j++) {
			double magnitude = 0;
			for (int64_t kk = 0; kk < shape[K]; kk++)
				magnitude += fabs((double)matrices.a[i * shape[K] + kk] *
						  (double)matrices.b[kk * shape[N] + j]);
			test_near(got[i * shape[N] + j].value, matrices.c[i * shape[N] + j], 0);
			test_near(got[i * shape[N] + j].terms, magnitude, 0);
			test_near(got[i * shape[N] + j].slack, (double)shape[K] * 0x1p-150, 0);
		}
}

/* The reference of a region has the same bits as the reference of the whole product. */
TEST(regions_agree, "matmul reference by regions")
{
	enum {
		ROWS = 9,
		COLUMNS = 11,
		DEPTH = 40
	};
	const struct family *family = family_find("matmul");
	struct problem problem = {.family = family, .dim = {ROWS, COLUMNS, DEPTH}, .seed = 4};
	FREED float *a = floats(ROWS * DEPTH), *b = floats(DEPTH * COLUMNS);
	const void *inputs[] = {a, b, NULL};
	struct expected whole[ROWS * COLUMNS], part[ROWS * COLUMNS];

	data_fill_random(DTYPE_F32, a, 0, ROWS * DEPTH, 4, 0);
	data_fill_random(DTYPE_F32, b, 0, DEPTH * COLUMNS, 4, 1);
	family->reference(&problem, inputs, (struct region){0, ROWS, 0, COLUMNS}, whole);
	for (int64_t row = 0; row < ROWS; row += 2)
		for (int64_t column = 0; column < COLUMNS; column += 3) {
			struct region region = {row, ROWS - row, column, COLUMNS - column};
			family->reference(&problem, inputs, region, part);
			for (int64_t i = 0; i < region.rows * region.columns; i++) {
				int64_t at = (row + i / region.columns) * COLUMNS + column +
					     i % region.columns;
				test_near(part[i].value, whole[at].value, 0);
				test_near(part[i].terms, whole[at].terms, 0);
			}
		}
}

/* ---- matmul: exact check ------------------------------------------------------------------- */

TEST_SHAPES(exact_accepts, "exact check accepts")
{
	const int64_t *shape = row->dim;
	FINISHED(drop) struct matrices matrices;
	int64_t found_row, column;

	make(&matrices, shape[M], shape[N], shape[K]);
	IS(is_right(&matrices, &found_row, &column));
	for (int64_t i = 0; i < shape[M] * shape[N]; i++)
		if (matrices.c[i] == 0)
			matrices.c[i] = -0.0f; /* the same number */
	IS(is_right(&matrices, &found_row, &column));
}

/* A single wrong element is found at every place and with every wrong value. */
TEST_SHAPES(exact_rejects, "exact check rejects")
{
	static const float replacements[] = {NAN, INFINITY, -INFINITY, 0.5f, 16777216.0f};
	const int64_t *shape = row->dim;
	FINISHED(drop) struct matrices matrices;
	int64_t found_row = -1, column = -1;

	make(&matrices, shape[M], shape[N], shape[K]);
	for (int64_t i = 0; i < shape[M] * shape[N]; i++) {
		float right = matrices.c[i];
		float wrong[7];

		memcpy(wrong, replacements, sizeof replacements);
		wrong[5] = right + 1;
		wrong[6] = -right - 1;
		for (size_t w = 0; w < 7; w++) {
			matrices.c[i] = wrong[w];
			if (is_right(&matrices, &found_row, &column))
				test_fail("element %lld = %g passes for %g", (long long)i,
					(double)wrong[w], (double)right);
			CHECK(EQUAL(found_row, i / shape[N]), IS(column >= 0 && column < shape[N]));
		}
		matrices.c[i] = right;
	}
}

TEST(exact_rejects_exchange, "exact check rejects exchanges and zeros")
{
	FINISHED(drop) struct matrices matrices;
	int64_t row, column;
	float first;

	make(&matrices, 20, 20, 20);
	/* Two equal and opposite errors in one row: a plain row sum would not see them. */
	for (int64_t j = 1; j < 20; j++) {
		matrices.c[0] += 1;
		matrices.c[j] -= 1;
		NOT(is_right(&matrices, &row, &column));
		matrices.c[0] -= 1;
		matrices.c[j] += 1;
	}
	for (int64_t i = 0; i < 20; i++)
		for (int64_t j = 0; j < i; j++) {
			first = matrices.c[i * 20 + j];
			matrices.c[i * 20 + j] = matrices.c[j * 20 + i];
			matrices.c[j * 20 + i] = first;
		}
	NOT(is_right(&matrices, &row, &column));
	memset(matrices.c, 0, 400 * sizeof *matrices.c);
	NOT(is_right(&matrices, &row, &column));
}

TEST(integers_stay_exact, "integer limit and chain")
{
	static const int64_t depths[] = {1, 2, 3, 17, 1000, 4096, 65536, 262143};
	const struct family *family = family_find("matmul");

	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		struct problem problem = {.family = family, .dim = {1, 1, depths[i]}};
		int64_t limit = family->integer_limit(&problem);
		CHECK(IS(limit >= 8), IS(depths[i] * limit * limit < 1 << 24),
			IS(depths[i] * (limit + 1) * (limit + 1) >= 1 << 24),
			EQUAL(problem_chain(&problem), depths[i]));
	}
}

/* Longer sums are exact because the signs of the data are random. There is integer data for every
 * size, and its sums, in the order of the kernels, are far below 2^24. */
TEST(long_sums_stay_exact, "integers of long sums")
{
	static const struct {
		const char *family;
		int64_t dim[PMPP_MAX_DIMS];
	} rows[] = {{"matmul", {1, 1, 1 << 24}}, {"traverse", {1, 1 << 24}},
		{"camping", {1, 1 << 24}}, {"reduce", {1 << 24}}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct family *family = family_find(rows[i].family);
		struct problem problem = problem_default(family);
		struct problem largest = problem;
		bool product = strcmp(family->name, "matmul") == 0;
		int64_t terms = 1 << 24, sum = 0, highest = 0;
		FREED float *a = floats((size_t)terms), *b = floats((size_t)terms);

		memcpy(problem.dim, rows[i].dim, sizeof problem.dim);
		for (size_t d = 0; d < family->dim_count; d++)
			largest.dim[d] = family->dim_max;
		IS(family->integer_limit(&largest) >= 1);
		int64_t limit = family->integer_limit(&problem);
		EQUAL(limit, 8);
		data_fill_integer(DTYPE_F32, a, 0, terms, 1, 0, limit);
		data_fill_integer(DTYPE_F32, b, 0, terms, 1, 1, limit);
		for (int64_t j = 0; j < terms; j++) {
			sum += (int64_t)(product ? a[j] * b[j] : a[j]);
			highest = llabs(sum) > highest ? llabs(sum) : highest;
		}
		test_note("%s: at most %lld", family->name, (long long)highest);
		IS(highest > 0 && highest < 1 << 22);
	}
}

/* ---- vecadd -------------------------------------------------------------------------------- */

TEST(vector_sums, "vecadd reference")
{
	const struct family *family = family_find("vecadd");
	struct problem problem = {.family = family, .dim = {1000}, .seed = 2};
	FREED float *a = floats(1000), *b = floats(1000);
	const void *inputs[] = {a, b, NULL};
	struct expected whole[1000], part[10];

	data_fill_random(DTYPE_F32, a, 0, 1000, 2, 0);
	data_fill_random(DTYPE_F32, b, 0, 1000, 2, 1);
	family->reference(&problem, inputs, (struct region){0, 1000, 0, 1}, whole);
	for (size_t i = 0; i < 1000; i++) {
		test_near(whole[i].value, (double)a[i] + (double)b[i], 0);
		IS(whole[i].terms >= fabs(whole[i].value));
	}
	family->reference(&problem, inputs, (struct region){990, 10, 0, 1}, part);
	assert_memory_equal(part, whole + 990, sizeof part);
	CHECK(NEAR(problem_flops(&problem), 1000, 0), NEAR(problem_work(&problem), 1000, 0));
}

/* ---- window: the fast reference is the sum of each window ------------------------------------ */

static const struct window {
	int64_t n, width;
} windows[] = {{1, 1}, {1, 31}, {2, 3}, {50, 1}, {50, 3}, {50, 31}, {50, 49}, {50, 51}, {50, 201}};

TEST_ROWS(window_sums, windows, "window reference, n=%lld width=%lld", (long long)row->n,
	(long long)row->width)
{
	const struct family *family = family_find("window");
	struct problem problem = {.family = family, .dim = {row->n, row->width}};
	FREED float *a = floats(row->n);
	const void *inputs[] = {a, NULL};
	struct expected got[50];
	double additions = 0;

	data_fill_random(DTYPE_F32, a, 0, row->n, 3, 0);
	for (int64_t first = 0; first < row->n; first += 1 + first / 3) {
		struct region region = {first, row->n - first, 0, 1};
		family->reference(&problem, inputs, region, got);
		additions = 0;
		for (int64_t i = first; i < row->n; i++) {
			double value = 0, terms = 0;
			for (int64_t j = i - row->width / 2; j <= i + row->width / 2; j++)
				if (j >= 0 && j < row->n) {
					value += (double)a[j];
					terms += fabs((double)a[j]);
					additions++;
				}
			test_near(got[i - first].value, value, 1e-14 * terms);
			test_near(got[i - first].terms, terms, 1e-14 * terms);
		}
		if (first == 0)
			test_near(problem_flops(&problem), additions, 0);
	}
}

/* Sums are not rounded, bytes wrap. */
TEST(narrow_sums, "vecadd reference of f16 and u8")
{
	const struct family *family = family_find("vecadd");
	struct problem problem = {.family = family, .dim = {3}, .dtype = DTYPE_U8};
	const uint8_t bytes[2][3] = {{200, 255, 7}, {100, 1, 8}};
	uint16_t halves[2][3];
	const double values[2][3] = {{1, 65504, -2}, {0x1p-11, 65504, 0x1p-24}};
	struct expected sums[3];

	family->reference(&problem, (const void *[]){bytes[0], bytes[1], NULL},
		(struct region){0, 3, 0, 1}, sums);
	CHECK(NEAR(sums[0].value, 44, 0), NEAR(sums[1].value, 0, 0), NEAR(sums[2].value, 15, 0),
		EQUAL(family->integer_limit(&problem), 0));
	for (int i = 0; i < 6; i++)
		dtype_store(DTYPE_F16, halves[i / 3], i % 3, values[i / 3][i % 3]);
	problem.dtype = DTYPE_F16;
	family->reference(&problem, (const void *[]){halves[0], halves[1], NULL},
		(struct region){0, 3, 0, 1}, sums);
	for (int i = 0; i < 3; i++)
		test_near(sums[i].value, values[0][i] + values[1][i], 0);
	EQUAL(family->integer_limit(&problem), 1023);
}

/* ---- Work model (PMPP: operations for each byte loaded from global memory) ------------------- */

static const struct intensity_row {
	const char *variant;
	double flops_per_byte;
} intensity_rows[] = {{"naive", 0.25}, {"naive-uncoalesced", 0.25}, {"colmajor-naive", 0.25},
	{"tiled16", 4}, {"tiled32", 8}, {"corner-turned", 4}, {"coarse2", 32.0 / 3},
	{"coarse4", 12.8}, {"coarse8", 128.0 / 9}};

static double bytes_loaded(const char *name, const struct problem *problem)
{
	struct config config = config_default(variant_find(problem->family, name));
	const struct operand *output = &problem->family->operands[2];

	return config_bytes_issued(&config, problem) - (double)operand_bytes(output, problem);
}

static void check_intensity(const char *name, double flops_per_byte)
{
	static const int64_t sides[] = {256, 1024, 4096};

	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		struct problem problem = {
			.family = family_find("matmul"), .dim = {sides[i], sides[i], sides[i]}};
		double flops = problem_flops(&problem);
		test_near(flops, 2 * pow((double)sides[i], 3), 0);
		test_near(flops / bytes_loaded(name, &problem), flops_per_byte,
			1e-12 * flops_per_byte);
	}
}

TEST_ROWS(intensity, intensity_rows, "%s: %.4g FLOP a byte", row->variant, row->flops_per_byte)
{
	check_intensity(row->variant, row->flops_per_byte);
}

/* A block of m x n elements: 2 m n operations for m + n elements, at each step along k. */
TEST(blocked_intensity, "register tiles: m n / 2 (m + n)")
{
	static const struct {
		const char *name;
		double bytes; /* of an element */
	} rows[] = {{"registers", 4}, {"prefetch", 4}, {"f16", 2}, {"f16-tensor", 2},
		{"tf32-tensor", 4}, {"f16-mma", 2}, {"f16-mma96", 2}, {"tf32-mma", 4}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct config config =
			config_default(variant_find(family_find("matmul"), rows[i].name));
		double m = config_value(&config, "TILE_M"), n = config_value(&config, "TILE_N");

		IS(m >= 64 && n >= 64);
		check_intensity(rows[i].name, 2 * m * n / (rows[i].bytes * (m + n)));
	}
}

/* One tile: A, B and C once. A second step along k loads and stores C again. Two tiles along m load B
 * twice. */
TEST(packed_bytes, "cpu-packed: bytes issued")
{
	static const struct {
		int64_t dim[3];
		double bytes;
	} rows[] = {{{512, 512, 384}, 4 * (2 * 512 * 384 + 512 * 512)},
		{{512, 512, 385}, 4 * (2 * 512 * 385 + 3 * 512 * 512)},
		{{2048, 512, 384}, 4 * (2048 * 384 + 2 * 512 * 384 + 2048 * 512)}};
	struct config config = config_default(variant_find(family_find("matmul"), "cpu-packed"));

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem = {.family = family_find("matmul")};

		memcpy(problem.dim, rows[i].dim, sizeof rows[i].dim);
		IS(config_bytes_issued(&config, &problem) == rows[i].bytes);
	}
}

/* Chains in f16 are short: 2^13 roundings of the f32 sums count as one rounding in f16. */
TEST(half_chains, "f16: chains")
{
	static const int64_t rows[][2] = {
		{1, 2}, {15, 16}, {16, 17}, {17, 17}, {131072, 17}, {131073, 18}};
	const struct variant *variant = variant_find(family_find("matmul"), "f16");
	struct config config = config_default(variant);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem = {
			.family = family_find("matmul"), .dim = {1, 1, rows[i][0]}};

		EQUAL(variant->chain(&config, &problem), rows[i][1]);
	}
}

/* The bound of the f16 row's own reference adds the error of underflow, and no other error. */
TEST(half_underflow, "f16: underflow")
{
	const struct variant *variant = variant_find(family_find("matmul"), "f16");
	float a[] = {0x1p-14f, 0x1p-13f}, b[] = {0x1p-14f, 0x1p-12f};
	const void *inputs[] = {a, b, NULL};
	struct problem problem = {.family = family_find("matmul"), .dim = {1, 1, 2}};
	struct expected expected;

	variant->reference(variant, &problem, inputs, (struct region){0, 1, 0, 1}, &expected);
	CHECK(NEAR(expected.value, 0x1p-28 + 0x1p-25, 0),
		NEAR(expected.terms, 0x1p-28 + 0x1p-25, 0), NEAR(expected.slack, 0x1p-24, 0));
}

TEST(coarsening_saves, "coarse2 loads 0.75 of tiled32; edges")
{
	struct problem problem = {.family = family_find("matmul"), .dim = {1024, 512, 256}};
	struct problem edge = {.family = problem.family, .dim = {33, 33, 1}};

	/* 4 x (1024 x 512) / 32 of A, unchanged for B */
	test_near(
		bytes_loaded("coarse2", &problem) / bytes_loaded("tiled32", &problem), 0.75, 1e-12);
	test_near(bytes_loaded("naive", &problem), 8.0 * 1024 * 512 * 256, 0);
	/* Two blocks in each dimension: every element is loaded twice. */
	test_near(bytes_loaded("tiled32", &edge), 4.0 * (33 * 2 + 33 * 2), 0);
	test_near(bytes_loaded("registers", &edge), 4.0 * (33 + 33), 0); /* one block */
}

/* ---- Whole warps: the claim rests on arithmetic ---------------------------------------------- */

/* block100 and block128 of docs/results/nvidia-h200/families-cuda.json. */
#define BLOCKS_A_US 1650.0
#define CLAIM "whole warps"
#define MIN_RATIO 3.0 /* arithmetic over each other floor, so that the others do not count */

static double passes_count_warps(const struct config *config, const struct problem *problem)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	const struct plan_launch *launch = plan_step_launch(&plan.steps[0]);
	return (double)plan_launch_groups(launch) * ceil((double)plan_launch_threads(launch) / 32);
}

/* Times on the reference device: if the warps of a row only start and copy, its time does not
 * depend on idle lanes.
 */
static void bound_by_arithmetic(const struct config *config, const struct problem *problem)
{
	const struct roofline_device *device = &roofline_reference;
	struct plan plan;

	config_plan(config, problem, &plan);
	double arithmetic_us =
		config_flops(config, problem) / device->rates.gops[OPERATIONS_F32] * 1e-3;
	double memory_us = problem_bytes_compulsory(problem) / device->rates.copy_gbps * 1e-3;
	double start_us =
		(double)plan_launch_groups(plan_step_launch(&plan.steps[0])) / BLOCKS_A_US;

	if (arithmetic_us < MIN_RATIO * fmax(memory_us, start_us))
		test_fail("%s: arithmetic %.0f us, memory %.0f us, start of blocks %.0f us",
			config->variant->name, arithmetic_us, memory_us, start_us);
}

TEST(whole_warps, "whole warps: arithmetic limits the row of the claim")
{
	const struct family *family = family_find("occupancy");
	struct problem problem = problem_default(family);
	int found = 0;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	for (size_t v = 0; v < family->variant_count; v++) {
		const struct variant *variant = &family->variants[v];

		if (!variant->claim.text || strncmp(variant->claim.text, CLAIM, strlen(CLAIM)) != 0)
			continue;
		struct config whole = config_default(variant);
		struct config partial = config_default(variant_find(family, variant->base));
		bound_by_arithmetic(&whole, &problem);
		bound_by_arithmetic(&partial, &problem);
		test_near(config_flops(&whole, &problem), config_flops(&partial, &problem), 0);
		/* The last block may be partial. */
		test_near(passes_count_warps(&partial, &problem) /
				  passes_count_warps(&whole, &problem),
			1.28, 1e-4);
		found++;
	}
	EQUAL(found, 1);
}

/* ---- Softmax by powers of two ---------------------------------------------------------------- */

#define EXP2_COLUMNS 500
#define LOG2E_F32 1.44269504f

/* exp2((x - max) L) with all errors that the standards allow, upwards (sign 1) or downwards. */
static double power_of_two(const struct arithmetic *arithmetic, double x, double max, double sign)
{
	double smaller = 1 - sign * F32_UNIT_ROUNDOFF; /* the argument is negative */
	double argument = (x - max) * smaller * (double)LOG2E_F32 * smaller;
	double error = arithmetic_relative_error(arithmetic, ARITHMETIC_EXP2, argument);

	return exp2(argument) * (1 + sign * error);
}

/* The largest error of a row in this form, as a fraction of the bound. */
static double ratio_of_exp2(const struct problem *problem, double sign)
{
	const struct region region = {.rows = 1, .columns = EXP2_COLUMNS};
	struct expected expected[EXP2_COLUMNS];
	float x[EXP2_COLUMNS];
	const void *inputs[PMPP_MAX_OPERANDS] = {x};
	double max = -INFINITY, sum = 0, largest = 0;
	double quotient = arithmetic_relative_error(&problem->arithmetic, ARITHMETIC_DIVIDE, 1);

	for (int64_t c = 0; c < EXP2_COLUMNS; c++) {
		x[c] = (float)(c * 37 % EXP2_COLUMNS) / 10;
		max = fmax(max, x[c]);
	}
	for (int64_t c = 0; c < EXP2_COLUMNS; c++)
		sum += power_of_two(&problem->arithmetic, x[c], max, -sign);
	problem->family->reference(problem, inputs, region, expected);
	for (int64_t c = 0; c < EXP2_COLUMNS; c++) {
		double y = power_of_two(&problem->arithmetic, x[c], max, sign) / sum *
			   (1 + sign * (quotient + F32_UNIT_ROUNDOFF));

		largest = fmax(largest, bound_ratio(DTYPE_F32, y, &expected[c], 0));
	}
	return largest;
}

static const struct exp2_row {
	const char *name;
	struct arithmetic arithmetic;
} exp2_rows[] = {
	{"opencl", {.rules = ARITHMETIC_OPENCL}},
	{"opencl, relaxed", {.rules = ARITHMETIC_OPENCL_RELAXED}},
	{"embedded", {.rules = ARITHMETIC_OPENCL_EMBEDDED}},
	{"cuda", {.rules = ARITHMETIC_CUDA, .exact_divide = true}},
};

/* The bound of a user's kernel accepts this form. The bound of the project's kernels rejects it. */
TEST_ROWS(exp2_form, exp2_rows, "softmax by exp2: %s", row->name)
{
	struct problem problem = problem_default(family_find("softmax"));

	problem.dim[0] = 1;
	problem.dim[1] = EXP2_COLUMNS;
	problem.arithmetic = row->arithmetic;
	for (int sign = -1; sign <= 1; sign += 2) {
		problem.own_kernel = false;
		double strict = ratio_of_exp2(&problem, sign);

		problem.own_kernel = true;
		double own = ratio_of_exp2(&problem, sign);
		test_note("%g of the bound, %g of that of a project's kernel", own, strict);
		IS(own <= 1 && own > 0.8 && strict > 1);
	}
}
