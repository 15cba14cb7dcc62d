/*
 * prefetch: B[i] = A[i] after `trips` times x = x * SCALE + SHIFT, in f32. A grid of fixed size
 * streams through A and works on every element. The variants differ in the time at which a thread
 * requests its next element.
 *
 * Every step is one fused multiply-add, so all engines give the bits of fmaf(), which the reference
 * uses.
 */
#include "common/check_sizes.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/warp.h"

#include <math.h>

enum {
	DIM_N,
	DIM_TRIPS
};

/* Two blocks for each unit of the device. This is too few for other warps to hide the latency of
 * memory, as in kernels whose registers or shared memory limit the number of blocks. */
#define UNIT_BLOCKS 2
#define REFERENCE_BLOCKS (UNIT_BLOCKS * 132) /* of the reference shape, for check sizes */

#define DEFAULT_TRIPS 64
#define MAX_TRIPS 4096 /* values converge to 1; after more trips they hardly depend on the input */

/* 2^-10 and 1 - 2^-10: nearly every step rounds, and no value grows. The divisor is a macro of the
 * kernels. */
#define SHIFT_DIVISOR 1024
#define SHIFT (1.0f / SHIFT_DIVISOR)
#define SCALE (1.0f - SHIFT)

static const char *invalid(const struct problem *problem)
{
	return problem->dim[DIM_TRIPS] > MAX_TRIPS ? "trips is larger than 4096: use 1 to 4096"
						   : NULL;
}

static int64_t blocks_of(const struct config *config, const struct problem *problem)
{
	return min(ceil_div(problem->dim[DIM_N], config_value(config, "BLOCK")),
		UNIT_BLOCKS * config->shape.units);
}

static void plan(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_grid(ret_plan, config, problem, blocks_of(config, problem),
		config_value(config, "BLOCK"), 1, PLAN_ARG_ULONG);
}

static double flops(const struct problem *problem)
{
	return 2 * problem_volume(problem);
}

/* The result of every trip is rounded, so no shorter form has the same bits. */
static void certain(const struct config *config, const struct problem *problem,
	double ret_operations[OPERATIONS_COUNT])
{
	(void)config;
	ret_operations[OPERATIONS_F32] = flops(problem);
}

/* A load and a store of each element, in accesses of 4 or 16 bytes. With 16 bytes a quarter of the
 * threads takes part, and an access of a warp takes four passes. */
static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	traffic_set(work, 2 * traffic_warps(problem->dim[DIM_N], config_value(config, "BLOCK")), 0);
}

/* The same through a buffer in shared memory. */
static void traffic_buffer(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double warps = traffic_warps(problem->dim[DIM_N], config_value(config, "BLOCK"));

	traffic_set(work, 2 * warps, 2 * warps);
}

/* After its last tile each block stores one more tile, with zeros. */
static void traffic_double_buffer(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int block = config_value(config, "BLOCK");

	traffic_buffer(config, problem, work);
	work->shared_passes += (double)blocks_of(config, problem) * block / WARP_THREADS;
}

#define REFERENCE_RUN 16 /* independent elements, to hide the host's latency */

/* Terms are 0: every rounding is determined, so the answer is exact. */
static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const float *a = (const float *)inputs[0] + region.row;

	for (int64_t i = 0; i < region.rows; i += REFERENCE_RUN) {
		int64_t left = region.rows - i;
		int count = left < REFERENCE_RUN ? (int)left : REFERENCE_RUN;
		float x[REFERENCE_RUN];

		for (int k = 0; k < count; k++)
			x[k] = a[i + k];
		for (int64_t trip = 0; trip < problem->dim[DIM_TRIPS]; trip++)
			for (int k = 0; k < count; k++)
				x[k] = fmaf(x[k], SCALE, SHIFT);
		for (int k = 0; k < count; k++)
			ret_expected[i + k] = (struct expected){.value = (double)x[k]};
	}
}

static int64_t chain(const struct problem *problem)
{
	return problem->dim[DIM_TRIPS];
}

