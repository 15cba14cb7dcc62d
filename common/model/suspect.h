/*
 * Certain floors: the floors (common/model/floor.h) of the work that no right kernel can avoid
 * (config_certain()). A run that is faster is suspect: the kernel skips work, or its time is
 * wrong.
 */
#ifndef PMPP_COMMON_MODEL_SUSPECT_H
#define PMPP_COMMON_MODEL_SUSPECT_H

#include "common/model/floor.h"

/*
 * Returns the factor by which a right run can be faster than a measured rate. A roof is the fastest
 * sample of one kernel, and other kernels exceed it. In docs/results certain floors are up to 1.05
 * times the time, and floors of all operations up to 1.45 times (tensor cores, roofs of older
 * versions). The rate of a CPU also depends on other programs and on its clock: on a virtual
 * machine of 2 cores the rate of memory differs by a factor of 2.5 within a minute. doubtful: the
 * samples of the roofs or of the run have warnings.
 */
double suspect_margin(bool is_gpu, bool doubtful);

/* Returns the certain floors at the rates. Only bytes beyond the size of the cache count: a cache
 * may hold input of an earlier run, and output at the end of a run. */
struct floors suspect_floors(const struct floor_work *certain, const struct floor_rates *rates);

/* Returns the largest certain floor (enum floor_resource) if it is above margin * ns; -1 = the time
 * is possible. */
int suspect_floor(const struct floors *certain, double ns, double margin);

#endif
