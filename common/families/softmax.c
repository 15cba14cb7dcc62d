/*
 * softmax: each row of A becomes y = exp(x - max) / sum of exp(x - max). There is little
 * arithmetic, so the variants differ in the number of times that they read a row. The maximum
 * cancels in exact arithmetic, but it keeps exp() within the range of a float.
 */
#include "common/bound.h"
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum {
	DIM_ROWS,
	DIM_COLUMNS
};
enum {
	OPERAND_A,
	OPERAND_B
};
enum {
	DATA_OUTLIERS,
	DATA_TAME
};

/* ---- Plans --------------------------------------------------------------------------------- */

/* Appends a launch with the argument A; the caller adds the others. */
static struct plan_launch *add_launch(
	struct plan *plan, const char *entry, int64_t groups, int block)
{
	return plan_add_kernel(
		plan, entry, groups, block, PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}));
}

/* One block per row. */
static void plan_rows(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = add_launch(ret_plan, config->variant->entry,
		problem->dim[DIM_ROWS], config_value(config, "BLOCK"));

	plan_launch_add(launch, PLAN_ARG_OPERAND, OPERAND_B);
	plan_launch_add(launch, PLAN_ARG_INT, problem->dim[DIM_COLUMNS]);
}

/* ---- The plan of fused: see the head of fused.cu ------------------------------------------- */

#define SLOTS 4     /* number of float4 per thread, if a block has several rows */
#define ROW_SLOTS 8 /* number of float4 per thread, if a block has one row */
#define SLOT_FLOATS (4 * SLOTS)
#define ROW_SLOT_FLOATS (4 * ROW_SLOTS)
#define MAX_PARTS 1024 /* parts of a long row; each part reads the pairs of all parts */
/* Maximum number of threads of a short row: 512 bytes. Barriers of the block separate the rounds of
 * their trees, so it is right for warps of any size. */
#define ROW_THREADS 32
#define CPU_LANES 16 /* elements of a vector of cpu-rows, which processes two at a time */

static bool is_short(const struct config *config, const struct problem *problem)
{
	return problem->dim[DIM_COLUMNS] <= SLOT_FLOATS * config_value(config, "BLOCK");
}

static bool is_long(const struct config *config, const struct problem *problem)
{
	return problem->dim[DIM_COLUMNS] > ROW_SLOT_FLOATS * config_value(config, "BLOCK_ROW");
}

/* Threads of a row that fills a block: all, a half or a quarter of BLOCK_ROW. Several small blocks hide the waits at
 * each other's barriers. Returns the name of the kernel. */
static const char *row_kernel(
	const struct config *config, const struct problem *problem, int *ret_threads)
{
	static const char *const kernels[] = {
		"softmax_fused_row", "softmax_fused_half_row", "softmax_fused_quarter_row"};
	size_t kernel = 0;

	*ret_threads = config_value(config, "BLOCK_ROW");
	for (; kernel + 1 < sizeof kernels / sizeof *kernels &&
		problem->dim[DIM_COLUMNS] <= ROW_SLOT_FLOATS * (*ret_threads / 2);
		kernel++)
		*ret_threads /= 2;
	return kernels[kernel];
}

/* Threads of a row: as few as can hold it, so that each thread has several loads in flight, but up
 * to ROW_THREADS if there are 16 bytes for each thread. */
static int64_t row_lanes(int64_t columns)
{
	int64_t lanes = 1;

	while (lanes * SLOT_FLOATS < columns || (lanes < ROW_THREADS && lanes * 4 < columns))
		lanes *= 2;
	return lanes;
}

static int64_t part_columns(const struct config *config, const struct problem *problem)
{
	int64_t unit = SLOT_FLOATS * config_value(config, "BLOCK");

	return unit * ceil_div(problem->dim[DIM_COLUMNS], unit * MAX_PARTS);
}

static int64_t row_parts(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_COLUMNS], part_columns(config, problem));
}

