/*
 * How the rows of `reduce` divide their elements: elements per block, and blocks per level. For the
 * family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_REDUCE_LEVELS_H
#define PMPP_COMMON_FAMILIES_REDUCE_LEVELS_H

#include "common/family.h"

#define CPU_SPAN 64 /* elements of the four accumulators of the form for CPUs */

/* Whether the row is the form for CPUs, which has one work-item per block. */
bool reduce_is_cpu_form(const struct config *config);

/* Elements per block and pass. Rows have different factors. */
int64_t reduce_tile_elements(const struct config *config);

/* Number of blocks that fold `count` elements, each into one value. The trees give each block one
 * tile; the coarse forms divide the tiles among a fixed number of blocks. */
int64_t reduce_level_groups(const struct config *config, int64_t count);

/* Number of blocks of single-pass. Its second level needs no launch. */
int64_t reduce_single_pass_groups(const struct config *config, const struct problem *problem);

#endif
