/*
 * The unit of passes is the warp: passes_of_warp() counts one access, and passes_of_grid() counts
 * the accesses to a whole matrix. Blocks of tile_m x tile_n elements read A once for each column of
 * blocks, and B once for each row of blocks. All blocks read the same amount from shared memory,
 * also at the edge, where elements outside are zeros.
 */
#include "common/families/matmul_traffic.h"

#include "common/families/matmul_answer.h"
#include "common/families/matmul_plans.h"
#include "common/integers.h"
#include "common/model/passes.h"

/* ---- One thread per element ------------------------------------------------------------------ */

/* Bytes from the address of one thread to that of the next one in its row of the block, and from
 * one row to the next. */
struct steps {
	int64_t lane, row;
};

/* Loads of A and B at each of k steps, and a store of C, by a grid of columns x rows threads. */
static void one_thread_per_element(const struct config *config, const struct problem *problem,
	const struct steps steps[3], int64_t columns, int64_t rows, struct floor_work *work)
{
	double passes[3];

	for (int i = 0; i < 3; i++) {
		struct warp_lanes lanes = warp_lanes_of_block(config_value(config, "BLOCK_X"),
			config_value(config, "BLOCK_Y"), steps[i].lane, steps[i].row);
		passes[i] = passes_of_grid(&lanes, columns, rows);
	}
	work->l1_passes = (double)problem->dim[DIM_K] * (passes[OPERAND_A] + passes[OPERAND_B]) +
			  passes[OPERAND_C];
	work->shared_passes = 0;
}

void matmul_traffic_uncoalesced(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	const struct steps steps[] = {{4 * k, 0}, {0, 4}, {4 * n, 4}};

	one_thread_per_element(config, problem, steps, m, n, work);
}

void matmul_traffic_naive(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	const struct steps steps[] = {{0, 4 * k}, {4, 0}, {4, 4 * n}};

	one_thread_per_element(config, problem, steps, n, m, work);
}

void matmul_traffic_colmajor(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	const struct steps steps[] = {{0, 4 * k}, {4 * k, 0}, {4, 4 * n}};

	one_thread_per_element(config, problem, steps, n, m, work);
}

/* ---- Tiles of one element per thread --------------------------------------------------------- */

/*
 * For each step along k a thread reads one element of A and one of each tile of B. A row of threads
 * reads the same element of A. NVIDIA's compiler reads four steps of A in one 16-byte access, which
 * takes two passes: half a pass per step.
 */
void matmul_traffic_tiled(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	int tile = config_value(config, "TILE"), coarse = config_value_or(config, "COARSE", 1);
	bool turned = config->variant->by_columns & 1u << OPERAND_B;
	int64_t pitch = turned ? tile + 32 / tile /* STRIDE_B of the kernel */
			       : (int64_t)tile * coarse;
	struct warp_lanes along_k = warp_lanes_of_block(tile, tile, 4, 4 * k);
	struct warp_lanes along_n = warp_lanes_of_block(tile, tile, 4, 4 * n);
	struct warp_lanes store_b =
		warp_lanes_of_block(tile, tile, turned ? 4 * pitch : 4, turned ? 4 : 4 * pitch);
	double groups_m = (double)ceil_div(m, tile);
	double groups_n = (double)ceil_div(n, (int64_t)tile * coarse);
	double warps = groups_m * groups_n * tile * tile / (along_k.lanes * along_k.rows);
	double phases = (double)ceil_div(k, tile);
	double b = turned ? passes_of_grid(&along_k, k, n) : passes_of_grid(&along_n, n, k);
	double stores = 1 + coarse * passes_of_warp(&store_b);

	work->l1_passes = groups_n * passes_of_grid(&along_k, k, m) + groups_m * b +
			  passes_of_grid(&along_n, n, m);
	work->shared_passes = warps * phases * (stores + tile * (0.5 + coarse));
	work->l2_bytes = config_bytes_issued(config, problem);
}

