/*
 * matmul: C[m,n] = A[m,k] B[k,n] in f32, the ladder of chapter 6 (tiling: section 5.4).
 *
 * All variants of full precision add the products of an element of C in one ascending chain of
 * fused multiply-adds. Therefore they give the same bits on all engines and have the same bound: k
 * roundings. The variants of reduced precision (f16, tensor cores) have bounds of their own.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/family.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>
#include <stdlib.h>

enum {
	DIM_M,
	DIM_N,
	DIM_K
};
enum {
	OPERAND_A,
	OPERAND_B,
	OPERAND_C
};

/* Elements of C that a warp computes on tensor cores. */
enum {
	MATMUL_WARP_M = 64,
	MATMUL_WARP_N = 32
};

/*
 * A tensor core multiplies exactly. It truncates the products and the previous sum to at least 24
 * bits below the largest of them, and it truncates the new sum too. The error is 2^-23 for each
 * addend and for the result (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of
 * NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021). An mma.sync of 8 or 16 steps has one
 * product per step, one previous sum and one result: fewer errors than twice its steps. So k steps
 * of 2^-22 are a bound.
 */
#define MATMUL_TENSOR_ROUNDOFF 0x1p-22

/* ---- Work ---------------------------------------------------------------------------------- */

static double flops(const struct problem *problem)
{
	return 2 * problem_volume(problem);
}

/* ---- Reference ------------------------------------------------------------------------------- */

#define REFERENCE_COLUMNS 256 /* the sums of this many columns stay in the first-level cache */

/* Computes the columns column to column + count - 1 of a row of C; count <= REFERENCE_COLUMNS. */
static void reference_stretch(const struct problem *problem, const void *const *inputs, int64_t row,
	int64_t column, int64_t count, struct expected *ret_expected)
{
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	const float *a = (const float *)inputs[OPERAND_A] + row * k;
	const float *b = (const float *)inputs[OPERAND_B] + column;
	double value[REFERENCE_COLUMNS] = {0};
	double terms[REFERENCE_COLUMNS] = {0};

	for (int64_t kk = 0; kk < k; kk++, b += n) {
		double factor = a[kk];

		for (int64_t j = 0; j < count; j++) {
			double term = factor * b[j];
			value[j] += term;
			terms[j] += fabs(term);
		}
	}
	for (int64_t j = 0; j < count; j++)
		ret_expected[j] = (struct expected){.value = value[j], .terms = terms[j]};
}

/* Adds the loss of products with a factor below `flushed`, which may become 0. */
static void add_lost_operands(const struct problem *problem, double flushed,
	const void *const *inputs, int64_t row, int64_t column, int64_t count,
	struct expected *ret_expected)
{
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	const float *a = (const float *)inputs[OPERAND_A] + row * k;
	const float *b = (const float *)inputs[OPERAND_B] + column;

	for (int64_t kk = 0; kk < k; kk++, b += n) {
		double factor = a[kk];

		for (int64_t j = 0; j < count; j++)
			if (fabs(factor) < flushed || fabs((double)b[j]) < flushed)
				ret_expected[j].slack += fabs(factor * b[j]);
	}
}

/* Adds the underflow errors of k fused multiply-adds in a float type to the slack, and the loss of
 * products with operands that may become 0. */
static void add_underflow(const struct problem *problem, enum dtype dtype,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	double underflow =
		arithmetic_underflow(&problem->arithmetic, dtype, (double)problem->dim[DIM_K]);
	double flushed = arithmetic_flushed_below(&problem->arithmetic, dtype);

	for (int64_t i = 0; i < region.rows; i++, ret_expected += region.columns) {
		for (int64_t j = 0; j < region.columns; j++)
			ret_expected[j].slack += underflow;
		if (flushed > 0)
			add_lost_operands(problem, flushed, inputs, region.row + i, region.column,
				region.columns, ret_expected);
	}
}

/* Computes values and sums of magnitudes; slack is 0. */
static void sums(const struct problem *problem, const void *const *inputs, struct region region,
	struct expected *ret_expected)
{
	for (int64_t i = 0; i < region.rows; i++)
		for (int64_t j = 0; j < region.columns; j += REFERENCE_COLUMNS) {
			int64_t left = region.columns - j;

			reference_stretch(problem, inputs, region.row + i, region.column + j,
				left < REFERENCE_COLUMNS ? left : REFERENCE_COLUMNS,
				ret_expected + i * region.columns + j);
		}
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	sums(problem, inputs, region, ret_expected);
	add_underflow(problem, DTYPE_F32, inputs, region, ret_expected);
}

/* ---- Integers, exactly ----------------------------------------------------------------------- */

static int64_t integer_limit(const struct problem *problem)
{
	return bound_integer_limit(problem->dim[DIM_K], 2);
}

#define PLACE_STREAM 0x6b

/* For every second index of the sum, the elements of A are wide, and those of B are 1 or -1. For the
 * other indices, the elements of B are wide, and those of A are 1 or -1. */
static void fill_wide(const struct problem *problem, size_t operand, int64_t first, int64_t count,
	int64_t limit, float *target)
{
	uint64_t seed = problem->seed;
	uint64_t k = (uint64_t)problem->dim[DIM_K], n = (uint64_t)problem->dim[DIM_N];

	for (int64_t e = 0; e < count; e++) {
		uint64_t i = (uint64_t)(first + e);
		uint64_t place = operand == OPERAND_A ? i % k : i / n;
		bool has_wide = place % 2 == operand;

		if (!data_is_wide(seed, PLACE_STREAM, place, (double)k))
			data_fill_integer(
				DTYPE_F32, &target[e], (int64_t)i, 1, seed, operand, limit);
		else if (has_wide)
			target[e] = (float)data_wide(seed, operand, i);
		else
			target[e] = data_bits(seed, operand, i) & 1 ? 1 : -1;
	}
}

/* Matrix times vector in integers modulo 2^64. Returns false if an element is not an integer with a
 * magnitude below 2^24 (for example NaN). */
static bool multiply_by_vector(const float *matrix, int64_t rows, int64_t columns,
	const uint64_t *vector, uint64_t *ret_product, int64_t *ret_row, int64_t *ret_column)
{
	for (int64_t i = 0; i < rows; i++) {
		uint64_t sum = 0;
		for (int64_t j = 0; j < columns; j++) {
			float element = matrix[i * columns + j];
			if (!(fabsf(element) < 0x1p24f) || element != truncf(element)) {
				*ret_row = i;
				*ret_column = j;
				return false;
			}
			sum += (uint64_t)(int64_t)element * vector[j];
		}
		ret_product[i] = sum;
	}
	return true;
}

/*
 * Freivalds' check: C t = A (B t) for a random integer vector t, in O(n^2). It is exact, because
 * sums on both sides are modulo 2^64. An element of t is one of 2^16 odd numbers. Therefore a
 * single wrong element, which differs by less than 2^25, never passes, and several wrong elements
 * in one row pass with a probability of at most 2^-16. (R. Freivalds, Probabilistic machines can
 * use less running time, IFIP 1977.)
 */
