/*
 * Rungs of matmul whose copies or products are instructions of NVIDIA's hardware: plans, pitches,
 * scratch, conditions and traffic. Rows begin on 128 bytes: the pitch of an operand is the length of a
 * row, rounded up. The copies need only 16 bytes, but a copy of 128 bytes then has 4 sectors instead
 * of 5.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_HOPPER_H
#define PMPP_COMMON_FAMILIES_MATMUL_HOPPER_H

#include "common/family.h"

/* Every GPU gives a block this much shared memory without an opt-in. */
#define MATMUL_STATIC_SHARED_BYTES (48 * 1024)

int64_t matmul_pitch_hopper(
	const struct config *config, const struct problem *problem, size_t operand);

/* f16-wgmma, tf32-wgmma: one launch of persistent blocks. */
void matmul_plan_wgmma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_traffic_wgmma(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* best: the first launch transposes A to a scratch buffer. bulk-copies: the first launch packs A and
 * B into tiles in two scratch buffers. The buffer of parts has a flag for each warp, and the sums that
 * a block stores for another block. */
#define MATMUL_BEST_FLAGS 4096

const char *matmul_infeasible_bulk(const struct config *config);
void matmul_plan_bulk(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_scratch_bulk(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH]);
void matmul_plan_best(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_scratch_best(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH]);
double matmul_issued_bulk(const struct config *config, const struct problem *problem);
double matmul_issued_best(const struct config *config, const struct problem *problem);
void matmul_traffic_best(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* Elements of C that a warp computes along each side. */
#define MATMUL_MMA_WARP 64

void matmul_plan_mma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
const char *matmul_domain_mma(const struct config *config, const struct problem *problem);
void matmul_traffic_mma(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
