#include "common/families/matmul_plans.h"

#include "common/families/matmul_answer.h"
#include "common/integers.h"

#include <math.h>

/* ---- Plans --------------------------------------------------------------------------------- */

/* A block for each tile of tile_m x tile_n elements of C. */
static struct plan_launch *add_step(const struct config *config, const struct problem *problem,
	int64_t tile_m, int64_t tile_n, int64_t block_x, int64_t block_y, struct plan *ret_plan)
{
	return plan_add_grid(ret_plan, config, problem,
		ceil_div(problem->dim[DIM_M], tile_m) * ceil_div(problem->dim[DIM_N], tile_n),
		block_x, block_y, PLAN_ARG_INT);
}

/* A block of `threads` threads for each tile of the row. */
static void add_tiles(const struct config *config, const struct problem *problem, int threads,
	struct plan *ret_plan)
{
	add_step(config, problem, config_tile(config, DIM_M), config_tile(config, DIM_N), threads,
		1, ret_plan);
}

/* One thread per element of C. BLOCK_X goes along columns; in the uncoalesced variant, along rows.
 */
void matmul_plan_naive(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	add_step(config, problem, y, x, x, y, ret_plan);
}

void matmul_plan_uncoalesced(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	add_step(config, problem, x, y, x, y, ret_plan);
}

void matmul_plan_tiled(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile = config_value(config, "TILE");

	add_step(config, problem, tile, config_tile(config, DIM_N), tile, tile, ret_plan);
}

void matmul_plan_thread_column(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_tiles(config, problem,
		config_value(config, "TILE_M") / config_value(config, "THREAD_M") *
			config_value(config, "TILE_N"),
		ret_plan);
}

/* Threads with THREAD_M x THREAD_N elements each. */
static int threads_of(const struct config *config)
{
	return config_value(config, "TILE_M") / config_value(config, "THREAD_M") *
	       (config_value(config, "TILE_N") / config_value(config, "THREAD_N"));
}

void matmul_plan_registers(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_tiles(config, problem, threads_of(config), ret_plan);
}

/* 8 x 8 elements per thread. */
void matmul_plan_f16(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_tiles(config, problem,
		config_value(config, "TILE_M") / 8 * (config_value(config, "TILE_N") / 8),
		ret_plan);
}

void matmul_plan_tensor(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile_m = config_value(config, "TILE_M");
	int tile_n = config_value(config, "TILE_N");

	add_tiles(config, problem, 32 * (tile_m / MATMUL_WARP_M) * (tile_n / MATMUL_WARP_N),
		ret_plan);
}

/* ---- cpu-packed ---------------------------------------------------------------------------- */

#define MICRO_M 6
#define MICRO_N 64
#define TILE_ROWS 1026 /* maximum: larger tiles are fewer, so a slow core delays the end more */
/* Time to pack one element, in multiply-adds of a micro-tile. From two times at n = 2048, with tiles of
 * 256 x 256 and of 1024 x 512, and the earlier micro-tile of 8 x 32 (PoCL, EPYC 9004). */
#define PACK_COST 18
/* The search tries each count of tiles along n up to this one, then doubles the count. */
#define COUNTS_ONE_BY_ONE 32

/* The tile of C of one work-item. */
struct packed_tile {
	int64_t rows;    /* a multiple of MICRO_M, at most TILE_ROWS */
	int64_t columns; /* a multiple of MICRO_N, at most TILE_N */
};

/* The side of a tile if a side of C is divided into equal tiles, rounded up to `micro`. */
static int64_t even_side(int64_t side, int64_t tiles, int64_t micro)
{
	return round_up(ceil_div(side, tiles), micro);
}

/* Time for one value of k, in multiply-adds of one core. A core computes one tile at a time. */
static double packed_cost(const struct problem *problem, struct packed_tile tile, int64_t cores)
{
	int64_t tiles = ceil_div(problem->dim[DIM_M], tile.rows) *
			ceil_div(problem->dim[DIM_N], tile.columns);
	double rows = (double)tile.rows, columns = (double)tile.columns;

	return (double)ceil_div(tiles, cores) * (rows * columns + PACK_COST * (rows + columns));
}

/* Replaces *best by the cheapest tile of this width with at most TILE_ROWS rows, if that costs less. */
static void improve_tile(const struct problem *problem, int64_t columns, int64_t cores,
	struct packed_tile *best, double *best_cost)
{
	int64_t m = problem->dim[DIM_M];
	int64_t fewest = ceil_div(m, TILE_ROWS);

	for (int64_t i = 0; i <= 2 * cores; i++) {
		struct packed_tile tile = {even_side(m, fewest + i, MICRO_M), columns};
		double cost = packed_cost(problem, tile, cores);

		if (cost < *best_cost) {
			*best = tile;
			*best_cost = cost;
		}
		if (tile.rows == MICRO_M)
			return;
	}
}

