/*
 * reduce: the sum, the maximum or the minimum of n values, in f32 and i32 (chapter 5 of the 3rd
 * edition, chapter 10 of the 4th). A block folds its elements into one value. All variants except
 * single-pass launch the kernel again for the values of the blocks, until one value is left.
 *
 * The order of the additions depends only on the sizes, so every row gives the same bits in every
 * run and on every engine. Different rows have different trees and may give different bits.
 *
 * A lost element is found as follows. Sums of i32, maxima and minima are compared exactly. Long
 * sums of f32 are verified a second time with small integers, because the bound of a sum grows with
 * the number of its elements.
 */
#include "common/check_sizes.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

enum {
	OPERAND_A,
	OPERAND_B
};
enum {
	OP_SUM,
	OP_MAX,
	OP_MIN
};

/* Scratch buffers: the values of the levels, alternating; or the values and the counter of
 * single-pass. */
enum {
	SCRATCH_FIRST,
	SCRATCH_SECOND
};

/* Sums of i32, maxima and minima are exact. */
static bool rounds(const struct problem *problem)
{
	return problem->dtype == DTYPE_F32 && problem->op == OP_SUM;
}

/* ---- Data ---------------------------------------------------------------------------------- */

/* Equal elements of a maximum are the lowest number of i32, and of a minimum the highest one: a search that
 * begins with any other number fails. In f32 they are -2^126 and 2^126, because published kernels begin at -3.4e38 or
 * -1e38. */
#define FAR_F32 0x1p126

static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	static const double highest[DTYPE_COUNT] = {[DTYPE_F32] = FAR_F32, [DTYPE_I32] = INT32_MAX};
	static const double lowest[DTYPE_COUNT] = {[DTYPE_F32] = -FAR_F32, [DTYPE_I32] = INT32_MIN};
	enum dtype dtype = problem->dtype;

	if (problem->source != INPUT_CASE)
		data_fill_random(dtype, target, first, count, problem->seed, operand);
	else if (problem->op == OP_SUM || problem->data_case != CASE_EQUAL)
		data_fill_case(dtype, dtype, target, first, count, problem->dim[0], problem->seed,
			operand, problem->data_case);
	else
		for (int64_t i = 0; i < count; i++)
			dtype_store(dtype, target, i,
				problem->op == OP_MAX ? lowest[dtype] : highest[dtype]);
}

/* ---- Levels -------------------------------------------------------------------------------- */

#define CPU_SPAN 64 /* elements of the four accumulators of the form for CPUs */
/* Maximum number of blocks of the coarse forms for each unit of the device. 8 blocks of 256 threads
 * fill a unit of 2048 threads. */
#define UNIT_BLOCKS 8
/* The same for the forms with several loads of 16 bytes in flight. They need fewer threads, and fewer blocks leave fewer
 * values for the second level. */
#define UNIT_VECTOR_BLOCKS 4
/* One block takes up to this many tiles: some iterations of its loop take less time than another
 * launch. */
#define ONE_BLOCK_TILES 4
/* Number of work-items of the form for CPUs. Each takes an equal share. */
#define CPU_GROUPS 64
#define VECTOR_ELEMENTS 4 /* of a 16-byte load */

static int64_t max_blocks(const struct config *config)
{
	bool vectors = config_value_or(config, "VECTORS", 0) > 0;

	return (vectors ? UNIT_VECTOR_BLOCKS : UNIT_BLOCKS) * config->shape.units;
}

/* Whether the row is the form for CPUs, which has one work-item per block. */
static bool is_cpu_form(const struct config *config)
{
	return config->variant->needs & PMPP_CAP_OPENCL_CPU;
}

/* Number of blocks that fold `count` elements, each into one value. The trees give each block one
 * tile; the coarse forms divide the tiles among a fixed number of blocks. */
static int64_t level_groups(const struct config *config, int64_t count)
{
	if (is_cpu_form(config))
		return count <= CPU_GROUPS * CPU_SPAN ? 1 : CPU_GROUPS;
	int64_t tiles = ceil_div(count, config_tile(config, 0));

	if (config_value_or(config, "LOADS", 0))
		return tiles;
	return tiles <= ONE_BLOCK_TILES ? 1 : min(tiles, max_blocks(config));
}

/* Number of blocks of single-pass. Its second level needs no launch. */
static int64_t single_pass_groups(const struct config *config, const struct problem *problem)
{
	return min(ceil_div(problem->dim[0], config_tile(config, 0)), max_blocks(config));
}