/* ---- Tiles of many elements per thread ------------------------------------------------------- */

/* An access of a warp to a matrix. */
struct vector_access {
	int count, bytes; /* elements of a thread, and the size of one */
	int across;       /* threads on one row of the matrix */
	int columns;      /* elements from one thread to the next */
	int rows;         /* rows of the matrix from one row of threads to the next */
};

/* Passes of the accesses to a matrix. If the length of its rows is not a multiple of `count`, each
 * thread accesses its elements one by one. */
static double matrix_passes(const struct vector_access *access, int64_t columns, int64_t rows)
{
	bool whole = columns % access->count == 0;
	struct warp_lanes lanes = {.lanes = access->across,
		.rows = WARP_THREADS / access->across,
		.lane_bytes = (int64_t)access->columns * access->bytes,
		.row_bytes = access->rows * columns * access->bytes,
		.width_bytes = (uint32_t)(access->bytes * (whole ? access->count : 1))};

	double passes = 0;

	for (int i = 0; i < (whole ? 1 : access->count); i++) {
		lanes.first_byte = (int64_t)i * access->bytes;
		passes += passes_of_grid(&lanes, columns / access->count, rows);
	}
	return passes;
}

/* The grid of blocks. */
struct blocks {
	double m, n, all, phases;
};

static struct blocks blocks_of(const struct config *config, const struct problem *problem)
{
	struct blocks blocks = {
		.m = (double)ceil_div(problem->dim[DIM_M], config_value(config, "TILE_M")),
		.n = (double)ceil_div(problem->dim[DIM_N], config_value(config, "TILE_N")),
		.phases = (double)ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K")),
	};

	blocks.all = blocks.m * blocks.n;
	return blocks;
}

static void tiles_through_l1(const struct config *config, const struct problem *problem,
	const struct vector_access access[3], struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	struct blocks blocks = blocks_of(config, problem);

	work->l1_passes = blocks.n * matrix_passes(&access[OPERAND_A], k, m) +
			  blocks.m * matrix_passes(&access[OPERAND_B], n, k) +
			  matrix_passes(&access[OPERAND_C], n, m);
	work->l2_bytes = config_bytes_issued(config, problem);
}

/* For each step of k: a row of both tiles is stored without conflicts, 32 elements per pass, and
 * each warp reads in `reads` passes. */
static void passes_of_steps(const struct config *config, const struct problem *problem,
	double threads, double reads, struct floor_work *work)
{
	struct blocks blocks = blocks_of(config, problem);
	double steps = blocks.all * blocks.phases * config_value(config, "TILE_K");
	int row = config_value(config, "TILE_M") + config_value(config, "TILE_N");

	work->shared_passes = steps * (row + threads * reads) / (double)WARP_THREADS;
}

/* Accesses to B and C by neighbouring threads, one element each. */
#define NEIGHBOURS             \
	{                      \
		1, 4, 32, 1, 1 \
	}

/* A warp reads the same element of A. As in `tiled`, four steps are one access of two passes. */
void matmul_traffic_thread_column(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int thread_m = config_value(config, "THREAD_M");
	const struct vector_access access[] = {
		[OPERAND_A] = {1, 4, config_value(config, "TILE_K"), 1, 1},
		[OPERAND_B] = NEIGHBOURS,
		[OPERAND_C] = NEIGHBOURS,
	};

	tiles_through_l1(config, problem, access, work);
	passes_of_steps(config, problem,
		(double)config_value(config, "TILE_M") / thread_m * config_value(config, "TILE_N"),
		1 + 0.5 * thread_m, work);
}

/* Threads of a block: the grid whose elements are far apart. */
struct grid {
	int threads, across; /* across: threads of a warp on one row, up to 32 */
};

static struct grid grid_of(const struct config *config)
{
	int across = config_value(config, "TILE_N") / config_value(config, "THREAD_N");

