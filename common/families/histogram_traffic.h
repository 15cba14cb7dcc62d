/*
 * The functions `traffic` of the rows of `histogram`. For the family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_HISTOGRAM_TRAFFIC_H
#define PMPP_COMMON_FAMILIES_HISTOGRAM_TRAFFIC_H

#include "common/family.h"

/* variant->traffic. Atomic additions in global memory take no passes here: the last-level cache
 * does them. */
void histogram_traffic_global(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void histogram_traffic_private(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void histogram_traffic_coarse(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void histogram_traffic_aggregated(
	const struct config *config, const struct problem *problem, struct floor_work *work);
void histogram_traffic_replicated(
	const struct config *config, const struct problem *problem, struct floor_work *work);

#endif
