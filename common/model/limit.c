#include "common/model/limit.h"

#include <math.h>
#include <stddef.h>

const char *const limited_by_words[LIMITED_BY_COUNT + 1] = {
	[LIMITED_BY_MEMORY] = "memory",
	[LIMITED_BY_COMPUTE] = "compute",
	[LIMITED_BY_LATENCY] = "latency",
	[LIMITED_BY_CACHE] = "cache",
	[LIMITED_BY_L2] = "l2",
	[LIMITED_BY_L1] = "l1",
	[LIMITED_BY_SHARED] = "shared",
	[LIMITED_BY_TENSOR] = "tensor",
	[LIMITED_BY_LAUNCH] = "launch",
};

const char *limited_by_name(enum limited_by limit)
{
	int index = (int)limit;

	return index < 0 || index >= LIMITED_BY_COUNT ? NULL : limited_by_words[index];
}

static enum limited_by of_resource(int resource)
{
	static const enum limited_by limits[FLOOR_COUNT] = {
		[FLOOR_LAUNCH] = LIMITED_BY_LAUNCH,
		[FLOOR_MEMORY] = LIMITED_BY_MEMORY,
		[FLOOR_L2] = LIMITED_BY_L2,
		[FLOOR_L1] = LIMITED_BY_L1,
		[FLOOR_SHARED] = LIMITED_BY_SHARED,
		[FLOOR_COMPUTE] = LIMITED_BY_COMPUTE,
		[FLOOR_TENSOR] = LIMITED_BY_TENSOR,
	};
	return resource < 0 ? LIMITED_BY_UNKNOWN : limits[resource];
}

enum limited_by limit_measured(const struct floors *floors, double ns, double *ret_share)
{
	double share = floors_share(floors, ns);

	*ret_share = share;
	if (isnan(share))
		return LIMITED_BY_UNKNOWN;
	if (share >= LIMIT_SHARE)
		return of_resource(floors->largest);
	if (floors->gap != FLOOR_GAP_NONE)
		return LIMITED_BY_UNKNOWN;
	if (!(floors->uncached_ns > ns))
		return LIMITED_BY_LATENCY;
	*ret_share = floors->uncached_ns / ns;
	return LIMITED_BY_CACHE;
}

enum limited_by limit_modelled(const struct floors *floors, double threads, double one_each)
{
	if (threads <= one_each)
		return LIMITED_BY_LATENCY;
	return floors->gap == FLOOR_GAP_NONE ? of_resource(floors->largest) : LIMITED_BY_UNKNOWN;
}
