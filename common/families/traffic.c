#include "common/families/traffic.h"

#include "common/model/passes.h"

void traffic_set(struct floor_work *work, double l1_passes, double shared_passes)
{
	work->l1_passes = l1_passes;
	work->shared_passes = shared_passes;
}

double traffic_warps(int64_t threads, int64_t block)
{
	return (double)(threads / block) * passes_count_warps(block) +
	       passes_count_warps(threads % block);
}

double traffic_tree_warps(int block, int64_t lanes)
{
	int64_t groups = block / (lanes > WARP_THREADS ? lanes : WARP_THREADS); /* or warps */
	double warps = 0;

	for (int64_t active = lanes / 2; active > 0; active /= 2)
		warps += (double)groups * passes_count_warps(active);
	return warps;
}
