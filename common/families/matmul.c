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
#include "common/families/matmul_hopper.h"
#include "common/families/matmul_mma.h"
#include "common/families/matmul_peers.h"
#include "common/families/matmul_plans.h"
#include "common/families/matmul_traffic.h"
#include "common/family.h"
#include "common/integers.h"

#include <string.h>

/* ---- Work ---------------------------------------------------------------------------------- */

static double flops(const struct problem *problem)
{
	return 2 * problem_volume(problem);
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

#define ROW_NAIVE                                                                   \
	.macros = {{"BLOCK_X", 16, block_choices}, {"BLOCK_Y", 16, block_choices}}, \
	.repro = REPRO_BITWISE, .bytes_issued = matmul_issued_naive,                \
	.tile = {{"BLOCK_Y"}, {"BLOCK_X"}, {.times = 16}}, .file = "naive"

#define ROW_COARSE(factor)                                                           \
	.technique = "coarsening", .book = "6.3, Fig. 6.13", .file = "coarse",       \
	.entry = "matmul_coarse", .repro = REPRO_BITWISE, .plan = matmul_plan_tiled, \
	.bytes_issued = matmul_issued_coarse, .traffic = matmul_traffic_tiled,       \
	.tile = {{"TILE"}, {"TILE", "COARSE"}, {"TILE"}},                            \
	.macros = {{"TILE", 32, tile_choices}, {"COARSE", (factor), coarse_choices}}

#define ROW_REGISTERS(tile_n, thread_n)                                                     \
	.repro = REPRO_BITWISE, .plan = matmul_plan_registers,                              \
	.bytes_issued = matmul_issued_blocked, .traffic = matmul_traffic_registers,         \
	.tile = TILE_MNK,                                                                   \
	.macros = {{"TILE_M", 128, tile_mn_choices}, {"TILE_N", (tile_n), tile_mn_choices}, \
		{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 8, thread_choices},            \
		{"THREAD_N", (thread_n), thread_choices}}

/* A tile of THREAD_M x THREAD_N sums per thread, without a patch of threads per warp. */
#define ROW_THREAD_TILE(tile_k)                                                        \
	.repro = REPRO_BITWISE, .plan = matmul_plan_registers,                         \
	.bytes_issued = matmul_issued_blocked, .tile = TILE_MNK,                       \
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

#define ROW_COPIES                                                              \
	.needs = PMPP_CAP_ASYNC_COPY, .repro = REPRO_BITWISE, .tile = TILE_MNK, \
	.infeasible = matmul_infeasible_copies

#define ROW_TENSOR(input_bits, tile_k)                                                        \
	.technique = "tensor cores", .book = "-", .file = "tensor", .entry = "matmul_tensor", \
	.needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR, .repro = REPRO_RUN,                   \
	.unit_roundoff = MATMUL_TENSOR_ROUNDOFF, .chain_kind = CHAIN_CHOPPED_SUM,             \
	.plan = matmul_plan_tensor, .traffic = matmul_traffic_tensor, .tile = TILE_MNK,       \
	.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 128, NULL}, {"TILE_K", (tile_k), NULL},  \
		{"INPUT_BITS", (input_bits), NULL}},                                          \
	.constants = {{"WARP_M", MATMUL_WARP_M}, {"WARP_N", MATMUL_WARP_N}}

#define ROW_MMA(input_bits, tile_n, tile_k, stages, tile_k_choices, choices_of_stages)            \
	.book = "-", .file = "mma", .entry = "matmul_mma", .needs = PMPP_CAP_TENSOR,              \
	.reads = KERNEL_SHAPE_LANES, .repro = REPRO_RUN, .unit_roundoff = MATMUL_TENSOR_ROUNDOFF, \
	.chain_kind = CHAIN_CHOPPED_SUM, .plan = matmul_plan_mma, .pitch = matmul_pitch_hopper,   \
	.traffic = matmul_traffic_mma, .tile = TILE_MNK, .domain = matmul_domain_mma,             \
	.macros = {{"TILE_M", 128, NULL}, {"TILE_N", (tile_n), NULL},                             \
		{"TILE_K", (tile_k), (tile_k_choices)}, {"INPUT_BITS", (input_bits), NULL},       \
		{"STAGES", (stages), (choices_of_stages)}, {"BAND", 8, band_choices}},            \
	.constants = {{"WARP_M", MATMUL_MMA_WARP}, {"WARP_N", MATMUL_MMA_WARP}}