static void plan_long(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	static const char *const entries[] = {"softmax_fused_part", "softmax_fused_write"};
	int64_t parts = row_parts(config, problem);
	int64_t groups = problem->dim[DIM_ROWS] * parts;
	int block = config_value(config, "BLOCK");

	for (int i = 0; i < 2; i++) {
		struct plan_launch *launch = add_launch(ret_plan, entries[i], groups, block);

		plan_launch_add(launch, PLAN_ARG_SCRATCH, 0); /* the pairs */
		if (i == 1)
			plan_launch_add(launch, PLAN_ARG_OPERAND, OPERAND_B);
		plan_launch_add(launch, PLAN_ARG_INT, problem->dim[DIM_COLUMNS]);
		plan_launch_add(launch, PLAN_ARG_INT, part_columns(config, problem));
		plan_launch_add(launch, PLAN_ARG_INT, parts);
	}
}

static void plan_fused(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t rows = problem->dim[DIM_ROWS];
	int64_t columns = problem->dim[DIM_COLUMNS];
	int block = config_value(config, "BLOCK");

	ret_plan->other_threads = (uint64_t)config_value(config, "BLOCK_ROW");
	if (is_long(config, problem)) {
		plan_long(config, problem, ret_plan);
		return;
	}
	if (is_short(config, problem)) {
		int64_t lanes = row_lanes(columns);
		struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
			ceil_div(rows, block / lanes), block, 1, PLAN_ARG_INT);

		plan_launch_add(launch, PLAN_ARG_INT, lanes);
	} else {
		int threads;
		const char *kernel = row_kernel(config, problem, &threads);
		struct plan_launch *launch = add_launch(ret_plan, kernel, rows, threads);

		plan_launch_add(launch, PLAN_ARG_OPERAND, OPERAND_B);
		plan_launch_add(launch, PLAN_ARG_INT, columns);
	}
}

#define CLUSTER 8
#define CLUSTER_SLOTS 16 /* number of float4 per thread */

/* Columns of a block of a cluster. */
static int64_t cluster_part(const struct problem *problem)
{
	return round_up(ceil_div(problem->dim[DIM_COLUMNS], CLUSTER), 4);
}

static void plan_cluster(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = add_launch(ret_plan, "softmax_cluster",
		problem->dim[DIM_ROWS] * CLUSTER, config_value(config, "BLOCK"));

	plan_launch_add(launch, PLAN_ARG_OPERAND, OPERAND_B);
	plan_launch_add(launch, PLAN_ARG_INT, problem->dim[DIM_COLUMNS]);
	plan_launch_add(launch, PLAN_ARG_INT, cluster_part(problem));
}

static const char *domain_cluster(const struct config *config, const struct problem *problem)
{
	if (cluster_part(problem) > 4 * CLUSTER_SLOTS * config_value(config, "BLOCK"))
		return "a row has more elements than the registers of a cluster";
	return problem->dim[DIM_ROWS] > INT32_MAX / CLUSTER ? "more blocks than a grid can have"
							    : NULL;
}

/* A pair of floats for each part of each row. */
static void scratch_fused(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	int64_t pairs = problem->dim[DIM_ROWS] * row_parts(config, problem);

	ret_bytes[0] = is_long(config, problem) ? (uint64_t)(8 * pairs) : 0;
}

static void plan_cpu(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t share = ceil_div(config_value(config, "SPAN"), problem->dim[DIM_COLUMNS]);

	plan_add_grid(ret_plan, config, problem, ceil_div(problem->dim[DIM_ROWS], share), 1, 1,
		PLAN_ARG_INT);
}

/* ---- Work ---------------------------------------------------------------------------------- */

/* Per element: a subtraction, an exp, an addition, a product. */
static double flops(const struct problem *problem)
{
	return 4 * problem_volume(problem);
}

