/*
 * window: B[i] = sum of A[i - h .. i + h], h = width / 2; elements beyond the ends are zero. Each
 * output needs `width` elements of A, and neighbouring outputs share all but two of them. The
 * variants differ in the place from which they read shared terms (a cache, shared memory), and in
 * the number of reads.
 *
 * No variant subtracts the terms that leave the window. A floating-point sum would keep the
 * rounding errors of these terms, and the errors may be larger than all terms inside the window.
 * Each output is the sum of its `width` terms. The bound is that of width - 1 roundings, for any
 * order of the additions.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

enum {
	DIM_N,
	DIM_WIDTH
};

#define DEFAULT_WIDTH 31

/* The effective width: a wider window has no further elements. */
static int64_t reach(const struct problem *problem)
{
	return min(problem->dim[DIM_WIDTH], 2 * problem->dim[DIM_N] - 1);
}

static const char *invalid(const struct problem *problem)
{
	if (problem->dim[DIM_WIDTH] % 2 == 0)
		return "width is even: use an odd width, so that both sides of an element have the same "
		       "number of neighbours";
	if (problem->dim[DIM_WIDTH] > INT32_MAX - 4096)
		return "width is larger than 2147479551: use a smaller width";
	return NULL;
}

/* ---- Work ---------------------------------------------------------------------------------- */

/* Number of terms of all windows. Terms beyond the ends do not count. */
static double terms(const struct problem *problem)
{
	double n = (double)problem->dim[DIM_N];
	double max = fmin((double)(problem->dim[DIM_WIDTH] / 2), n - 1);

	return n * (2 * max + 1) - max * (max + 1);
}

static double flops(const struct problem *problem)
{
	return terms(problem);
}

static int64_t chain(const struct problem *problem)
{
	int64_t count = min(problem->dim[DIM_WIDTH], problem->dim[DIM_N]);

	return count > 1 ? count - 1 : 1;
}

static int64_t integer_limit(const struct problem *problem)
{
	return bound_integer_limit(min(problem->dim[DIM_WIDTH], problem->dim[DIM_N]), 1);
}

/* ---- Reference ----------------------------------------------------------------------------- */

static double element(const struct problem *problem, const float *a, int64_t j)
{
	return j >= 0 && j < problem->dim[DIM_N] ? (double)a[j] : 0;
}

/* Computes the outputs first to first + count - 1, count <= width, in about width + 2 count
 * additions. All windows contain the element at which the last window begins. Each output is the
 * sum of the terms before this element, added backwards, and of the other terms, added forwards. */
static void reference_stretch(const struct problem *problem, const float *a, int64_t first,
	int64_t count, struct expected *ret_expected)
{
	int64_t width = problem->dim[DIM_WIDTH];
	int64_t start = first - width / 2; /* of the first window */
	int64_t middle = start + count - 1;
	struct expected before = {0}, after = {0};

	for (int64_t k = count - 1; k >= 0; k--) {
		ret_expected[k] = before;
		if (k > 0) {
			double value = element(problem, a, start + k - 1);
			before.value += value;
			before.terms += fabs(value);
		}
	}
	for (int64_t j = middle; j < start + width - 1; j++) {
		after.value += element(problem, a, j);
		after.terms += fabs(element(problem, a, j));
	}
	for (int64_t k = 0; k < count; k++) {
		double value = element(problem, a, start + width - 1 + k);
		after.value += value;
		after.terms += fabs(value);
		ret_expected[k].value += after.value;
		ret_expected[k].terms += after.terms;
	}
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	int64_t width = problem->dim[DIM_WIDTH];
	double underflow = arithmetic_sum_underflow(
		&problem->arithmetic, (double)min(width, problem->dim[DIM_N]));

	for (int64_t k = 0; k < region.rows; k += width)
		reference_stretch(problem, inputs[0], region.row + k, min(width, region.rows - k),
			ret_expected + k);
	for (int64_t k = 0; k < region.rows; k++)
		ret_expected[k].slack = underflow;
}

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	launch->args[launch->arg_count - 1].value = reach(problem);
}

