/*
 * roof: measures the limits of a device. Internal: the suite uses its rows for %roof, for
 * calibration and as the throttle probe.
 *
 * All rows compute the same sums, so that one reference checks them all. They differ in the
 * resource that limits them at the sizes of the suite (host/suite/roof_rows.c):
 *
 *   B[j] = passes * sum of A[i] over all i < n with i = j modulo outputs
 *
 * With outputs = n and one pass this is a copy. With few outputs it reads a stream. With many
 * passes it is arithmetic in registers, or reads of shared memory or of a cache. A row that skips a
 * pass, an element or an output fails: A has small integers, for which all sums are exact.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/family.h"
#include "common/integers.h"

#include <math.h>

enum {
	DIM_N,
	DIM_OUTPUTS,
	DIM_PASSES
};

/* Number of elements of one output. */
static int64_t depth(const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_N], problem->dim[DIM_OUTPUTS]);
}

/* ---- Plans --------------------------------------------------------------------------------- */

/* A block for each `share` outputs. Kernels count the passes in int. */
static struct plan_launch *add_launch(const struct config *config, const struct problem *problem,
	int64_t share, struct plan *plan)
{
	struct plan_launch *launch =
		plan_add_grid(plan, config, problem, ceil_div(problem->dim[DIM_OUTPUTS], share),
			config_value_or(config, "BLOCK", 1), 1, PLAN_ARG_ULONG);

	launch->args[launch->arg_count - 1].kind = PLAN_ARG_INT;
	return launch;
}

static void plan_sums(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_launch(config, problem, config_tile(config, DIM_OUTPUTS), ret_plan);
}

static void plan_fma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch =
		add_launch(config, problem, config_tile(config, DIM_OUTPUTS), ret_plan);

	plan_launch_add(launch, PLAN_ARG_INT, 1); /* a factor that the compiler cannot know */
}

/* An empty launch, then a launch that writes the answer so that the row can be checked. Calibration
 * uses only the first launch. */
static void plan_empty(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_launch(config, problem, problem->dim[DIM_OUTPUTS], ret_plan);
	add_launch(config, problem, config_value(config, "BLOCK"), ret_plan)->entry = "roof_answer";
}

/* First the sums of each pass, then the sums of these. */
static void plan_l2(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int block = config_value(config, "BLOCK");
	int64_t outputs = problem->dim[DIM_OUTPUTS];
	int64_t passes = problem->dim[DIM_PASSES];
	int64_t groups = passes * ceil_div(outputs, 4 * (int64_t)block);

	plan_add_kernel(ret_plan, config->variant->entry, groups, block,
		PLAN_ARGS({PLAN_ARG_OPERAND, 0}, {PLAN_ARG_SCRATCH, 0},
			{PLAN_ARG_ULONG, problem->dim[DIM_N]}, {PLAN_ARG_ULONG, outputs},
			{PLAN_ARG_INT, passes}));
	plan_add_kernel(ret_plan, "roof_l2_sum", ceil_div(outputs, block), block,
		PLAN_ARGS({PLAN_ARG_SCRATCH, 0}, {PLAN_ARG_OPERAND, 1}, {PLAN_ARG_ULONG, outputs},
			{PLAN_ARG_INT, passes}));
}

static void scratch_l2(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	(void)config;
	ret_bytes[0] = (uint64_t)problem->dim[DIM_PASSES] * (uint64_t)problem->dim[DIM_OUTPUTS] *
		       sizeof(float);
}

/* First the sums of each share of the rows, then the sums of these. */
static void plan_shares(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t outputs = problem->dim[DIM_OUTPUTS];

	plan_add_kernel(ret_plan, config->variant->entry, config_value(config, "GROUPS"), 1,
		PLAN_ARGS({PLAN_ARG_OPERAND, 0}, {PLAN_ARG_SCRATCH, 0},
			{PLAN_ARG_ULONG, problem->dim[DIM_N]}, {PLAN_ARG_ULONG, outputs}));
	plan_add_kernel(ret_plan, "roof_read_shares_sum", 1, 1,
		PLAN_ARGS({PLAN_ARG_SCRATCH, 0}, {PLAN_ARG_OPERAND, 1}, {PLAN_ARG_ULONG, outputs},
			{PLAN_ARG_INT, problem->dim[DIM_PASSES]}));
}

