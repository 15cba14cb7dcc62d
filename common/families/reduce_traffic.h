/*
 * The functions `traffic` of the rows of `reduce`. For the family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_REDUCE_TRAFFIC_H
#define PMPP_COMMON_FAMILIES_REDUCE_TRAFFIC_H

#include "common/family.h"

/* variant->traffic: trees, coarse and vector; the other kernels. */
void reduce_traffic_tree(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void reduce_traffic_unrolled(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void reduce_traffic_shuffle(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void reduce_traffic_single_pass(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