/*
 * Large tiles pack less, but each core should compute the same number of tiles. The search divides each
 * side of C into equal tiles: from the smallest possible number to 2 * cores more. To save time, it
 * doubles large numbers of tiles along n.
 */
static struct packed_tile packed_tile_of(const struct config *config, const struct problem *problem)
{
	int64_t n = problem->dim[DIM_N];
	int64_t cores = config->shape.cores > 0 ? config->shape.cores : 1;
	int64_t fewest = ceil_div(n, config_value(config, "TILE_N"));
	struct packed_tile best = {0};
	double best_cost = INFINITY;

	for (int64_t across = fewest; across <= fewest + 2 * cores;
		across += across < fewest + COUNTS_ONE_BY_ONE ? 1 : across) {
		int64_t columns = even_side(n, across, MICRO_N);

		improve_tile(problem, columns, cores, &best, &best_cost);
		if (columns == MICRO_N)
			break;
	}
	return best;
}

void matmul_plan_cpu_packed(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct packed_tile tile = packed_tile_of(config, problem);
	struct plan_launch *launch =
		add_step(config, problem, tile.rows, tile.columns, 1, 1, ret_plan);

	plan_launch_add(launch, PLAN_ARG_INT, tile.rows);
	plan_launch_add(launch, PLAN_ARG_INT, tile.columns);
	/* An argument, because PoCL 5 and 6 report 0 bytes for arrays of the kernel, and abort if the
	 * arrays do not fit. */
	launch->shared_bytes = (uint32_t)(sizeof(float) * (size_t)config_value(config, "TILE_K") *
					  (size_t)(config_value(config, "PART_M") +
						   config_value(config, "TILE_N")));
}

/* ---- split-k ------------------------------------------------------------------------------- */

#define BLOCKS_OF_UNIT 2 /* the threads of one hide the latency of the other */
#define MIN_STEPS 8 /* tiles of a part along k: with fewer, the sum of the parts takes longer */

struct parts matmul_parts_of(const struct config *config, const struct problem *problem)
{
	int64_t tile_k = config_value(config, "TILE_K");
	int64_t tiles = ceil_div(problem->dim[DIM_M], config_value(config, "TILE_M")) *
			ceil_div(problem->dim[DIM_N], config_value(config, "TILE_N"));
	int64_t steps = ceil_div(problem->dim[DIM_K], tile_k);
	int64_t count = min(BLOCKS_OF_UNIT * config->shape.units / tiles, steps / MIN_STEPS);
	int64_t part_steps = ceil_div(steps, count < 1 ? 1 : count);

	return (struct parts){
		.tiles = tiles, .count = ceil_div(steps, part_steps), .k = part_steps * tile_k};
}

static uint64_t elements_of_c(const struct problem *problem)
{
	return (uint64_t)problem->dim[DIM_M] * (uint64_t)problem->dim[DIM_N];
}

/* A block for each tile of each part. One part goes to C, several go to the scratch buffer. */
void matmul_plan_split_k(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct parts parts = matmul_parts_of(config, problem);
	uint64_t count = elements_of_c(problem);
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
		parts.tiles * parts.count, threads_of(config), 1, PLAN_ARG_INT);

	plan_launch_add(launch, PLAN_ARG_INT, parts.k);
	ret_plan->other_threads = MATMUL_ADD_THREADS;
	if (parts.count == 1)
		return;
	launch->args[OPERAND_C] = (struct plan_arg){PLAN_ARG_SCRATCH, 0};
	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = "matmul_add_parts",
			.groups = {(uint64_t)ceil_div((int64_t)count, MATMUL_ADD_THREADS), 1, 1},
			.block = {MATMUL_ADD_THREADS, 1, 1},
			.args = {{PLAN_ARG_SCRATCH, 0}, {PLAN_ARG_OPERAND, OPERAND_C},
				{PLAN_ARG_ULONG, (int64_t)count}, {PLAN_ARG_INT, parts.count}},
			.arg_count = 4,
		});
}

void matmul_scratch_split_k(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	struct parts parts = matmul_parts_of(config, problem);

	if (parts.count > 1)
		ret_bytes[0] = (uint64_t)parts.count * elements_of_c(problem) * sizeof(float);
}

/* The sum within a part, then the sum of the parts. */
int64_t matmul_chain_split_k(const struct config *config, const struct problem *problem)
{
	struct parts parts = matmul_parts_of(config, problem);

	return min(parts.k, problem->dim[DIM_K]) + parts.count - 1;
}

/* ---- Tiles and their traffic ----------------------------------------------------------------- */

/* Blocks of tile_m x tile_n elements: A is read once for each column of blocks, B once for each row
 * of blocks. */
static double issued_inputs(
	const struct problem *problem, double tile_m, double tile_n, double input_bytes)
{
	double m = (double)problem->dim[DIM_M];
	double n = (double)problem->dim[DIM_N];
	double k = (double)problem->dim[DIM_K];

	return input_bytes * (m * k * ceil(n / tile_n) + k * n * ceil(m / tile_m)) + 4 * m * n;
}