static double issued_direct(const struct config *config, const struct problem *problem)
{
	(void)config;
	return 4 * (terms(problem) + (double)problem->dim[DIM_N]);
}

/* A block loads a tile for each CHUNK terms of its windows. */
static double issued_tiled(const struct config *config, const struct problem *problem)
{
	double n = (double)problem->dim[DIM_N];
	double outputs = (double)config_tile(config, DIM_N);
	double width = (double)reach(problem);
	double chunks = ceil(width / config_value(config, "CHUNK"));

	return 4 * (n + ceil(n / outputs) * (chunks * (outputs - 1) + width));
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* One pass loads 32 terms, or stores 32 results. */
static void traffic_direct(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	work->l1_passes = (terms(problem) + (double)problem->dim[DIM_N]) / WARP_THREADS;
	work->shared_passes = 0;
}

/* Accesses by the warps of a block that loads a tile for each CHUNK terms. A tile has the elements
 * at which the block's windows begin, and the rest of these windows. */
static double tile_accesses(const struct config *config, const struct problem *problem)
{
	int64_t chunk = config_value(config, "CHUNK"), width = reach(problem);
	int64_t own = config_tile(config, DIM_N) / WARP_THREADS;
	int64_t whole = own + ceil_div(chunk - 1, WARP_THREADS);
	int64_t rest = width % chunk ? own + ceil_div(width % chunk - 1, WARP_THREADS) : 0;

	return (double)(width / chunk) * (double)whole + (double)rest;
}

/* The accesses to global memory. If the windows of a block may reach beyond the ends, only the
 * block's own elements count. */
static double tile_loads(const struct config *config, const struct problem *problem)
{
	int64_t n = problem->dim[DIM_N], outputs = config_tile(config, DIM_N);
	int64_t blocks = ceil_div(n, outputs);
	int64_t ends = min(2 * ceil_div(reach(problem) / 2, outputs) + 1, blocks);
	double beside = tile_accesses(config, problem) - (double)outputs / WARP_THREADS;

	return passes_count_warps(n) + (double)(blocks - ends) * beside;
}

static void traffic_private(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t n = problem->dim[DIM_N], block = config_value(config, "BLOCK");
	double blocks = (double)ceil_div(n, block);
	double reads = (double)block / WARP_THREADS * (double)reach(problem);

	work->l1_passes = tile_loads(config, problem) + passes_count_warps(n);
	work->shared_passes = blocks * (tile_accesses(config, problem) + reads);
}

/* Minimum number of additions of a thread: the terms of its first window, and two for each other
 * window. If its windows share no element, each window is summed on its own. */
static double coarse_additions(const struct problem *problem, int64_t run)
{
	int64_t width = reach(problem);

	return (double)(width >= run ? width - 1 + 2 * (run - 1) : run * (width - 1));
}

/* A thread reads the terms of its first window and the RUNLENGTH - 1 that its other windows have
 * beyond it. Results go through the tile. An odd RUNLENGTH avoids conflicts. */
static void traffic_coarse(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t n = problem->dim[DIM_N], run = config_value(config, "RUNLENGTH");
	double blocks = (double)ceil_div(n, config_tile(config, DIM_N));
	double warps = config_value(config, "BLOCK") / (double)WARP_THREADS;
	double stored = passes_count_warps(n);

	work->l1_passes = tile_loads(config, problem) + stored;
	work->shared_passes = blocks * (tile_accesses(config, problem) +
					       warps * (double)(reach(problem) + run - 1 + run)) +
			      stored;
	work->operations[OPERATIONS_F32] =
		(double)ceil_div(n, run) * coarse_additions(problem, run);
}

static const struct check_size sizes[] = {
	{{AT(1), AT(DEFAULT_WIDTH)}},
	{{AT(37), AT(DEFAULT_WIDTH)}},
	{{TILES(DIM_N, 1, -1), AT(3)}},
	{{TILES(DIM_N, 1, 0), AT(DEFAULT_WIDTH)}},
	{{TILES(DIM_N, 1, 1), AT(DEFAULT_WIDTH)}},
	{{TILES(DIM_N, 2, 3), AT(1)}},
	{{AT(997), AT(5)}},
	{{TILES(DIM_N, 3, 5), AT(129)}}, /* more than a chunk; below: several chunks */
	{{TILES(DIM_N, 1, 2), AT(1025)}},
	{{AT(100), AT(2001)}}, /* every window is wider than the vector */
	/* Sums of more than 1000 terms. Too much work for a traced run, which would take long. */
	{{AT(1511), AT(3001)}},
	{{LARGE(0), AT(DEFAULT_WIDTH)}},
};

static const struct check_rule check = {.large = {.work_each = DEFAULT_WIDTH, .max = 1 << 20},
	.sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ---------------------------------------------------------------------------- */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, DIM_N),
	VECTOR("B", OPERAND_OUT, DIM_N),
};

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int coarse_block_choices[] = {32, 64, 128, 256, 0};
static const int chunk_choices[] = {32, 64, 128, 256, 0};
static const int run_choices[] = {3, 5, 7, 9, 11, 0};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "window_" stem

