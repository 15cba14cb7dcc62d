/*
 * Rungs of matmul for compute capability 9.0, which copy tiles with tile maps: plans, pitches,
 * scratch and traffic. Rows begin on 16 bytes, which the copies need: the pitch of an operand is the
 * length of a row, rounded up.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_HOPPER_H
#define PMPP_COMMON_FAMILIES_MATMUL_HOPPER_H

#include "common/family.h"

int64_t matmul_pitch_hopper(
	const struct config *config, const struct problem *problem, size_t operand);

/* f16-wgmma, tf32-wgmma: one launch of persistent blocks. */
void matmul_plan_wgmma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
void matmul_traffic_wgmma(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* best: A is transposed to a scratch buffer, then multiplied. bulk-copies: A and B are packed into
 * tiles in two scratch buffers. A second scratch buffer has a flag for
 * each warp, and sums that a block leaves to another block. */
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
void matmul_traffic_best(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
