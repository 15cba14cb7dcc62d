/*
 * transpose: B[n,m] = A[m,n]^T in f32. There is no arithmetic, so the answer is exact on all
 * engines. The rows compare its time with that of a copy of the same bytes: a transpose must access
 * one of the matrices across its rows.
 */
#include "common/check_sizes.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

enum {
	DIM_M,
	DIM_N
};
enum {
	OPERAND_A,
	OPERAND_B
};

/* ---- Plans --------------------------------------------------------------------------------- */

#define CPU_LANES 16 /* a work-item of cpu-blocks transposes 16 x 16 elements */

static void plan_squares(const struct config *config, const struct problem *problem,
	int64_t block_x, int64_t block_y, struct plan *ret_plan)
{
	int64_t tile = config_tile(config, DIM_M);

	plan_add_grid(ret_plan, config, problem,
		ceil_div(problem->dim[DIM_M], tile) * ceil_div(problem->dim[DIM_N], tile), block_x,
		block_y, PLAN_ARG_INT);
}

static void plan_rows(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_squares(config, problem, config_value(config, "TILE"),
		config_value(config, "BLOCK_ROWS"), ret_plan);
}

static void plan_vector(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int quads = config_value(config, "TILE") / 4;

	plan_squares(config, problem, quads, quads, ret_plan);
}

static void plan_cpu_blocks(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int blocks = config_value(config, "BLOCKS");

	plan_squares(config, problem, blocks, blocks, ret_plan);
}

/* ---- Work ---------------------------------------------------------------------------------- */

/* ---- Traffic ------------------------------------------------------------------------------- */

/* One access of each thread to a matrix with rows of `columns` elements, along its rows. */
static double along_rows(const struct config *config, int64_t columns, int64_t rows)
{
	struct warp_lanes lanes = warp_lanes_of_block(config_value(config, "TILE"),
		config_value(config, "BLOCK_ROWS"), sizeof(float), 4 * columns);

	return passes_of_grid(&lanes, columns, rows);
}

/* The same access across the rows: neighbouring threads access neighbouring rows. */
static double across_rows(const struct config *config, int64_t columns, int64_t rows)
{
	struct warp_lanes lanes = warp_lanes_of_block(config_value(config, "TILE"),
		config_value(config, "BLOCK_ROWS"), 4 * columns, sizeof(float));

	return passes_of_grid(&lanes, rows, columns);
}

static void traffic_copy(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];

	work->l1_passes = 2 * along_rows(config, n, m);
	work->shared_passes = 0;
}

/* A store of a warp writes a part of one sector in each row of B. Other warps store the other
 * elements of these sectors, and the caches of multiprocessors do not join stores. Only NVIDIA's
 * GPUs have this floor (floor.h), so the warps and sectors are NVIDIA's. */
static void traffic_strided_store(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	const int sector = SECTOR_BYTES / (int)sizeof(float);
	double used = (double)WARP_THREADS / config_value(config, "TILE"); /* of a sector */

	work->l1_passes = along_rows(config, n, m) + across_rows(config, m, n);
	work->shared_passes = 0;
	work->l2_bytes =
		work->bytes_read + work->bytes_written * fmax(1, (double)min(m, sector) / used);
}

/* Other threads of the block use the rest of each loaded sector. */
static void traffic_strided_load(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];

	work->l1_passes = across_rows(config, n, m) + along_rows(config, m, n);
	work->shared_passes = 0;
}

/* All threads store to the tile. Only threads with an element of B read it. */
static void traffic_tiled(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	int tile = config_value(config, "TILE"), rows = config_value(config, "BLOCK_ROWS");
	int pitch = (int)sizeof(float) * (tile + config_value(config, "PADDING"));
	struct warp_lanes stores = warp_lanes_of_block(tile, rows, sizeof(float), pitch);
	struct warp_lanes loads = warp_lanes_of_block(tile, rows, pitch, sizeof(float));

	work->l1_passes = along_rows(config, n, m) + along_rows(config, m, n);
	work->shared_passes =
		passes_of_grid(&stores, tile * ceil_div(n, tile), tile * ceil_div(m, tile)) +
		passes_of_grid(&loads, m, n);
}

/* Passes of one matrix in 16-byte accesses, or one element at a time if the length of its rows is
 * not a multiple of 16 bytes. */