static double issued_two_reads(const struct config *config, const struct problem *problem)
{
	(void)config;
	return 3 * sizeof(float) * problem_volume(problem);
}

static double issued_three_reads(const struct config *config, const struct problem *problem)
{
	(void)config;
	return 4 * sizeof(float) * problem_volume(problem);
}

static double issued_once(const struct config *config, const struct problem *problem)
{
	(void)config;
	return 2 * sizeof(float) * problem_volume(problem);
}

/* Each part of a row reads all pairs of the row. */
static double issued_fused(const struct config *config, const struct problem *problem)
{
	double parts = (double)row_parts(config, problem);
	double pairs = 8 * (double)problem->dim[DIM_ROWS] * parts * (1 + parts);

	return is_long(config, problem) ? issued_two_reads(config, problem) + pairs
					: issued_once(config, problem);
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* Passes of one block that folds a value of each of its threads, in groups of `lanes`: a store,
 * rounds with two loads and a store, and a load of the result by all threads. */
static double fold_passes(int block, int64_t lanes)
{
	return 2.0 * block / WARP_THREADS + 3 * traffic_tree_warps(block, lanes);
}

/* One block per row. It accesses each element `accesses` times, folds `folds` times, and computes
 * two exponentials per element. */
static void set_traffic(const struct config *config, const struct problem *problem, int accesses,
	int folds, struct floor_work *work)
{
	int block = config_value(config, "BLOCK");
	double rows = (double)problem->dim[DIM_ROWS];

	traffic_set(work, accesses * rows * passes_count_warps(problem->dim[DIM_COLUMNS]),
		rows * folds * fold_passes(block, block));
	work->operations[OPERATIONS_SPECIAL] = 2 * problem_volume(problem);
}

static void traffic_naive(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, 3, 1, work);
}

static void traffic_safe(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, 4, 2, work);
}

/* A fold of pairs has twice as many accesses as a fold of single values. */
static void traffic_online(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, 3, 2, work);
}

/* Passes of an access to all elements by `lanes` threads per row, of 16 bytes or of one element. */
static double passes_of_rows(const struct problem *problem, int64_t lanes)
{
	int64_t columns = problem->dim[DIM_COLUMNS];
	int64_t width = columns % 4 == 0 ? 4 : 1; /* elements of an access */
	int in_row = (int)min(lanes, WARP_THREADS);
	struct warp_lanes warp = {.lanes = in_row,
		.rows = WARP_THREADS / in_row,
		.lane_bytes = 4 * width,
		.row_bytes = 4 * columns,
		.width_bytes = (uint32_t)(4 * width)};
	struct warp_lanes last = warp; /* the last access of a row: fewer active threads */
	int64_t accesses = columns / width;
	double passes = (double)(accesses / in_row) * passes_of_warp(&warp);

	last.lanes = (int)(accesses % in_row);
	passes += last.lanes > 0 ? passes_of_warp(&last) : 0;
	return passes * (double)ceil_div(problem->dim[DIM_ROWS], warp.rows);
}

/* Two kernels. The first stores a pair for each part of a row. The second loads all pairs of the
 * row, with a stride of two words: the maxima twice, the sums once. */
static void traffic_long(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int block = config_value(config, "BLOCK");
	int64_t parts = row_parts(config, problem);
	double blocks = (double)(problem->dim[DIM_ROWS] * parts);
	double pairs = 2 + 3 * passes_count_warps(2 * parts);

	traffic_set(work, 3 * passes_of_rows(problem, block) + blocks * pairs,
		2 * blocks * 2 * fold_passes(block, block));
	work->operations[OPERATIONS_SPECIAL] = 2 * problem_volume(problem);
}

