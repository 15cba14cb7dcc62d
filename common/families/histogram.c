/*
 * histogram: H[b] = number of the n values of A that are equal to b. Each value increments a
 * counter that depends on the data, so several threads increment the same counter. The variants
 * differ in the place of the counters (global memory, one copy per block, several copies) and in
 * the values that a thread takes.
 *
 * Counts are integers. Integer additions are exact in any order, so all variants give the same
 * bits.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
	DIM_N,
	DIM_BINS
};
enum {
	OPERAND_A,
	OPERAND_H
};
enum {
	DATA_UNIFORM,
	DATA_SKEWED,
	DATA_CONSTANT
};

#define CHUNK_BYTES 16 /* size of a load of the coarse variants */
#define U8_BINS 256
#define SHARED_BYTES (48 * 1024) /* every GPU gives a block this much without an opt-in */

/* cpu-private: maximum number of groups, private tables per group, bins per group of the merge, and
 * the maximum number of bins with which the tables stay in a cache. */
#define CPU_GROUPS 64
#define CPU_TABLES 8
#define CPU_MERGE_BINS 256
#define CPU_BINS 65536

/* ---- Blocks and copies ---------------------------------------------------------------------- */

/* Limit for several copies: the least local memory that OpenCL's full profile allows. */
#define COPIES_BYTES (32 * 1024)

/* Number of blocks with one value per thread. */
static int64_t fine_groups(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_N], config_value(config, "BLOCK"));
}

static int64_t coarse_groups(const struct config *config, const struct problem *problem)
{
	int64_t block = config_value(config, "BLOCK");
	int64_t bytes = problem->dim[DIM_N] * (int64_t)dtype_info(problem->dtype)->bytes;
	int64_t loads = config_value_or(config, "LOADS", 1);
	/* As many as the device holds at a time: more blocks would only merge more copies. */
	int64_t resident = config->shape.units * config->shape.unit_threads / block;

	return min(
		ceil_div(ceil_div(bytes, CHUNK_BYTES), block * loads), resident > 1 ? resident : 1);
}

/* Counters of a copy: bytes have one for each value. */
static int64_t replicated_bins(const struct problem *problem)
{
	return problem->dtype == DTYPE_U8 ? 256 : problem->dim[DIM_BINS];
}

/* Number of private copies of a block: the largest power of two that fits in shared memory, up to
 * COPIES and to the lanes of a warp. */
static int64_t replicated_copies(const struct config *config, const struct problem *problem)
{
	int64_t copies = config_value(config, "COPIES");
	int64_t bins = replicated_bins(problem);

	while (copies > 1 && copies > config->shape.lanes)
		copies /= 2;
	while (copies > 1 && copies * 4 * bins > COPIES_BYTES)
		copies /= 2;
	return copies;
}

/* ---- Plans --------------------------------------------------------------------------------- */

static int64_t element_bytes(const struct problem *problem)
{
	return (int64_t)dtype_info(problem->dtype)->bytes;
}

/* Plans a fill with zeros and the launch of the kernel. Returns the launch. copies: copies of the
 * bins in shared memory. */
static struct plan_launch *plan_histogram(const struct config *config,
	const struct problem *problem, int64_t groups, int64_t copies, struct plan *ret_plan)
{
	/* Plans outside the domain are built but never launched. */
	int64_t bins = min(problem->dim[DIM_BINS], SHARED_BYTES / 4);

	plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_OPERAND, OPERAND_H}, 0);
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem, groups,
		config_value(config, "BLOCK"), 1, PLAN_ARG_ULONG);
	launch->shared_bytes = (uint32_t)(4 * bins * copies);
	return launch;
}

static void plan_global(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_histogram(config, problem, fine_groups(config, problem), 0, ret_plan);
}

static void plan_private(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_histogram(config, problem, fine_groups(config, problem), 1, ret_plan);
}

static void plan_coarse(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_histogram(config, problem, coarse_groups(config, problem), 1, ret_plan);
}

static void plan_replicated(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t copies = replicated_copies(config, problem);

	struct plan_launch *launch =
		plan_histogram(config, problem, coarse_groups(config, problem), copies, ret_plan);

	/* Plans outside the domain are built but never launched. */
	launch->shared_bytes =
		(uint32_t)(4 * min(replicated_bins(problem), SHARED_BYTES / 4) * copies);

	plan_launch_add(launch, PLAN_ARG_INT, copies);
}