static enum exact_result exact_check(const struct problem *problem, const void *const *inputs,
	const void *output, int64_t *ret_row, int64_t *ret_column)
{
	int64_t m = problem->dim[DIM_M];
	int64_t n = problem->dim[DIM_N];
	int64_t k = problem->dim[DIM_K];
	uint64_t *t = malloc((size_t)n * sizeof *t);
	uint64_t *bt = malloc((size_t)k * sizeof *bt);
	uint64_t *abt = malloc((size_t)m * sizeof *abt);
	uint64_t *ct = malloc((size_t)m * sizeof *ct);
	enum exact_result result = EXACT_NO_MEMORY;
	int64_t row = 0;
	int64_t column = 0;

	if (!t || !bt || !abt || !ct)
		goto out;
	result = EXACT_WRONG;
	for (int64_t j = 0; j < n; j++)
		t[j] = 2 * (data_bits(problem->seed, 0x467265, (uint64_t)j) >> 48) + 1;
	if (!multiply_by_vector(inputs[OPERAND_B], k, n, t, bt, &row, &column) ||
		!multiply_by_vector(inputs[OPERAND_A], m, k, bt, abt, &row, &column) ||
		!multiply_by_vector(output, m, n, t, ct, &row, &column))
		goto out;
	while (row < m && abt[row] == ct[row])
		row++;
	if (row == m)
		result = EXACT_EQUAL;
out:
	if (result == EXACT_WRONG) {
		*ret_row = row;
		*ret_column = column;
	}
	free(t);
	free(bt);
	free(abt);
	free(ct);
	return result;
}

/* ---- Errors -------------------------------------------------------------------------------- */

static int64_t chain(const struct problem *problem)
{
	return problem->dim[DIM_K];
}

#define F16_UNIT_ROUNDOFF 0x1p-11

/* A part is TILE_K fused multiply-adds in f16. Each part is then added in f32: 2^13 of these
 * additions have at most the error of one rounding in f16. */
static int64_t chain_f16(const struct config *config, const struct problem *problem)
{
	int64_t part = config_value(config, "TILE_K");
	int64_t parts = ceil_div(problem->dim[DIM_K], part);

	return (problem->dim[DIM_K] < part ? problem->dim[DIM_K] : part) + ceil_div(parts, 1 << 13);
}

/* Each of the k multiply-adds may underflow in f16. */
static void reference_f16(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	(void)variant;
	sums(problem, inputs, region, ret_expected);
	add_underflow(problem, DTYPE_F16, inputs, region, ret_expected);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

static const struct check_size sizes[] = {
	{{AT(1), AT(1), AT(1)}},
	{{AT(37), AT(41), AT(43)}},
	TILE_EDGES_3(DIM_M, DIM_N, DIM_K),
	/* Multiples of 4, for 16-byte loads at the edge */
	{{TILES(DIM_M, 2, 4), TILES(DIM_N, 1, 4), TILES(DIM_K, 3, 4)}},
	{{AT(1), TILES(DIM_N, 2, 3), AT(29)}},
	{{TILES(DIM_M, 2, 3), AT(1), AT(31)}},
	{{AT(3), AT(5), AT(331)}},
	{{AT(3), AT(5), AT(1031)}}, /* here random data cannot show inputs of 11 bits */
	{{AT(2003), AT(1), AT(1)}},
	/* The smallest sizes with two blocks and with two phases */
	{{AT(1), TILES(DIM_N, 1, 1), AT(1)}},
	{{TILES(DIM_M, 1, 1), AT(1), TILES(DIM_K, 1, 1)}},
	{{LARGE(0), LARGE(0), LARGE(0)}},
	{{LARGE(-1), LARGE(0), LARGE(-5)}},
};

static const struct check_rule check = {
	.large = {.root = 3}, .sets = {{.sizes = WITH_COUNT(sizes)}}};

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
static void plan_naive(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	add_step(config, problem, y, x, x, y, ret_plan);
}

static void plan_uncoalesced(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	add_step(config, problem, x, y, x, y, ret_plan);
}

static void plan_tiled(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile = config_value(config, "TILE");

	add_step(config, problem, tile, config_tile(config, DIM_N), tile, tile, ret_plan);
}

/* Threads with THREAD_M x THREAD_N elements each. */
static int threads_of(const struct config *config)
{
	return config_value(config, "TILE_M") / config_value(config, "THREAD_M") *
	       (config_value(config, "TILE_N") / config_value_or(config, "THREAD_N", 1));
}

static void plan_registers(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_tiles(config, problem, threads_of(config), ret_plan);
}

/* 8 x 8 elements per thread. */
static void plan_f16(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	add_tiles(config, problem,
		config_value(config, "TILE_M") / 8 * (config_value(config, "TILE_N") / 8),
		ret_plan);
}

static void plan_tensor(
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

static void plan_cpu_packed(
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

/* split-k: blocks share a tile. Each adds the products of a part of k. */
struct parts {
	int64_t tiles; /* of C */
	int64_t count; /* parts of a tile */
	int64_t k;     /* length of a part, a multiple of TILE_K; the last part may be shorter */
};

#define MATMUL_ADD_THREADS 256 /* of a block that adds parts */

static struct parts parts_of(const struct config *config, const struct problem *problem)
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
static void plan_split_k(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct parts parts = parts_of(config, problem);
	uint64_t count = elements_of_c(problem);
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
		parts.tiles * parts.count, threads_of(config), 1, PLAN_ARG_INT);

	plan_launch_add(launch, PLAN_ARG_INT, parts.k);
	ret_plan->other_threads = MATMUL_ADD_THREADS;
	if (parts.count == 1)
		return;
	launch->args[OPERAND_C] = (struct plan_arg){PLAN_ARG_SCRATCH, 0};
	plan_add_kernel(ret_plan, "matmul_add_parts", ceil_div((int64_t)count, MATMUL_ADD_THREADS),
		MATMUL_ADD_THREADS,
		PLAN_ARGS({PLAN_ARG_SCRATCH, 0}, {PLAN_ARG_OPERAND, OPERAND_C},
			{PLAN_ARG_ULONG, (int64_t)count}, {PLAN_ARG_INT, parts.count}));
}

static void scratch_split_k(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	struct parts parts = parts_of(config, problem);

	if (parts.count > 1)
		ret_bytes[0] = (uint64_t)parts.count * elements_of_c(problem) * sizeof(float);
}

/* The sum within a part, then the sum of the parts. */
static int64_t chain_split_k(const struct config *config, const struct problem *problem)
{
	struct parts parts = parts_of(config, problem);

	return min(parts.k, problem->dim[DIM_K]) + parts.count - 1;
}

/* ---- Tiles and their traffic ----------------------------------------------------------------- */

/* Bytes that blocks of tile_m x tile_n elements load and store: A is read once for each column of
 * blocks, B once for each row of blocks. */
static double issued(
	const struct problem *problem, double tile_m, double tile_n, double input_bytes)
{
	double m = (double)problem->dim[DIM_M];
	double n = (double)problem->dim[DIM_N];
	double k = (double)problem->dim[DIM_K];

	return input_bytes * (m * k * ceil(n / tile_n) + k * n * ceil(m / tile_m)) + 4 * m * n;
}

static int input_bytes(const struct config *config)
{
	return config->variant->rounding == ROUND_F16 ? 2 : 4;
}

static double issued_tiles(const struct config *config, const struct problem *problem)
{
	return issued(problem, (double)config_tile(config, DIM_M),
		(double)config_tile(config, DIM_N), input_bytes(config));
}

/* Each thread reads a row and a column. */
static double issued_naive(const struct config *config, const struct problem *problem)
{
	(void)config;
	return issued(problem, 1, 1, 4);
}

/* Several parts are stored and loaded in addition to C. */
static double issued_split_k(const struct config *config, const struct problem *problem)
{
	double parts = (double)parts_of(config, problem).count;

	return issued_tiles(config, problem) +
	       (parts > 1 ? 2 * parts * (double)elements_of_c(problem) * sizeof(float) : 0);
}

/* The packed elements of A and B, and C. Each step stores C; each step except the first also loads it.
 */
static double issued_cpu_packed(const struct config *config, const struct problem *problem)
{
	struct packed_tile tile = packed_tile_of(config, problem);
	int64_t steps = ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K"));

	return issued(problem, (double)tile.rows, (double)tile.columns, 4) +
	       2 * (double)(steps - 1) * (double)elements_of_c(problem) * sizeof(float);
}

/* Every GPU gives a block this much shared memory without an opt-in. */
#define STATIC_SHARED_BYTES (48 * 1024)

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
	if (shared_floats * (int)sizeof(float) > STATIC_SHARED_BYTES)
		return "the tiles need more than 48 KiB of shared memory";
	return NULL;
}

static int floats_of_tiles(const struct config *config)
{
	return config_value(config, "TILE_K") *
	       (config_value(config, "TILE_M") + config_value(config, "TILE_N"));
}

static const char *infeasible_thread_tile(const struct config *config)
{
	return infeasible_tiles(config, threads_of(config), 1, floats_of_tiles(config));
}

static const char *infeasible_vector_loads(const struct config *config)
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

static const char *infeasible_registers(const struct config *config)
{
	return infeasible_blocked(
		config, floats_of_tiles(config) + 4 * config_value(config, "TILE_K"));
}

static const char *infeasible_prefetch(const struct config *config)
{
	return infeasible_blocked(config, 2 * floats_of_tiles(config));
}

/* Eight threads copy a row of A: a round has an eighth of the block's threads as rows. */
static const char *infeasible_copies(const struct config *config)
{
	if (8 * config_value(config, "TILE_M") % threads_of(config))
		return "the number of threads must divide 8 TILE_M";
	return infeasible_blocked(config, config_value(config, "STAGES") * floats_of_tiles(config));
}

static const char *infeasible_f16(const struct config *config)
{
	int tile_k = config_value(config, "TILE_K");

	return config_value(config, "TILE_M") == 8 * tile_k &&
			       config_value(config, "TILE_N") == 8 * tile_k
		       ? NULL
		       : "TILE_M and TILE_N must be 8 TILE_K";
}

/* ---- Traffic ------------------------------------------------------------------------------- */

/*
 * The unit of passes is the warp: passes_of_warp() counts one access, and passes_of_grid() counts
 * the accesses to a whole matrix. Blocks of tile_m x tile_n elements read A once for each column of
 * blocks, and B once for each row of blocks. All blocks read the same amount from shared memory,
 * also at the edge, where elements outside are zeros.
 */

/* ---- One thread per element ------------------------------------------------------------------ */

/* Bytes from the address of one thread to that of the next one in its row of the block, and from
 * one row to the next. */
struct steps {
	int64_t lane, row;
};

/* Loads of A and B at each of k steps, and a store of C, by a grid of columns x rows threads. A block
 * loads its rows of A and its columns of B into its first-level cache at least once. */
static void one_thread_per_element(const struct config *config, const struct problem *problem,
	const struct steps steps[3], int64_t columns, int64_t rows, struct floor_work *work)
{
	int block_x = config_value(config, "BLOCK_X"), block_y = config_value(config, "BLOCK_Y");
	double loaded = (double)ceil_div(columns, block_x) * (double)rows +
			(double)ceil_div(rows, block_y) * (double)columns; /* at each step */
	double passes[3];

	for (int i = 0; i < 3; i++) {
		struct warp_lanes lanes =
			warp_lanes_of_block(block_x, block_y, steps[i].lane, steps[i].row);
		passes[i] = passes_of_grid(&lanes, columns, rows);
	}
	work->l2_bytes = 4 * loaded * (double)problem->dim[DIM_K] + work->bytes_written;
	work->l1_passes = (double)problem->dim[DIM_K] * (passes[OPERAND_A] + passes[OPERAND_B]) +
			  passes[OPERAND_C];
	work->shared_passes = 0;
}

static void traffic_uncoalesced(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	const struct steps steps[] = {{4 * k, 0}, {0, 4}, {4 * n, 4}};

	one_thread_per_element(config, problem, steps, m, n, work);
}

static void traffic_naive(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N], k = problem->dim[DIM_K];
	const struct steps steps[] = {{0, 4 * k}, {4, 0}, {4, 4 * n}};

	one_thread_per_element(config, problem, steps, n, m, work);
}

