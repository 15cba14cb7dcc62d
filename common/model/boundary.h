/*
 * Control divergence at a boundary test: `if (x < width && y < height)` in a grid of whole blocks
 * (PMPP 4th ed. 4.5, 3rd ed. 5.3).
 *
 * A warp is 32 threads of a block in row-major order (x fastest). The last warp of a block has
 * fewer threads if the block size is not a multiple of 32. A warp diverges if some but not all of
 * its threads pass the test.
 */
#ifndef PMPP_COMMON_MODEL_BOUNDARY_H
#define PMPP_COMMON_MODEL_BOUNDARY_H

#include "common/status.h"

#include <stdint.h>

#define BOUNDARY_DIMS 2 /* x, y */
#define BOUNDARY_REGIONS 4
#define BOUNDARY_MAX_EXTENT INT32_MAX
#define BOUNDARY_MAX_THREADS 1024 /* of a block */

struct boundary {
	int64_t blocks[BOUNDARY_DIMS]; /* of the grid: extent / block, rounded up */
	int64_t warps;                 /* = diverging + on + off */
	int64_t diverging, on, off;    /* some, all, none of the warp's threads pass */
	/* Regions of blocks: inner blocks, last column without the corner, last row without the
	 * corner, corner. */
	int64_t region_warps[BOUNDARY_REGIONS], region_diverging[BOUNDARY_REGIONS];
};

/* Counts exactly. extent: width and height, each 1 to BOUNDARY_MAX_EXTENT; a vector has height 1.
 * block: threads in x and y, each >= 1, their product <= BOUNDARY_MAX_THREADS. Other values:
 * PMPP_USAGE. */
enum pmpp_status boundary_count(const int64_t extent[BOUNDARY_DIMS],
	const int64_t block[BOUNDARY_DIMS], struct boundary *ret_boundary,
	struct pmpp_error *error);

#endif
