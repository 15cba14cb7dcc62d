#include "common/model/boundary.h"
#include "common/integers.h"
#include "common/model/warp.h"

static enum pmpp_status check(const int64_t extent[BOUNDARY_DIMS],
	const int64_t block[BOUNDARY_DIMS], struct pmpp_error *error)
{
	int64_t threads = 1;

	for (int i = 0; i < BOUNDARY_DIMS; i++) {
		if (extent[i] < 1 || extent[i] > BOUNDARY_MAX_EXTENT)
			return PMPP_FAIL(error, PMPP_USAGE, "an extent must be 1 to %d, not %lld",
				BOUNDARY_MAX_EXTENT, (long long)extent[i]);
		/* Each factor is checked first, so that the product cannot overflow. */
		threads = block[i] < 1 || block[i] > BOUNDARY_MAX_THREADS ? 0 : threads * block[i];
	}
	if (threads < 1 || threads > BOUNDARY_MAX_THREADS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block of %lld x %lld threads: use 1 to %d threads in total",
			(long long)block[0], (long long)block[1], BOUNDARY_MAX_THREADS);
	return PMPP_OK;
}

/* Counts `times` blocks of a region, in which the threads with x < inside[0] and y < inside[1] pass. */
static void count_block(const int64_t block[BOUNDARY_DIMS], const int64_t inside[BOUNDARY_DIMS],
	int64_t times, int region, struct boundary *boundary)
{
	int64_t threads = block[0] * block[1];
	int64_t before = boundary->diverging;

	for (int64_t first = 0; first < threads; first += WARP_THREADS) {
		int64_t lanes = threads - first < WARP_THREADS ? threads - first : WARP_THREADS;
		int64_t passing = 0;
		for (int64_t t = first; t < first + lanes; t++)
			passing += t % block[0] < inside[0] && t / block[0] < inside[1];
		boundary->warps += times;
		boundary->region_warps[region] += times;
		boundary->on += passing == lanes ? times : 0;
		boundary->off += passing == 0 ? times : 0;
		boundary->diverging += passing > 0 && passing < lanes ? times : 0;
	}
	boundary->region_diverging[region] = boundary->diverging - before;
}

enum pmpp_status boundary_count(const int64_t extent[BOUNDARY_DIMS],
	const int64_t block[BOUNDARY_DIMS], struct boundary *ret_boundary, struct pmpp_error *error)
{
	struct boundary boundary = {0};
	/* In each dimension only the last block may be partial: the grid has four kinds of blocks.
	 */
	int64_t times[BOUNDARY_DIMS][2];
	int64_t inside[BOUNDARY_DIMS][2];
	enum pmpp_status status = check(extent, block, error);

	if (status != PMPP_OK)
		return status;
	for (int i = 0; i < BOUNDARY_DIMS; i++) {
		boundary.blocks[i] = ceil_div(extent[i], block[i]);
		times[i][0] = boundary.blocks[i] - 1;
		times[i][1] = 1;
		inside[i][0] = block[i];
		inside[i][1] = extent[i] - times[i][0] * block[i];
	}
	for (int y = 0; y < 2; y++)
		for (int x = 0; x < 2; x++)
			count_block(block, (int64_t[]){inside[0][x], inside[1][y]},
				times[0][x] * times[1][y], 2 * y + x, &boundary);
	*ret_boundary = boundary;
	return PMPP_OK;
}