static void scratch_shares(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	ret_bytes[0] = (uint64_t)config_value(config, "GROUPS") *
		       (uint64_t)problem->dim[DIM_OUTPUTS] * sizeof(float);
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double multiply_adds(const struct problem *problem)
{
	return (double)problem->dim[DIM_N] * (double)problem->dim[DIM_PASSES];
}

static double flops(const struct problem *problem)
{
	return 2 * multiply_adds(problem);
}

/* An exclusive or and an addition for each element and pass. */
static double integer_operations(const struct config *config, const struct problem *problem)
{
	(void)config;
	return 2 * multiply_adds(problem);
}

/* Only the functions. */
static double special_operations(const struct config *config, const struct problem *problem)
{
	(void)config;
	return multiply_adds(problem);
}

/* ---- Data and reference -------------------------------------------------------------------- */

#define F16_PASSES 512                /* of a chain of `fma-f16`, before its sum is added in f32 */
#define F16_LIMIT (2048 / F16_PASSES) /* f16 represents all integers up to 2048 */
#define TF32_LIMIT 2048               /* TF32 too */

/* The largest |A[i]| for which all sums are below 2^24, and the sums in f16 are at most 2048. */
static int64_t integer_limit(const struct problem *problem)
{
	static const int64_t limits[] = {
		[ROUND_NONE] = 1 << 24, [ROUND_F16] = F16_LIMIT, [ROUND_TF32] = TF32_LIMIT};
	int64_t limit = (int64_t)(((1 << 24) - 1) /
				  ((double)problem->dim[DIM_PASSES] * (double)depth(problem)));
	int64_t of_type = limits[problem->rounding];

	return limit < of_type ? limit : of_type;
}

/* Whether the data are random integers: if their sums are exact. The bound for random reals could
 * hide a skipped pass. */
static bool is_exact(const struct problem *problem)
{
	return problem->source != INPUT_USER && integer_limit(problem) > 0;
}

/* The domain of rows that calculate with integers, or whose inputs have fewer bits than their
 * sums. */
static const char *domain_exact(const struct config *config, const struct problem *problem)
{
	struct problem rounded = *problem;

	rounded.rounding = config->variant->rounding;
	return is_exact(&rounded) ? NULL
				  : "the row is only exact for small integers and fewer than 2^24 "
				    "passes x elements of an output";
}

static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	if (is_exact(problem))
		data_fill_integer(DTYPE_F32, target, first, count, problem->seed, operand,
			integer_limit(problem));
	else
		data_fill_random(DTYPE_F32, target, first, count, problem->seed, operand);
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const float *a = inputs[0];
	int64_t n = problem->dim[DIM_N];
	int64_t outputs = problem->dim[DIM_OUTPUTS];
	double passes = (double)problem->dim[DIM_PASSES];
	bool exact = is_exact(problem);

	double underflow =
		arithmetic_sum_underflow(&problem->arithmetic, 2 * passes * (double)depth(problem));

	for (int64_t r = 0; r < region.rows; r++)
		ret_expected[r] = (struct expected){.slack = underflow};
	/* In the order of A: region.rows neighbouring elements of every `outputs` elements. */
	for (int64_t first = region.row; first < n; first += outputs)
		for (int64_t r = 0; r < region.rows && first + r < n; r++) {
			double term = passes * a[first + r];
			ret_expected[r].value += term;
			ret_expected[r].terms += exact ? 0 : fabs(term);
		}
}

/* A chain over the passes, then a sum over the elements of an output. */
static int64_t chain(const struct problem *problem)
{
	return problem->dim[DIM_PASSES] + depth(problem);
}

/* All elements of all passes in one sum. */
static int64_t chain_shared(const struct config *config, const struct problem *problem)
{
	(void)config;
	return (problem->dim[DIM_PASSES] + 1) * depth(problem);
}

static const struct check_size sizes[] = {
	{{AT(1), AT(1), AT(1)}},
	{{AT(7), AT(3), AT(2)}},
	{{AT(5), AT(8), AT(3)}},
	{{AT(997), AT(1), AT(5)}},
	{{TILES(DIM_OUTPUTS, 1, -1), TILES(DIM_OUTPUTS, 1, -1), AT(1)}},
	{{TILES(DIM_OUTPUTS, 1, 0), TILES(DIM_OUTPUTS, 1, 0), AT(1)}},
	{{TILES(DIM_OUTPUTS, 1, 1), TILES(DIM_OUTPUTS, 1, 1), AT(1)}},
	{{TILES(DIM_OUTPUTS, 8, 0), TILES(DIM_OUTPUTS, 1, 0), AT(4)}},
	{{TILES(DIM_OUTPUTS, 11, 3), TILES(DIM_OUTPUTS, 1, 4), AT(7)}},
	{{TILES(DIM_OUTPUTS, 16, 0), TILES(DIM_OUTPUTS, 4, 0), AT(64)}},
	{{LARGE(0), AT(1 << 13), AT(64)}},
};

