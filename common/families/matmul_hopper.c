#include "common/families/matmul_hopper.h"

#include "common/families/matmul_answer.h"
#include "common/integers.h"
#include "common/model/passes.h"

#define PASS_BYTES 128    /* of shared memory */
#define SWIZZLE_BYTES 128 /* of a line of a tile, by the mode of the tile map */
#define ALIGN_BYTES 128   /* of rows in memory: a copy of 128 bytes then has 4 sectors, not 5 */
#define THREADS 384       /* three warp groups */
#define GROUP_ROWS 64     /* rows of a product of a warp group */

/* In shared memory, beside the stages: two pieces of C of 8 KiB for each of two warp groups,
 * barriers, and unused bytes that align the stages to 1024 bytes. */
#define PIECES_BYTES (4 * 8 * 1024)
#define BARRIER_BYTES 16 /* per stage */
#define ALIGN_STAGES_BYTES 1024

static int input_bytes(const struct config *config)
{
	return config->variant->rounding == ROUND_F16 ? 2 : 4;
}

int64_t matmul_pitch_hopper(
	const struct config *config, const struct problem *problem, size_t operand)
{
	int bytes = operand == OPERAND_C ? (int)sizeof(float) : input_bytes(config);
	int64_t columns = problem->dim[operand == OPERAND_A ? DIM_K : DIM_N];

	return round_up(columns, ALIGN_BYTES / bytes);
}

/* Tiles of A and B have lines of 128 bytes. The tile of C is a piece that a warp group stores. */
static struct plan_tile_map tile_map_of(
	const struct config *config, const struct problem *problem, size_t operand)
{
	int bytes = operand == OPERAND_C ? (int)sizeof(float) : input_bytes(config);
	int tile_m = config_value(config, "TILE_M"), tile_k = config_value(config, "TILE_K");
	bool half = input_bytes(config) == 2;
	const int rows[] = {
		/* At most 256 rows. The kernel of TF32 loads a tile in two parts. */
		[OPERAND_A] = half ? tile_m : tile_m / 2,
		[OPERAND_B] = tile_k,
		[OPERAND_C] = half ? GROUP_ROWS : GROUP_ROWS / 2,
	};

	return (struct plan_tile_map){
		.buffer = {PLAN_ARG_OPERAND, (int64_t)operand},
		.element_bytes = bytes,
		.rows = problem->dim[operand == OPERAND_B ? DIM_K : DIM_M],
		.columns = problem->dim[operand == OPERAND_A ? DIM_K : DIM_N],
		.pitch = matmul_pitch_hopper(config, problem, operand),
		.tile_rows = rows[operand],
		.tile_columns = SWIZZLE_BYTES / bytes,
		.swizzled = true,
	};
}

static int64_t tiles_of(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_M], config_value(config, "TILE_M")) *
	       ceil_div(problem->dim[DIM_N], config_value(config, "TILE_N"));
}

/* A tile of A and one of B. */
static int64_t stage_bytes(const struct config *config)
{
	return (int64_t)(config_value(config, "TILE_M") + config_value(config, "TILE_N")) *
	       config_value(config, "TILE_K") * input_bytes(config);
}

/* Persistent blocks: one per unit of the device. */
void matmul_plan_wgmma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch launch = {
		.entry = config->variant->entry,
		.groups = {(uint64_t)min(tiles_of(config, problem), config->shape.units), 1, 1},
		.block = {THREADS, 1, 1},
		.shared_bytes = (uint32_t)(config_value(config, "STAGES") *
						   (stage_bytes(config) + BARRIER_BYTES) +
					   PIECES_BYTES + ALIGN_STAGES_BYTES),
		.args = {{PLAN_ARG_TILE_MAP, OPERAND_A}, {PLAN_ARG_TILE_MAP, OPERAND_B},
			{PLAN_ARG_TILE_MAP, OPERAND_C}, {PLAN_ARG_INT, problem->dim[DIM_M]},
			{PLAN_ARG_INT, problem->dim[DIM_N]}, {PLAN_ARG_INT, problem->dim[DIM_K]}},
		.arg_count = 6,
	};

	for (size_t operand = 0; operand < problem->family->operand_count; operand++)
		launch.tile_maps[operand] = tile_map_of(config, problem, operand);
	plan_add_launch(ret_plan, &launch);
}

