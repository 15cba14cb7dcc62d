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

struct limit_finding limit_measured(const struct floors *floors, double ns)
{
	double share = floors_share(floors, ns);

	if (isnan(share))
		return (struct limit_finding){LIMITED_BY_UNKNOWN, LIMIT_NO_FLOOR, NAN};
	if (share >= LIMIT_SHARE)
		return (struct limit_finding){of_resource(floors->largest), LIMIT_EXPLAINED, share};
	if (floors->gap != FLOOR_GAP_NONE)
		return (struct limit_finding){LIMITED_BY_UNKNOWN, LIMIT_INCOMPLETE, share};
	if (floors->uncached_ns > ns)
		return (struct limit_finding){
			LIMITED_BY_CACHE, LIMIT_ABOVE_MEMORY, floors->uncached_ns / ns};
	return (struct limit_finding){LIMITED_BY_LATENCY, LIMIT_WAITS, share};
}

struct limit_finding limit_modelled(const struct floors *floors, double threads, double one_each)
{
	if (threads <= one_each)
		return (struct limit_finding){LIMITED_BY_LATENCY, LIMIT_FEW_THREADS, NAN};
	if (floors->largest < 0 || floors->gap != FLOOR_GAP_NONE)
		return (struct limit_finding){LIMITED_BY_UNKNOWN,
			floors->largest < 0 ? LIMIT_NO_FLOOR : LIMIT_INCOMPLETE, NAN};
	return (struct limit_finding){of_resource(floors->largest), LIMIT_LARGEST, 1};
}
