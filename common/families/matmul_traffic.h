/*
 * The functions variant.traffic (common/family.h) of matmul's rows, one for each kernel file. For
 * the family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_TRAFFIC_H
#define PMPP_COMMON_FAMILIES_MATMUL_TRAFFIC_H

#include "common/family.h"

void matmul_traffic_uncoalesced(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_naive(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_colmajor(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* tiled, coarse and corner_turned */
void matmul_traffic_tiled(
	const struct config *config, const struct problem *problem, struct floor_work *work);

void matmul_traffic_thread_column(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_thread_tile(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_vector_loads(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_a_transposed(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* async-tiles and block-order */
void matmul_traffic_copies(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_split_k(
	const struct config *config, const struct problem *problem, struct floor_work *work);

/* registers and prefetch */
void matmul_traffic_registers(
	const struct config *config, const struct problem *problem, struct floor_work *work);

void matmul_traffic_f16(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void matmul_traffic_tensor(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
