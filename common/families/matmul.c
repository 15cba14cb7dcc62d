/*
 * matmul: C[m,n] = A[m,k] B[k,n] in f32, the ladder of chapter 6 (tiling: section 5.4).
 *
 * All variants of full precision add the products of an element of C in one ascending chain of
 * fused multiply-adds. Therefore they give the same bits on all engines and have the same bound: k
 * roundings. The variants of reduced precision (f16, tensor cores) have bounds of their own. The
 * reference is in matmul_answer.c.
 */
#include "common/check_sizes.h"
#include "common/families/matmul_answer.h"
#include "common/families/matmul_traffic.h"
#include "common/family.h"
#include "common/integers.h"

#include <math.h>
#include <string.h>

/* ---- Plans --------------------------------------------------------------------------------- */

static void plan_step_matmul(const struct config *config, const struct problem *problem,
	int64_t tile_m, int64_t tile_n, uint32_t block_x, uint32_t block_y, struct plan *ret_plan)
{
	/* The grid has one dimension: CUDA limits the grid's y to 65535, but m may be larger. */
	int64_t groups =
		ceil_div(problem->dim[DIM_M], tile_m) * ceil_div(problem->dim[DIM_N], tile_n);

	plan_add_launch(ret_plan,
		&(struct plan_launch){
			.entry = config->variant->entry,
			.groups = {(uint64_t)groups, 1, 1},
			.block = {block_x, block_y, 1},
			.args = {{PLAN_ARG_OPERAND, OPERAND_A}, {PLAN_ARG_OPERAND, OPERAND_B},
				{PLAN_ARG_OPERAND, OPERAND_C}, {PLAN_ARG_INT, problem->dim[DIM_M]},
				{PLAN_ARG_INT, problem->dim[DIM_N]},
				{PLAN_ARG_INT, problem->dim[DIM_K]}},
			.arg_count = 6,
		});
}

/* One thread per element of C. BLOCK_X goes along columns; in the uncoalesced variant, along rows.
 */
static void plan_naive(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	plan_step_matmul(config, problem, y, x, (uint32_t)x, (uint32_t)y, ret_plan);
}

static void plan_uncoalesced(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int x = config_value(config, "BLOCK_X");
	int y = config_value(config, "BLOCK_Y");

	plan_step_matmul(config, problem, x, y, (uint32_t)x, (uint32_t)y, ret_plan);
}

static void plan_tiled(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile = config_value(config, "TILE");

	plan_step_matmul(config, problem, tile, tile, (uint32_t)tile, (uint32_t)tile, ret_plan);
}

static void plan_coarse(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile = config_value(config, "TILE");
	int coarse = config_value(config, "COARSE");

	plan_step_matmul(config, problem, tile, (int64_t)tile * coarse, (uint32_t)tile,
		(uint32_t)tile, ret_plan);
}

static void plan_registers(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile_m = config_value(config, "TILE_M");
	int tile_n = config_value(config, "TILE_N");
	int threads = tile_m / config_value(config, "THREAD_M") *
		      (tile_n / config_value(config, "THREAD_N"));

	plan_step_matmul(config, problem, tile_m, tile_n, (uint32_t)threads, 1, ret_plan);
}

/* 8 x 8 elements per thread. */
static void plan_f16(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile_m = config_value(config, "TILE_M");
	int tile_n = config_value(config, "TILE_N");

	plan_step_matmul(config, problem, tile_m, tile_n, (uint32_t)(tile_m / 8 * (tile_n / 8)), 1,
		ret_plan);
}

/* Elements of C that a warp computes on tensor cores. */
enum {
	WARP_M = 64,
	WARP_N = 32
};

static void plan_tensor(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	int tile_m = config_value(config, "TILE_M");
	int tile_n = config_value(config, "TILE_N");

	plan_step_matmul(config, problem, tile_m, tile_n,
		(uint32_t)(32 * (tile_m / WARP_M) * (tile_n / WARP_N)), 1, ret_plan);
}