/* The copies go from the second-level cache to shared memory: no pass of the first-level cache. Loads by
 * threads measure the roof of the second-level cache. Copies of tiles exceed this roof: tf32-wgmma reads
 * 1.26 times as many bytes per second (H100, n = 4096). So only the bytes of device memory give a floor.
 * The passes of shared memory that wgmma takes are not published: they are unknown. */
void matmul_traffic_wgmma(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	(void)problem;
	work->l1_passes = 0;
}

/* ---- bulk-copies, best --------------------------------------------------------------------- */

enum {
	SCRATCH_TRANSPOSED, /* A */
	SCRATCH_PARTS,
	SCRATCH_PACKED /* B; bulk-copies only */
};

#define TRANSPOSE_TILE 64
#define TRANSPOSE_THREADS 256
#define PACKED_PART 64
#define THREAD_SUMS 128
#define UNIT_CONSUMERS 256 /* threads of a multiprocessor that multiply, in one or two blocks */
#define ZEROS 256          /* flags that no warp has: the source of rows past the end */
#define EXCHANGE_BYTES (UNIT_CONSUMERS * 64)
#define ALIGN_TILES_BYTES 128
#define MIN_SHARE 4
#define MAX_WAIT 0.02 /* share of the time in which units may have no tile */

/* Threads of a block that multiply. */
static int64_t consumers_of(const struct config *config)
{
	return config_value(config, "TILE_M") * config_value(config, "TILE_N") / THREAD_SUMS;
}

static int64_t warps_of(const struct config *config)
{
	return consumers_of(config) / WARP_THREADS;
}

/* Blocks of a launch in which blocks share tiles. Each gets at least MIN_SHARE steps of k. */
static int64_t blocks_of_best(const struct config *config, const struct problem *problem)
{
	int64_t resident = config->shape.units * (UNIT_CONSUMERS / consumers_of(config));
	int64_t most = min(resident, MATMUL_BEST_FLAGS / warps_of(config));
	/* Limits both factors, because the product can exceed 64 bits. */
	int64_t tiles = min(tiles_of(config, problem), MIN_SHARE * most);
	int64_t steps = min(
		ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K")), MIN_SHARE * most);
	int64_t shares = tiles * steps / MIN_SHARE;

	return shares < 1 ? 1 : min(most, shares);
}

/*
 * Number of tiles that all blocks share. Without sharing, the blocks compute tiles in waves of one
 * tile per block, and in the last wave some blocks have no tile. Sharing takes time too: blocks store
 * and load sums in memory. So the last two waves are shared if the last wave wastes more than MAX_WAIT.
 */
static int64_t shared_tiles_of(const struct config *config, const struct problem *problem)
{
	int64_t tiles = tiles_of(config, problem), blocks = blocks_of_best(config, problem);
	int64_t waves = ceil_div(tiles, blocks), rest = tiles % blocks;

	if (rest == 0 || (double)(waves * blocks - tiles) < MAX_WAIT * (double)(waves * blocks))
		return 0;
	return min(tiles, rest + blocks);
}

static int64_t pitch_transposed(const struct problem *problem)
{
	return round_up(problem->dim[DIM_M], ALIGN_BYTES / (int64_t)sizeof(float));
}

/* A^T and B, each with tiles of TILE_K rows. */
static struct plan_tile_map best_map(
	const struct config *config, const struct problem *problem, bool transposed)
{
	return (struct plan_tile_map){
		.buffer = {transposed ? PLAN_ARG_SCRATCH : PLAN_ARG_OPERAND,
			transposed ? SCRATCH_TRANSPOSED : OPERAND_B},
		.element_bytes = sizeof(float),
		.rows = problem->dim[DIM_K],
		.columns = problem->dim[transposed ? DIM_M : DIM_N],
		.pitch = transposed ? pitch_transposed(problem)
				    : matmul_pitch_hopper(config, problem, OPERAND_B),
		.tile_rows = config_value(config, "TILE_K"),
		.tile_columns = config_value(config, transposed ? "TILE_M" : "TILE_N"),
	};
}

static void plan_transpose(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t m = problem->dim[DIM_M], k = problem->dim[DIM_K];

	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = "matmul_transpose_a",
			.groups = {(uint64_t)(ceil_div(m, TRANSPOSE_TILE) *
					      ceil_div(k, TRANSPOSE_TILE)),
				1, 1},
			.block = {TRANSPOSE_THREADS, 1, 1},
			.args = {{PLAN_ARG_OPERAND, OPERAND_A},
				{PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED},
				{PLAN_ARG_SCRATCH, SCRATCH_PARTS}, {PLAN_ARG_INT, m},
				{PLAN_ARG_INT, k},
				{PLAN_ARG_INT, matmul_pitch_hopper(config, problem, OPERAND_A)},
				{PLAN_ARG_INT, pitch_transposed(problem)}},
			.arg_count = 7,
		});
}