/* STAGES pairs of tiles, and bands of BAND rows of tiles (hopper.inc). */
#define ROW_WGMMA(tile_m, tile_n, tile_k)                                                         \
	.book = "-", .needs = PMPP_CAP_WGMMA, .cuda_only = true, .reads = KERNEL_SHAPE_UNITS,     \
	.repro = REPRO_RUN, .unit_roundoff = MATMUL_TENSOR_ROUNDOFF,                              \
	.chain_kind = CHAIN_CHOPPED_SUM, .plan = matmul_plan_wgmma, .pitch = matmul_pitch_hopper, \
	.traffic = matmul_traffic_wgmma, .tile = TILE_MNK,                                        \
	.macros = {{"TILE_M", (tile_m), NULL}, {"TILE_N", (tile_n), NULL},                        \
		{"TILE_K", (tile_k), NULL}, {"STAGES", 4, NULL}, {"BAND", 8, NULL}}

static const struct variant variants[] = {
	{.name = "naive-uncoalesced",
		.technique = "-",
		.idea = "one thread per element; threadIdx.x is the row, so a warp's loads of A "
			"and stores of C are strided",
		.book = "6.1",
		.entry = "matmul_naive_uncoalesced",
		.traffic = matmul_traffic_uncoalesced,
		.plan = matmul_plan_uncoalesced,
		ROW_NAIVE},
	{.name = "naive",
		.technique = "coalescing",
		.idea = "one thread per element; threadIdx.x is the column, so a warp loads B and "
			"stores C in whole lines",
		.book = "6.1",
		.base = "naive-uncoalesced",
		.entry = "matmul_naive",
		.traffic = matmul_traffic_naive,
		.plan = matmul_plan_naive,
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
		.plan = matmul_plan_tiled,
		.bytes_issued = matmul_issued_tiled,
		.tile = {{"TILE"}, {"TILE"}, {"TILE"}},
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
		.plan = matmul_plan_tiled,
		.bytes_issued = matmul_issued_tiled,
		.tile = {{"TILE"}, {"TILE"}, {"TILE"}}},
	{.name = "colmajor-naive",
		.technique = "B by columns",
		.idea = "B is stored by columns and read directly: a warp's loads of B are k elements "
			"apart",
		.book = "6.1",
		.base = "naive",
		.entry = "matmul_colmajor_naive",
		.traffic = matmul_traffic_colmajor,
		.by_columns = 1u << OPERAND_B,
		.plan = matmul_plan_naive,
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
		.plan = matmul_plan_tiled,
		.bytes_issued = matmul_issued_tiled,
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
		.file = "thread_column",
		.entry = "matmul_thread_column",
		.max_registers = 64, /* the limit of __launch_bounds__ in thread_column.cu */
		.claim = {.text = "16 rows per thread >= 1.3 x 8 tiles per block",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		.repro = REPRO_BITWISE,
		.plan = matmul_plan_thread_column,
		.bytes_issued = matmul_issued_blocked,
		.traffic = matmul_traffic_thread_column,
		.tile = TILE_MNK,
		.infeasible = matmul_infeasible_thread_column,
		.macros = {{"TILE_M", 64, small_tile_choices}, {"TILE_N", 64, small_tile_choices},
			{"TILE_K", 16, tile_k_choices}, {"THREAD_M", 16, column_choices}}},
	{.name = "thread-tile",
		.technique = "register tile",
		.idea = "a thread computes an 8 x 8 tile of C in registers: 16 reads of shared memory for "
			"64 multiply-adds",
		.book = "6.3, taken further",
		.base = "thread-column",
		.file = "thread_tile",
		.entry = "matmul_thread_tile",
		.claim = {.text = "register tile >= 1.3 x register column",
			.at_least = 1.3,
			.needs = CLAIM_OF_SHARED},
		.traffic = matmul_traffic_thread_tile,
		.infeasible = matmul_infeasible_thread_tile,
		ROW_THREAD_TILE(8)},
	{.name = "vector-loads",
		.technique = "16-byte access",
		.idea = "the same tile with accesses of 16 bytes: a quarter of the loads and stores; a "
			"thread reads A for four steps of k at once",
		.book = "-",
		.base = "thread-tile",
		.file = "vector_loads",
		.entry = "matmul_vector_loads",
		.traffic = matmul_traffic_vector_loads,
		.infeasible = matmul_infeasible_vector_loads,
		ROW_THREAD_TILE(8)},
	{.name = "a-transposed",
		.technique = "A transposed",
		.idea = "threads transpose A when they store it in shared memory: the 8 elements of a step "
			"of k need two reads and 8 registers instead of 32",
		.book = "6.1 (corner turning)",
		.base = "vector-loads",
		.file = "a_transposed",
		.entry = "matmul_a_transposed",
		.traffic = matmul_traffic_a_transposed,
		.infeasible = matmul_infeasible_registers,
		ROW_THREAD_TILE(16)},
	{.name = "registers",
		.technique = "warp tile",
		.idea = "the 32 threads of a warp form a patch of 8 x 4: a step reads 12 different quads of "
			"shared memory, not 18",
		.book = "5.5 (3rd ed.), 6.3, taken further",
		.base = "a-transposed",
		.file = "registers",
		.entry = "matmul_registers",
		.claim = {.text = "register tile >= 3 x tiled32",
			.over = "tiled32",
			.at_least = 3,
			.needs = CLAIM_OF_SHARED},
		.infeasible = matmul_infeasible_registers,
		ROW_REGISTERS(128, 8)},
	{.name = "prefetch",
		.technique = "double buffer",
		.idea = "`registers` with an 8 x 16 tile and two buffers: the next tiles of A and B are "
			"loaded while the current tiles are used",
		.book = "1st ed., 6.4 (data prefetching)",
		.base = "registers",
		.file = "prefetch",
		.entry = "matmul_prefetch",
		.infeasible = matmul_infeasible_prefetch,
		ROW_REGISTERS(256, 16)},
	{.name = "async-tiles",
		.technique = "asynchronous copy",
		.idea = "the hardware copies the next tiles to shared memory, without registers; the "
			"copies transpose A",
		.book = "6.2, taken further",
		.base = "prefetch",
		.file = "async_tiles",
		.entry = "matmul_async_tiles",
		.plan = matmul_plan_registers,
		.bytes_issued = matmul_issued_blocked,
		.traffic = matmul_traffic_copies,
		.macros = {MACROS_COPIES(128, 256, 16, 2)},
		ROW_COPIES},
	{.name = "block-order",
		.technique = "block order",
		.idea = "blocks go through bands of 8 rows of tiles, so that blocks that run together "
			"share more of A and B in the second-level cache",
		.book = "-",
		.base = "async-tiles",
		.file = "block_order",
		.entry = "matmul_block_order",
		.plan = matmul_plan_registers,
		.bytes_issued = matmul_issued_blocked,
		.traffic = matmul_traffic_copies,
		.macros = {MACROS_COPIES(128, 256, 16, 2), {"BAND", 8, band_choices}},
		ROW_COPIES},
	{.name = "split-k",
		.technique = "split k",
		.idea = "if C has few tiles, several blocks share a tile: each computes a part of k, and a "
			"second launch adds the parts in order",
		.book = "-",
		.base = "async-tiles",
		.file = "split_k",
		.entry = "matmul_split_k",
		.reads = KERNEL_SHAPE_UNITS,
		.plan = matmul_plan_split_k,
		.scratch = matmul_scratch_split_k,
		.chain = matmul_chain_split_k,
		.bytes_issued = matmul_issued_split_k,
		.traffic = matmul_traffic_split_k,
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
		.file = "bulk",
		.entry = "matmul_bulk",
		.needs = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_BULK_COPY,
		.reads = KERNEL_SHAPE_UNITS,
		.repro = REPRO_RUN,
		.plan = matmul_plan_bulk,
		.scratch = matmul_scratch_bulk,
		.pitch = matmul_pitch_hopper,
		.traffic = matmul_traffic_best,
		.bytes_issued = matmul_issued_bulk,
		.tile = TILE_MNK,
		.infeasible = matmul_infeasible_bulk,
		.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 128, bulk_choices},
			{"TILE_K", 8, bulk_k_choices}, {"STAGES", 5, bulk_stage_choices},
			{"BAND", 8, band_choices}},
		.constants = {{"FLAGS", MATMUL_BEST_FLAGS}}},
	{.name = "best",
		.technique = "copying warps",
		.idea = "`bulk-copies` with a ring of 16 stages that further warps fill: they only copy "
			"tiles, so that the warps that multiply have more registers",
		.book = "-",
		.base = "bulk-copies",
		.claim = {.text = "with copying warps >= 1.05 x double buffer",
			.over = "prefetch",
			.at_least = 1.05},
		.file = "best",
		.entry = "matmul_best",
		.needs = PMPP_CAP_WGMMA,
		.cuda_only = true,
		.reads = KERNEL_SHAPE_UNITS,
		.repro = REPRO_RUN,
		.plan = matmul_plan_best,
		.scratch = matmul_scratch_best,
		.pitch = matmul_pitch_hopper,
		.traffic = matmul_traffic_best,
		.bytes_issued = matmul_issued_best,
		.tile = TILE_MNK,
		.macros = {{"TILE_M", 128, NULL}, {"TILE_N", 256, NULL}, {"TILE_K", 8, NULL},
			{"STAGES", 16, NULL}, {"BAND", 8, NULL}},
		.constants = {{"FLAGS", MATMUL_BEST_FLAGS}}},
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
		.max_registers = 128, /* the limit of __launch_bounds__ in f16.cu */
		.repro = REPRO_BITWISE,
		.rounding = ROUND_F16,
		.unit_roundoff = F16_UNIT_ROUNDOFF,
		.operations = OPERATIONS_F16,
		.macros = {{"TILE_M", 128, f16_choices}, {"TILE_N", 128, f16_choices},
			{"TILE_K", 16, f16_k_choices}},
		.infeasible = matmul_infeasible_f16,
		.claim = {.text = "half2 >= 1.1 x f32", .at_least = 1.1},
		.plan = matmul_plan_f16,
		.bytes_issued = matmul_issued_half,
		.tile = TILE_MNK,
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
		.bytes_issued = matmul_issued_half,
		ROW_TENSOR(16, 32)},
	{.name = "tf32-tensor",
		.idea = "inputs rounded to TF32 (a fraction of 10 bits); a warp multiplies 16 x 8 by "
			"8 x 8 in one instruction, sums in f32",
		.base = "prefetch",
		.operations = OPERATIONS_TENSOR_TF32,
		.rounding = ROUND_TF32,
		.claim = {.text = "tensor cores >= 1.5 x f32 multiply-adds", .at_least = 1.5},
		.bytes_issued = matmul_issued_blocked,
		ROW_TENSOR(32, 16)},
	{.name = "f16-mma",
		.technique = "asynchronous copies",
		.idea = "`f16-tensor` with 64 x 64 sums per warp: asynchronous copies fill a ring of 3 "
			"stages, and ldmatrix reads the factors one step ahead; 48 KiB of shared "
			"memory",
		.base = "f16-tensor",
		.claim = {.text = "asynchronous copies >= 1.5 x copies through registers",
			.at_least = 1.5},
		.rounding = ROUND_F16,
		.operations = OPERATIONS_TENSOR_F16,
		.bytes_issued = matmul_issued_half,
		ROW_MMA(16, 128, 32, 3, mma_f16_k_choices, stages_choices)},
	{.name = "f16-mma96",
		.technique = "wider tile",
		.idea = "`f16-mma` with 128 x 256 tiles, so a product needs three quarters of the copies; "
			"4 stages, 96 KiB of shared memory",
		.base = "f16-mma",
		.rounding = ROUND_F16,
		.operations = OPERATIONS_TENSOR_F16,
		.bytes_issued = matmul_issued_half,
		ROW_MMA(16, 256, 32, 4, NULL, NULL)},
	{.name = "tf32-mma",
		.technique = "asynchronous copies",
		.idea = "`tf32-tensor` with 64 x 64 sums per warp, a ring of 3 stages and ldmatrix for "
			"A; the columns of B are the first factor, so a lane reads two at a time",
		.base = "tf32-tensor",
		.claim = {.text = "asynchronous copies >= 1.3 x copies through registers",
			.at_least = 1.3},
		.rounding = ROUND_TF32,
		.operations = OPERATIONS_TENSOR_TF32,
		.bytes_issued = matmul_issued_blocked,
		ROW_MMA(32, 128, 16, 3, mma_tf32_k_choices, stages_choices)},
	{.name = "f16-wgmma",
		.technique = "warp groups",
		.idea = "inputs stored as f16; four warps multiply 64 x 16 by 16 x 256 from shared memory "
			"in one instruction, while other warps start the copies of the next tiles",
		.base = "f16-tensor",
		.claim = {.text = "warp groups >= 1.5 x single warps", .at_least = 1.5},
		.file = "f16_wgmma",
		.entry = "matmul_f16_wgmma",
		.rounding = ROUND_F16,
		.operations = OPERATIONS_TENSOR_F16,
		.bytes_issued = matmul_issued_half,
		ROW_WGMMA(128, 256, 64)},
	{.name = "tf32-wgmma",
		.technique = "warp groups",
		.idea = "inputs rounded to TF32; the rows of A are a factor in shared memory, the columns "
			"of B a factor in registers, so no pass transposes B",
		.base = "tf32-tensor",
		.claim = {.text = "warp groups >= 1.5 x single warps", .at_least = 1.5},
		.file = "tf32_wgmma",
		.entry = "matmul_tf32_wgmma",
		.rounding = ROUND_TF32,
		.operations = OPERATIONS_TENSOR_TF32,
		.bytes_issued = matmul_issued_blocked,
		ROW_WGMMA(256, 128, 32)},
	{.name = "cpu-packed",
		.technique = "CPU packing",
		.idea = "each work-item computes one tile of C, and the tiles are divided evenly among the "
			"cores; A and B are packed into panels that fit the cache, with a 6 x 64 tile of C in "
			"vector registers",
		.book = "-",
		.base = "naive",
		.file = "cpu_packed",
		.entry = "matmul_cpu_packed",
		.needs = PMPP_CAP_OPENCL_CPU,
		.one_sided = true,
		.repro = REPRO_BITWISE,
		/* TILE_N is last: if two fallbacks have the same product of macros, the one with the
		 * larger last macro is tried first. Wide tiles are faster than deep steps. */
		.macros = {{"PART_M", 24, packed_part_choices},
			{"TILE_K", 384, packed_depth_choices},
			{"TILE_N", 512, packed_width_choices}},
		.plan = matmul_plan_cpu_packed,
		.bytes_issued = matmul_issued_cpu_packed,
		.tile = {{"PART_M"}, {"TILE_N"}, {"TILE_K"}}},
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
	.cases = ALL_CASES,
	.reference = matmul_reference,
	.chain = chain,
	.chain_kind = CHAIN_SUM,
	.integer_limit = matmul_integer_limit,
	.fill_wide = matmul_fill_wide,
	.exact_check = matmul_exact_check,
	.flops = flops,
	.check = &check,
	.variants = variants,
	.variant_count = sizeof variants / sizeof *variants,
	.peers = matmul_peers,
	.peer_count = MATMUL_PEER_COUNT,
};