static const struct check_rule check = {
	.large = {.work_each = 64}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- Rows ---------------------------------------------------------------------------------- */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, DIM_N),
	VECTOR("B", OPERAND_OUT, DIM_OUTPUTS),
};

/* Outputs of a block: TILE_OF("BLOCK", 2) are two for each thread. */
#define TILE_OF(name, outputs)                               \
	{                                                    \
		[DIM_OUTPUTS] = { name, .times = (outputs) } \
	}
/* 16 outputs per warp, or 64 per warp group. */
#define TILE_OF_WARPS                                     \
	{                                                 \
		[DIM_OUTPUTS] = { "BLOCK", .divisor = 2 } \
	}

static const int block_choices[] = {32, 64, 128, 256, 0};
static const int vector_choices[] = {2, 4, 8, 16, 0};

#define TENSOR_F16 .rounding = ROUND_F16, .operations = OPERATIONS_TENSOR_F16
#define TENSOR_TF32 .rounding = ROUND_TF32, .operations = OPERATIONS_TENSOR_TF32

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "roof_" stem

#define ROW .technique = "-", .book = "-"

#define ROW_CPU ROW, .one_sided = true, .tile = TILE_OF("SPAN", 1)

#define ROW_CHAINS(stem)                                                                         \
	ROW, .file = stem, .entry = "roof_" stem, .plan = plan_fma, .tile = TILE_OF("BLOCK", 1), \
	     .macros = {{"BLOCK", 256, block_choices}}

#define ROW_FMA_CPU(bits, span)                                                  \
	ROW_CPU, KERNEL("fma_cpu"), .plan = plan_fma,                            \
				    .macros = {{"SPAN", (span), vector_choices}, \
					    {"REAL_BITS", (bits), NULL}, {"FUSED", 1, NULL}}

#define ROW_TENSOR(bits)                                                       \
	ROW, KERNEL("tensor"), .plan = plan_fma, .tile = TILE_OF_WARPS,        \
			       .needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR, \
			       .domain = domain_exact,                         \
			       .macros = {{"BLOCK", 256, NULL}, {"INPUT_BITS", (bits), NULL}}

#define ROW_TENSOR_GROUPS(bits)                                                   \
	ROW, KERNEL("tensor_groups"),                                             \
		.plan = plan_fma, .tile = TILE_OF_WARPS, .needs = PMPP_CAP_WGMMA, \
		.cuda_only = true, .domain = domain_exact,                        \
		.macros = {{"BLOCK", 256, NULL}, {"INPUT_BITS", (bits), NULL}}

