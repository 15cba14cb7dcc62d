/*
 * coalesce: B = A, vectors of n f32, copied with different access patterns. Every variant copies
 * each element once. Only the assignment of elements to threads differs, and so does the number of
 * memory sectors of a warp's access.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

static const int block_choices[] = {32, 64, 128, 256, 512, 1024, 0};
static const int stride_choices[] = {1, 2, 3, 4, 8, 16, 32, 64, 0};
static const int offset_choices[] = {1, 2, 4, 8, 16, 32, 0}; /* a sector is 8, a line 32 */
static const int span_choices[] = {4096, 16384, 65536, 0};
static const int stream_choices[] = {1, 1 << 25, INT32_MAX, 0};

/* The first OFFSET threads have no element. */
static void plan_misaligned(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	launch->groups[0] = (uint64_t)ceil_div(
		problem->dim[0] + config_value(config, "OFFSET"), config_tile(config, 0));
}

/* A pass is a row of the grid. STRIDE is far below 65535, the maximum of the grid's y. */
static void plan_strided(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_tiles(ret_plan, config, problem, PLAN_ARG_ULONG);

	launch->groups[1] = (uint64_t)config_value(config, "STRIDE");
}

/* Each element is loaded and stored once. Neighbouring threads access neighbouring elements. Warps
 * without an element load nothing. */
static void traffic_contiguous(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int offset = config_value_or(config, "OFFSET", 0);

	work->l1_passes = 2 * passes_count_warps(problem->dim[0] + offset % WARP_THREADS);
	work->shared_passes = 0;
}

/* The kernel makes STRIDE passes over both vectors. A pass moves whole sectors: all sectors if the
 * stride is a sector or less. The next pass moves them again. If the stride is above 1, a pass
 * writes only a part of each sector. If the stride is a pair of sectors or more, a pass reads only
 * one sector of a pair. */
static void traffic_strided(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int stride = config_value(config, "STRIDE");
	struct warp_lanes lanes = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = 4 * stride};
	int64_t sector = config->shape.sector_bytes / (int64_t)sizeof(float); /* elements */
	double times = (double)min(stride, sector);

	work->l1_passes = 2 * passes_of_grid(&lanes, problem->dim[0] / stride, stride);
	work->shared_passes = 0;
	work->again_read = work->bytes_read * (times - 1);
	work->again_written = work->bytes_written * (times - 1);
	work->again_after = work->l2_bytes * times / stride;
	if (stride > 1)
		work->overfetched = work->bytes_written * times;
	if (stride >= 2 * sector)
		work->overfetched += work->bytes_read * times;
	work->l2_bytes *= times;
}

/* The elements after the last whole 16 bytes are copied one by one. */
static void traffic_vector4(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t n = problem->dim[0];
	struct warp_lanes lanes = {
		.lanes = WARP_THREADS, .rows = 1, .lane_bytes = 16, .width_bytes = 16};

	(void)config;
	work->l1_passes = 2 * (passes_of_grid(&lanes, n / 4, 1) + (double)(n % 4));
	work->shared_passes = 0;
}

/* A copy does not round: only the exact value passes. */
static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const float *a = (const float *)inputs[0] + region.row;

	(void)problem;
	for (int64_t i = 0; i < region.rows; i++)
		ret_expected[i] = (struct expected){.value = a[i]};
}

static int64_t integer_limit(const struct problem *problem)
{
	(void)problem;
	return (1 << 24) - 1;
}

static const struct check_size sizes[] = {
	{{AT(1)}},
	{{AT(2)}},
	{{AT(33)}},
	{{AT(997)}},
	TILE_EDGES_1(0),
	{{TILES(0, 3, 17)}},
	{{LARGE(-3)}},
};

static const struct check_rule check = {
	.large = {.max = PAST_F32}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, 0),
	VECTOR("B", OPERAND_OUT, 0),
};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "coalesce_" stem

/*
 * Limits of the claims, relative to contiguous: a vector that is much larger than the L2 cache is
 * read and written STRIDE times, but at most 8 times (elements of a sector). So the best ratios are
 * 1/2, 1/4, 1/8. The limits are higher, because a cache may save some of the accesses.
 */
#define ROW_STRIDED(stride)                                                                      \
	.technique = "strided", .book = "6.1", KERNEL("strided"), .plan = plan_strided,          \
	.tile = {{"BLOCK", "STRIDE"}}, .traffic = traffic_strided, .reads = KERNEL_SHAPE_SECTOR, \
	.macros = {{"BLOCK", 256, block_choices}, {"STRIDE", (stride), stride_choices}}