/* All blocks must be resident. */
void matmul_plan_best(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t shared = shared_tiles_of(config, problem);
	int64_t tiles = tiles_of(config, problem), blocks = blocks_of_best(config, problem);

	plan_transpose(config, problem, ret_plan);
	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = config->variant->entry,
			.groups = {(uint64_t)(shared ? blocks : min(tiles, blocks)), 1, 1},
			.block = {THREADS, 1, 1},
			.shared_bytes = (uint32_t)(config_value(config, "STAGES") *
							   (stage_bytes(config) + BARRIER_BYTES) +
						   EXCHANGE_BYTES + ALIGN_TILES_BYTES),
			.args = {{PLAN_ARG_TILE_MAP, 0}, {PLAN_ARG_TILE_MAP, 1},
				{PLAN_ARG_OPERAND, OPERAND_C}, {PLAN_ARG_SCRATCH, SCRATCH_PARTS},
				{PLAN_ARG_INT, problem->dim[DIM_M]},
				{PLAN_ARG_INT, problem->dim[DIM_N]},
				{PLAN_ARG_INT, problem->dim[DIM_K]},
				{PLAN_ARG_INT, matmul_pitch_hopper(config, problem, OPERAND_C)},
				{PLAN_ARG_INT, shared}},
			.arg_count = 9,
			.tile_maps = {best_map(config, problem, true),
				best_map(config, problem, false)},
		});
}

#define THREAD_BYTES 16 /* to exchange sums */

/* The tiles are in static shared memory, with THREAD_BYTES per thread and two barriers of 8 bytes per
 * stage. */
const char *matmul_infeasible_bulk(const struct config *config)
{
	int64_t bytes = config_value(config, "STAGES") * (stage_bytes(config) + BARRIER_BYTES);

	return bytes + THREAD_BYTES * consumers_of(config) > MATMUL_STATIC_SHARED_BYTES
		       ? "the tiles need more than 48 KiB of shared memory"
		       : NULL;
}

/* Elements of A or B, in whole tiles. */
static int64_t packed_elements(
	const struct config *config, const struct problem *problem, size_t operand)
{
	bool of_a = operand == OPERAND_A;

	return round_up(problem->dim[of_a ? DIM_M : DIM_N],
		       config_value(config, of_a ? "TILE_M" : "TILE_N")) *
	       round_up(problem->dim[DIM_K], config_value(config, "TILE_K"));
}

/* Blocks that pack parts of PACKED_PART x PACKED_PART elements of a matrix. */
static int64_t pack_blocks(
	const struct config *config, const struct problem *problem, size_t operand)
{
	bool of_a = operand == OPERAND_A;
	int64_t lines = round_up(problem->dim[of_a ? DIM_M : DIM_N],
		config_value(config, of_a ? "TILE_M" : "TILE_N"));

	return lines / PACKED_PART *
	       ceil_div(round_up(problem->dim[DIM_K], config_value(config, "TILE_K")), PACKED_PART);
}

