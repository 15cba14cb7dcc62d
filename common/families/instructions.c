/*
 * instructions: the throughput of operations. Every row runs one kind of operation `trips` times on
 * each element of A, in independent chains, so that throughput is the limit. The metric is
 * operations per cycle of a multiprocessor. The ideas of the rows have the published figures.
 *
 * Every row has its own reference: see instructions_answer.c. Each answer depends on every trip, so
 * verification detects skipped work.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/instructions_answer.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/warp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *invalid(const struct problem *problem)
{
	return problem->dim[DIM_TRIPS] > INSTRUCTIONS_MAX_TRIPS
		       ? "trips is larger than 2048: use 1 to 2048"
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
	return instructions_per_trip(config->variant) * problem_volume(problem);
}

static struct plan_launch *add_table(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	return plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = config->variant->entry,
			.groups = {(uint64_t)ceil_div(
					   problem->dim[DIM_N], config_tile(config, DIM_N)),
				1, 1},
			.block = {(uint32_t)config_value(config, "BLOCK"), 1, 1},
			.args = {{PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
				{PLAN_ARG_ULONG, problem->dim[DIM_N]},
				{PLAN_ARG_INT, problem->dim[DIM_TRIPS]}},
			.arg_count = 4,
		});
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

	plan_launch_add(launch, PLAN_ARG_INT, instructions_factor(config->variant));
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
static double special_functions(const struct instructions_mix *mix, enum arithmetic_rules rules)
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
	struct instructions_mix mix = instructions_mix(config->variant);
	double special = special_functions(&mix, rules);

	work->bytes_read -= sizeof(float) * INSTRUCTIONS_TABLE; /* only one row reads it */
	work->l2_bytes -= sizeof(float) * INSTRUCTIONS_TABLE;
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
	work->bytes_read += sizeof(float) * INSTRUCTIONS_TABLE;
	work->l2_bytes += sizeof(float) * INSTRUCTIONS_TABLE;
	work->l1_passes += coefficients(config, problem) / WARP_THREADS;
}

/* A division may need only one special function. Some forms need no additions for indices. */
static void certain(const struct config *config, const struct problem *problem,
	double ret_operations[OPERATIONS_COUNT])
{
	struct instructions_mix mix = instructions_mix(config->variant);
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
 * constant memory. */
static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	float *values = target;

	for (int64_t e = 0; e < count; e++) {
		uint64_t i = (uint64_t)(first + e);

		values[e] = operand == OPERAND_T
				    ? instructions_coefficient((int64_t)i)
				    : 1 + (float)fraction(problem, operand, i) / 0x1p23f;
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
	for (int64_t j = 0; j < INSTRUCTIONS_TABLE; j++)
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
	{{AT(1), AT(INSTRUCTIONS_MAX_TRIPS)}},
	{{AT(3), AT(2039)}},
	{{AT(997), AT(17)}},
	{{TILES(DIM_N, 1, -1), AT(3)}},
	{{TILES(DIM_N, 1, 0), AT(8)}},
	{{TILES(DIM_N, 1, 1), AT(7)}},
	{{TILES(DIM_N, 5, 3), AT(31)}},
	{{LARGE_PART(0, 64, -3), AT(64)}},
};

static const struct check_rule check = {.large = {.max = 1 << 24},
	.sets = {{.sizes = sizes, .count = sizeof sizes / sizeof *sizes}}};

/* ---- The rows -------------------------------------------------------------------------------- */

static const struct operand operands[] = {
	{.name = "A", .role = OPERAND_IN, .rows_dim = DIM_N, .columns_dim = DIM_ONE},
	{.name = "T",
		.role = OPERAND_IN,
		.rows_dim = DIM_ONE,
		.columns_dim = DIM_ONE,
		.rows_scale = INSTRUCTIONS_TABLE},
	{.name = "B", .role = OPERAND_OUT, .rows_dim = DIM_N, .columns_dim = DIM_ONE},
};

static const int block_choices[] = {32, 64, 128, 256, 0};
static const int chain_choices[] = {1, 2, 4, 8, 16, 0};

#define ROW(what)                                                          \
	.book = "6.4", .technique = (what), .tile = {{"BLOCK", "CHAINS"}}, \
	.reference = instructions_reference

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
		ROW_TABLE(INSTRUCTIONS_UNIFORM)},
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

extern const struct family family_instructions;

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
	.operands = operands,
	.operand_count = sizeof operands / sizeof *operands,
	.fill = fill,
	.cases = CASE_BIT(CASE_ASCENDING) | CASE_BIT(CASE_ZEROS),
	.check_inputs = check_inputs,
	.certain = certain,
	.flops = flops,
	.bytes_compulsory = bytes_compulsory,
	.check = &check,
	.metric = {.kind = METRIC_PER_CYCLE, .name = "op/cycle/SM", .count = operations_done},
	.shows_ulps = true,
	.variants = variants,
	.variant_count = sizeof variants / sizeof *variants,
};