static const char *domain_shared(const struct config *config, const struct problem *problem)
{
	(void)config;
	return problem->dim[DIM_BINS] > SHARED_BYTES / 4
		       ? "more than 12288 bins do not fit the 48 KiB of a block's shared memory"
		       : NULL;
}

/* ---- The plan of cpu-private --------------------------------------------------------------- */

static int64_t cpu_groups(const struct config *config, const struct problem *problem)
{
	return min(ceil_div(problem->dim[DIM_N], config_value(config, "SPAN")), CPU_GROUPS);
}

/* Number of counters of a private table. With 256 counters a byte needs no range check. For u32,
 * one more counter takes the values beyond the bins. */
static int64_t cpu_table(const struct problem *problem)
{
	return problem->dtype == DTYPE_U8 ? U8_BINS : min(problem->dim[DIM_BINS], CPU_BINS) + 1;
}

static void scratch_cpu(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	ret_bytes[0] =
		(uint64_t)(4 * cpu_groups(config, problem) * CPU_TABLES * cpu_table(problem));
}

static void plan_cpu(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t groups = cpu_groups(config, problem);

	plan_add_kernel(ret_plan, config->variant->entry, groups, 1,
		PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_SCRATCH, 0},
			{PLAN_ARG_ULONG, problem->dim[DIM_N]}, {PLAN_ARG_INT, cpu_table(problem)}));
	plan_add_kernel(ret_plan, "histogram_cpu_merge",
		ceil_div(problem->dim[DIM_BINS], CPU_MERGE_BINS), 1,
		PLAN_ARGS({PLAN_ARG_SCRATCH, 0}, {PLAN_ARG_OPERAND, OPERAND_H},
			{PLAN_ARG_ULONG, problem->dim[DIM_BINS]},
			{PLAN_ARG_INT, cpu_table(problem)}, {PLAN_ARG_INT, groups}));
}