static void plan_cpu_packed(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_step_matmul(config, problem, config_value(config, "TILE_M"),
		config_value(config, "TILE_N"), 1, 1, ret_plan);
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double multiply_adds(const struct problem *problem)
{
	return (double)problem->dim[DIM_M] * (double)problem->dim[DIM_N] *
	       (double)problem->dim[DIM_K];
}

static double flops(const struct problem *problem)
{
	return 2 * multiply_adds(problem);
}

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
static double issued_naive(const struct config *config, const struct problem *problem)
{
	(void)config;
	return issued(problem, 1, 1);
}

static double issued_tiled(const struct config *config, const struct problem *problem)
{
	return issued(problem, config_value(config, "TILE"), config_value(config, "TILE"));
}

static double issued_coarse(const struct config *config, const struct problem *problem)
{
	int tile = config_value(config, "TILE");

	return issued(problem, tile, tile * config_value(config, "COARSE"));
}

static double issued_blocked(const struct config *config, const struct problem *problem)
{
	return issued(problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"));
}

/* The inputs are stored as f16. */
static double issued_half(const struct config *config, const struct problem *problem)
{
	return issued_inputs(
		problem, config_value(config, "TILE_M"), config_value(config, "TILE_N"), 2);
}

static void tile_naive(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS])
{
	ret_tile[DIM_M] = config_value(config, "BLOCK_Y");
	ret_tile[DIM_N] = config_value(config, "BLOCK_X");
	ret_tile[DIM_K] = 16;
}

static void tile_tiled(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS])
{
	for (int i = 0; i < 3; i++)
		ret_tile[i] = config_value(config, "TILE");
}

static void tile_coarse(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS])
{
	tile_tiled(config, ret_tile);
	ret_tile[DIM_N] *= config_value(config, "COARSE");
}

static void tile_blocked(const struct config *config, int64_t ret_tile[PMPP_MAX_DIMS])
{
	ret_tile[DIM_M] = config_value(config, "TILE_M");
	ret_tile[DIM_N] = config_value(config, "TILE_N");
	ret_tile[DIM_K] = config_value(config, "TILE_K");
}

#define STATIC_SHARED_BYTES (48 * 1024) /* every GPU gives a block this much without an opt-in */

/* The kernels' conditions on their macros: see the head of registers.cu. */
static const char *infeasible_blocked(const struct config *config, int shared_floats)
{
	int tile_m = config_value(config, "TILE_M");
	int tile_n = config_value(config, "TILE_N");
	int tile_k = config_value(config, "TILE_K");
	int thread_m = config_value(config, "THREAD_M");
	int thread_n = config_value(config, "THREAD_N");
	int threads = tile_m / thread_m * (tile_n / thread_n);

	if (threads > 1024 || threads < 32)
		return "a block would have fewer than 32 or more than 1024 threads";
	if (tile_m % (8 * thread_m) || tile_n % (4 * thread_n))
		return "TILE_M must be a multiple of 8 THREAD_M, TILE_N of 4 THREAD_N";
	if (tile_m * tile_k / 4 % threads || tile_k * tile_n / 4 % threads)
		return "the tiles do not divide into 16-byte loads for every thread";
	if (shared_floats * (int)sizeof(float) > STATIC_SHARED_BYTES)
		return "the tiles need more than 48 KiB of shared memory";
	return NULL;
}

static const char *infeasible_registers(const struct config *config)
{
	int row = config_value(config, "TILE_M") + 4 + config_value(config, "TILE_N");

	return infeasible_blocked(config, config_value(config, "TILE_K") * row);
}

static const char *infeasible_prefetch(const struct config *config)
{
	int row = config_value(config, "TILE_M") + config_value(config, "TILE_N");

	return infeasible_blocked(config, 2 * config_value(config, "TILE_K") * row);
}