static const struct variant variants[] = {
	{.name = "empty",
		.idea = "the time of a launch",
		KERNEL("empty"),
		.macros = {{"BLOCK", 32, NULL}},
		.plan = plan_empty,
		.tile = TILE_OF("BLOCK", 1),
		ROW},
	{.name = "copy",
		.idea = "memory, read and written",
		KERNEL("copy"),
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_sums,
		.tile = TILE_OF("BLOCK", 4),
		ROW},
	{.name = "read",
		.idea = "memory, read",
		KERNEL("read"),
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_sums,
		.tile = TILE_OF("BLOCK", 4),
		ROW},
	{.name = "l2",
		.idea = "second-level cache, read",
		KERNEL("l2"),
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_l2,
		.scratch = scratch_l2,
		.tile = TILE_OF("BLOCK", 4),
		.chain = chain_shared,
		ROW},
	{.name = "fma", .idea = "f32 multiply-adds in registers", ROW_CHAINS("fma")},
	{.name = "fma-f64",
		.idea = "f64 multiply-adds in registers",
		.needs = PMPP_CAP_FP64,
		.operations = OPERATIONS_F64,
		ROW_CHAINS("fma_f64")},
	{.name = "fma-f16",
		.idea = "f16 multiply-adds in registers, two in an instruction",
		KERNEL("fma_f16"),
		.needs = PMPP_CAP_FP16,
		.operations = OPERATIONS_F16,
		.rounding = ROUND_F16,
		.macros = {{"BLOCK", 256, block_choices}},
		.constants = {{"PART_PASSES", F16_PASSES}},
		.plan = plan_fma,
		.tile = TILE_OF("BLOCK", 2),
		.domain = domain_exact,
		ROW},
	{.name = "integer",
		.idea = "32-bit shifts, logic and multiply-adds in registers",
		.operations = OPERATIONS_INTEGER,
		.flops = integer_operations,
		.domain = domain_exact,
		ROW_CHAINS("integer")},
	{.name = "special",
		.idea = "functions of the special function units",
		.operations = OPERATIONS_SPECIAL,
		.flops = special_operations,
		ROW_CHAINS("special")},
	{.name = "tensor-f16",
		.idea = "products of f16 on tensor cores by mma.sync, sums in f32",
		TENSOR_F16,
		ROW_TENSOR(16)},
	{.name = "tensor-tf32",
		.idea = "products of TF32 on tensor cores by mma.sync, sums in f32",
		TENSOR_TF32,
		ROW_TENSOR(32)},
	{.name = "tensor-f16-groups",
		.idea = "products of f16 on tensor cores by wgmma, sums in f32",
		TENSOR_F16,
		ROW_TENSOR_GROUPS(16)},
	{.name = "tensor-tf32-groups",
		.idea = "products of TF32 on tensor cores by wgmma, sums in f32",
		TENSOR_TF32,
		ROW_TENSOR_GROUPS(32)},
	{.name = "shared",
		.idea = "shared memory, read",
		KERNEL("shared"),
		.macros = {{"BLOCK", 128, block_choices}},
		.plan = plan_sums,
		.tile = TILE_OF("BLOCK", 2),
		.chain = chain_shared,
		ROW},
	{.name = "shared-cpu",
		.idea = "local memory, read by a CPU's vectors",
		KERNEL("shared_cpu"),
		.macros = {{"BLOCK", 128, block_choices}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.plan = plan_sums,
		.chain = chain_shared,
		ROW,
		.one_sided = true,
		.tile = TILE_OF("BLOCK", 4)},
	{.name = "copy-cpu",
		.idea = "memory, read and written, by a CPU's vectors",
		KERNEL("copy_cpu"),
		.macros = {{"SPAN", 65536, NULL}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.plan = plan_sums,
		ROW_CPU},
	{.name = "read-cpu",
		.idea = "memory, read by a CPU's vectors",
		KERNEL("read_cpu"),
		.macros = {{"SPAN", 4096, NULL}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.plan = plan_sums,
		ROW_CPU},
	{.name = "read-shares-cpu",
		.idea = "memory, read in contiguous shares by a CPU's vectors",
		KERNEL("read_shares"),
		.macros = {{"SPAN", 64, NULL}, {"GROUPS", 64, NULL}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.plan = plan_shares,
		.scratch = scratch_shares,
		.chain = chain_shared,
		ROW_CPU},
	{.name = "fma-items-cpu",
		.idea = "f32 multiply-adds of work-items, which a CPU's compiler can combine",
		KERNEL("fma_items"),
		.macros = {{"BLOCK", 256, block_choices}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.plan = plan_fma,
		ROW,
		.one_sided = true,
		.tile = TILE_OF("BLOCK", 1)},
	{.name = "fma-cpu",
		.idea = "f32 multiply-adds in a CPU's vector registers",
		.needs = PMPP_CAP_OPENCL_CPU,
		ROW_FMA_CPU(32, 16)},
	{.name = "fma-f64-cpu",
		.idea = "f64 multiply-adds in a CPU's vector registers",
		.needs = PMPP_CAP_OPENCL_CPU | PMPP_CAP_FP64,
		.operations = OPERATIONS_F64,
		ROW_FMA_CPU(64, 8)},
};

const struct family family_roof = {
	.name = "roof",
	.title = "B = passes * folded sum of A",
	.size_help =
		"B[j] = passes * sum of A[i], i = j modulo outputs; sizes n x outputs x passes, "
		"each from 1 to 2147483647",
	.book = "-",
	.internal = true,
	.dim_names = {"n", "outputs", "passes"},
	.dim_count = 3,
	.dim_max = INT32_MAX,
	.default_size = {[DEVICE_CLASS_GPU] = {1024},
		[DEVICE_CLASS_CPU] = {1024},
		[DEVICE_CLASS_EMULATED] = {64}},
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.reference = reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = integer_limit,
	.work = multiply_adds,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
