/*
 * The resource that limits the speed of a run: that of the largest floor (common/model/floor.h), if
 * this floor explains at least half of the time. The input is a measured time, or work whose time
 * is modelled.
 */
#ifndef PMPP_COMMON_MODEL_LIMIT_H
#define PMPP_COMMON_MODEL_LIMIT_H

#include "common/model/floor.h"

enum limited_by {
	LIMITED_BY_UNKNOWN = -1,
	LIMITED_BY_MEMORY,
	LIMITED_BY_COMPUTE,
	LIMITED_BY_LATENCY, /* no floor explains half of the time: the run waits */
	LIMITED_BY_CACHE,   /* the same, but the bytes arrive faster than memory can send them */
	LIMITED_BY_L2,
	LIMITED_BY_L1,
	LIMITED_BY_SHARED,
	LIMITED_BY_TENSOR,
	LIMITED_BY_LAUNCH,
	LIMITED_BY_COUNT
};

/* By limit; ended by NULL. */
extern const char *const limited_by_words[LIMITED_BY_COUNT + 1];

/* "memory"; NULL for LIMITED_BY_UNKNOWN and for a value outside the enumeration, which a record of
 * a newer version can have. */
const char *limited_by_name(enum limited_by limit);

/* A floor that explains this fraction of the time limits the run. */
#define LIMIT_SHARE 0.5

/* The limit of a run that took ns > 0:
 *
 *   the resource of the largest floor   the floor is at least LIMIT_SHARE of the time
 *   unknown                             else, if no floor is known, or a larger floor may exist: floors.gap
 *                                       is the reason
 *   cache                               else, if memory would take longer without a cache
 *   latency                             else
 *
 * *ret_share: the largest floor / the time; NAN = unknown. For LIMITED_BY_CACHE: the time that memory would
 * take without a cache / the time (above 1). */
enum limited_by limit_measured(const struct floors *floors, double ns, double *ret_share);

/* The limit of a run that takes as long as its largest floor: latency if there is at most one warp for each
 * scheduler, because a scheduler has nothing to issue while its warp waits. Else the resource of the largest
 * floor; unknown if no floor is known, or a larger floor may exist.
 *
 * threads: the number that a unit (multiprocessor) holds at a time. one_each: the threads of one warp for
 * each scheduler of a unit (occupancy_unit.h: SIMDs x lanes; 128 on NVIDIA's GPUs). NAN = unknown. */
enum limited_by limit_modelled(const struct floors *floors, double threads, double one_each);

#endif