/* A level folds `count` elements. The trees give each block one tile; the coarse forms divide the
 * tiles among a fixed number of blocks; in the form for CPUs a block is one work-item. */
struct level {
	int64_t groups; /* number of blocks, and of values after the level */
	int64_t chain;  /* length of the chain of additions for each value */
};

/* Length of a thread's chain of additions over `tiles` tiles. */
static int64_t chain_of_run(const struct config *config, int64_t tiles)
{
	int vectors = config_value_or(config, "VECTORS", 0);

	/* With vectors: one addition per tile for each accumulator. The first accumulator takes all
	 * vectors of a partial last tile: vectors - 1 more. Then the accumulators are added by
	 * pairs, and their four elements by pairs. One addition is for an element left over. */
	if (vectors)
		return tiles + (vectors - 1) + floor_log2(vectors) + 2 + 1;
	return tiles * config_value(config, "COARSE");
}

/* The driver chooses the order of the sums of a sub-group (cl_kernels/reduce/shuffle.cl). */
static bool in_any_order(const struct config *config, const struct arithmetic *arithmetic)
{
	return config->variant->needs & PMPP_CAP_WARP_REDUCE && arithmetic->warp_sums_in_any_order;
}

/* Roundings of a block. `shuffle`: those of a thread and of a warp. Then the first warp adds the values
 * of all warps. If there are more values than lanes, each lane first adds several of them. Other rows
 * add by pairs. */
static int64_t chain_of_tile(const struct config *config, int64_t tile)
{
	int64_t lanes = config_lanes(config), block = config_value(config, "BLOCK");

	if (!(config->variant->needs & PMPP_CAP_WARP_REDUCE) || lanes >= block)
		return floor_log2(tile);
	int64_t warps = ceil_div(block, lanes);

	return tile / block - 1 + floor_log2(lanes) + ceil_div(warps, lanes) - 1 +
	       floor_log2(min(warps, lanes));
}

static struct level level_of(
	const struct config *config, const struct arithmetic *arithmetic, int64_t count)
{
	int64_t groups = level_groups(config, count);

	/* The chain of an accumulator, then additions by pairs of the four accumulators and of
	 * their sixteen values, then the rest of a span. */
	if (is_cpu_form(config))
		return (struct level){
			groups, ceil_div(count, groups * CPU_SPAN) + 2 + 4 + (CPU_SPAN - 1)};
	int64_t tile = config_tile(config, 0);

	if (config_value_or(config, "LOADS", 0))
		return (struct level){groups,
			in_any_order(config, arithmetic) ? tile - 1 : chain_of_tile(config, tile)};
	int64_t tiles = ceil_div(ceil_div(count, tile), groups);

	return (struct level){
		groups, chain_of_run(config, tiles) + floor_log2(config_value(config, "BLOCK"))};
}

static void plan_levels(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	uint32_t block = is_cpu_form(config) ? 1 : (uint32_t)config_value(config, "BLOCK");
	struct plan_arg from = {PLAN_ARG_OPERAND, OPERAND_A};
	int64_t count = problem->dim[0];

	do {
		int64_t groups = level_groups(config, count);
		struct plan_arg to = {PLAN_ARG_SCRATCH,
			ret_plan->step_count % 2 ? SCRATCH_SECOND : SCRATCH_FIRST};

		if (groups == 1)
			to = (struct plan_arg){PLAN_ARG_OPERAND, OPERAND_B};
		plan_add_kernel(ret_plan, config->variant->entry, groups, block,
			PLAN_ARGS(from, to, {PLAN_ARG_ULONG, count}));
		from = to;
		count = groups;
	} while (count > 1);
}

/* The sizes are those of the first two levels: later levels have fewer values. */
static void scratch_levels(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	int64_t first = level_groups(config, problem->dim[0]);
	int64_t second = level_groups(config, first);

	ret_bytes[SCRATCH_FIRST] = first > 1 ? 4 * (uint64_t)first : 0;
	ret_bytes[SCRATCH_SECOND] = second > 1 ? 4 * (uint64_t)second : 0;
}

static double issued_levels(const struct config *config, const struct problem *problem)
{
	int64_t count = problem->dim[0];
	double elements = 0;

	do {
		elements += (double)count;
		count = level_groups(config, count);
		elements += (double)count;
	} while (count > 1);
	return 4 * elements;
}

