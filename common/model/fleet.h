/*
 * Several processes (ranks) that run one job on several devices: which rank is slower than the others.
 */
#ifndef PMPP_COMMON_MODEL_FLEET_H
#define PMPP_COMMON_MODEL_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/repetition.h"

/* Whether rank `index` is a straggler: the verdict on its time / the time of the median rank is
 * SLOW (common/model/verdict.h). The intervals contain the floor of noise
 * (common/model/repetition.h), so the usual difference between two cards of one model does not make
 * a rank a straggler.
 *
 * estimates: of one variant on `count` >= 1 ranks, in ascending order of log_ns. The median rank is
 * the middle one; if `count` is even, the faster one of the middle two. *ret_ratio and *ret_p are set
 * in all cases: the ratio of the times, and the p-value of "not slower" (verdict_p_limit()). For the
 * median rank both are 1. */
bool fleet_is_straggler(const struct repetition_estimate *estimates, size_t count, size_t index,
	const char *device_type, struct repetition_ratio *ret_ratio, double *ret_p);

#endif