static const char *infeasible_f16(const struct config *config)
{
	int tile_k = config_value(config, "TILE_K");

	return config_value(config, "TILE_M") == 8 * tile_k &&
			       config_value(config, "TILE_N") == 8 * tile_k
		       ? NULL
		       : "TILE_M and TILE_N must be 8 TILE_K";
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
	matmul_sums(problem, inputs, region, ret_expected);
	matmul_add_underflow(problem, DTYPE_F16, inputs, region, ret_expected);
}

/*
 * A tensor core multiplies exactly. It truncates the products and the previous sum to at least 24
 * bits below the largest of them, and it truncates the new sum too. The error is 2^-23 for each
 * addend and for the result (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of
 * NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021). An mma.sync of 8 or 16 steps has one
 * product per step, one previous sum and one result: fewer errors than twice its steps. So k steps
 * of 2^-22 are a bound.
 */
#define TENSOR_UNIT_ROUNDOFF 0x1p-22

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
	{{AT(2003), AT(1), AT(1)}},
	/* The smallest sizes with two blocks and with two phases */
	{{AT(1), TILES(DIM_N, 1, 1), AT(1)}},
	{{TILES(DIM_M, 1, 1), AT(1), TILES(DIM_K, 1, 1)}},
	{{LARGE(0), LARGE(0), LARGE(0)}},
	{{LARGE(-1), LARGE(0), LARGE(-5)}},
};

static const struct check_rule check = {
	.large = {.root = 3}, .sets = {{.sizes = sizes, .count = sizeof sizes / sizeof *sizes}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	{.name = "A", .role = OPERAND_IN, .rows_dim = DIM_M, .columns_dim = DIM_K},
	{.name = "B", .role = OPERAND_IN, .rows_dim = DIM_K, .columns_dim = DIM_N},
	{.name = "C", .role = OPERAND_OUT, .rows_dim = DIM_M, .columns_dim = DIM_N},
};

static const int block_choices[] = {1, 2, 4, 8, 16, 32, 0};
static const int tile_choices[] = {4, 8, 16, 32, 0};
static const int coarse_choices[] = {1, 2, 4, 8, 0};
static const int tile_k_choices[] = {8, 16, 32, 0};
static const int tile_mn_choices[] = {64, 128, 256, 0};
static const int thread_choices[] = {4, 8, 16, 0};
static const int f16_choices[] = {64, 128, 0};
static const int f16_k_choices[] = {8, 16, 0};
static const int packed_choices[] = {32, 64, 128, 256, 0};

#define ROW_NAIVE                                                                   \
	.macros = {{"BLOCK_X", 16, block_choices}, {"BLOCK_Y", 16, block_choices}}, \
	.repro = REPRO_BITWISE, .bytes_issued = issued_naive, .tile = tile_naive, .file = "naive"

#define ROW_COARSE(factor)                                                                   \
	.technique = "coarsening", .book = "6.3, Fig. 6.13", .file = "coarse",               \
	.entry = "matmul_coarse", .repro = REPRO_BITWISE, .plan = plan_coarse,               \
	.bytes_issued = issued_coarse, .traffic = matmul_traffic_tiled, .tile = tile_coarse, \
	.macros = {{"TILE", 32, tile_choices}, {"COARSE", (factor), coarse_choices}}

#define ROW_REGISTERS(tile_n, thread_n)                                                     \
	.repro = REPRO_BITWISE, .plan = plan_registers, .bytes_issued = issued_blocked,     \
	.traffic = matmul_traffic_registers, .tile = tile_blocked,                          \
	.macros = {{"TILE_M", 128, tile_mn_choices}, {"TILE_N", (tile_n), tile_mn_choices}, \
		{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 8, thread_choices},            \
		{"THREAD_N", (thread_n), thread_choices}}

#define ROW_TENSOR(input_bits, tile_k)                                                        \
	.technique = "tensor cores", .book = "-", .file = "tensor", .entry = "matmul_tensor", \
	.needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR, .repro = REPRO_RUN,                   \
	.unit_roundoff = TENSOR_UNIT_ROUNDOFF, .chain_kind = CHAIN_CHOPPED_SUM,               \
	.plan = plan_tensor, .traffic = matmul_traffic_tensor, .tile = tile_blocked,          \
	.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 128, NULL}, {"TILE_K", (tile_k), NULL},  \
		{"INPUT_BITS", (input_bits), NULL}},                                          \
	.constants = {{"WARP_M", WARP_M}, {"WARP_N", WARP_N}}