/* A block has several rows, or one row. */
static void traffic_fused(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	bool several = is_short(config, problem);
	int block = config_value(config, "BLOCK");
	if (!several)
		row_kernel(config, problem, &block);
	int64_t lanes = several ? row_lanes(problem->dim[DIM_COLUMNS]) : block;
	double blocks = (double)ceil_div(problem->dim[DIM_ROWS], block / lanes);

	if (is_long(config, problem)) {
		traffic_long(config, problem, work);
		return;
	}
	traffic_set(
		work, 2 * passes_of_rows(problem, lanes), blocks * 2 * fold_passes(block, lanes));
	work->operations[OPERATIONS_SPECIAL] = problem_volume(problem);
}

/* The accesses to the shared memory of other blocks are not counted. */
static void traffic_cluster(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int block = config_value(config, "BLOCK");
	double blocks = (double)problem->dim[DIM_ROWS] * CLUSTER;

	traffic_set(
		work, 2 * passes_of_rows(problem, block), blocks * 2 * fold_passes(block, block));
	work->operations[OPERATIONS_SPECIAL] = problem_volume(problem);
}

/* ---- Data ---------------------------------------------------------------------------------- */

#define TAME 8.0f
#define FAR 4995.0f /* twice that, and a tame value, is less than 1e4 */
#define ROW_STREAM 0x726f77
#define SPOT_STREAM 0x73706f

#define LOWEST_EQUAL -0x1p126f
#define CASE_LARGEST 64 /* common/data.c: the largest magnitude of the cases below */
#define SOFTMAX_CASES (ALL_CASES & ~CASE_BIT(CASE_LARGE))

/* The elements keep the range of the data. Outliers: all elements of the first two cases are so far
 * from 0 that exp() gives 0 or overflows. So a maximum that begins at 0 or at 1 is wrong. Equal
 * elements are still lower: a maximum that begins at -1e30 is wrong too. An element times log2(e) is
 * in the range of f32. */
static void fill_case(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, float *x)
{
	float shift = problem->data == DATA_TAME            ? 0
		      : problem->data_case == CASE_NEGATIVE ? -FAR
		      : problem->data_case == CASE_POSITIVE ? FAR
							    : 0;
	float scale = (problem->data == DATA_TAME ? TAME : FAR) / CASE_LARGEST;

	data_fill_case(DTYPE_F32, DTYPE_F32, x, first, count,
		problem->dim[DIM_ROWS] * problem->dim[DIM_COLUMNS], problem->seed, operand,
		problem->data_case);
	for (int64_t i = 0; i < count; i++)
		x[i] = problem->data_case == CASE_EQUAL && problem->data != DATA_TAME
			       ? LOWEST_EQUAL
			       : x[i] * scale + shift;
}

/*
 * Tame: |x| < 8. Outliers:
 *   - half of the rows are shifted by up to +-FAR, so that exp(x) overflows or the whole row
 *     underflows; the answer is that of the row without the shift
 *   - in every row 1/64 of the elements are far below the others, where exp(x - max) is 0
 *   - an eighth of the rows have single elements far above the others, which dominate the sum
 *   - the last element of the last of several rows is the only one that is far above: if it is left
 *     out of the maximum, its exp() overflows
 */
static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	uint64_t seed = problem->seed;
	int64_t columns = problem->dim[DIM_COLUMNS];
	uint64_t last_row = (uint64_t)problem->dim[DIM_ROWS] - 1;
	uint64_t last = (uint64_t)(problem->dim[DIM_ROWS] * columns) - 1;
	float *x = target;

	if (problem->source == INPUT_CASE) {
		fill_case(problem, operand, first, count, x);
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		uint64_t index = (uint64_t)(first + i);
		uint64_t row = index / (uint64_t)columns;
		uint64_t of_row = data_bits(seed, ROW_STREAM, row);
		bool has_largest = last_row > 0 && row == last_row;
		uint64_t spot = data_bits(seed, SPOT_STREAM, index);
		float distance = FAR * (float)(1 + (spot >> 32 & 1023)) / 1024;

		x[i] = TAME * data_random(seed, operand, index);
		if (problem->data == DATA_TAME)
			continue;
		if (of_row & 1)
			x[i] += FAR * ((float)(of_row >> 8 & 2047) / 1024 - 1);
		if (has_largest && index == last)
			x[i] += FAR;
		else if (spot % 64 == 0)
			x[i] -= distance;
		else if (!has_largest && (of_row >> 1 & 7) == 0 && spot % 256 == 1)
			x[i] += distance;
	}
}

