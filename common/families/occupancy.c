/*
 * occupancy: two operations on n u32. The same kernels run with different numbers of resident
 * threads per multiprocessor.
 *
 *   stream  B[i] = A[i] + 1              bandwidth-bound: the loads of a thread are independent
 *   gather  B[i] = A[A[A[A[i]]]]         latency-bound: each load waits for the previous load
 *
 * The rows differ in the block size (block*), the active lanes of a warp (warps*), shared memory
 * (resident*, tile-*), registers (unbounded, bounded) and the number of threads (coarse*).
 *
 * Little's law: bytes in flight = latency x bandwidth. On an H200 334 ns (latency/chase) x 4326
 * GB/s (copy roof) = 1.4 MB (docs/results/devices/h200.json). Assumptions: all bytes
 * are loads, and the latency is that of an idle memory. A busy memory can be slower, so 1.4 MB is
 * the minimum. The bytes in flight are resident threads x independent loads of a thread x 4 bytes:
 * 1.1 MB for 132 x 2048 threads with one load each.
 *
 * The values of A map each group of 32 neighbours to another group of 32 neighbours. Therefore a
 * warp's gather is coalesced and waits for one line: only the latency counts, not the number of
 * lines.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"

#include <stdio.h>

enum {
	OP_STREAM,
	OP_GATHER
};

#define LOADS 4           /* dependent loads of a gather */
#define GROUP_ELEMENTS 32 /* that map to neighbours: a warp, 128 bytes */
#define TRIPS 256         /* multiply-adds per element in warps* */
#define TRIPS_WORK 32     /* work_times: below TRIPS, because a trip has no loads */

/* ---- Data ---------------------------------------------------------------------------------- */

static void fill_case(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	int64_t n = problem->dim[0];

	if (problem->op == OP_GATHER)
		data_fill_case_below(DTYPE_U32, (uint64_t)n, target, first, count, n, problem->seed,
			operand, problem->data_case);
	else
		data_fill_case(DTYPE_U32, DTYPE_U32, target, first, count, n, problem->seed,
			operand, problem->data_case);
}

static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	uint32_t *elements = target;
	uint64_t n = (uint64_t)problem->dim[0];
	uint64_t groups = n / GROUP_ELEMENTS; /* whole groups; other elements map anywhere */

	if (problem->source == INPUT_CASE) {
		fill_case(problem, operand, first, count, target);
		return;
	}
	for (int64_t e = 0; e < count; e++) {
		uint64_t i = (uint64_t)(first + e);
		uint64_t group = i / GROUP_ELEMENTS;
		uint64_t lane = i % GROUP_ELEMENTS;
		uint64_t other;

		if (group < groups)
			other = data_bits(problem->seed, operand, group) % groups * GROUP_ELEMENTS +
				lane;
		else
			other = data_bits(problem->seed, operand, i) % n;
		elements[e] = (uint32_t)other;
	}
}