static const struct variant variants[] = {
	{.name = "naive-uncoalesced",
		.technique = "-",
		.idea = "one thread per element; threadIdx.x is the row, so a warp's loads of A "
			"and stores of C are strided",
		.book = "6.1",
		.entry = "matmul_naive_uncoalesced",
		.traffic = matmul_traffic_uncoalesced,
		.plan = plan_uncoalesced,
		ROW_NAIVE},
	{.name = "naive",
		.technique = "coalescing",
		.idea = "one thread per element; threadIdx.x is the column, so a warp loads B and "
			"stores C in whole lines",
		.book = "6.1",
		.base = "naive-uncoalesced",
		.entry = "matmul_naive",
		.traffic = matmul_traffic_naive,
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
		.file = "tiled",
		.entry = "matmul_tiled",
		.traffic = matmul_traffic_tiled,
		.macros = {{"TILE", 16, tile_choices}},
		.repro = REPRO_BITWISE,
		.plan = plan_tiled,
		.bytes_issued = issued_tiled,
		.tile = tile_tiled,
		.claim = {.text = "tiled >= 1.2 x naive",
			.at_least = 1.2,
			.needs = CLAIM_OF_SHARED}},
	{.name = "tiled32",
		.technique = "larger tile",
		.idea = "the same kernel with 32 x 32 tiles: half the loads from global memory",
		.book = "5.4, 6.1",
		.base = "tiled16",
		.file = "tiled",
		.entry = "matmul_tiled",
		.traffic = matmul_traffic_tiled,
		.macros = {{"TILE", 32, tile_choices}},
		.repro = REPRO_BITWISE,
		.plan = plan_tiled,
		.bytes_issued = issued_tiled,
		.tile = tile_tiled},
	{.name = "colmajor-naive",
		.technique = "B by columns",
		.idea = "B is stored by columns and read directly: a warp's loads of B are k elements "
			"apart",
		.book = "6.1",
		.base = "naive",
		.entry = "matmul_colmajor_naive",
		.traffic = matmul_traffic_colmajor,
		.by_columns = 1u << OPERAND_B,
		.plan = plan_naive,
		ROW_NAIVE},
	{.name = "corner-turned",
		.technique = "corner turning",
		.idea = "B is stored by columns, loaded along its columns and transposed in shared "
			"memory: the loads are coalesced",
		.book = "6.1, Fig. 6.4, exercise 6.1",
		.base = "colmajor-naive",
		.file = "corner_turned",
		.entry = "matmul_corner_turned",
		.traffic = matmul_traffic_tiled,
		.by_columns = 1u << OPERAND_B,
		.macros = {{"TILE", 16, tile_choices}},
		.repro = REPRO_BITWISE,
		.plan = plan_tiled,
		.bytes_issued = issued_tiled,
		.tile = tile_tiled,
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
	{.name = "registers",
		.technique = "register tile",
		.idea = "a thread keeps an 8 x 8 tile of C in registers: 16 shared reads feed 64 "
			"multiply-adds, 16 bytes at a time",
		.book = "5.5 (3rd ed.), 6.3, taken further",
		.base = "tiled32",
		.file = "registers",
		.entry = "matmul_registers",
		.claim = {.text = "register tile >= 3 x tiled32",
			.at_least = 3,
			.needs = CLAIM_OF_SHARED},
		.infeasible = infeasible_registers,
		ROW_REGISTERS(128, 8)},
	{.name = "prefetch",
		.technique = "double buffer",
		.idea = "`registers` with an 8 x 16 tile and two buffers: the next tiles of A and B are "
			"loaded while the current tiles are used",
		.book = "6.2, software pipelining",
		.base = "registers",
		.file = "prefetch",
		.entry = "matmul_prefetch",
		.infeasible = infeasible_prefetch,
		ROW_REGISTERS(256, 16)},
	{.name = "f16",
		.technique = "half2",
		.idea = "inputs stored as f16; one instruction does the multiply-adds of two columns; after "
			"16 steps the f16 sums are added to f32 sums; in shared memory both halves of a "
			"word hold the same element of A",
		.book = "6.4, taken further",
		.base = "prefetch",
		.file = "f16",
		.entry = "matmul_f16",
		.traffic = matmul_traffic_f16,
		.needs = PMPP_CAP_FP16,
		.repro = REPRO_BITWISE,
		.rounding = ROUND_F16,
		.unit_roundoff = F16_UNIT_ROUNDOFF,
		.operations = OPERATIONS_F16,
		.macros = {{"TILE_M", 128, f16_choices}, {"TILE_N", 128, f16_choices},
			{"TILE_K", 16, f16_k_choices}},
		.infeasible = infeasible_f16,
		.claim = {.text = "half2 >= 1.1 x f32", .at_least = 1.1},
		.plan = plan_f16,
		.bytes_issued = issued_half,
		.tile = tile_blocked,
		.chain = chain_f16,
		.reference = reference_f16},
	{.name = "f16-tensor",
		.idea = "inputs stored as f16; a warp multiplies 16 x 16 by 16 x 8 in one instruction, "
			"sums in f32",
		.base = "f16",
		.operations = OPERATIONS_TENSOR_F16,
		.rounding = ROUND_F16,
		.claim = {.text = "tensor cores >= 2 x f32 multiply-adds",
			.over = "prefetch",
			.at_least = 2},
		.bytes_issued = issued_half,
		ROW_TENSOR(16, 32)},
	{.name = "tf32-tensor",
		.idea = "inputs rounded to TF32 (a fraction of 10 bits); a warp multiplies 16 x 8 by "
			"8 x 8 in one instruction, sums in f32",
		.base = "prefetch",
		.operations = OPERATIONS_TENSOR_TF32,
		.rounding = ROUND_TF32,
		.claim = {.text = "tensor cores >= 1.5 x f32 multiply-adds", .at_least = 1.5},
		.bytes_issued = issued_blocked,
		ROW_TENSOR(32, 16)},
	{.name = "cpu-packed",
		.technique = "CPU packing",
		.idea = "one work-item per core: A and B are packed into panels that fit the cache, "
			"with an 8 x 32 tile of C in vector registers",
		.book = "-",
		.base = "naive",
		.file = "cpu_packed",
		.entry = "matmul_cpu_packed",
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.repro = REPRO_BITWISE,
		.macros = {{"TILE_M", 256, packed_choices}, {"TILE_N", 256, packed_choices},
			{"TILE_K", 256, packed_choices}},
		.plan = plan_cpu_packed,
		.bytes_issued = issued_blocked,
		.tile = tile_blocked},
};

extern const struct family family_matmul;

const struct family family_matmul = {
	.name = "matmul",
	.title = "C = A B",
	.size_help = "C[m,n] = A[m,k] B[k,n] in f32; sizes m x n x k, each from 1 to 2147479552",
	.book = "PMPP 4th ed., 5.4 and chapter 6",
	.dim_names = {"m", "n", "k"},
	.dim_count = 3,
	.dim_max = INT32_MAX - 4095, /* kernels count in int and step by a tile past the end */
	.default_size = {[DEVICE_CLASS_GPU] = {2048},
		[DEVICE_CLASS_CPU] = {384},
		[DEVICE_CLASS_EMULATED] = {128}},
	.operands = operands,
	.operand_count = sizeof operands / sizeof *operands,
	.reference = matmul_reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = matmul_integer_limit,
	.exact_check = matmul_exact_check,
	.work = multiply_adds,
	.flops = flops,
	.check = &check,
	.variants = variants,
	.variant_count = sizeof variants / sizeof *variants,
};