static int64_t chain_levels(const struct config *config, const struct problem *problem)
{
	int64_t count = problem->dim[0];
	int64_t chain = 0;

	if (!rounds(problem))
		return 0;
	do {
		struct level level = level_of(config, &problem->arithmetic, count);

		chain += level.chain;
		count = level.groups;
	} while (count > 1);
	return chain;
}

/* ---- Single pass ----------------------------------------------------------------------------- */

static void plan_single_pass(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_kept_fill(ret_plan, (struct plan_arg){PLAN_ARG_SCRATCH, SCRATCH_SECOND}, 0);
	plan_add_kernel(ret_plan, config->variant->entry, single_pass_groups(config, problem),
		config_value(config, "BLOCK"),
		PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
			{PLAN_ARG_SCRATCH, SCRATCH_FIRST}, {PLAN_ARG_SCRATCH, SCRATCH_SECOND},
			{PLAN_ARG_ULONG, problem->dim[0]}));
}

static void scratch_single_pass(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	ret_bytes[SCRATCH_FIRST] = 4 * (uint64_t)single_pass_groups(config, problem);
	ret_bytes[SCRATCH_SECOND] = 4;
}

/* Each block stores a value and increments the counter. The last block loads all values. */
static double issued_single_pass(const struct config *config, const struct problem *problem)
{
	return 4 * ((double)problem->dim[0] + 3 * (double)single_pass_groups(config, problem) + 1);
}

static int64_t chain_single_pass(const struct config *config, const struct problem *problem)
{
	int64_t block = config_value(config, "BLOCK");
	int64_t groups = single_pass_groups(config, problem);
	int64_t tiles = ceil_div(problem->dim[0], config_tile(config, 0));

	if (!rounds(problem))
		return 0;
	return chain_of_run(config, ceil_div(tiles, groups)) + ceil_div(groups, block) +
	       2 * floor_log2(block);
}

static const char *infeasible_unrolled(const struct config *config)
{
	return config_value(config, "BLOCK") < config_value(config, "LANES")
		       ? "BLOCK must be at least LANES"
		       : NULL;
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* ORDER of tree.cu. Other kernels fold in sequential order. */
enum {
	ORDER_INTERLEAVED = 1,
	ORDER_STRIDED,
	ORDER_SEQUENTIAL
};

/* Warps of a block that fold, summed over the rounds; a bank conflict counts as more warps. */
static double tree_warps(const struct config *config)
{
	int block = config_value(config, "BLOCK");
	int order = config_value_or(config, "ORDER", ORDER_SEQUENTIAL);
	double warps = 0;

	if (order == ORDER_SEQUENTIAL)
		return traffic_tree_warps(block, block);
	for (int stride = 1; stride < block; stride *= 2) {
		int threads = block / (2 * stride);
		struct warp_lanes lanes = {.lanes = (int)min(threads, WARP_THREADS),
			.rows = 1,
			.lane_bytes = 8 * stride};

		if (order == ORDER_STRIDED)
			warps += passes_count_warps(threads) * passes_of_warp(&lanes);
		else /* the threads are spread over as many warps as possible */
			warps += (double)min(threads, block / WARP_THREADS);
	}
	return warps;
}

/* Each thread stores its value. Each fold loads two values and stores one. One thread loads the
 * result. */
static double tree_passes(const struct config *config)
{
	return config_value(config, "BLOCK") / WARP_THREADS + 3 * tree_warps(config) + 1;
}

/* The same accesses by the warps that do not fold, in the rounds in which at least `min_threads`
 * threads fold. */
static double idle_passes(const struct config *config, int64_t min_threads)
{
	int block = config_value(config, "BLOCK");
	bool interleaved = config_value_or(config, "ORDER", ORDER_SEQUENTIAL) == ORDER_INTERLEAVED;
	double warps = 0;

	for (int64_t threads = block / 2; threads >= min_threads; threads /= 2) {
		double busy = interleaved ? (double)min(threads, block / WARP_THREADS)
					  : passes_count_warps(threads);
		warps += (double)block / WARP_THREADS - busy;
	}
	return 3 * warps;
}

/* Passes of all levels. Accesses of 16 bytes take as many passes for their bytes as those of 4. */
static void set_traffic(const struct config *config, const struct problem *problem,
	double block_passes, double idle, struct floor_work *work)
{
	int64_t count = problem->dim[0];
	double l1 = 0, shared = 0;

	do {
		int64_t groups = level_groups(config, count);

		l1 += passes_count_warps(count) + (double)groups;
		shared += block_passes * (double)groups;
		work->idle_passes += idle * (double)groups;
		count = groups;
	} while (count > 1);
	traffic_set(work, l1, shared);
}

static void traffic_tree(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, tree_passes(config), idle_passes(config, 1), work);
}

