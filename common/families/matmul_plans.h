/*
 * Rungs of matmul for every device: launches, tiles, bytes that blocks load, and the conditions of
 * kernels on their macros.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_PLANS_H
#define PMPP_COMMON_FAMILIES_MATMUL_PLANS_H

#include "common/family.h"

/* Elements of C that a warp computes on tensor cores. */
enum {
	MATMUL_WARP_M = 64,
	MATMUL_WARP_N = 32
};

/* Every GPU gives a block this much shared memory without an opt-in. */
#define MATMUL_STATIC_SHARED_BYTES (48 * 1024)

/*
 * A tensor core multiplies exactly. It truncates the products and the previous sum to at least 24
 * bits below the largest of them, and it truncates the new sum too. The error is 2^-23 for each
 * addend and for the result (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of
 * NVIDIA tensor cores, PeerJ Computer Science 7:e330, 2021). An mma.sync of 8 or 16 steps has one
 * product per step, one previous sum and one result: fewer errors than twice its steps. So k steps
 * of 2^-22 are a bound.
 */
#define MATMUL_TENSOR_ROUNDOFF 0x1p-22

/* ---- Launches ------------------------------------------------------------------------------ */

void matmul_plan_naive(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_uncoalesced(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_tiled(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_thread_column(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_registers(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_f16(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_tensor(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_plan_cpu_packed(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);

/* split-k: blocks share a tile. Each adds the products of a part of k. */
struct parts {
	int64_t tiles; /* of C */
	int64_t count; /* parts of a tile */
	int64_t k;     /* length of a part, a multiple of TILE_K; the last part may be shorter */
};

struct parts matmul_parts_of(const struct config *config, const struct problem *problem);

#define MATMUL_ADD_THREADS 256 /* of a block that adds parts */

void matmul_plan_split_k(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_scratch_split_k(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH]);
int64_t matmul_chain_split_k(const struct config *config, const struct problem *problem);

/* ---- Bytes of operands that all blocks load and store --------------------------------------- */

double matmul_issued_naive(const struct config *config, const struct problem *problem);
double matmul_issued_tiled(const struct config *config, const struct problem *problem);
double matmul_issued_coarse(const struct config *config, const struct problem *problem);
double matmul_issued_blocked(const struct config *config, const struct problem *problem);
double matmul_issued_split_k(const struct config *config, const struct problem *problem);
double matmul_issued_half(const struct config *config, const struct problem *problem);
double matmul_issued_cpu_packed(const struct config *config, const struct problem *problem);

/* ---- Why macros cannot have their values; NULL: they can ------------------------------------- */

const char *matmul_infeasible_thread_column(const struct config *config);
const char *matmul_infeasible_thread_tile(const struct config *config);
const char *matmul_infeasible_vector_loads(const struct config *config);
const char *matmul_infeasible_registers(const struct config *config);
const char *matmul_infeasible_prefetch(const struct config *config);
const char *matmul_infeasible_copies(const struct config *config);
const char *matmul_infeasible_f16(const struct config *config);

#endif
