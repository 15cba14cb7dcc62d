/*
 * Rungs of matmul on the tensor cores of single warps with asynchronous copies (mma.sync, ldmatrix,
 * cp.async): plan, conditions and traffic. Rows begin on 128 bytes, as in matmul_hopper.h.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_MMA_H
#define PMPP_COMMON_FAMILIES_MATMUL_MMA_H

#include "common/family.h"

/* Elements of C that a warp computes along each side. */
#define MATMUL_MMA_WARP 64

void matmul_plan_mma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan);
const char *matmul_domain_mma(const struct config *config, const struct problem *problem);
void matmul_traffic_mma(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