/* -inf is valid: it masks an element. But each row must have a finite element. */
static bool check_inputs(
	const struct problem *problem, const void *const *inputs, char *ret_text, size_t size)
{
	int64_t rows = problem->dim[DIM_ROWS];
	int64_t columns = problem->dim[DIM_COLUMNS];
	const float *x = inputs[OPERAND_A];

	for (int64_t r = 0; r < rows; r++, x += columns) {
		bool finite = false;
		for (int64_t c = 0; c < columns; c++) {
			if (isnan(x[c]) || x[c] == INFINITY) {
				snprintf(ret_text, size, "A[%" PRId64 ",%" PRId64 "] is %s", r, c,
					isnan(x[c]) ? "NaN" : "+inf");
				return false;
			}
			finite = finite || f32_is_finite(x[c]);
		}
		if (finite)
			continue;
		snprintf(ret_text, size, "row %" PRId64 " of A is -inf throughout", r);
		return false;
	}
	return true;
}

static const char *domain_naive(const struct config *config, const struct problem *problem)
{
	(void)config;
	if (problem->source == INPUT_USER)
		return "without the maximum, exp of a user's data can overflow";
	return problem->data == DATA_TAME ? NULL
					  : "without the maximum, exp overflows (--data=tame)";
}

/* ---- Reference ----------------------------------------------------------------------------- */

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

/* Computes one region of the output. naive: the errors of a kernel that does not subtract the maximum. */
static void answer(const struct problem *problem, const float *a, struct region region, bool naive,
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

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	answer(problem, inputs[OPERAND_A], region, false, ret_expected);
}

static void reference_naive(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	(void)variant;
	answer(problem, inputs[OPERAND_A], region, true, ret_expected);
}

/* Valid for any order: a row of n elements has n - 1 additions. */
static int64_t chain(const struct problem *problem)
{
	return problem->dim[DIM_COLUMNS];
}

/* A chain over the elements of a thread, then a tree. */
static int64_t chain_block(const struct config *config, const struct problem *problem)
{
	int block = config_value(config, "BLOCK");
	int64_t own = ceil_div(problem->dim[DIM_COLUMNS], block);

	return min(own + floor_log2(block), chain(problem));
}

/* Number of roundings of a step in which a larger maximum rescales the sum: exp, a product and an
 * addition. The slack covers the errors that are proportional to the arguments of exp, and the
 * roundings of the differences of maxima: their sums are those for x - max. */
static int64_t rescaling(const struct problem *problem)
{
	double error = arithmetic_relative_error(&problem->arithmetic, ARITHMETIC_EXP, 0);

	return (int64_t)ceil(error / F32_UNIT_ROUNDOFF) + 2;
}

static int64_t chain_online(const struct config *config, const struct problem *problem)
{
	return rescaling(problem) * chain_block(config, problem);
}

static int64_t chain_fused(const struct config *config, const struct problem *problem)
{
	int64_t max = floor_log2(config_value(config, "BLOCK_ROW")) + ROW_SLOT_FLOATS;

	if (!is_long(config, problem))
		return min(max, chain(problem));
	int64_t block = config_value(config, "BLOCK");
	int64_t own = part_columns(config, problem) / (SLOT_FLOATS * block);
	int64_t pairs = ceil_div(row_parts(config, problem), block);
	return own * (rescaling(problem) + SLOT_FLOATS) +
	       2 * (rescaling(problem) + floor_log2(block)) + pairs;
}