static const struct variant variants[] = {
	{.name = "direct",
		.technique = "-",
		.idea = "one thread per output reads its window from global memory: only the caches "
			"reuse the elements that neighbours share",
		.book = "7.2",
		KERNEL("direct"),
		.traffic = traffic_direct,
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan,
		.bytes_issued = issued_direct,
		.tile = {{"BLOCK"}}},
	{.name = "private",
		.technique = "shared tile",
		.idea = "a block copies the elements of its windows, with the halo, to shared memory and "
			"adds them there",
		.book = "7.4 (tiles with halo)",
		.base = "direct",
		KERNEL("private"),
		.traffic = traffic_private,
		.macros = {{"BLOCK", 256, block_choices}, {"CHUNK", 128, chunk_choices}},
		.plan = plan,
		.bytes_issued = issued_tiled,
		.tile = {{"BLOCK"}},
		.claim = {.text = "shared tile >= 1 x caches",
			.at_least = 1,
			.needs = CLAIM_OF_SHARED}},
	{.name = "coarse",
		.technique = "coarsening",
		.idea = "a thread computes 9 neighbouring outputs: elements that all of their windows "
			"share are added once",
		.book = "6.3, 7.4",
		.base = "private",
		KERNEL("coarse"),
		.traffic = traffic_coarse,
		.macros = {{"BLOCK", 128, coarse_block_choices}, {"CHUNK", 128, chunk_choices},
			{"RUNLENGTH", 9, run_choices}},
		.plan = plan,
		.bytes_issued = issued_tiled,
		.tile = {{"BLOCK", "RUNLENGTH"}},
		.claim = {.text = "9 outputs per thread >= 1.3 x 1 output", .at_least = 1.3}},
};

const struct family family_window = {
	.name = "window",
	.title = "B = sliding sum of A",
	.size_help =
		"B[i] = sum of the `width` elements of A around A[i], in f32; sizes n x width, n "
		"from 1 to 2^40, width odd (default 31)",
	.book = "PMPP 4th ed., 6.3, 7.2 and 7.4",
	.dim_names = {"n", "width"},
	.dim_count = 2,
	.dim_max = (int64_t)1 << 40,
	.dim_default = {[DIM_WIDTH] = DEFAULT_WIDTH},
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 26},
		[DEVICE_CLASS_CPU] = {1 << 22},
		[DEVICE_CLASS_EMULATED] = {1 << 15}},
	.invalid = invalid,
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = integer_limit,
	.work = terms,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
};