static double vector_passes(const struct config *config, int64_t columns, int64_t rows)
{
	int quads = config_value(config, "TILE") / 4;
	struct warp_lanes whole = warp_lanes_of_block(quads, quads, 16, 16 * columns);
	struct warp_lanes single = {.lanes = WARP_THREADS, .rows = 1, .lane_bytes = sizeof(float)};

	whole.width_bytes = 16;
	return columns % 4 == 0 ? passes_of_grid(&whole, columns / 4, rows)
				: passes_of_grid(&single, columns, rows);
}

/* 16-byte accesses to the tile have no conflicts: 4 passes for 128 elements. Single elements of A
 * are stored along the columns of the tile: four neighbours are in one bank. */
static void traffic_vector(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	int tile = config_value(config, "TILE");
	double tiles = (double)ceil_div(m, tile) * (double)ceil_div(n, tile);

	work->l1_passes = vector_passes(config, n, m) + vector_passes(config, m, n);
	work->shared_passes = tiles * tile * tile / WARP_THREADS * (n % 4 == 0 ? 1 : 4) +
			      vector_passes(config, m, n);
}

/* ---- Reference ------------------------------------------------------------------------------- */

/* Terms are 0: nothing is rounded, so only the exact value passes. */
static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	const float *a = inputs[OPERAND_A];
	int64_t n = problem->dim[DIM_N];

	for (int64_t i = 0; i < region.rows; i++)
		for (int64_t j = 0; j < region.columns; j++)
			ret_expected[i * region.columns + j] = (struct expected){
				.value = a[(region.column + j) * n + region.row + i]};
}

/* ---- Sizes --------------------------------------------------------------------------------- */

#define LARGEST 4096.0 /* 64 MB per matrix: larger than most caches */

static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(37), AT(41)}},
	TILE_EDGES_2(DIM_M, DIM_N),
	/* Multiples of 4 in both, one, the other dimension: 16-byte accesses. An even length is not
	 * enough for them */
	{{TILES(DIM_M, 2, 4), TILES(DIM_N, 1, 4)}},
	{{TILES(DIM_M, 1, 4), TILES(DIM_N, 2, 2)}},
	{{TILES(DIM_M, 2, 3), TILES(DIM_N, 1, 4)}},
	{{AT(1), AT(200003)}},
	{{AT(200003), AT(1)}},
	/* A square of many tiles */
	{{LARGE(-3), LARGE(-3)}},
};

static const struct check_rule check = {
	.large = {.root = 2, .max = LARGEST}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A",
		.role = OPERAND_IN,
		.rows_dim = DIM_M,
		.columns_dim = DIM_N,
		.aliases = "in idata input src source m x"},
	{.name = "B",
		.role = OPERAND_OUT,
		.rows_dim = DIM_N,
		.columns_dim = DIM_M,
		.aliases = "out odata output dst at t y"},
};

static const int tile_choices[] = {16, 32, 0};
static const int rows_choices[] = {4, 8, 16, 0};
static const int blocks_choices[] = {4, 8, 16, 0};
static const int vector_choices[] = {32, 64, 0};

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "transpose_" stem

#define ROW_PLAIN                                                                \
	.macros = {{"TILE", 32, tile_choices}, {"BLOCK_ROWS", 8, rows_choices}}, \
	.plan = plan_rows, .tile = {{"TILE"}, {"TILE"}}

#define ROW_TILED(padding, diagonal)                                                             \
	KERNEL("tiled"), .plan = plan_rows, .traffic = traffic_tiled,                            \
			 .tile = {{"TILE"}, {"TILE"}},                                           \
			 .macros = {{"TILE", 32, tile_choices}, {"BLOCK_ROWS", 8, rows_choices}, \
				 {"PADDING", (padding), NULL}, {"DIAGONAL", (diagonal), NULL}}