/* The values of a stream are not indices: any value is valid. */
static bool check_inputs(
	const struct problem *problem, const void *const *inputs, char *ret_text, size_t size)
{
	const uint32_t *a = inputs[0];

	for (int64_t i = 0; problem->op == OP_GATHER && i < problem->dim[0]; i++)
		if (a[i] >= problem->dim[0]) {
			snprintf(ret_text, size,
				"A[%lld] is %u: a gather must stay within %lld elements",
				(long long)i, a[i], (long long)problem->dim[0]);
			return false;
		}
	return true;
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const uint32_t *a = inputs[0];

	for (int64_t r = 0; r < region.rows; r++) {
		uint32_t value = a[region.row + r];

		for (int load = 1; problem->op == OP_GATHER && load < LOADS; load++)
			value = a[value];
		if (problem->op == OP_STREAM)
			value++;
		ret_expected[r] = (struct expected){.value = value};
	}
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_serial(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	plan_launch_add(launch, PLAN_ARG_ULONG, 0); /* the compiler cannot know it */
}

static void plan_warps(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	plan_launch_add(launch, PLAN_ARG_INT, 1); /* `one` */
}

/*
 * HELD_KIB limits the number of resident blocks. It fits a multiprocessor of compute capability 9.0
 * or 10.0 with 228 KiB of shared memory, where each block takes 1 KiB more than it requests (CUDA
 * C++ Programming Guide, technical specifications). 16 blocks of 128 threads are all of its 2048
 * threads. A block of another unit holds the same part of its shared memory. For 4 and more
 * blocks of 228 KiB the value is below 48 KiB, the maximum of NVIDIA's OpenCL.
 */
#define HELD_OF (228 * 1024)
#define HELD_STEP 256 /* a unit allocates shared memory in multiples of some bytes */

static const char *domain_resident(const struct config *config, const struct problem *problem)
{
	(void)problem;
	return config->shape.assumed & KERNEL_SHAPE_UNIT_SHARED
		       ? "the shared memory of a unit of this device is unknown, so the number of "
			 "resident blocks cannot be set"
		       : NULL;
}

static void plan_resident(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	int64_t held = (int64_t)config_value(config, "HELD_KIB") * 1024;
	int64_t steps = ceil_div(held * config->shape.unit_shared_bytes, HELD_OF * HELD_STEP);

	launch->shared_bytes = (uint32_t)(steps * HELD_STEP);
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double flops_of_trips(const struct config *config, const struct problem *problem)
{
	return 2.0 * config_value(config, "TRIPS") * problem_volume(problem);
}

/* The rows warps* measure their multiply-adds, so no right kernel can avoid them. */
static void certain(const struct config *config, const struct problem *problem,
	double ret_operations[OPERATIONS_COUNT])
{
	if (config->variant->flops)
		ret_operations[OPERATIONS_F32] = config->variant->flops(config, problem);
}

static double bytes_issued(const struct config *config, const struct problem *problem)
{
	int loads = problem->op == OP_GATHER ? LOADS : 1;

	(void)config;
	return sizeof(uint32_t) * (loads + 1) * problem_volume(problem);
}

/* The loads and the store of each element. A gather loads 32 neighbouring elements, or parts of two
 * such groups, which are in different banks. */
static double passes_of_elements(const struct config *config, const struct problem *problem)
{
	int64_t accesses = problem->op == OP_GATHER ? LOADS + 1 : 2;

	return (double)accesses * traffic_warps(problem->dim[0], config_value(config, "BLOCK"));
}

static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	traffic_set(work, passes_of_elements(config, problem), 0);
}

/* A store and a load of each element, with whole tiles. */
static void traffic_tile(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t tile = config_value(config, "TILE");
	int64_t threads = ceil_div(problem->dim[0], tile) * tile;

	traffic_set(work, passes_of_elements(config, problem),
		2 * traffic_warps(threads, config_value(config, "BLOCK")));
}

static const struct check_size stream_sizes[] = {
	{{AT(1)}},
	{{AT(2)}},
	{{AT(31)}},
	{{AT(997)}},
	TILE_EDGES_1(0),
	{{TILES(0, 7, 3)}},
	{{LARGE(5)}},
};
static const struct check_size gather_sizes[] = {
	{{AT(1)}}, {{TILES(0, 1, 1)}}, {{TILES(0, 7, 3)}}, {{AT(99991)}}};

static const struct check_rule check = {.large = {.work_each = 8, .max = 1 << 23},
	.sets = {{.ops = 1 << OP_STREAM, .sizes = WITH_COUNT(stream_sizes)},
		{.sizes = WITH_COUNT(gather_sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0, .dtype = DTYPE_U32),
	VECTOR("B", OPERAND_OUT, 0, .dtype = DTYPE_U32),
};

static const enum dtype dtypes[] = {DTYPE_U32};
static const int block_choices[] = {32, 64, 96, 100, 128, 256, 0};
static const int whole_choices[] = {32, 64, 128, 256, 0};
static const int coarse_choices[] = {1, 2, 4, 8, 16, 0};
static const int tile_choices[] = {256, 1024, 4096, 8192, 0};

#define ROW .bytes_issued = bytes_issued, .traffic = traffic
#define MACRO_LOADS                  \
	{                            \
		"LOADS", LOADS, NULL \
	}

#define ROW_BLOCK(threads)                                                                  \
	ROW, .technique = "block size", .book = "4.4, 4.7", .file = "chunk",                \
	     .entry = "occupancy_chunk", .plan = plan_tiles, .tile = {{"BLOCK", "COARSE"}}, \
	     .macros = {{"BLOCK", (threads), block_choices}, {"COARSE", 1, NULL}, MACRO_LOADS}

#define ROW_WARPS(threads)                                                                     \
	ROW, .technique = "whole warps", .book = "4.4", .file = "warps",                       \
	     .entry = "occupancy_warps", .plan = plan_warps, .tile = {{"BLOCK", "COARSE"}},    \
	     .flops = flops_of_trips, .operations = OPERATIONS_F32, .work_times = TRIPS_WORK,  \
	     .macros = {{"BLOCK", (threads), block_choices}, {"COARSE", 4, NULL}, MACRO_LOADS, \
		     {"TRIPS", TRIPS, NULL}}

#define ROW_RESIDENT(kib)                                                                          \
	ROW, .technique = "residency", .book = "4.6, 4.7", .file = "resident",                     \
	     .entry = "occupancy_resident", .plan = plan_resident, .tile = {{"BLOCK", "COARSE"}},  \
	     .domain = domain_resident, .reads = KERNEL_SHAPE_UNIT_SHARED,                         \
	     .macros = {{"BLOCK", 128, whole_choices}, {"COARSE", 1, coarse_choices}, MACRO_LOADS, \
		     {"HELD_KIB", (kib), NULL}}

#define ROW_SERIAL(stem)                                                                     \
	ROW, .technique = "launch bounds", .book = "4.7", .file = stem,                      \
	     .entry = "occupancy_" stem, .plan = plan_serial, .tile = {{"BLOCK", "COARSE"}}, \
	     .macros = {{"BLOCK", 128, whole_choices}, {"COARSE", 32, NULL}, MACRO_LOADS}

#define ROW_COARSE(factor)                                                                  \
	ROW, .technique = "coarsening", .book = "6.3", .file = "chunk",                     \
	     .entry = "occupancy_chunk", .plan = plan_tiles, .tile = {{"BLOCK", "COARSE"}}, \
	     .macros = {{"BLOCK", 256, whole_choices}, {"COARSE", (factor), NULL}, MACRO_LOADS}

#define ROW_TILE(elements)                                                                      \
	.bytes_issued = bytes_issued, .traffic = traffic_tile, .technique = "tiling",           \
	.book = "4.7, 5.6, 6.5", .file = "tile", .entry = "occupancy_tile", .plan = plan_tiles, \
	.tile = {{"TILE"}},                                                                     \
	.macros = {{"BLOCK", 64, whole_choices}, {"TILE", (elements), tile_choices}, MACRO_LOADS}

static const struct variant variants[] = {
	{.name = "block100",
		.idea = "blocks of 100 threads: the last warp has 4 of 32, so 22 % of the resident "
			"lanes are idle, and most warps access two lines",
		ROW_BLOCK(100)},
	{.name = "block96", .idea = "blocks of 3 whole warps", .base = "block100", ROW_BLOCK(96)},
	{.name = "block128",
		.idea = "blocks of 4 whole warps, 16 of which fill a multiprocessor of 2048 "
			"threads",
		.base = "block100",
		ROW_BLOCK(128)},
	{.name = "block256",
		.idea = "blocks of 8 whole warps: the same number of threads in half as many blocks",
		.base = "block128",
		ROW_BLOCK(256)},
	{.name = "warps100",
		.idea = "blocks of 100 threads with 256 multiply-adds for each element: the last warp "
			"takes the time of 32 lanes for 4 lanes",
		.base = "block100",
		ROW_WARPS(100)},
	{.name = "warps128",
		.idea = "the same work in blocks of 4 whole warps: 100 warp instructions instead of "
			"128",
		.base = "warps100",
		.claim = {.text = "whole warps >= 1.2 x blocks of 100",
			.at_least = 1.2,
			.needs = CLAIM_OF_WIDE_WARPS},
		ROW_WARPS(128)},
	{.name = "resident1",
		.idea = "blocks that hold 120 KiB of shared memory: 1 is resident, 4 warps of 64",
		.base = "block128",
		ROW_RESIDENT(120)},
	{.name = "resident2",
		.idea = "blocks that hold 80 KiB: 2 are resident, 8 warps of 64",
		.base = "resident1",
		.claim = {.text = "8 resident warps >= 1.5 x 4",
			.at_least = 1.5,
			.needs = CLAIM_OF_SHARED},
		ROW_RESIDENT(80)},
	{.name = "resident4",
		.idea = "blocks that hold 46 KiB: 4 are resident, 16 warps of 64",
		.base = "resident1",
		.claim = {.text = "16 resident warps >= 2.5 x 4",
			.at_least = 2.5,
			.needs = CLAIM_OF_SHARED},
		ROW_RESIDENT(46)},
	{.name = "resident8",
		.idea = "blocks that hold 26 KiB: 8 are resident, 32 warps of 64",
		.base = "resident4",
		.claim = {.text = "32 resident warps >= 1.3 x 16",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		ROW_RESIDENT(26)},
	{.name = "resident16",
		.idea = "blocks that hold 12 KiB: 16 are resident, all 64 warps",
		.base = "resident4",
		.claim = {.text = "64 resident warps >= 2 x 16",
			.at_least = 2,
			.needs = CLAIM_OF_SHARED},
		ROW_RESIDENT(12)},
	{.name = "unbounded",
		.idea = "32 values per thread in registers, one load in flight: the registers suffice "
			"for about 40 warps of 64",
		.base = "block128",
		ROW_SERIAL("unbounded")},
	/* No claim: only CUDA can set the minimum number of blocks. */
	{.name = "bounded",
		.idea = "launch bounds request 64 warps, and some values are spilled; OpenCL can only "
			"bound the block, so the kernel behaves like `unbounded`",
		.base = "unbounded",
		ROW_SERIAL("bounded")},
	{.name = "coarse1", .idea = "one element per thread", .base = "block256", ROW_COARSE(1)},
	{.name = "coarse2",
		.idea = "half the threads with 2 independent loads each",
		.base = "coarse1",
		ROW_COARSE(2)},
	{.name = "coarse4",
		.idea = "a quarter of the threads with 4 independent loads each: more bytes in flight "
			"without more warps",
		.base = "coarse1",
		.claim = {.text = "4 loads per thread >= 1.05 x 1 load", .at_least = 1.05},
		ROW_COARSE(4)},
	{.name = "coarse8",
		.idea = "8 independent loads each: memory is already busy, so there is no further gain",
		.base = "coarse1",
		ROW_COARSE(8)},
	{.name = "coarse16",
		.idea = "16 independent loads each, in 32 registers: the maximum with which all warps "
			"are resident",
		.base = "coarse1",
		ROW_COARSE(16)},
	{.name = "tile-small",
		.idea = "1 KiB of shared memory between load and store, without reuse: all warps are "
			"resident",
		.base = "coarse4",
		ROW_TILE(256)},
	{.name = "tile-large",
		.idea = "32 KiB of shared memory for a block of 2 warps: 6 blocks are resident, 12 "
			"warps of 64",
		.base = "tile-small",
		.claim = {.text = "a tile that is not reused: large <= 0.7 x small",
			.at_most = 0.7,
			.needs = CLAIM_OF_SHARED},
		ROW_TILE(8192)},
};

const struct family family_occupancy = {
	.name = "occupancy",
	.title = "B = A + 1, or a gather",
	.size_help =
		"stream: B[n] = A[n] + 1; gather: B[i] = A[A[A[A[i]]]]; u32, size n, from 1 to "
		"2^32",
	.book = "PMPP 4th ed., 4.4 to 4.7, 5.6, 6.3 and 6.5",
	.dim_names = {"n"},
	.dim_count = 1,
	.dim_max = (int64_t)1 << 32,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 26},
		[DEVICE_CLASS_CPU] = {1 << 22},
		[DEVICE_CLASS_EMULATED] = {1 << 14}},
	.dtypes = WITH_COUNT(dtypes),
	.ops = {"stream", "gather"},
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = ALL_CASES,
	.check_inputs = check_inputs,
	.reference = reference,
	.certain = certain,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