/* The last fold stores nothing, and its sum is the result. One warp executes the last rounds. */
static void traffic_unrolled(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(
		config, problem, tree_passes(config) - 2, idle_passes(config, WARP_THREADS), work);
}

/* Shared memory holds one value per warp. */
static void traffic_shuffle(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, config_value(config, "BLOCK") / WARP_THREADS + 1, 0, work);
}

/* All warps of a block read the flag of the last block. The last block runs a second tree. */
static void traffic_single_pass(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)single_pass_groups(config, problem);
	double tree = tree_passes(config);
	double flag = 1 + config_value(config, "BLOCK") / WARP_THREADS;

	traffic_set(work,
		passes_count_warps(problem->dim[0]) + groups + ceil(groups / WARP_THREADS) + 1,
		groups * (tree + flag) + tree);
	work->idle_passes = (groups + 1) * idle_passes(config, 1);
}

/* ---- Answer -------------------------------------------------------------------------------- */

static struct expected sum_i32(const int32_t *a, int64_t n)
{
	uint32_t sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += (uint32_t)a[i];
	return (struct expected){.value = (double)(int32_t)sum};
}

/* Terms are 0: nothing is rounded, so the answer is exact. */
static struct expected extreme_f32(const float *a, int64_t n, bool largest)
{
	float found = a[0];

	for (int64_t i = 1; i < n; i++)
		if (largest ? a[i] > found : a[i] < found)
			found = a[i];
	return (struct expected){.value = (double)found};
}

static struct expected extreme_i32(const int32_t *a, int64_t n, bool largest)
{
	int32_t found = a[0];

	for (int64_t i = 1; i < n; i++)
		if (largest ? a[i] > found : a[i] < found)
			found = a[i];
	return (struct expected){.value = (double)found};
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const void *a = inputs[OPERAND_A];
	int64_t n = problem->dim[0];
	bool largest = problem->op == OP_MAX;

	(void)region; /* there is one element */
	if (problem->dtype == DTYPE_I32)
		*ret_expected = problem->op == OP_SUM ? sum_i32(a, n) : extreme_i32(a, n, largest);
	else
		*ret_expected =
			problem->op == OP_SUM ? expected_sum(a, n) : extreme_f32(a, n, largest);
	/* Also for maxima and minima: the compared values may be flushed to 0. */
	if (problem->dtype == DTYPE_F32)
		ret_expected->slack = arithmetic_sum_underflow(
			&problem->arithmetic, problem->op == OP_SUM ? (double)n : 1);
}

/* Valid for any order. The chains of the rows are much shorter. */
static int64_t chain(const struct problem *problem)
{
	return rounds(problem) ? problem->dim[0] : 0;
}

/* The reference has exact results for all types and operations. */
static int64_t integer_limit(const struct problem *problem)
{
	return rounds(problem) ? bound_integer_limit(problem->dim[0], 1) : 0;
}

static double operations(const struct problem *problem)
{
	return problem_volume(problem) - 1;
}

static const struct check_size sum_f32_sizes[] = {
	{{AT(1)}},
	{{AT(2)}},
	{{AT(37)}},
	{{AT(997)}},
	TILE_EDGES_1(0),
	{{TILES(0, 4, 1)}},
	{{TILE_SQUARED(0, 1)}},
	/* Three levels of the trees; several tiles for each block of the coarse forms */
	{{LARGE(3)}},
};
/* The third size ends in the middle of a tile. A kernel that leaves out most of a partial tile then loses the last
 * element, which can be the maximum. Sums of i32 are exact: the large size shows an error in any element. */
static const struct check_size few_sizes[] = {
	{{AT(1)}}, {{AT(5003)}}, {{HALF_TILES(0, 9, 3)}}, {{LARGE_UP_TO(3, 300007)}}};