	return (struct grid){.threads = config_value(config, "TILE_M") /
					config_value(config, "THREAD_M") * across,
		.across = (int)min(across, WARP_THREADS)};
}

/* Passes in which a warp reads from rows of TILE_K elements of A, one row for each row of threads. */
static double reads_of_rows(const struct config *config, const struct grid *grid, uint32_t bytes)
{
	struct warp_lanes lanes = {.lanes = grid->across,
		.rows = WARP_THREADS / grid->across,
		.row_bytes = 4 * config_value(config, "TILE_K"),
		.width_bytes = bytes};

	return passes_of_warp(&lanes);
}

void matmul_traffic_thread_tile(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	struct grid grid = grid_of(config);
	const struct vector_access access[] = {
		[OPERAND_A] = {1, 4, config_value(config, "TILE_K"), 1, 1},
		[OPERAND_B] = NEIGHBOURS,
		[OPERAND_C] = {1, 4, grid.across, 1, 1},
	};

	tiles_through_l1(config, problem, access, work);
	passes_of_steps(config, problem, grid.threads,
		config_value(config, "THREAD_M") * reads_of_rows(config, &grid, 4) +
			config_value(config, "THREAD_N"),
		work);
}

/* A quad of B takes 4 passes. Neighbours read the same quad of A, which has elements of four steps of
 * k. */
void matmul_traffic_vector_loads(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	struct grid grid = grid_of(config);
	int quads_n = (int)min(config_value(config, "TILE_N") / 4, WARP_THREADS);
	const struct vector_access access[] = {
		[OPERAND_A] = {4, 4, config_value(config, "TILE_K") / 4, 4, 1},
		[OPERAND_B] = {4, 4, quads_n, 4, 1},
		[OPERAND_C] = {4, 4, grid.across, 4, 1},
	};

	tiles_through_l1(config, problem, access, work);
	passes_of_steps(config, problem, grid.threads,
		config_value(config, "THREAD_M") / 4.0 * reads_of_rows(config, &grid, 16) +
			config_value(config, "THREAD_N"),
		work);
}

/*
 * For each step a thread reads its elements of A and of B in quads. A read of A takes 2 passes,
 * because neighbours read the same bytes (measured on an H200 for `registers`). A read of B takes 4
 * passes.
 */
static void traffic_of_quads(const struct config *config, const struct problem *problem,
	const struct vector_access access[3], struct floor_work *work)
{
	int thread_m = config_value(config, "THREAD_M"),
	    thread_n = config_value(config, "THREAD_N");

	tiles_through_l1(config, problem, access, work);
	passes_of_steps(config, problem, grid_of(config).threads,
		2 * thread_m / 4.0 + 4 * thread_n / 4.0, work);
}

void matmul_traffic_a_transposed(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int quads_n = (int)min(config_value(config, "TILE_N") / 4, WARP_THREADS);
	const struct vector_access access[] = {
		[OPERAND_A] = {4, 4, 2, 4, 1},
		[OPERAND_B] = {4, 4, quads_n, 4, 1},
		[OPERAND_C] = {4, 4, grid_of(config).across, 4, 4},
	};

	traffic_of_quads(config, problem, access, work);
}

/* A warp has 8 x 4 threads. */
void matmul_traffic_registers(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int quads_n = (int)min(config_value(config, "TILE_N") / 4, WARP_THREADS);
	const struct vector_access access[] = {
		[OPERAND_A] = {4, 4, 2, 4, 1},
		[OPERAND_B] = {4, 4, quads_n, 4, 1},
		[OPERAND_C] = {4, 4, 4, 4, 4},
	};

	traffic_of_quads(config, problem, access, work);
}

