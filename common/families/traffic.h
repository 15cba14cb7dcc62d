/*
 * Helpers for the functions `traffic` of several families (common/family.h). common/model/passes.h
 * has the passes of a warp and of a grid.
 */
#ifndef PMPP_COMMON_FAMILIES_TRAFFIC_H
#define PMPP_COMMON_FAMILIES_TRAFFIC_H

#include "common/model/floor.h"

#include <stdint.h>

/* Sets the passes of a run. */
void traffic_set(struct floor_work *work, double l1_passes, double shared_passes);

/* Warps of `threads` threads in blocks of `block`: passes of an access in which neighbouring
 * threads access neighbouring elements of at most 4 bytes. A block may end with a part of a warp.
 */
double traffic_warps(int64_t threads, int64_t block);

/*
 * A tree in shared memory: groups of `lanes` threads fold their elements. In the first round the
 * lower half of a group adds the upper half, then the lower quarter adds the next quarter, until
 * each group has one value. Returns the warps of a block that take part, summed over the rounds.
 * Powers of two; block >= 32.
 */
double traffic_tree_warps(int block, int64_t lanes);

#endif