static void traffic_colmajor(
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
static void traffic_tiled(
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
static void traffic_thread_column(
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

static void traffic_thread_tile(
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
static void traffic_vector_loads(
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

static void traffic_a_transposed(
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
static void traffic_registers(
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
static void traffic_copies(
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
static void traffic_split_k(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double parts = (double)parts_of(config, problem).count;
	const struct vector_access store = {4, 4, 4, 4, 4};
	double warps = passes_count_warps(problem->dim[DIM_M] * problem->dim[DIM_N]);

	traffic_copies(config, problem, work);
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
static void traffic_f16(
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
static void traffic_tensor(
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

/* ---- Copies or products by instructions of NVIDIA's hardware --------------------------------- */

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

static int64_t pitch_hopper(
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
		.pitch = pitch_hopper(config, problem, operand),
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
static void plan_wgmma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_kernel(ret_plan, config->variant->entry,
		min(tiles_of(config, problem), config->shape.units), THREADS,
		PLAN_ARGS({PLAN_ARG_TILE_MAP, OPERAND_A}, {PLAN_ARG_TILE_MAP, OPERAND_B},
			{PLAN_ARG_TILE_MAP, OPERAND_C}, {PLAN_ARG_INT, problem->dim[DIM_M]},
			{PLAN_ARG_INT, problem->dim[DIM_N]}, {PLAN_ARG_INT, problem->dim[DIM_K]}));

	launch->shared_bytes =
		(uint32_t)(config_value(config, "STAGES") * (stage_bytes(config) + BARRIER_BYTES) +
			   PIECES_BYTES + ALIGN_STAGES_BYTES);
	for (size_t operand = 0; operand < problem->family->operand_count; operand++)
		launch->tile_maps[operand] = tile_map_of(config, problem, operand);
}

/* The copies go from the second-level cache to shared memory: no pass of the first-level cache. Loads by
 * threads measure the roof of the second-level cache. Copies of tiles exceed this roof: tf32-wgmma reads
 * 1.26 times as many bytes per second (H100, n = 4096). So only the bytes of device memory give a floor.
 * The passes of shared memory that wgmma takes are not published: they are unknown. */
static void traffic_wgmma(
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
/* best: the first launch transposes A to a scratch buffer. bulk-copies: the first launch packs A and
 * B into tiles in two scratch buffers. The buffer of parts has a flag for each warp, and the sums that
 * a block stores for another block. */
#define BEST_FLAGS 4096
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
	int64_t most = min(resident, BEST_FLAGS / warps_of(config));
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
				    : pitch_hopper(config, problem, OPERAND_B),
		.tile_rows = config_value(config, "TILE_K"),
		.tile_columns = config_value(config, transposed ? "TILE_M" : "TILE_N"),
	};
}

static void plan_transpose(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t m = problem->dim[DIM_M], k = problem->dim[DIM_K];

	plan_add_kernel(ret_plan, "matmul_transpose_a",
		ceil_div(m, TRANSPOSE_TILE) * ceil_div(k, TRANSPOSE_TILE), TRANSPOSE_THREADS,
		PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED},
			{PLAN_ARG_SCRATCH, SCRATCH_PARTS}, {PLAN_ARG_INT, m}, {PLAN_ARG_INT, k},
			{PLAN_ARG_INT, pitch_hopper(config, problem, OPERAND_A)},
			{PLAN_ARG_INT, pitch_transposed(problem)}));
}

/* All blocks must be resident. */
static void plan_best(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t shared = shared_tiles_of(config, problem);
	int64_t tiles = tiles_of(config, problem), blocks = blocks_of_best(config, problem);

	plan_transpose(config, problem, ret_plan);
	struct plan_launch *launch = plan_add_kernel(ret_plan, config->variant->entry,
		shared ? blocks : min(tiles, blocks), THREADS,
		PLAN_ARGS({PLAN_ARG_TILE_MAP, 0}, {PLAN_ARG_TILE_MAP, 1},
			{PLAN_ARG_OPERAND, OPERAND_C}, {PLAN_ARG_SCRATCH, SCRATCH_PARTS},
			{PLAN_ARG_INT, problem->dim[DIM_M]}, {PLAN_ARG_INT, problem->dim[DIM_N]},
			{PLAN_ARG_INT, problem->dim[DIM_K]},
			{PLAN_ARG_INT, pitch_hopper(config, problem, OPERAND_C)},
			{PLAN_ARG_INT, shared}));

	launch->shared_bytes =
		(uint32_t)(config_value(config, "STAGES") * (stage_bytes(config) + BARRIER_BYTES) +
			   EXCHANGE_BYTES + ALIGN_TILES_BYTES);
	launch->tile_maps[0] = best_map(config, problem, true);
	launch->tile_maps[1] = best_map(config, problem, false);
}

#define THREAD_BYTES 16 /* to exchange sums */

/* The tiles are in static shared memory, with THREAD_BYTES per thread and two barriers of 8 bytes per
 * stage. */
static const char *infeasible_bulk(const struct config *config)
{
	int64_t bytes = config_value(config, "STAGES") * (stage_bytes(config) + BARRIER_BYTES);

	return bytes + THREAD_BYTES * consumers_of(config) > STATIC_SHARED_BYTES
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

	plan_add_kernel(ret_plan, "matmul_pack", blocks, TRANSPOSE_THREADS,
		PLAN_ARGS({PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
			{PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED}, {PLAN_ARG_SCRATCH, SCRATCH_PACKED},
			{PLAN_ARG_SCRATCH, SCRATCH_PARTS}, {PLAN_ARG_INT, problem->dim[DIM_M]},
			{PLAN_ARG_INT, problem->dim[DIM_N]}, {PLAN_ARG_INT, problem->dim[DIM_K]},
			{PLAN_ARG_INT, pitch_hopper(config, problem, OPERAND_A)},
			{PLAN_ARG_INT, pitch_hopper(config, problem, OPERAND_B)}));
}

static void plan_bulk(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int64_t shared = shared_tiles_of(config, problem);
	int64_t tiles = tiles_of(config, problem), blocks = blocks_of_best(config, problem);

	plan_pack(config, problem, ret_plan);
	plan_add_kernel(ret_plan, config->variant->entry, shared ? blocks : min(tiles, blocks),
		consumers_of(config),
		PLAN_ARGS({PLAN_ARG_SCRATCH, SCRATCH_TRANSPOSED},
			{PLAN_ARG_SCRATCH, SCRATCH_PACKED}, {PLAN_ARG_OPERAND, OPERAND_C},
			{PLAN_ARG_SCRATCH, SCRATCH_PARTS}, {PLAN_ARG_INT, problem->dim[DIM_M]},
			{PLAN_ARG_INT, problem->dim[DIM_N]}, {PLAN_ARG_INT, problem->dim[DIM_K]},
			{PLAN_ARG_INT, pitch_hopper(config, problem, OPERAND_C)},
			{PLAN_ARG_INT, shared}));
}

static void scratch_parts(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	uint64_t part_bytes = (uint64_t)config_value(config, "TILE_M") *
			      (uint64_t)config_value(config, "TILE_N") * sizeof(float);

	ret_bytes[SCRATCH_PARTS] = BEST_FLAGS * sizeof(uint32_t);
	if (shared_tiles_of(config, problem))
		ret_bytes[SCRATCH_PARTS] += (uint64_t)blocks_of_best(config, problem) * part_bytes;
}

static void scratch_bulk(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	scratch_parts(config, problem, ret_bytes);
	ret_bytes[SCRATCH_TRANSPOSED] =
		(uint64_t)packed_elements(config, problem, OPERAND_A) * sizeof(float);
	ret_bytes[SCRATCH_PACKED] =
		(uint64_t)packed_elements(config, problem, OPERAND_B) * sizeof(float);
}

static void scratch_best(const struct config *config, const struct problem *problem,
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
static double issued_bulk(const struct config *config, const struct problem *problem)
{
	double k = (double)problem->dim[DIM_K];
	double packed = ((double)problem->dim[DIM_M] + (double)problem->dim[DIM_N]) * k;

	return issued_tiles(config, problem) + 2 * packed * sizeof(float) +
	       issued_parts(config, problem);
}

/* The first launch loads and stores A. */
static double issued_best(const struct config *config, const struct problem *problem)
{
	double transposed = (double)problem->dim[DIM_M] * (double)problem->dim[DIM_K];

	return issued_tiles(config, problem) + 2 * transposed * sizeof(float) +
	       issued_parts(config, problem);
}

/* For each step of k a warp reads 8 rows of A in two accesses of two passes, and 16 columns of B in
 * four accesses of four passes, as in `prefetch`. */
static void traffic_best(
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

#define MMA_WARP 64       /* elements of C that a warp computes along each side */
#define STEP_ROW_BYTES 32 /* of a row of A, in a step of k */

static int mma_warps_of(const struct config *config)
{
	return config_value(config, "TILE_M") / MMA_WARP *
	       (config_value(config, "TILE_N") / MMA_WARP);
}

/* The tiles are a static array, unless they need more shared memory than a block has without an
 * opt-in. */
static uint32_t opt_in_bytes(const struct config *config)
{
	int64_t bytes = config_value(config, "STAGES") * stage_bytes(config);

	return bytes > STATIC_SHARED_BYTES ? (uint32_t)bytes : 0;
}

static void plan_mma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
		tiles_of(config, problem), WARP_THREADS * mma_warps_of(config), 1, PLAN_ARG_INT);

	launch->shared_bytes = opt_in_bytes(config);
	for (size_t operand = 0; operand < 3; operand++)
		plan_launch_add(launch, PLAN_ARG_INT, pitch_hopper(config, problem, operand));
}

/* mma.sync is defined for warps of 32 threads. Wider sub-groups have several of them. */
static const char *domain_mma(const struct config *config, const struct problem *problem)
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
static void traffic_mma(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	bool half = input_bytes(config) == 2;
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	int64_t row_bytes = pitch_hopper(config, problem, OPERAND_C) * (int64_t)sizeof(float);
	struct warp_lanes stores = {.lanes = 4,
		.rows = 8,
		.lane_bytes = half ? 8 : 2 * row_bytes,
		.row_bytes = half ? row_bytes : 8,
		.width_bytes = 8};
	double phases = (double)ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K"));
	double steps = config_value(config, "TILE_K") * input_bytes(config) / STEP_ROW_BYTES;
	double reads = 2.0 * MMA_WARP * STEP_ROW_BYTES / PASS_BYTES;

	work->l1_passes = half ? passes_of_grid(&stores, ceil_div(n, 2), m)
			       : 2 * passes_of_grid(&stores, ceil_div(m, 2), ceil_div(n, 2));
	work->shared_passes = (double)(tiles_of(config, problem)) *
			      (phases * (double)stage_bytes(config) / PASS_BYTES +
				      mma_warps_of(config) * (phases * steps + 1) * reads);
	work->l2_bytes = config_bytes_issued(config, problem);
}

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A",
		.role = OPERAND_IN,
		.rows_dim = DIM_M,
		.columns_dim = DIM_K,
		.aliases = "m left lhs x in1 mata matrixa am"},
	{.name = "B",
		.role = OPERAND_IN,
		.rows_dim = DIM_K,
		.columns_dim = DIM_N,
		.aliases = "n right rhs y in2 matb matrixb bm"},
	{.name = "C",
		.role = OPERAND_OUT,
		.rows_dim = DIM_M,
		.columns_dim = DIM_N,
		.aliases = "p out output result product z matc matrixc cm"},
};

static const int block_choices[] = {1, 2, 4, 8, 16, 32, 0};
static const int tile_choices[] = {4, 8, 16, 32, 0};
static const int coarse_choices[] = {1, 2, 4, 8, 0};
static const int tile_k_choices[] = {8, 16, 32, 0};
static const int tile_mn_choices[] = {64, 128, 256, 0};
static const int thread_choices[] = {4, 8, 16, 0};
static const int small_tile_choices[] = {32, 64, 128, 0};
static const int column_choices[] = {4, 8, 16, 32, 0};
static const int stages_choices[] = {2, 3, 4, 0};
static const int band_choices[] = {1, 2, 4, 8, 16, 32, 0};
static const int f16_choices[] = {64, 128, 0};
static const int f16_k_choices[] = {8, 16, 0};
static const int bulk_choices[] = {128, 256, 0};
static const int bulk_k_choices[] = {4, 8, 0};
static const int bulk_stage_choices[] = {4, 5, 0};
static const int mma_f16_k_choices[] = {32, 64, 0};
static const int mma_tf32_k_choices[] = {16, 32, 0};
static const int packed_part_choices[] = {24, 48, 96, 0};
static const int packed_depth_choices[] = {64, 128, 256, 384, 0};
static const int packed_width_choices[] = {64, 128, 256, 384, 512, 0};

#define TILE_MNK                        \
	{                               \
		{"TILE_M"}, {"TILE_N"}, \
		{                       \
			"TILE_K"        \
		}                       \
	}

#define TENSOR_F16 .rounding = ROUND_F16, .operations = OPERATIONS_TENSOR_F16
#define TENSOR_TF32 .rounding = ROUND_TF32, .operations = OPERATIONS_TENSOR_TF32

/* A kernel with the name of its file. */
#define KERNEL(stem) .file = stem, .entry = "matmul_" stem

#define ROW_NAIVE                                                                        \
	.macros = {{"BLOCK_X", 16, block_choices}, {"BLOCK_Y", 16, block_choices}},      \
	.bytes_issued = issued_naive, .tile = {{"BLOCK_Y"}, {"BLOCK_X"}, {.times = 16}}, \
	.file = "naive"

#define ROW_COARSE(factor)                                                                         \
	.technique = "coarsening", .book = "6.3, Fig. 6.13", KERNEL("coarse"), .plan = plan_tiled, \
	.bytes_issued = issued_tiles, .traffic = traffic_tiled,                                    \
	.tile = {{"TILE"}, {"TILE", "COARSE"}, {"TILE"}},                                          \
	.macros = {{"TILE", 32, tile_choices}, {"COARSE", (factor), coarse_choices}}

#define ROW_REGISTERS(tile_n, thread_n)                                                     \
	.plan = plan_registers, .bytes_issued = issued_tiles, .traffic = traffic_registers, \
	.tile = TILE_MNK,                                                                   \
	.macros = {{"TILE_M", 128, tile_mn_choices}, {"TILE_N", (tile_n), tile_mn_choices}, \
		{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 8, thread_choices},            \
		{"THREAD_N", (thread_n), thread_choices}}

/* A tile of THREAD_M x THREAD_N sums per thread, without a patch of threads per warp. */
#define ROW_THREAD_TILE(tile_k)                                                        \
	.plan = plan_registers, .bytes_issued = issued_tiles, .tile = TILE_MNK,        \
	.macros = {{"TILE_M", 128, tile_mn_choices}, {"TILE_N", 128, tile_mn_choices}, \
		{"TILE_K", (tile_k), tile_k_choices}, {"THREAD_M", 8, thread_choices}, \
		{"THREAD_N", 8, thread_choices}}

/* The macros of rungs with asynchronous copies of tiles (copies.inc). */
#define MACROS_COPIES(tile_m, tile_n, thread_n, stages)                               \
	{"TILE_M", (tile_m), tile_mn_choices}, {"TILE_N", (tile_n), tile_mn_choices}, \
		{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 8, thread_choices},      \
		{"THREAD_N", (thread_n), thread_choices},                             \
	{                                                                             \
		"STAGES", (stages), stages_choices                                    \
	}

#define ROW_COPIES .needs = PMPP_CAP_ASYNC_COPY, .tile = TILE_MNK, .infeasible = infeasible_copies

#define ROW_TENSOR(input_bits, tile_k)                                                       \
	.technique = "tensor cores", .book = "-", KERNEL("tensor"),                          \
	.needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR, .repro = REPRO_RUN,                  \
	.unit_roundoff = MATMUL_TENSOR_ROUNDOFF, .chain_kind = CHAIN_CHOPPED_SUM,            \
	.plan = plan_tensor, .bytes_issued = issued_tiles, .traffic = traffic_tensor,        \
	.tile = TILE_MNK,                                                                    \
	.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 128, NULL}, {"TILE_K", (tile_k), NULL}, \
		{"INPUT_BITS", (input_bits), NULL}},                                         \
	.constants = {{"WARP_M", MATMUL_WARP_M}, {"WARP_N", MATMUL_WARP_N}}

#define ROW_MMA(input_bits, tile_n, tile_k, stages, tile_k_choices, choices_of_stages)         \
	.book = "-", KERNEL("mma"), .needs = PMPP_CAP_TENSOR, .reads = KERNEL_SHAPE_LANES,     \
	.repro = REPRO_RUN, .unit_roundoff = MATMUL_TENSOR_ROUNDOFF,                           \
	.chain_kind = CHAIN_CHOPPED_SUM, .plan = plan_mma, .bytes_issued = issued_tiles,       \
	.pitch = pitch_hopper, .traffic = traffic_mma, .tile = TILE_MNK, .domain = domain_mma, \
	.macros = {{"TILE_M", 128, NULL}, {"TILE_N", (tile_n), NULL},                          \
		{"TILE_K", (tile_k), (tile_k_choices)}, {"INPUT_BITS", (input_bits), NULL},    \
		{"STAGES", (stages), (choices_of_stages)}, {"BAND", 8, band_choices}},         \
	.constants = {{"WARP_M", MMA_WARP}, {"WARP_N", MMA_WARP}}

/* STAGES pairs of tiles, and bands of BAND rows of tiles (hopper.inc). */
#define ROW_WGMMA(tile_m, tile_n, tile_k, stages)                                             \
	.book = "-", .needs = PMPP_CAP_WGMMA, .cuda_only = true, .reads = KERNEL_SHAPE_UNITS, \
	.repro = REPRO_RUN, .unit_roundoff = MATMUL_TENSOR_ROUNDOFF,                          \
	.chain_kind = CHAIN_CHOPPED_SUM, .plan = plan_wgmma, .bytes_issued = issued_tiles,    \
	.pitch = pitch_hopper, .traffic = traffic_wgmma, .tile = TILE_MNK,                    \
	.macros = {{"TILE_M", (tile_m), NULL}, {"TILE_N", (tile_n), NULL},                    \
		{"TILE_K", (tile_k), NULL}, {"STAGES", (stages), NULL}, {"BAND", 8, NULL}}

static const struct variant variants[] = {
	{.name = "naive-uncoalesced",
		.technique = "-",
		.idea = "one thread per element; threadIdx.x is the row, so a warp's loads of A "
			"and stores of C are strided",
		.book = "6.1",
		.entry = "matmul_naive_uncoalesced",
		.traffic = traffic_uncoalesced,
		.plan = plan_uncoalesced,
		ROW_NAIVE},
	{.name = "naive",
		.technique = "coalescing",
		.idea = "one thread per element; threadIdx.x is the column, so a warp loads B and "
			"stores C in whole lines",
		.book = "6.1",
		.base = "naive-uncoalesced",
		.entry = "matmul_naive",
		.traffic = traffic_naive,
		.plan = plan_naive,
		.claim = {.text = "coalesced >= 2 x uncoalesced",
			.at_least = 2,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS},
		ROW_NAIVE},
	{.name = "tiled16",
		.technique = "tiling",
		.idea = "a block loads 16 x 16 tiles of A and B into shared memory; each element is used "
			"for 16 multiply-adds",
		.book = "5.4, 6.1",
		.base = "naive",
		KERNEL("tiled"),
		.traffic = traffic_tiled,
		.macros = {{"TILE", 16, tile_choices}},
		.plan = plan_tiled,
		.bytes_issued = issued_tiles,
		.tile = {{"TILE"}, {"TILE"}, {"TILE"}},
		.claim = {.text = "tiled >= 1.2 x naive",
			.at_least = 1.2,
			.needs = CLAIM_OF_SHARED}},
	{.name = "tiled32",
		.technique = "larger tile",
		.idea = "the same kernel with 32 x 32 tiles: half the loads from global memory",
		.book = "5.4, 6.1",
		.base = "tiled16",
		KERNEL("tiled"),
		.traffic = traffic_tiled,
		.macros = {{"TILE", 32, tile_choices}},
		.plan = plan_tiled,
		.bytes_issued = issued_tiles,
		.tile = {{"TILE"}, {"TILE"}, {"TILE"}}},
	{.name = "colmajor-naive",
		.technique = "B by columns",
		.idea = "B is stored by columns and read directly: a warp's loads of B are k elements "
			"apart",
		.book = "6.1",
		.base = "naive",
		.entry = "matmul_colmajor_naive",
		.traffic = traffic_colmajor,
		.by_columns = 1u << OPERAND_B,
		.plan = plan_naive,
		ROW_NAIVE},
	{.name = "corner-turned",
		.technique = "corner turning",
		.idea = "B is stored by columns, loaded along its columns and transposed in shared "
			"memory: the loads are coalesced",
		.book = "6.1, Fig. 6.4, exercise 6.1",
		.base = "colmajor-naive",
		KERNEL("corner_turned"),
		.traffic = traffic_tiled,
		.by_columns = 1u << OPERAND_B,
		.macros = {{"TILE", 16, tile_choices}},
		.plan = plan_tiled,
		.bytes_issued = issued_tiles,
		.tile = {{"TILE"}, {"TILE"}, {"TILE"}},
		.claim = {.text = "corner turned >= 2 x strided B",
			.at_least = 2,
			.needs = CLAIM_OF_WARPS | CLAIM_OF_SECTORS | CLAIM_OF_SHARED}},
	{.name = "coarse2",
		.idea = "one block computes 2 neighbouring tiles and loads A's tile once for both",
		.base = "tiled32",
		ROW_COARSE(2)},
	{.name = "coarse4",
		.idea = "one block computes 4 neighbouring tiles and loads A's tile once for all",
		.base = "tiled32",
		.claim = {.text = "4 tiles per block >= 1.3 x 1 tile",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		ROW_COARSE(4)},
	{.name = "coarse8",
		.idea = "one block computes 8 neighbouring tiles and loads A's tile once for all",
		.base = "tiled32",
		ROW_COARSE(8)},
	{.name = "thread-column",
		.technique = "register column",
		.idea = "a thread computes 16 elements of a column of C: it reads an element of B once, "
			"for 16 multiply-adds",
		.book = "6.3, taken further",
		.base = "coarse8",
		KERNEL("thread_column"),
		.max_registers = 64, /* the limit of __launch_bounds__ in thread_column.cu */
		.claim = {.text = "16 rows per thread >= 1.3 x 8 tiles per block",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		.plan = plan_registers,
		.bytes_issued = issued_tiles,
		.traffic = traffic_thread_column,
		.tile = TILE_MNK,
		.infeasible = infeasible_thread_tile,
		.macros = {{"TILE_M", 64, small_tile_choices}, {"TILE_N", 64, small_tile_choices},
			{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 16, column_choices}}},
	{.name = "thread-tile",
		.technique = "register tile",
		.idea = "a thread computes an 8 x 8 tile of C in registers: 16 reads of shared memory for "
			"64 multiply-adds",
		.book = "6.3, taken further",
		.base = "thread-column",
		KERNEL("thread_tile"),
		.claim = {.text = "register tile >= 1.3 x register column",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		.traffic = traffic_thread_tile,
		.infeasible = infeasible_thread_tile,
		ROW_THREAD_TILE(8)},
	{.name = "vector-loads",
		.technique = "16-byte access",
		.idea = "the same tile with accesses of 16 bytes: a quarter of the loads and stores; a "
			"thread reads A for four steps of k at once",
		.book = "-",
		.base = "thread-tile",
		KERNEL("vector_loads"),
		.traffic = traffic_vector_loads,
		.infeasible = infeasible_vector_loads,
		ROW_THREAD_TILE(8)},
	{.name = "a-transposed",
		.technique = "A transposed",
		.idea = "threads transpose A when they store it in shared memory: the 8 elements of a step "
			"of k need two reads and 8 registers instead of 32",
		.book = "6.1 (corner turning)",
		.base = "vector-loads",
		KERNEL("a_transposed"),
		.traffic = traffic_a_transposed,
		.infeasible = infeasible_registers,
		ROW_THREAD_TILE(16)},
	{.name = "registers",
		.technique = "warp tile",
		.idea = "the 32 threads of a warp form a patch of 8 x 4: a step reads 12 different quads of "
			"shared memory, not 18",
		.book = "5.5 (3rd ed.), 6.3, taken further",
		.base = "a-transposed",
		KERNEL("registers"),
		.claim = {.text = "register tile >= 3 x tiled32",
			.over = "tiled32",
			.at_least = 3,
			.needs = CLAIM_OF_SHARED},
		.infeasible = infeasible_registers,
		ROW_REGISTERS(128, 8)},
	{.name = "prefetch",
		.technique = "double buffer",
		.idea = "`registers` with an 8 x 16 tile and two buffers: the next tiles of A and B are "
			"loaded while the current tiles are used",
		.book = "1st ed., 6.4 (data prefetching)",
		.base = "registers",
		KERNEL("prefetch"),
		.infeasible = infeasible_prefetch,
		ROW_REGISTERS(256, 16)},
	{.name = "async-tiles",
		.technique = "asynchronous copy",
		.idea = "the hardware copies the next tiles to shared memory, without registers; the "
			"copies transpose A",
		.book = "6.2, taken further",
		.base = "prefetch",
		KERNEL("async_tiles"),
		.plan = plan_registers,
		.bytes_issued = issued_tiles,
		.traffic = traffic_copies,
		.macros = {MACROS_COPIES(128, 256, 16, 2)},
		ROW_COPIES},
	{.name = "block-order",
		.technique = "block order",
		.idea = "blocks go through bands of 8 rows of tiles, so that blocks that run together "
			"share more of A and B in the second-level cache",
		.book = "-",
		.base = "async-tiles",
		KERNEL("block_order"),
		.plan = plan_registers,
		.bytes_issued = issued_tiles,
		.traffic = traffic_copies,
		.macros = {MACROS_COPIES(128, 256, 16, 2), {"BAND", 8, band_choices}},
		ROW_COPIES},
	{.name = "split-k",
		.technique = "split k",
		.idea = "if C has few tiles, several blocks share a tile: each computes a part of k, and a "
			"second launch adds the parts in order",
		.book = "-",
		.base = "async-tiles",
		KERNEL("split_k"),
		.reads = KERNEL_SHAPE_UNITS,
		.plan = plan_split_k,
		.scratch = scratch_split_k,
		.chain = chain_split_k,
		.bytes_issued = issued_split_k,
		.traffic = traffic_split_k,
		.macros = {MACROS_COPIES(64, 128, 8, 3)},
		.constants = {{"ADD_THREADS", MATMUL_ADD_THREADS}},
		ROW_COPIES},
	{.name = "bulk-copies",
		.technique = "bulk copies",
		.idea = "`prefetch` with packed tiles that the hardware copies without registers; a ring of "
			"stages replaces the barrier of the block, the order of multiply-adds suits the "
			"register banks, and all blocks share the last tiles",
		.book = "-",
		.base = "prefetch",
		KERNEL("bulk"),
		.needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_BULK_COPY,
		.reads = KERNEL_SHAPE_UNITS,
		.repro = REPRO_RUN,
		.plan = plan_bulk,
		.scratch = scratch_bulk,
		.pitch = pitch_hopper,
		.traffic = traffic_best,
		.bytes_issued = issued_bulk,
		.tile = TILE_MNK,
		.infeasible = infeasible_bulk,
		.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 128, bulk_choices},
			{"TILE_K", 8, bulk_k_choices}, {"STAGES", 5, bulk_stage_choices},
			{"BAND", 8, band_choices}},
		.constants = {{"FLAGS", BEST_FLAGS}}},
	{.name = "best",
		.technique = "copying warps",
		.idea = "`bulk-copies` with a ring of 16 stages that further warps fill: they only copy "
			"tiles, so that the warps that multiply have more registers",
		.book = "-",
		.base = "bulk-copies",
		.claim = {.text = "with copying warps >= 1.05 x double buffer",
			.over = "prefetch",
			.at_least = 1.05},
		KERNEL("best"),
		.needs = PMPP_CAP_WGMMA,
		.cuda_only = true,
		.reads = KERNEL_SHAPE_UNITS,
		.repro = REPRO_RUN,
		.plan = plan_best,
		.scratch = scratch_best,
		.pitch = pitch_hopper,
		.traffic = traffic_best,
		.bytes_issued = issued_best,
		.tile = TILE_MNK,
		.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 256, NULL}, {"TILE_K", 8, NULL},
			{"STAGES", 16, NULL}, {"BAND", 8, NULL}},
		.constants = {{"FLAGS", BEST_FLAGS}}},
	{.name = "f16",
		.technique = "half2",
		.idea = "inputs stored as f16; one instruction does the multiply-adds of two columns; after "
			"16 steps the f16 sums are added to f32 sums; in shared memory both halves of a "
			"word hold the same element of A",
		.book = "6.4, taken further",
		.base = "prefetch",
		KERNEL("f16"),
		.traffic = traffic_f16,
		.needs = PMPP_CAP_FP16,
		.max_registers = 128, /* the limit of __launch_bounds__ in f16.cu */
		.rounding = ROUND_F16,
		.unit_roundoff = F16_UNIT_ROUNDOFF,
		.operations = OPERATIONS_F16,
		.macros = {{"TILE_M", 128, f16_choices}, {"TILE_N", 128, f16_choices},
			{"TILE_K", 16, f16_k_choices}},
		.infeasible = infeasible_f16,
		.claim = {.text = "half2 >= 1.1 x f32", .at_least = 1.1},
		.plan = plan_f16,
		.bytes_issued = issued_tiles,
		.tile = TILE_MNK,
		.chain = chain_f16,
		.reference = reference_f16},
	{.name = "f16-tensor",
		.idea = "inputs stored as f16; a warp multiplies 16 x 16 by 16 x 8 in one instruction, "
			"sums in f32",
		.base = "f16",
		TENSOR_F16,
		.claim = {.text = "tensor cores >= 2 x f32 multiply-adds",
			.over = "prefetch",
			.at_least = 2},
		ROW_TENSOR(16, 32)},
	{.name = "tf32-tensor",
		.idea = "inputs rounded to TF32 (a fraction of 10 bits); a warp multiplies 16 x 8 by "
			"8 x 8 in one instruction, sums in f32",
		.base = "prefetch",
		TENSOR_TF32,
		.claim = {.text = "tensor cores >= 1.5 x f32 multiply-adds", .at_least = 1.5},
		ROW_TENSOR(32, 16)},
	{.name = "f16-mma",
		.technique = "asynchronous copies",
		.idea = "`f16-tensor` with 64 x 64 sums per warp: asynchronous copies fill a ring of 3 "
			"stages, and ldmatrix reads the factors one step ahead; 48 KiB of shared "
			"memory",
		.base = "f16-tensor",
		.claim = {.text = "asynchronous copies >= 1.5 x copies through registers",
			.at_least = 1.5},
		TENSOR_F16,
		ROW_MMA(16, 128, 32, 3, mma_f16_k_choices, stages_choices)},
	{.name = "f16-mma96",
		.technique = "wider tile",
		.idea = "`f16-mma` with 128 x 256 tiles, so a product needs three quarters of the copies; "
			"4 stages, 96 KiB of shared memory",
		.base = "f16-mma",
		TENSOR_F16,
		ROW_MMA(16, 256, 32, 4, NULL, NULL)},
	{.name = "tf32-mma",
		.technique = "asynchronous copies",
		.idea = "`tf32-tensor` with 64 x 64 sums per warp, a ring of 3 stages and ldmatrix for "
			"A; the columns of B are the first factor, so a lane reads two at a time",
		.base = "tf32-tensor",
		.claim = {.text = "asynchronous copies >= 1.3 x copies through registers",
			.at_least = 1.3},
		TENSOR_TF32,
		ROW_MMA(32, 128, 16, 3, mma_tf32_k_choices, stages_choices)},
	{.name = "f16-wgmma",
		.technique = "warp groups",
		.idea = "inputs stored as f16; four warps multiply 64 x 16 by 16 x 256 from shared memory "
			"in one instruction, while other warps start the copies of the next tiles",
		.base = "f16-tensor",
		.claim = {.text = "warp groups >= 1.5 x single warps", .at_least = 1.5},
		KERNEL("f16_wgmma"),
		TENSOR_F16,
		ROW_WGMMA(128, 256, 64, 4)},
	{.name = "f16-wgmma64",
		.technique = "smaller tiles",
		.idea = "`f16-wgmma` with tiles of 128 x 64: a matrix of 1024 x 1024 has 128 tiles, not "
			"32, for the multiprocessors",
		.base = "f16-wgmma",
		KERNEL("f16_wgmma"),
		TENSOR_F16,
		ROW_WGMMA(128, 64, 64, 8)},
	{.name = "tf32-wgmma",
		.technique = "warp groups",
		.idea = "inputs rounded to TF32; the rows of A are a factor in shared memory, the columns "
			"of B a factor in registers, so no pass transposes B",
		.base = "tf32-tensor",
		.claim = {.text = "warp groups >= 1.5 x single warps", .at_least = 1.5},
		KERNEL("tf32_wgmma"),
		TENSOR_TF32,
		ROW_WGMMA(256, 128, 32, 4)},
	{.name = "tf32-wgmma64",
		.technique = "smaller tiles",
		.idea = "`tf32-wgmma` with tiles of 64 x 128: a matrix of 1024 x 1024 has 128 tiles, not "
			"32, for the multiprocessors",
		.base = "tf32-wgmma",
		KERNEL("tf32_wgmma"),
		TENSOR_TF32,
		ROW_WGMMA(64, 128, 32, 8)},
	{.name = "cpu-packed",
		.technique = "CPU packing",
		.idea = "each work-item computes one tile of C, and the tiles are divided evenly among the "
			"cores; A and B are packed into panels that fit the cache, with a 6 x 64 tile of C in "
			"vector registers",
		.book = "-",
		.base = "naive",
		KERNEL("cpu_packed"),
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		/* TILE_N is last: if two fallbacks have the same product of macros, the one with the
		 * larger last macro is tried first. Wide tiles are faster than deep steps. */
		.macros = {{"PART_M", 24, packed_part_choices},
			{"TILE_K", 384, packed_depth_choices},
			{"TILE_N", 512, packed_width_choices}},
		.plan = plan_cpu_packed,
		.bytes_issued = issued_cpu_packed,
		.tile = {{"PART_M"}, {"TILE_N"}, {"TILE_K"}}},
};

/* ---- Libraries, for --peers ----------------------------------------------------------------- */

/* The tiles of the libraries are multiples of these extents. The bytes that a library loads are unknown: each
 * operand counts once. A library may add the products in any order. The bound of k roundings is valid for
 * each order. */
#define ROW_PEER(library, computes, called)     \
	ROW_LIBRARY(library, computes, called), \
		.repro = REPRO_BOUND, .tile = {{.times = 128}, {.times = 128}, {.times = 32}}

#define ROW_TENSOR_PEER(computes)                                                         \
	ROW_PEER(PEER_CUBLAS, computes, "cublasGemmEx"), .chain_kind = CHAIN_CHOPPED_SUM, \
							 .unit_roundoff = MATMUL_TENSOR_ROUNDOFF

static const struct variant peers[] = {
	{.name = "cublas-f32",
		.idea = "cuBLAS, pedantic mode: multiply-adds in f32, no tensor cores",
		ROW_PEER(PEER_CUBLAS, PEER_PRODUCT_F32, "cublasGemmEx")},
	{.name = "cublas-f16",
		.idea = "cuBLAS: inputs in f16, sums and results in f32",
		TENSOR_F16,
		ROW_TENSOR_PEER(PEER_PRODUCT_F16)},
	{.name = "cublas-tf32",
		.idea = "cuBLAS: inputs in f32 used as TF32, sums and results in f32",
		TENSOR_TF32,
		ROW_TENSOR_PEER(PEER_PRODUCT_TF32)},
	{.name = "clblast-f32",
		.idea = "CLBlast: multiply-adds in f32",
		ROW_PEER(PEER_CLBLAST, PEER_PRODUCT_F32, "CLBlastSgemm")},
	{.name = "openblas-f32",
		.idea = "OpenBLAS on all cores: multiply-adds in f32",
		ROW_PEER(PEER_OPENBLAS, PEER_PRODUCT_F32, "cblas_sgemm")},
};

const struct family family_matmul = {
	.name = "matmul",
	.title = "C = A B",
	.size_help = "C[m,n] = A[m,k] B[k,n] in f32; sizes m x n x k, each from 1 to 2147479552",
	.book = "PMPP 4th ed., 5.4 and chapter 6",
	.aliases = "matmul matrixmul matmult gemm matrixproduct",
	.dim_names = {"m", "n", "k"},
	.dim_aliases = {"numarows numcrows rowsa arows rowsc ha hc height",
		"numbcolumns numccolumns numbcols numccols colsb bcols colsc wb wc",
		"numacolumns numbrows numacols colsa acols rowsb brows wa hb inner"},
	.dim_count = 3,
	.takes_squares = true,
	.dim_max = INT32_MAX - 4095, /* kernels count in int and step by a tile past the end */
	.default_size = {[DEVICE_CLASS_GPU] = {2048},
		[DEVICE_CLASS_CPU] = {384},
		[DEVICE_CLASS_EMULATED] = {128}},
	.operands = WITH_COUNT(operands),
	.cases = ALL_CASES,
	.multiplies = true,
	.reference = reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = integer_limit,
	.fill_wide = fill_wide,
	.exact_check = exact_check,
	.flops = flops,
	.check = &check,
	.variants = WITH_COUNT(variants),
	.peers = WITH_COUNT(peers),
};
