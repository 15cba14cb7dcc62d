/*
 * Certain floors: the floors (common/model/floor.h) of the work that no right kernel can avoid
 * (config_certain()). A run that is faster is suspect: the kernel leaves work out, or its time is
 * wrong.
 */
#ifndef PMPP_COMMON_MODEL_SUSPECT_H
#define PMPP_COMMON_MODEL_SUSPECT_H

#include "common/model/floor.h"

/*
 * How many times faster than a measured rate a right run can be. A roof is the fastest sample of one
 * kernel, and other kernels exceed it: certain floors are up to 1.05 times the time in docs/results,
 * and roofs of operations up to 1.45 times (tensor cores, roofs of older versions). The rate of a CPU
 * also depends on other programs and on its clock: on a virtual machine of 2 cores the rate of memory
 * differs by a factor of 2.5 within a minute. doubtful: the samples of the roofs or of the run have
 * warnings.
 */
double suspect_margin(bool is_gpu, bool doubtful);

/* The certain floors at the rates. A cache may hold input from an earlier run, and output at the end
 * of a run, so only bytes beyond its size count. */
struct floors suspect_floors(const struct floor_work *certain, const struct floor_rates *rates);

/* The largest certain floor (enum floor_resource) that is above margin * ns; -1 = none: the time is
 * possible. */
int suspect_floor(const struct floors *certain, double ns, double margin);

#endif