static void plan_pack(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t blocks =
		pack_blocks(config, problem, OPERAND_A) + pack_blocks(config, problem, OPERAND_B);

	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = "matmul_pack",
			.groups = {(uint64_t)blocks, 1, 1},
			.block = {TRANSPOSE_THREADS, 1, 1},
			.args = {{PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
				{PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED},
				{PLAN_ARG_SCRATCH, SCRATCH_PACKED},
				{PLAN_ARG_SCRATCH, SCRATCH_PARTS},
				{PLAN_ARG_INT, problem->dim[DIM_M]},
				{PLAN_ARG_INT, problem->dim[DIM_N]},
				{PLAN_ARG_INT, problem->dim[DIM_K]},
				{PLAN_ARG_INT, matmul_pitch_hopper(config, problem, OPERAND_A)},
				{PLAN_ARG_INT, matmul_pitch_hopper(config, problem, OPERAND_B)}},
			.arg_count = 10,
		});
}

void matmul_plan_bulk(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t shared = shared_tiles_of(config, problem);
	int64_t tiles = tiles_of(config, problem), blocks = blocks_of_best(config, problem);

	plan_pack(config, problem, ret_plan);
	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = config->variant->entry,
			.groups = {(uint64_t)(shared ? blocks : min(tiles, blocks)), 1, 1},
			.block = {(uint32_t)consumers_of(config), 1, 1},
			.args = {{PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED},
				{PLAN_ARG_SCRATCH, SCRATCH_PACKED}, {PLAN_ARG_OPERAND, OPERAND_C},
				{PLAN_ARG_SCRATCH, SCRATCH_PARTS},
				{PLAN_ARG_INT, problem->dim[DIM_M]},
				{PLAN_ARG_INT, problem->dim[DIM_N]},
				{PLAN_ARG_INT, problem->dim[DIM_K]},
				{PLAN_ARG_INT, matmul_pitch_hopper(config, problem, OPERAND_C)},
				{PLAN_ARG_INT, shared}},
			.arg_count = 9,
		});
}

static void scratch_parts(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	uint64_t part_bytes = (uint64_t)config_value(config, "TILE_M") *
			      (uint64_t)config_value(config, "TILE_N") * sizeof(float);

	ret_bytes[SCRATCH_PARTS] = MATMUL_BEST_FLAGS * sizeof(uint32_t);
	if (shared_tiles_of(config, problem))
		ret_bytes[SCRATCH_PARTS] += (uint64_t)blocks_of_best(config, problem) * part_bytes;
}

void matmul_scratch_bulk(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	scratch_parts(config, problem, ret_bytes);
	ret_bytes[SCRATCH_TRANSPOSED] =
		(uint64_t)packed_elements(config, problem, OPERAND_A) * sizeof(float);
	ret_bytes[SCRATCH_PACKED] =
		(uint64_t)packed_elements(config, problem, OPERAND_B) * sizeof(float);
}

void matmul_scratch_best(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	scratch_parts(config, problem, ret_bytes);
	ret_bytes[SCRATCH_TRANSPOSED] =
		(uint64_t)problem->dim[DIM_K] * (uint64_t)pitch_transposed(problem) * sizeof(float);
}

/* Bytes of the sums that blocks store for others, and of the loads of them: at most one tile each. */
static double issued_parts(const struct config *config, const struct problem *problem)
{
	double tile_bytes = (double)config_value(config, "TILE_M") *
			    (double)config_value(config, "TILE_N") * sizeof(float);

	return shared_tiles_of(config, problem)
		       ? 2 * (double)blocks_of_best(config, problem) * tile_bytes
		       : 0;
}