static const struct check_rule check = {.large = {.work_each = 8, .max = 1 << 23},
	.max = LARGE(3),
	.sets = {{.dtypes = 1 << DTYPE_F32, .ops = 1 << OP_SUM, .sizes = WITH_COUNT(sum_f32_sizes)},
		{.ops = 1 << OP_SUM, .sizes = WITH_COUNT(few_sizes)},
		{.sizes = few_sizes, .count = 3}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0, .dtype_of_problem = true,
		.aliases = "in input idata data x src"),
	VECTOR("B", OPERAND_OUT, DIM_ONE, .dtype_of_problem = true,
		.aliases = "out output odata sum result total dst y"),
};

static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_I32};

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int unrolled_choices[] = {64, 128, 256, 512, 1024, 0};
static const int several_choices[] = {1, 2, 4, 8, 0};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "reduce_" stem

#define ROW_LEVELS                                                                     \
	.plan = plan_levels, .scratch = scratch_levels, .bytes_issued = issued_levels, \
	.chain = chain_levels

/* ORDER as in tree.cu: 1 interleaved, 2 strided, 3 sequential. */
#define ROW_BLOCK_TREE(order, loads)                                                \
	KERNEL("tree"),                                                             \
		.macros = {{"BLOCK", 256, block_choices}, {"ORDER", (order), NULL}, \
			{"LOADS", (loads), NULL}},                                  \
		.tile = {{"BLOCK", "LOADS"}}, .traffic = traffic_tree, ROW_LEVELS