static const char *domain_cpu(const struct config *config, const struct problem *problem)
{
	(void)config;
	return problem->dim[DIM_BINS] > CPU_BINS
		       ? "private tables of more than 65536 bins do not fit a cache"
		       : NULL;
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double elements(const struct problem *problem)
{
	return (double)problem->dim[DIM_N];
}

/* 4 bytes for each zero of the fill and for each atomic addition. */
static double issued(const struct problem *problem, double additions)
{
	return elements(problem) * (double)element_bytes(problem) +
	       4 * ((double)problem->dim[DIM_BINS] + additions);
}

static double issued_global(const struct config *config, const struct problem *problem)
{
	(void)config;
	return issued(problem, elements(problem));
}

/* A block adds each bin at most once, and at most as many bins as it has values. */
static double issued_private(const struct config *config, const struct problem *problem)
{
	double bins = fmin((double)problem->dim[DIM_BINS], config_value(config, "BLOCK"));

	return issued(problem, (double)fine_groups(config, problem) * bins);
}

static double issued_coarse(const struct config *config, const struct problem *problem)
{
	double all = (double)coarse_groups(config, problem) * (double)problem->dim[DIM_BINS];

	return issued(problem, fmin(all, elements(problem)));
}

/* The tables are written, added to one and read by the merge. */
static double issued_cpu(const struct config *config, const struct problem *problem)
{
	double counters = (double)cpu_groups(config, problem) * (double)cpu_table(problem);

	return issued(problem, counters * (CPU_TABLES + 3));
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/* Atomic additions in global memory take no passes here: the last-level cache does them. */

/* Passes of an atomic addition of a warp. There are `copies` copies of the counters, and lane l
 * uses copy l modulo `copies`. Only uniform data are spread over all bins. Skewed values use
 * a few neighbouring bins, which are in different banks. Data from files may be constant. */
static double addition_passes(const struct problem *problem, int64_t copies)
{
	int lanes = WARP_THREADS / (int)copies;

	if (problem->data != DATA_UNIFORM || problem->source == INPUT_USER)
		return 1;
	return random_passes(lanes, lanes, problem->dim[DIM_BINS], (int)copies);
}

/* The fraction of the values that are equal to the value before. 0 for skewed data, because the
 * lanes of a warp never have such a value all at the same time. */
static double repeated(const struct problem *problem)
{
	if (problem->data == DATA_CONSTANT || problem->source == INPUT_USER)
		return 1;
	return problem->data == DATA_UNIFORM ? 1 / (double)problem->dim[DIM_BINS] : 0;
}

/* Passes of one access of a block to all counters of a copy. */
static double sweep_passes(const struct problem *problem)
{
	return passes_count_warps(problem->dim[DIM_BINS]);
}

static int64_t chunks(const struct problem *problem)
{
	return problem->dim[DIM_N] * (int64_t)dtype_info(problem->dtype)->bytes / CHUNK_BYTES;
}

static void traffic_global(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	traffic_set(work, passes_count_warps(problem->dim[DIM_N]), 0);
}

/* Three parts: the zeros, the values, the merge. */
static void traffic_private(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)fine_groups(config, problem);
	double values = passes_count_warps(problem->dim[DIM_N]);

	traffic_set(work, values,
		2 * groups * sweep_passes(problem) + values * addition_passes(problem, 1));
}

/* Passes of the loads of 16 bytes by all threads, with a stride of chunk_stride chunks. */
static double chunk_passes(const struct problem *problem, int64_t chunk_stride)
{
	const struct warp_lanes lanes = {.lanes = WARP_THREADS,
		.rows = 1,
		.lane_bytes = CHUNK_BYTES * chunk_stride,
		.width_bytes = CHUNK_BYTES};

	return passes_of_grid(&lanes, chunks(problem), 1);
}

static void traffic_coarse(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t groups = coarse_groups(config, problem);
	int64_t run = ceil_div(chunks(problem), groups * config_value(config, "BLOCK"));

	traffic_set(work, chunk_passes(problem, config_value(config, "INTERLEAVED") ? 1 : run),
		2 * (double)groups * sweep_passes(problem) +
			passes_count_warps(problem->dim[DIM_N]) * addition_passes(problem, 1));
}

/* A value is added when another one follows, and each thread adds its last value. */
static void traffic_aggregated(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t groups = coarse_groups(config, problem);
	int64_t threads = min(groups * config_value(config, "BLOCK"), chunks(problem));
	double same = repeated(problem);
	double additions = passes_count_warps(problem->dim[DIM_N]) * (1 - same) +
			   passes_count_warps(threads) * same;

	traffic_set(work, chunk_passes(problem, 1),
		2 * (double)groups * sweep_passes(problem) +
			additions * addition_passes(problem, 1));
}

/* The merge loads a counter of each copy: lane l takes bin l, and begins with copy l modulo copies.
 * Lanes that take the same copy share a bank if their bins are a multiple of 32 / copies apart. */
static void traffic_replicated(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)coarse_groups(config, problem);
	int64_t copies = replicated_copies(config, problem);
	double zeros = passes_count_warps(copies * replicated_bins(problem));
	double merge =
		sweep_passes(problem) * (double)(copies * min(copies, WARP_THREADS / copies));
	/* A chunk of equal values is one addition. In random data there is hardly such a chunk. */
	int64_t additions = config_value(config, "EQUAL") && repeated(problem) == 1
				    ? chunks(problem)
				    : problem->dim[DIM_N];

	traffic_set(work, chunk_passes(problem, 1),
		groups * (zeros + merge) +
			passes_count_warps(additions) * addition_passes(problem, copies));
}

/* ---- Data ---------------------------------------------------------------------------------- */

static uint32_t random_value(const struct problem *problem, uint64_t bits, uint64_t constant)
{
	uint64_t bins = (uint64_t)problem->dim[DIM_BINS];

	if (problem->data == DATA_CONSTANT)
		return (uint32_t)constant;
	if (problem->data == DATA_UNIFORM)
		return (uint32_t)((bits >> 32) * bins >> 32);
	/* Skewed: half of the values are 0, a quarter are 1, and so on. The last bin has the rest.
	 */
	uint64_t zeros = (uint64_t)__builtin_ctzll(bits | 1ull << 63);
	return (uint32_t)(zeros < bins ? zeros : bins - 1);
}

/* Half of the values are the last bin and the two beyond it. The others are any value of the type. */
static uint32_t large_value(uint64_t bits, uint64_t bins)
{
	return (uint32_t)(bits & 1 ? bins - 1 + (bits >> 1) % 3 : bits >> 32);
}

static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	uint64_t constant =
		data_bits(problem->seed, operand + 1, 0) % (uint64_t)problem->dim[DIM_BINS];
	uint8_t *bytes = target;
	uint32_t *words = target;

	if (problem->source == INPUT_CASE && problem->data_case != CASE_LARGE) {
		data_fill_case_below(problem->dtype, (uint64_t)problem->dim[DIM_BINS], target,
			first, count, problem->dim[DIM_N], problem->seed, operand,
			problem->data_case);
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		uint64_t bits = data_bits(problem->seed, operand, (uint64_t)(first + i));
		uint32_t value = problem->source == INPUT_CASE
					 ? large_value(bits, (uint64_t)problem->dim[DIM_BINS])
					 : random_value(problem, bits, constant);
		if (problem->dtype == DTYPE_U8)
			bytes[i] = (uint8_t)value;
		else
			words[i] = value;
	}
}