/* The first launch loads and stores A and B. */
double matmul_issued_bulk(const struct config *config, const struct problem *problem)
{
	double k = (double)problem->dim[DIM_K];
	double packed = ((double)problem->dim[DIM_M] + (double)problem->dim[DIM_N]) * k;

	return matmul_issued(
		       problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"), 4) +
	       2 * packed * sizeof(float) + issued_parts(config, problem);
}

/* The first launch loads and stores A. */
double matmul_issued_best(const struct config *config, const struct problem *problem)
{
	double transposed = (double)problem->dim[DIM_M] * (double)problem->dim[DIM_K];

	return matmul_issued(
		       problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"), 4) +
	       2 * transposed * sizeof(float) + issued_parts(config, problem);
}

/* For each step of k a warp reads 8 rows of A in two accesses of two passes, and 16 columns of B in
 * four accesses of four passes, as in `prefetch`. */
void matmul_traffic_best(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int tile_m = config_value(config, "TILE_M"), tile_n = config_value(config, "TILE_N");
	double steps = (double)tiles_of(config, problem) * (double)problem->dim[DIM_K];

	work->l1_passes = 0;
	work->l2_bytes = config_bytes_issued(config, problem);
	work->shared_passes = steps * ((tile_m + tile_n) * (double)sizeof(float) / PASS_BYTES +
					      (double)warps_of(config) * (2 * 2 + 4 * 4));
}

/* ---- Single warps: mma.sync, ldmatrix, cp.async -------------------------------------------- */

#define STEP_ROW_BYTES 32 /* of a row of A, in a step of k */

static int mma_warps_of(const struct config *config)
{
	return config_value(config, "TILE_M") / MATMUL_MMA_WARP *
	       (config_value(config, "TILE_N") / MATMUL_MMA_WARP);
}

/* The tiles are a static array, unless they need more shared memory than a block has without an
 * opt-in. */
static uint32_t opt_in_bytes(const struct config *config)
{
	int64_t bytes = config_value(config, "STAGES") * stage_bytes(config);

	return bytes > MATMUL_STATIC_SHARED_BYTES ? (uint32_t)bytes : 0;
}

void matmul_plan_mma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
		tiles_of(config, problem), WARP_THREADS * mma_warps_of(config), 1, PLAN_ARG_INT);

	launch->shared_bytes = opt_in_bytes(config);
	for (size_t operand = 0; operand < 3; operand++)
		plan_launch_add(
			launch, PLAN_ARG_INT, matmul_pitch_hopper(config, problem, operand));
}

/* mma.sync is defined for warps of 32 threads. Wider sub-groups have several of them. */
const char *matmul_domain_mma(const struct config *config, const struct problem *problem)
{
	(void)problem;
	return config->shape.lanes % WARP_THREADS == 0 ? NULL
						       : "mma.sync works on 32 threads of a warp";
}

/*
 * Copies go from the second-level cache to shared memory: no pass of the first-level cache. All blocks
 * copy whole tiles, also at the edge. Reads and copies have no bank conflicts. In a step of k, a warp
 * reads 32 bytes for each of its rows and columns. It reads one more step at the end. A lane stores 2
 * neighbours of a row of C at a time: a warp stores 8 rows x 4 pairs in f16, and 4 rows x 8 pairs in
 * TF32. In TF32, neighbouring lanes have neighbouring rows.
 */
void matmul_traffic_mma(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	bool half = input_bytes(config) == 2;
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	int64_t row_bytes =
		matmul_pitch_hopper(config, problem, OPERAND_C) * (int64_t)sizeof(float);
	struct warp_lanes stores = {.lanes = 4,
		.rows = 8,
		.lane_bytes = half ? 8 : 2 * row_bytes,
		.row_bytes = half ? row_bytes : 8,
		.width_bytes = 8};
	double phases = (double)ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K"));
	double steps = config_value(config, "TILE_K") * input_bytes(config) / STEP_ROW_BYTES;
	double reads = 2.0 * MATMUL_MMA_WARP * STEP_ROW_BYTES / PASS_BYTES;

	work->l1_passes = half ? passes_of_grid(&stores, ceil_div(n, 2), m)
			       : 2 * passes_of_grid(&stores, ceil_div(m, 2), ceil_div(n, 2));
	work->shared_passes = (double)(tiles_of(config, problem)) *
			      (phases * (double)stage_bytes(config) / PASS_BYTES +
				      mma_warps_of(config) * (phases * steps + 1) * reads);
	work->l2_bytes = config_bytes_issued(config, problem);
}
