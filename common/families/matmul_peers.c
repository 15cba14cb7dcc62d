#include "common/families/matmul_peers.h"

#include "common/families/matmul_answer.h"
#include "common/families/matmul_plans.h"

static const enum product_kind kinds[] = {
	[ROUND_NONE] = PRODUCT_F32, [ROUND_F16] = PRODUCT_F16, [ROUND_TF32] = PRODUCT_TF32};

static void plan(const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	const struct plan_product product = {
		.function = config->variant->entry,
		.kind = kinds[config->variant->rounding],
		.m = problem->dim[DIM_M],
		.n = problem->dim[DIM_N],
		.k = problem->dim[DIM_K],
		.a = {PLAN_ARG_OPERAND, OPERAND_A},
		.b = {PLAN_ARG_OPERAND, OPERAND_B},
		.c = {PLAN_ARG_OPERAND, OPERAND_C},
	};

	plan_add_product(ret_plan, &product);
}

/* The tiles of the libraries are multiples of these extents. The bytes that a library loads are unknown: each
 * operand counts once. A library may add the products in any order. The bound of k roundings is valid for each order. */
#define ROW_PEER                                                                 \
	.technique = "library", .book = "-", .repro = REPRO_BOUND, .plan = plan, \
	.tile = {{.times = 128}, {.times = 128}, {.times = 32}}

#define ROW_TENSOR_PEER                                                                        \
	.peer = PEER_CUBLAS, .entry = "cublasGemmEx", .unit_roundoff = MATMUL_TENSOR_ROUNDOFF, \
	.chain_kind = CHAIN_CHOPPED_SUM, ROW_PEER

const struct variant matmul_peers[MATMUL_PEER_COUNT] = {
	{.name = "cublas-f32",
		.idea = "cuBLAS, pedantic mode: multiply-adds in f32, no tensor cores",
		.peer = PEER_CUBLAS,
		.entry = "cublasGemmEx",
		ROW_PEER},
	{.name = "cublas-f16",
		.idea = "cuBLAS: inputs in f16, sums and results in f32",
		.rounding = ROUND_F16,
		.operations = OPERATIONS_TENSOR_F16,
		ROW_TENSOR_PEER},
	{.name = "cublas-tf32",
		.idea = "cuBLAS: inputs in f32 used as TF32, sums and results in f32",
		.rounding = ROUND_TF32,
		.operations = OPERATIONS_TENSOR_TF32,
		ROW_TENSOR_PEER},
	{.name = "clblast-f32",
		.idea = "CLBlast: multiply-adds in f32",
		.peer = PEER_CLBLAST,
		.entry = "CLBlastSgemm",
		ROW_PEER},
	{.name = "openblas-f32",
		.idea = "OpenBLAS on all cores: multiply-adds in f32",
		.peer = PEER_OPENBLAS,
		.entry = "cblas_sgemm",
		ROW_PEER},
};