static int64_t chain_cluster(const struct config *config, const struct problem *problem)
{
	return 4 * CLUSTER_SLOTS + floor_log2(config_value(config, "BLOCK")) + CLUSTER +
	       2 * rescaling(problem);
}

/* Two vectors of 16 accumulators. */
static int64_t chain_cpu(const struct config *config, const struct problem *problem)
{
	(void)config;
	return min(ceil_div(problem->dim[DIM_COLUMNS], 32) + 6, chain(problem));
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static const struct check_size outlier_sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(37), AT(41)}},
	{{TILES(DIM_ROWS, 1, 1), TILES(DIM_COLUMNS, 1, 1)}},
	{{TILES(DIM_ROWS, 2, -1), TILES(DIM_COLUMNS, 1, -1)}},
	{{TILES(DIM_ROWS, 1, 0), TILES(DIM_COLUMNS, 1, 0)}},
	{{AT(5003), AT(1)}},
	{{AT(5), AT(5000)}},       /* one block per row, with 16-byte loads */
	{{AT(3), AT(8193)}},       /* a larger block, without 16-byte loads */
	{{AT(2), AT(16388)}},      /* the largest block */
	{{AT(2), AT(131072 + 3)}}, /* several blocks per row */
	{{AT(1), AT(65536 + 4)}},
	{{LARGE_PART(0, 1024, 0), AT(1024)}},
};
static const struct check_size tame_sizes[] = {{{AT(1), AT(1)}}, {{AT(37), AT(41)}},
	{{TILES(DIM_ROWS, 1, 1), TILES(DIM_COLUMNS, 1, 1)}}, {{AT(3), AT(4100)}}};