static const struct variant variants[] = {
	{.name = "interleaved",
		.technique = "-",
		.idea = "a tree over neighbours in shared memory: the adding threads are further apart "
			"in each round. Every warp diverges until one thread per warp adds; then "
			"whole warps are idle",
		.book = "PMPP 3rd ed., Fig. 5.13; 4th ed., 10.3",
		ROW_BLOCK_TREE(1, 1)},
	{.name = "strided",
		.technique = "compacted threads",
		.idea = "the same tree with neighbouring threads: whole warps become idle, but the elements "
			"of a warp share banks of shared memory",
		.book = "PMPP 3rd ed., 5.3",
		.base = "interleaved",
		.claim = {.text = "compacted threads >= 1.0 x divergent threads",
			.at_least = 1.0,
			.needs = CLAIM_OF_WARPS},
		ROW_BLOCK_TREE(2, 1)},
	{.name = "sequential",
		.technique = "less divergence",
		.idea = "pairs are half a block apart: neighbouring threads use neighbouring elements, "
			"whole warps become idle, no bank conflicts",
		.book = "PMPP 3rd ed., Fig. 5.15; 4th ed., 10.4",
		.base = "strided",
		.claim = {.text = "idle warps >= 1.2 x divergent warps",
			.over = "interleaved",
			.at_least = 1.2,
			.needs = CLAIM_OF_WARPS},
		ROW_BLOCK_TREE(3, 1)},
	{.name = "first-add",
		.technique = "add on load",
		.idea = "each thread adds two elements when it loads: half as many blocks, and every "
			"thread does at least one addition",
		.book = "PMPP 3rd ed., exercise 5.1",
		.base = "sequential",
		.claim = {.text = "2 elements per thread >= 1.3 x 1 element", .at_least = 1.3},
		ROW_BLOCK_TREE(3, 2)},
	{.name = "unrolled",
		.technique = "warp barriers",
		.idea = "the last LANES threads are one warp: it needs only warp barriers, in unrolled "
			"rounds, and the other warps end",
		.book = "PMPP 3rd ed., Fig. 5.15, taken further",
		.base = "first-add",
		KERNEL("unrolled"),
		.traffic = traffic_unrolled,
		.sub_groups = true,
		.infeasible = infeasible_unrolled,
		.macros = {{"BLOCK", 256, unrolled_choices}, {"LOADS", 2, NULL}, MACRO_LANES},
		.tile = {{"BLOCK", "LOADS"}},
		.claim = {.text = "warp barriers >= 1.0 x block barriers",
			.at_least = 1.0,
			.needs = CLAIM_OF_WARPS},
		ROW_LEVELS},
	{.name = "shuffle",
		.technique = "warp shuffle",
		.idea = "lanes exchange registers; a block waits once, for one value of each warp",
		.book = "PMPP 3rd ed., Fig. 5.15, taken further",
		.base = "unrolled",
		KERNEL("shuffle"),
		.traffic = traffic_shuffle,
		.needs = PMPP_CAP_WARP_REDUCE,
		.sub_groups = true,
		.macros = {{"BLOCK", 256, block_choices}, {"LOADS", 2, NULL}, MACRO_LANES},
		.tile = {{"BLOCK", "LOADS"}},
		.claim = {.text = "shuffles >= 1.1 x shared memory",
			.over = "first-add",
			.at_least = 1.1,
			.needs = CLAIM_OF_WARPS},
		ROW_LEVELS},
	{.name = "coarse",
		.technique = "coarsening",
		.idea = "a fixed number of blocks goes through the array; each thread adds in a register, "
			"and each block runs the tree once",
		.book = "PMPP 4th ed., 6.3 and 10.7",
		.base = "first-add",
		KERNEL("coarse"),
		.traffic = traffic_tree,
		.macros = {{"BLOCK", 256, block_choices}, {"COARSE", 4, several_choices}},
		.tile = {{"BLOCK", "COARSE"}},
		.reads = KERNEL_SHAPE_UNITS,
		.claim = {.text = "coarsened >= 1.2 x one tree per 512 elements", .at_least = 1.2},
		ROW_LEVELS},
	{.name = "vector",
		.technique = "16-byte loads",
		.idea = "`coarse` with 16-byte loads: four times as many bytes in flight, and an accumulator "
			"for each element of a load",
		.book = "PMPP 4th ed., 6.3 and 10.7, taken further",
		.base = "coarse",
		KERNEL("vector"),
		.traffic = traffic_tree,
		.macros = {{"BLOCK", 256, block_choices}, {"VECTORS", 4, several_choices}},
		.tile = {{"BLOCK", "VECTORS", .times = VECTOR_ELEMENTS}},
		.reads = KERNEL_SHAPE_UNITS,
		.claim = {.text = "16-byte loads >= 0.95 x 4-byte loads", .at_least = 0.95},
		ROW_LEVELS},
	{.name = "single-pass",
		.technique = "last block",
		.idea = "one launch: the block that finishes last adds the values of all blocks, in the "
			"order of the blocks",
		.book = "PMPP 4th ed., 10.8",
		.base = "vector",
		KERNEL("single_pass"),
		.traffic = traffic_single_pass,
		.blocks_meet = true,
		.macros = {{"BLOCK", 256, block_choices}, {"VECTORS", 4, several_choices}},
		.reads = KERNEL_SHAPE_UNITS,
		.plan = plan_single_pass,
		.scratch = scratch_single_pass,
		.bytes_issued = issued_single_pass,
		.chain = chain_single_pass,
		.tile = {{"BLOCK", "VECTORS", .times = VECTOR_ELEMENTS}},
		.claim = {.text = "one launch >= 0.95 x two", .at_least = 0.95}},
	{.name = "cpu-wide",
		.technique = "CPU vectors",
		.idea = "64 work-items with one contiguous share each, in vectors of 16 and four "
			"accumulators",
		.book = "-",
		.base = "vector",
		KERNEL("cpu_wide"),
		.constants = {{"SPAN", CPU_SPAN}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.tile = {{.times = CPU_SPAN}},
		ROW_LEVELS},
};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

/* A library may add in any order: family.chain is valid for each order. */
static const struct variant peers[] = {
	{.name = "cub",
		.idea = "CUB: cub::DeviceReduce",
		ROW_LIBRARY(PEER_CUB, PEER_SUM, "cub::DeviceReduce"),
		.repro = REPRO_BOUND},
	{.name = "openmp",
		.idea = "a loop in C with an OpenMP reduction, on all cores",
		ROW_LIBRARY(PEER_OPENMP, PEER_SUM, "openmp_reduce"),
		.repro = REPRO_BOUND},
};

const struct family family_reduce = {
	.name = "reduce",
	.title = "B = A[0] + ... + A[n-1]",
	.size_help =
		"B = sum, max or min of A[n] in f32 or i32 (sums modulo 2^32); size n, from 1 to 2^35",
	.book = "PMPP 3rd ed., 5.3; 4th ed., chapter 10",
	.aliases = "reduce reduction vectorsum",
	.dim_names = {"n"},
	.dim_aliases = {"size len length count numelements elements"},
	.dim_count = 1,
	/* For all tunings: fewer than 2^31 blocks, and at most PMPP_MAX_STEPS levels. */
	.dim_max = (int64_t)1 << 35,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 27},
		[DEVICE_CLASS_CPU] = {1 << 24},
		[DEVICE_CLASS_EMULATED] = {1 << 16}},
	.dtypes = WITH_COUNT(dtypes),
	.ops = {"sum", "max", "min"},
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = ALL_CASES,
	.reference = reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = integer_limit,
	.flops = operations,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
