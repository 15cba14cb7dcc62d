/*
 * How the rows of `histogram` divide their values among blocks and private copies. For the family's
 * own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_HISTOGRAM_GROUPS_H
#define PMPP_COMMON_FAMILIES_HISTOGRAM_GROUPS_H

#include "common/family.h"

enum {
	DIM_N,
	DIM_BINS
};
enum {
	DATA_UNIFORM,
	DATA_SKEWED,
	DATA_CONSTANT
};

#define CHUNK_BYTES 16 /* size of a load of the coarse variants */

/* Number of blocks: with one value per thread; of the coarse variants. */
int64_t histogram_fine_groups(const struct config *config, const struct problem *problem);
int64_t histogram_coarse_groups(const struct config *config, const struct problem *problem);

/* Number of private copies of a block: the largest power of two that fits in shared memory, up to
 * COPIES and to the lanes of a warp. */
int64_t histogram_replicated_copies(const struct config *config, const struct problem *problem);

#endif