static const struct variant variants[] = {
	{.name = "contiguous",
		.technique = "coalesced",
		.idea = "thread i copies element i: a warp accesses neighbouring bytes, which fill whole sectors",
		.book = "6.1",
		KERNEL("contiguous"),
		.traffic = traffic_contiguous,
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_tiles,
		.tile = {{"BLOCK"}}},
	{.name = "misaligned",
		.technique = "one off",
		.idea = "thread i copies element i - 1: a warp's access straddles a line, 5 sectors, "
			"and a cache serves the fifth",
		.book = "6.1",
		.base = "contiguous",
		KERNEL("misaligned"),
		.traffic = traffic_contiguous,
		.macros = {{"BLOCK", 256, block_choices}, {"OFFSET", 1, offset_choices}},
		.plan = plan_misaligned,
		.tile = {{"BLOCK"}},
		.claim = {.text = "misaligned >= 0.8 x contiguous",
			.at_least = 0.8,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS}},
	{.name = "stride2",
		.idea = "neighbouring threads are 2 elements apart: 8 sectors, half of each is used",
		.base = "contiguous",
		.claim = {.text = "stride 2 <= 0.7 x contiguous",
			.at_most = 0.7,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_STRIDED(2)},
	{.name = "stride4",
		.idea = "neighbouring threads are 4 elements apart: 16 sectors, a quarter of each is "
			"used",
		.base = "stride2",
		.claim = {.text = "stride 4 <= 0.4 x contiguous",
			.over = "contiguous",
			.at_most = 0.4,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_STRIDED(4)},
	{.name = "stride8",
		.idea = "neighbouring threads are 8 elements apart: one sector per thread, an eighth "
			"of it is used",
		.base = "stride4",
		.claim = {.text = "stride 8 <= 0.25 x contiguous",
			.over = "contiguous",
			.at_most = 0.25,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_STRIDED(8)},
	{.name = "stride16",
		.idea = "neighbouring threads are 16 elements apart: as many sectors as at a "
			"distance of 8, in twice as many lines",
		.base = "stride8",
		.claim = {.text = "stride 16 <= 0.25 x contiguous",
			.over = "contiguous",
			.at_most = 0.25,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_STRIDED(16)},
	{.name = "stride32",
		.idea = "neighbouring threads are 32 elements apart: one line per thread, a "
			"thirty-second of it is used",
		.base = "stride16",
		.claim = {.text = "contiguous >= 4 x stride 32",
			.over = "contiguous",
			.at_most = 0.25,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_STRIDED(32)},
	{.name = "vector4",
		.technique = "16-byte access",
		.idea = "one 16-byte access copies 4 neighbouring elements per thread: 512 bytes per "
			"warp",
		.book = "6.1, 6.3",
		.base = "contiguous",
		KERNEL("vector4"),
		.traffic = traffic_vector4,
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_tiles,
		.tile = {{"BLOCK", .times = 4}},
		.claim = {.text = "16-byte accesses >= 0.95 x contiguous", .at_least = 0.95}},
	{.name = "cpu-stream",
		.technique = "CPU streaming",
		.idea = "each work-item copies a contiguous range in vectors of 16, with stores that "
			"bypass the cache",
		.book = "-",
		.base = "contiguous",
		KERNEL("cpu_stream"),
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.macros = {{"SPAN", 4096, span_choices}, {"STREAM_BYTES", 1 << 25, stream_choices}},
		.plan = plan_tiles,
		.tile = {{"SPAN"}}},
};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

static const struct variant peers[] = {
	{.name = "driver-copy",
		.idea = "the driver's own copy: cuMemcpyDtoDAsync, clEnqueueCopyBuffer",
		ROW_LIBRARY(PEER_DRIVER, PEER_COPY, "copy")},
	{.name = "openmp",
		.idea = "a loop in C, divided by OpenMP among all cores",
		ROW_LIBRARY(PEER_OPENMP, PEER_COPY, "openmp_copy")},
};

const struct family family_coalesce = {
	.name = "coalesce",
	.title = "B = A",
	.size_help = "B[n] = A[n] in f32, copied with an access pattern; size n, from 1 to 2^40",
	.book = "PMPP 4th ed., 6.1",
	.dim_names = {"n"},
	.dim_count = 1,
	.dim_max = (int64_t)1 << 40,
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 26},
		[DEVICE_CLASS_CPU] = {1 << 24},
		[DEVICE_CLASS_EMULATED] = {1 << 16}},
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.integer_limit = integer_limit,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