static const struct check_rule check = {.large = {.max = 1 << 23},
	.sets = {{.data = 1 << DATA_OUTLIERS, .sizes = WITH_COUNT(outlier_sizes)},
		{.sizes = WITH_COUNT(tame_sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A",
		.role = OPERAND_IN,
		.rows_dim = DIM_ROWS,
		.columns_dim = DIM_COLUMNS,
		.aliases = "in input x src logits"},
	{.name = "B",
		.role = OPERAND_OUT,
		.rows_dim = DIM_ROWS,
		.columns_dim = DIM_COLUMNS,
		.aliases = "out output y dst probs"},
};

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int span_choices[] = {1024, 4096, 16384, 65536, 0};

#define ROW_BLOCK(chain_of)                                                         \
	.book = "-", .repro = REPRO_RUN, .macros = {{"BLOCK", 256, block_choices}}, \
	.plan = plan_rows, .tile = {{.times = 1}, {"BLOCK"}}, .chain = (chain_of)

static const struct variant variants[] = {
	{.name = "naive",
		.technique = "-",
		.idea = "one block per row: the sum of exp(x), then exp(x) again for the result; right "
			"only if exp(x) does not overflow",
		.file = "naive",
		.entry = "softmax_naive",
		.traffic = traffic_naive,
		.domain = domain_naive,
		.reference = reference_naive,
		.bytes_issued = issued_two_reads,
		ROW_BLOCK(chain_block)},
	{.name = "safe",
		.technique = "maximum first",
		.idea = "a third pass finds the maximum, and exp(x - max) never overflows",
		.base = "naive",
		.file = "safe",
		.entry = "softmax_safe",
		.traffic = traffic_safe,
		.bytes_issued = issued_three_reads,
		.claim = {.text = "safe >= 0.6 x naive", .at_least = 0.6},
		ROW_BLOCK(chain_block)},
	{.name = "online",
		.technique = "one pass for both",
		.idea = "maximum and sum in one pass: a larger maximum rescales the sum so far",
		.base = "safe",
		.file = "online",
		.entry = "softmax_online",
		.traffic = traffic_online,
		.bytes_issued = issued_two_reads,
		.claim = {.text = "two passes >= 1.05 x three", .at_least = 1.05},
		ROW_BLOCK(chain_online)},
	{.name = "fused",
		.technique = "row in registers",
		.idea = "a row is read once, 16 bytes at a time, and stays in the registers of a few "
			"threads or of a block until it is written",
		.book = "-",
		.base = "online",
		.file = "fused",
		.entry = "softmax_fused",
		.repro = REPRO_RUN,
		.macros = {{"BLOCK", 256, block_choices}, {"BLOCK_ROW", 1024, block_choices}},
		.constants = {{"SLOTS", SLOTS}, {"ROW_SLOTS", ROW_SLOTS}},
		.plan = plan_fused,
		.scratch = scratch_fused,
		.bytes_issued = issued_fused,
		.traffic = traffic_fused,
		/* a block with ROW_THREADS threads per row */
		.tile = {{"BLOCK", .divisor = ROW_THREADS}, {.times = 4 * ROW_THREADS}},
		.chain = chain_fused,
		.claim = {.text = "one read >= 1.2 x two", .at_least = 1.2}},
	{.name = "cluster",
		.technique = "row in a cluster",
		.idea = "eight blocks share a long row, which stays in their registers; they exchange "
			"maxima and sums through each other's shared memory",
		.book = "-",
		.base = "fused",
		.file = "cluster",
		.entry = "softmax_cluster",
		.needs = PMPP_CAP_CLUSTER,
		.cuda_only = true,
		.repro = REPRO_RUN,
		.macros = {{"BLOCK", 256, block_choices}},
		.constants = {{"SLOTS", CLUSTER_SLOTS}, {"CLUSTER", CLUSTER}},
		.plan = plan_cluster,
		.domain = domain_cluster,
		.bytes_issued = issued_once,
		.traffic = traffic_cluster,
		.tile = {{.times = 1}, {"BLOCK", .times = 4 * CLUSTER}},
		.chain = chain_cluster},
	{.name = "cpu-rows",
		.technique = "CPU rows",
		.idea = "one work-item per row in vectors of 16; exp is stored, then scaled in the cache",
		.book = "-",
		.base = "safe",
		.file = "cpu_rows",
		.entry = "softmax_cpu_rows",
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.repro = REPRO_RUN,
		.macros = {{"SPAN", 16384, span_choices}},
		.constants = {{"LANES", CPU_LANES}},
		.plan = plan_cpu,
		.bytes_issued = issued_two_reads,
		.tile = {{.times = 1}, {.times = 2 * CPU_LANES}},
		.chain = chain_cpu},
};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

/* A library may add in any order: family.chain is valid for each order. */
static const struct variant peers[] = {
	{.name = "openmp",
		.idea = "three loops in C for each row, rows divided by OpenMP among all cores",
		ROW_LIBRARY(PEER_OPENMP, PEER_SOFTMAX, "openmp_softmax"),
		.repro = REPRO_BOUND},
};

const struct family family_softmax = {
	.name = "softmax",
	.title = "B = softmax of the rows of A",
	.size_help =
		"B[rows,columns] = exp(A - max of the row) / its sum in f32; sizes rows x columns, "
		"each from 1 to 2147479552",
	.book = "not in PMPP; its reductions are those of chapter 10 of the 4th ed.",
	.aliases = "softmax",
	.dim_names = {"rows", "columns"},
	.dim_aliases = {"m n batch height", "n cols c width v k"},
	.dim_count = 2,
	.dim_max = INT32_MAX - 4095, /* kernels count columns in int and step past the end */
	.default_size = {[DEVICE_CLASS_GPU] = {8192, 8192},
		[DEVICE_CLASS_CPU] = {4096, 1024},
		[DEVICE_CLASS_EMULATED] = {64, 256}},
	.data = {"outliers", "tame"},
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = SOFTMAX_CASES,
	.check_inputs = check_inputs,
	.reference = reference,
	.chain = chain,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