/* A is copied one element at a time. So is B, if its rows do not begin on 16 bytes. */
void matmul_traffic_copies(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int quads_n = (int)min(config_value(config, "TILE_N") / 4, WARP_THREADS);
	const struct vector_access quads = {4, 4, quads_n, 4, 1}, elements = NEIGHBOURS;
	const struct vector_access access[] = {
		[OPERAND_A] = {1, 4, 8, 1, 1},
		[OPERAND_B] = problem->dim[DIM_N] % 4 == 0 ? quads : elements,
		[OPERAND_C] = {4, 4, 4, 4, 4},
	};

	traffic_of_quads(config, problem, access, work);
}

/* All parts together have the phases of one block per tile. Each part stores its sums, and the second
 * launch loads them. If there is one part, the first launch stores C. */
void matmul_traffic_split_k(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double parts = (double)matmul_parts_of(config, problem).count;
	const struct vector_access store = {4, 4, 4, 4, 4};
	double warps = passes_count_warps(problem->dim[DIM_M] * problem->dim[DIM_N]);

	matmul_traffic_copies(config, problem, work);
	if (parts > 1)
		work->l1_passes += (parts - 1) * matrix_passes(&store, problem->dim[DIM_N],
							 problem->dim[DIM_M]) +
				   (parts + 1) * warps;
}

/*
 * Like `registers`, with 8 elements of 2 bytes. The elements of A are stored to the tile one by
 * one, each twice in a word: a thread reads A twice per step. A store of 4 sums fills half of a
 * sector: each sector of C moves to the second-level cache twice. Only NVIDIA's GPUs have this floor
 * (floor.h), so the sectors are NVIDIA's.
 */
void matmul_traffic_f16(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int tile_m = config_value(config, "TILE_M"), tile_n = config_value(config, "TILE_N");
	struct blocks blocks = blocks_of(config, problem);
	double steps = blocks.all * blocks.phases * config_value(config, "TILE_K");
	double warps = tile_m / 8 * (tile_n / 8) / (double)WARP_THREADS;
	const struct vector_access access[] = {
		[OPERAND_A] = {8, 2, 2, 8, 1},
		[OPERAND_B] = {8, 2, (int)min(tile_n / 8, WARP_THREADS), 8, 1},
		[OPERAND_C] = {4, 4, 4, 8, 8},
	};

	tiles_through_l1(config, problem, access, work);
	work->shared_passes =
		steps * (tile_m / (double)WARP_THREADS + tile_n / 64.0 + warps * (2 * 2 + 4));
	work->l2_bytes += work->bytes_written;
}

/*
 * The unit is a word of 32 bits, which holds one element or two neighbours along k. For 8 words
 * along k each thread reads 4 words for 16 rows of A and 2 words for 8 columns of B, without
 * conflicts.
 */
void matmul_traffic_tensor(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	const struct constant *warp = config->variant->constants; /* WARP_M, WARP_N */
	int tile_m = config_value(config, "TILE_M"), tile_n = config_value(config, "TILE_N");
	int bytes = config_value(config, "INPUT_BITS") / 8, of_word = 4 / bytes;
	int words = config_value(config, "TILE_K") / of_word;
	struct blocks blocks = blocks_of(config, problem);
	struct warp_lanes store_a = {words / 4, 128 / words, 16, 4 * (words + 4), 16};
	double stores =
		words * (tile_m / 128.0 * passes_of_warp(&store_a) + tile_n / (double)WARP_THREADS);
	double warps = tile_m / warp[0].value * (tile_n / warp[1].value);
	double reads = words / 8.0 * (warp[0].value / 16 * 4 + warp[1].value / 8 * 2);
	const struct vector_access access[] = {
		[OPERAND_A] = {4 * of_word, bytes, words / 4, 4 * of_word, 1},
		[OPERAND_B] = {4, bytes, (int)min(tile_n / 4, WARP_THREADS), 4, 1},
		[OPERAND_C] = {2, 4, 4, 2, 1},
	};

	tiles_through_l1(config, problem, access, work);
	work->shared_passes = blocks.all * blocks.phases * (stores + warps * reads);
}