static const struct check_size sizes[] = {
	{{AT(1), AT(DEFAULT_TRIPS)}},
	{{AT(1), AT(1)}},
	{{AT(37), AT(MAX_TRIPS - 1)}},
	{{AT(997), AT(7)}},
	{{TILES(DIM_N, 1, -1), AT(DEFAULT_TRIPS)}},
	{{TILES(DIM_N, 1, 0), AT(9)}},
	{{TILES(DIM_N, 1, 1), AT(MAX_TRIPS / 64)}},
	{{TILES(DIM_N, REFERENCE_BLOCKS, 1), AT(2)}}, /* a tile for every block, and one more */
	{{TILES(DIM_N, 3 * REFERENCE_BLOCKS, -1), AT(1)}},
	{{LARGE_PART(0, DEFAULT_TRIPS, 3), AT(DEFAULT_TRIPS)}},
	{{LARGE(3), AT(1)}},
};

static const struct check_rule check = {
	.large = {.work_each = 8, .max = 1 << 23}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, DIM_N),
	VECTOR("B", OPERAND_OUT, DIM_N),
};

static const int block_choices[] = {64, 128, 256, 512, 1024, 0};
static const int stages_choices[] = {2, 3, 4, 6, 8, 0};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "prefetch_" stem

#define ROW                                                                                 \
	.constants = {{"SHIFT_DIVISOR", SHIFT_DIVISOR}}, .plan = plan, .tile = {{"BLOCK"}}, \
	.reads = KERNEL_SHAPE_UNITS

static const struct variant variants[] = {
	{.name = "plain",
		.technique = "-",
		.idea = "load, compute, store: no load is in flight while a thread computes",
		.book = "-",
		KERNEL("plain"),
		.macros = {{"BLOCK", 256, block_choices}},
		.traffic = traffic,
		ROW},
	{.name = "register",
		.technique = "prefetch",
		.idea = "a thread loads the next element before it works on the current one",
		.book = "PMPP 1st ed., 6.4 (data prefetching)",
		.base = "plain",
		KERNEL("register"),
		.macros = {{"BLOCK", 256, block_choices}},
		.claim = {.text = "prefetch into a register >= 1.1 x none", .at_least = 1.1},
		.traffic = traffic,
		ROW},
	{.name = "double-buffer",
		.technique = "double buffer",
		.idea = "a quarter of the threads load the next tile into one half of shared memory while "
			"all threads work on the other half",
		.book = "PMPP 1st ed., 6.4 (data prefetching)",
		.base = "plain",
		KERNEL("double_buffer"),
		.macros = {{"BLOCK", 256, block_choices}},
		.claim = {.text = "double buffer >= 1.0 x none",
			.at_least = 1.0,
			.needs = CLAIM_OF_SHARED},
		.traffic = traffic_double_buffer,
		ROW},
	{.name = "async-copy",
		.technique = "asynchronous copy",
		.idea = "the hardware copies tiles into shared memory; three copies are in flight while "
			"the threads work on another tile",
		.book = "PMPP 1st ed., 6.4, taken further",
		.base = "double-buffer",
		KERNEL("async_copy"),
		.needs = PMPP_CAP_ASYNC_COPY,
		.macros = {{"BLOCK", 256, block_choices}, {"STAGES", 4, stages_choices}},
		.claim = {.text = "three tiles in flight >= 1.3 x none",
			.over = "plain",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		.traffic = traffic_buffer,
		ROW},
};

const struct family family_prefetch = {
	.name = "prefetch",
	.title = "B = f(A)",
	.size_help =
		"B[n] = f(A[n]) in f32, f of `trips` fused multiply-adds; sizes n x trips, n from 1 "
		"to 2^40, trips from 1 to 4096 (default 64)",
	.book = "PMPP 1st ed., 6.4; 4th ed., 6.2 (why latency must be hidden)",
	.dim_names = {"n", "trips"},
	.dim_count = 2,
	.dim_max = (int64_t)1 << 40,
	.dim_default = {0, DEFAULT_TRIPS},
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 26},
		[DEVICE_CLASS_CPU] = {1 << 22},
		[DEVICE_CLASS_EMULATED] = {1 << 16}},
	.invalid = invalid,
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.chain = chain,
	.certain = certain,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