static const struct variant variants[] = {
	{.name = "copy",
		.technique = "-",
		.idea = "the upper limit: B is stored by columns. B then has the same memory layout as A, "
			"so the tiles are only copied",
		.book = "6.1",
		KERNEL("copy"),
		.traffic = traffic_copy,
		.by_columns = 1u << OPERAND_B,
		ROW_PLAIN},
	{.name = "naive-strided-store",
		.technique = "strided stores",
		.idea = "threadIdx.x goes along a row of A: a warp's stores to B are m elements apart",
		.book = "6.1",
		.base = "copy",
		.file = "naive",
		.entry = "transpose_strided_store",
		.traffic = traffic_strided_store,
		ROW_PLAIN},
	{.name = "naive-strided-load",
		.technique = "strided loads",
		.idea = "threadIdx.x goes along a row of B: a warp's loads from A are n elements apart",
		.book = "6.1",
		.base = "naive-strided-store",
		.file = "naive",
		.entry = "transpose_strided_load",
		.traffic = traffic_strided_load,
		ROW_PLAIN},
	{.name = "tiled",
		.technique = "corner turning",
		.idea = "a tile is loaded along rows of A, transposed in shared memory and stored along "
			"rows of B",
		.book = "6.1, Fig. 6.4",
		.base = "naive-strided-store",
		.claim = {.text = "tiled >= 1.2 x strided stores",
			.at_least = 1.2,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS | CLAIM_OF_SHARED},
		ROW_TILED(0, 0)},
	{.name = "padded",
		.technique = "padding",
		.idea = "the rows of the tile are one element longer, so that a column is in 32 banks",
		.book = "6.1",
		.base = "tiled",
		.claim = {.text = "padded >= 1.05 x unpadded",
			.at_least = 1.05,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_BANKS},
		ROW_TILED(1, 0)},
	{.name = "diagonal",
		.technique = "block order",
		.idea = "blocks that run at the same time take the tiles of a diagonal, so no two of "
			"their tiles of B begin in the same column of B",
		.book = "6.2",
		.base = "padded",
		.claim = {.text = "diagonal order of tiles: 0.8 to 1.25 x row order",
			.at_least = 0.8,
			.at_most = 1.25},
		ROW_TILED(1, 1)},
	{.name = "vector",
		.technique = "16-byte access",
		.idea = "a thread transposes 4 x 4 elements in registers: all loads and stores are "
			"float4",
		.book = "6.1, 6.3",
		.base = "padded",
		KERNEL("vector"),
		.traffic = traffic_vector,
		.macros = {{"TILE", 64, vector_choices}},
		.plan = plan_vector,
		.tile = {{"TILE"}, {"TILE"}},
		.claim = {.text = "a transpose >= 0.85 x a copy",
			.over = "copy",
			.at_least = 0.85,
			.needs = CLAIM_OF_SHARED}},
	{.name = "cpu-blocks",
		.technique = "CPU vectors",
		.idea = "a work-item transposes 16 x 16 elements in vector registers in four stages",
		.book = "-",
		.base = "copy",
		KERNEL("cpu_blocks"),
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.macros = {{"BLOCKS", 8, blocks_choices}},
		.constants = {{"LANES", CPU_LANES}},
		.plan = plan_cpu_blocks,
		.tile = {{"BLOCKS", .times = CPU_LANES}, {"BLOCKS", .times = CPU_LANES}}},
};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

static const struct variant peers[] = {
	{.name = "cublas-geam",
		.idea = "cuBLAS: 1 A^T + 0 B",
		ROW_LIBRARY(PEER_CUBLAS, PEER_TRANSPOSE, "cublasSgeam")},
	{.name = "openmp",
		.idea = "squares of 32 x 32 elements in C, divided by OpenMP among all cores",
		ROW_LIBRARY(PEER_OPENMP, PEER_TRANSPOSE, "openmp_transpose")},
};

const struct family family_transpose = {
	.name = "transpose",
	.title = "B = A^T",
	.size_help = "B[n,m] = A[m,n]^T in f32; sizes m x n, each from 1 to 2147479552",
	.book = "PMPP 4th ed., 6.1 and 6.2; 3rd ed., Fig. 5.2 to 5.5",
	.aliases = "transpose transposed",
	.dim_names = {"m", "n"},
	.dim_aliases = {"rows height ny h numrows", "columns cols width nx w numcolumns numcols"},
	.dim_count = 2,
	.takes_squares = true,
	.dim_max = INT32_MAX - 4095, /* kernels count in int and step a tile past the end */
	.default_size = {[DEVICE_CLASS_GPU] = {8192},
		[DEVICE_CLASS_CPU] = {4096},
		[DEVICE_CLASS_EMULATED] = {256}},
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.reference = reference,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