static bool check_inputs(
	const struct problem *problem, const void *const *inputs, char *ret_text, size_t size)
{
	const uint8_t *bytes = inputs[OPERAND_A];
	const uint32_t *words = inputs[OPERAND_A];
	int64_t bins = problem->dim[DIM_BINS];

	for (int64_t i = 0; i < problem->dim[DIM_N]; i++) {
		int64_t value = problem->dtype == DTYPE_U8 ? bytes[i] : words[i];
		if (value < bins)
			continue;
		snprintf(ret_text, size,
			"A[%" PRId64 "] is %" PRId64 ", beyond the last of %" PRId64 " bins", i,
			value, bins);
		return false;
	}
	return true;
}

static const char *invalid(const struct problem *problem)
{
	return problem->dtype == DTYPE_U8 && problem->dim[DIM_BINS] > U8_BINS
		       ? "u8 has at most 256 bins (--dtype=u32 allows more)"
		       : NULL;
}

/* ---- Reference ----------------------------------------------------------------------------- */

#define STRANDS 4 /* several tables: equal neighbours would wait for one counter */

/* Counts all bytes, also those outside the region: the loop needs no test. */
static void reference_u8(
	const uint8_t *a, int64_t n, struct region region, struct expected *ret_expected)
{
	uint64_t counts[STRANDS][U8_BINS] = {{0}};

	for (int64_t i = 0; i < n; i++)
		counts[i % STRANDS][a[i]]++;
	for (int64_t b = 0; b < region.rows; b++)
		for (int s = 0; s < STRANDS; s++)
			ret_expected[b].value += (double)counts[s][region.row + b];
}

static void reference_u32(
	const uint32_t *a, int64_t n, struct region region, struct expected *ret_expected)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t b = (int64_t)a[i] - region.row;
		if (b >= 0 && b < region.rows)
			ret_expected[b].value++;
	}
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	for (int64_t b = 0; b < region.rows; b++)
		ret_expected[b] = (struct expected){0};
	if (problem->dtype == DTYPE_U8)
		reference_u8(inputs[OPERAND_A], problem->dim[DIM_N], region, ret_expected);
	else
		reference_u32(inputs[OPERAND_A], problem->dim[DIM_N], region, ret_expected);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* Bins have no tile; 64, so that check sizes straddle it. The tile of the coarse rows is that for u8. For
 * u32 it is four times the real tile. */
#define TILE_OF(macro, count)              \
	{                                  \
		{macro, .times = (count)}, \
		{                          \
			.times = 64        \
		}                          \
	}

static const struct check_size u8_sizes[] = {
	{{AT(1), AT(U8_BINS)}},
	{{AT(2), AT(U8_BINS)}},
	{{AT(37), AT(U8_BINS)}},
	{{AT(997), AT(U8_BINS)}},
	{{TILES(DIM_N, 1, -1), AT(U8_BINS)}},
	{{TILES(DIM_N, 1, 0), AT(1)}},
	{{TILES(DIM_N, 1, 1), AT(U8_BINS)}},
	{{TILES(DIM_N, 3, 5), AT(37)}},
	/* Each thread of the coarse variants takes several chunks, and a few values are left over.
	 */
	{{LARGE(-3), AT(U8_BINS)}},
};
static const struct check_size u32_sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(997), AT(37)}},
	{{TILES(DIM_N, 1, 3), AT(1000)}},
	{{TILES(DIM_N, 3, 7), AT(5000)}},
};
/* The last size has a bin whose count has more than 16 bits, and runs of more than 255 values in each
 * thread of a block of 1024. */
static const struct check_size u8_constant_sizes[] = {
	{{AT(4099), AT(U8_BINS)}}, {{TILES(DIM_N, 1, 1), AT(37)}}, {{AT(299993), AT(U8_BINS)}}};
static const struct check_size u32_constant_sizes[] = {
	{{AT(4099), AT(1000)}}, {{TILES(DIM_N, 1, 1), AT(5000)}}, {{AT(299993), AT(1000)}}};