static double issued(const struct problem *problem, double tile_m, double tile_n)
{
	return issued_inputs(problem, tile_m, tile_n, 4);
}

/* Each thread reads a row and a column. */
double matmul_issued_naive(const struct config *config, const struct problem *problem)
{
	(void)config;
	return issued(problem, 1, 1);
}

double matmul_issued_tiled(const struct config *config, const struct problem *problem)
{
	return issued(problem, config_value(config, "TILE"), config_value(config, "TILE"));
}

double matmul_issued_coarse(const struct config *config, const struct problem *problem)
{
	int tile = config_value(config, "TILE");

	return issued(problem, tile, tile * config_value(config, "COARSE"));
}

double matmul_issued_blocked(const struct config *config, const struct problem *problem)
{
	return issued(problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"));
}

/* Several parts are stored and loaded in addition to C. */
double matmul_issued_split_k(const struct config *config, const struct problem *problem)
{
	double parts = (double)matmul_parts_of(config, problem).count;

	return matmul_issued_blocked(config, problem) +
	       (parts > 1 ? 2 * parts * (double)elements_of_c(problem) * sizeof(float) : 0);
}

/* The inputs are stored as f16. */
double matmul_issued_half(const struct config *config, const struct problem *problem)
{
	return issued_inputs(
		problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"), 2);
}

/* The packed elements of A and B, and C. Each step stores C; each step except the first also loads it.
 */
double matmul_issued_cpu_packed(const struct config *config, const struct problem *problem)
{
	struct packed_tile tile = packed_tile_of(config, problem);
	int64_t steps = ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K"));

	return issued(problem, (double)tile.rows, (double)tile.columns) +
	       2 * (double)(steps - 1) * (double)elements_of_c(problem) * sizeof(float);
}

/* Conditions of all kernels whose threads load tiles in whole rounds: one access of `together`
 * elements by each thread. */
static const char *infeasible_tiles(
	const struct config *config, int threads, int together, int shared_floats)
{
	int tile_k = config_value(config, "TILE_K");

	if (threads > 1024 || threads < 32)
		return "a block would have fewer than 32 or more than 1024 threads";
	if (config_value(config, "TILE_M") * tile_k / together % threads ||
		tile_k * config_value(config, "TILE_N") / together % threads)
		return together == 4 ? "the tiles do not divide into 16-byte loads for every thread"
				     : "the tiles do not divide into loads for every thread";
	if (shared_floats * (int)sizeof(float) > MATMUL_STATIC_SHARED_BYTES)
		return "the tiles need more than 48 KiB of shared memory";
	return NULL;
}

static int floats_of_tiles(const struct config *config)
{
	return config_value(config, "TILE_K") *
	       (config_value(config, "TILE_M") + config_value(config, "TILE_N"));
}

const char *matmul_infeasible_thread_column(const struct config *config)
{
	int threads = config_value(config, "TILE_M") / config_value(config, "THREAD_M") *
		      config_value(config, "TILE_N");

	return infeasible_tiles(config, threads, 1, floats_of_tiles(config));
}

const char *matmul_infeasible_thread_tile(const struct config *config)
{
	return infeasible_tiles(config, threads_of(config), 1, floats_of_tiles(config));
}

const char *matmul_infeasible_vector_loads(const struct config *config)
{
	return infeasible_tiles(config, threads_of(config), 4, floats_of_tiles(config));
}

/* Threads of a warp form a patch: see the head of registers.cu. */
static const char *infeasible_blocked(const struct config *config, int shared_floats)
{
	if (config_value(config, "TILE_M") % (8 * config_value(config, "THREAD_M")) ||
		config_value(config, "TILE_N") % (4 * config_value(config, "THREAD_N")))
		return "TILE_M must be a multiple of 8 THREAD_M, TILE_N of 4 THREAD_N";
	return infeasible_tiles(config, threads_of(config), 4, shared_floats);
}

const char *matmul_infeasible_registers(const struct config *config)
{
	return infeasible_blocked(
		config, floats_of_tiles(config) + 4 * config_value(config, "TILE_K"));
}

const char *matmul_infeasible_prefetch(const struct config *config)
{
	return infeasible_blocked(config, 2 * floats_of_tiles(config));
}

/* Eight threads copy a row of A: a round has an eighth of the block's threads as rows. */
const char *matmul_infeasible_copies(const struct config *config)
{
	if (8 * config_value(config, "TILE_M") % threads_of(config))
		return "the number of threads must divide 8 TILE_M";
	return infeasible_blocked(config, config_value(config, "STAGES") * floats_of_tiles(config));
}

const char *matmul_infeasible_f16(const struct config *config)
{
	int tile_k = config_value(config, "TILE_K");

	return config_value(config, "TILE_M") == 8 * tile_k &&
			       config_value(config, "TILE_N") == 8 * tile_k
		       ? NULL
		       : "TILE_M and TILE_N must be 8 TILE_K";
}