static const struct check_size u8_skewed_sizes[] = {
	{{AT(4099), AT(U8_BINS)}}, {{TILES(DIM_N, 1, 1), AT(37)}}};
static const struct check_size u32_skewed_sizes[] = {
	{{AT(4099), AT(1000)}}, {{TILES(DIM_N, 1, 1), AT(5000)}}};

static const struct check_rule check = {.large = {.max = PAST_F32},
	.sets = {
		{.dtypes = 1 << DTYPE_U8, .data = 1 << DATA_UNIFORM, .sizes = WITH_COUNT(u8_sizes)},
		{.data = 1 << DATA_UNIFORM, .sizes = WITH_COUNT(u32_sizes)},
		{.dtypes = 1 << DTYPE_U8,
			.data = 1 << DATA_CONSTANT,
			.sizes = WITH_COUNT(u8_constant_sizes)},
		{.data = 1 << DATA_CONSTANT, .sizes = WITH_COUNT(u32_constant_sizes)},
		{.dtypes = 1 << DTYPE_U8, .sizes = WITH_COUNT(u8_skewed_sizes)},
		{.sizes = WITH_COUNT(u32_skewed_sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	VECTOR("A", OPERAND_IN, DIM_N, .dtype_of_problem = true,
		.aliases = "in input data buffer values src x"),
	VECTOR("H", OPERAND_OUT, DIM_BINS, .dtype = DTYPE_U32,
		.aliases = "hist histo histogram bins counts out output"),
};

static const int block_choices[] = {64, 128, 256, 512, 1024, 0};
static const int loads_choices[] = {1, 2, 4, 8, 0};
static const int copies_choices[] = {1, 2, 4, 8, 16, 32, 0};
static const int span_choices[] = {4096, 65536, 262144, 1048576, 0};

#define COARSE_READS (KERNEL_SHAPE_UNITS | KERNEL_SHAPE_UNIT_THREADS)

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "histogram_" stem

#define ROW_COARSE(interleaved)                                                                   \
	KERNEL("coarse"),                                                                         \
		.base = "private", .plan = plan_coarse, .domain = domain_shared,                  \
		.bytes_issued = issued_coarse, .traffic = traffic_coarse,                         \
		.tile = TILE_OF("BLOCK", CHUNK_BYTES),                                            \
		.macros = {{"BLOCK", 1024, block_choices}, {"INTERLEAVED", (interleaved), NULL}}, \
		.constants = {{"CHUNK_BYTES", CHUNK_BYTES}}, .reads = COARSE_READS

#define ROW_REPLICATED(loads, equal)                                                \
	.book = "9.4, taken further", KERNEL("replicated"),                         \
	.constants = {{"CHUNK_BYTES", CHUNK_BYTES}}, .traffic = traffic_replicated, \
	.macros = {{"BLOCK", 1024, block_choices}, {"COPIES", 32, copies_choices},  \
		{"LOADS", (loads), loads_choices}, {"EQUAL", (equal), NULL}},       \
	.reads = COARSE_READS | KERNEL_SHAPE_LANES, .plan = plan_replicated,        \
	.domain = domain_shared, .bytes_issued = issued_coarse,                     \
	.tile = TILE_OF("BLOCK", CHUNK_BYTES)

static const struct variant variants[] = {
	{.name = "global-atomic",
		.technique = "-",
		.idea = "one thread per value: an atomic addition to a counter in global memory that "
			"all threads share",
		.book = "9.2, Fig. 9.6",
		KERNEL("global_atomic"),
		.traffic = traffic_global,
		.macros = {{"BLOCK", 256, block_choices}},
		.plan = plan_global,
		.bytes_issued = issued_global,
		.tile = TILE_OF("BLOCK", 1)},
	{.name = "private",
		.technique = "privatization",
		.idea = "each block counts in its own copy in shared memory and adds the copy to "
			"global memory once",
		.book = "9.4, Fig. 9.10",
		.base = "global-atomic",
		KERNEL("private"),
		.traffic = traffic_private,
		.macros = {{"BLOCK", 1024, block_choices}},
		.plan = plan_private,
		.domain = domain_shared,
		.bytes_issued = issued_private,
		.tile = TILE_OF("BLOCK", 1),
		.claim = {.text = "one copy per block >= 2 x global atomics",
			.at_least = 2,
			.needs = CLAIM_OF_SHARED}},
	{.name = "coarse-contiguous",
		.technique = "coarsening",
		.idea = "fewer blocks, so fewer copies to merge; each thread takes a contiguous range, "
			"so a warp's loads are far apart",
		.book = "9.5, Fig. 9.12",
		ROW_COARSE(0)},
	{.name = "coarse-interleaved",
		.technique = "interleaving",
		.idea = "the same blocks, but neighbouring threads take neighbouring chunks: "
			"coarse and coalesced",
		.book = "9.5, Fig. 9.14",
		.claim = {.text = "few blocks, coalesced >= 1.5 x one block per 1024 values",
			.at_least = 1.5,
			.needs = CLAIM_OF_SHARED},
		ROW_COARSE(1)},
	{.name = "aggregated",
		.technique = "aggregation",
		.idea = "a thread counts a run of equal values in a register and adds the count once: "
			"faster if values repeat",
		.book = "9.6, Fig. 9.15",
		.base = "coarse-interleaved",
		KERNEL("aggregated"),
		.constants = {{"CHUNK_BYTES", CHUNK_BYTES}},
		.traffic = traffic_aggregated,
		.macros = {{"BLOCK", 1024, block_choices}},
		.reads = COARSE_READS,
		.plan = plan_coarse,
		.domain = domain_shared,
		.bytes_issued = issued_coarse,
		.tile = TILE_OF("BLOCK", CHUNK_BYTES)},
	{.name = "replicated",
		.technique = "copies by lane",
		.idea = "one copy for each lane of a warp, each in its own bank: no two lanes access the "
			"same counter or bank",
		.base = "coarse-interleaved",
		.claim = {.text = "one copy per lane >= 1 x one copy",
			.at_least = 1,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_BANKS},
		ROW_REPLICATED(1, 0)},
	{.name = "replicated-loads",
		.technique = "loads in flight",
		.idea = "a thread loads two chunks before it counts their values, so the second load does "
			"not wait for the additions of the first",
		.base = "replicated",
		ROW_REPLICATED(2, 0)},
	{.name = "replicated-equal",
		.technique = "equal chunks",
		.idea = "a chunk of equal values is counted with one addition, so constant data do not "
			"wait for atomic additions",
		.base = "replicated-loads",
		ROW_REPLICATED(2, 1)},
	{.name = "cpu-private",
		.technique = "CPU tables",
		.idea = "one work-item per core: eight private tables, eight values per load, no "
			"atomics",
		.book = "-",
		.base = "global-atomic",
		KERNEL("cpu_private"),
		.constants = {{"TABLES", CPU_TABLES}, {"MERGE_BINS", CPU_MERGE_BINS}},
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.macros = {{"SPAN", 65536, span_choices}},
		.plan = plan_cpu,
		.scratch = scratch_cpu,
		.domain = domain_cpu,
		.bytes_issued = issued_cpu,
		.tile = TILE_OF("SPAN", 1)},
};

static const enum dtype dtypes[] = {DTYPE_U8, DTYPE_U32};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

static const struct variant peers[] = {
	{.name = "cub",
		.idea = "CUB: cub::DeviceHistogram::HistogramEven",
		ROW_LIBRARY(PEER_CUB, PEER_COUNT, "cub::DeviceHistogram")},
	{.name = "openmp",
		.idea = "a loop in C with OpenMP: counters of each thread, added at the end; atomics for more than 4096 bins",
		ROW_LIBRARY(PEER_OPENMP, PEER_COUNT, "openmp_histogram")},
};

const struct family family_histogram = {
	.name = "histogram",
	.title = "H[b] = values of A that are b",
	.size_help = "H[bins] = counts of the values of A[n], u8 or u32 (--dtype); n from 1 to "
		     "4294967295, bins 256 by default (u8: at most 256); values beyond the bins "
		     "are not counted",
	.book = "PMPP 4th ed., chapter 9",
	.aliases = "histogram histo",
	.dim_names = {"n", "bins"},
	.dim_aliases = {"size len length count numelements elements", "numbins nbins bincount"},
	.dim_count = 2,
	.dim_max = UINT32_MAX, /* a count of n values must fit in u32 */
	.dim_default = {[DIM_BINS] = U8_BINS},
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 28},
		[DEVICE_CLASS_CPU] = {1 << 24},
		[DEVICE_CLASS_EMULATED] = {1 << 16}},
	.dtypes = WITH_COUNT(dtypes),
	.data = {"uniform", "skewed", "constant"},
	.invalid = invalid,
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = ALL_CASES,
	.check_inputs = check_inputs,
	.reference = reference,
	.whole_reference = true,
	.work = elements,
	.flops = elements,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
