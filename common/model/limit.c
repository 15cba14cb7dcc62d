#include "common/model/limit.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/model/warp.h"

#define SCHEDULERS 4       /* of a multiprocessor */
#define SHORT_RUN 3.0      /* x the empty launch */
#define FAR_FROM_ROOF 0.05 /* of a roof */
#define BUSY_MEMORY 0.5    /* requested bytes / memory roof */

const char *const limited_by_words[LIMITED_BY_COUNT + 1] = {
	[LIMITED_BY_MEMORY] = "memory",
	[LIMITED_BY_COMPUTE] = "compute",
	[LIMITED_BY_LATENCY] = "latency",
	[LIMITED_BY_CACHE] = "cache",
};

const char *limited_by_name(enum limited_by limit)
{
	return limit == LIMITED_BY_UNKNOWN ? NULL : limited_by_words[limit];
}

static enum limit_rule first_rule(const struct limit_facts *facts)
{
	/* fmax() ignores a roof that is unknown. */
	double memory_roof = fmax(facts->copy_gbps, facts->read_gbps);
	bool slow = facts->gflops / facts->fma_gflops < FAR_FROM_ROOF &&
		    facts->gbps < FAR_FROM_ROOF * memory_roof;

	if (facts->threads <= SCHEDULERS * WARP_THREADS)
		return LIMIT_FEW_THREADS;
	if (facts->ns < SHORT_RUN * facts->empty_launch_ns)
		return LIMIT_SHORT_RUN;
	if (isnan(facts->copy_gbps) || isnan(facts->fma_gflops))
		return LIMIT_NO_ROOFS;
	if (facts->gbps > memory_roof)
		return LIMIT_ABOVE_MEMORY;
	if (slow)
		return facts->issued_gbps >= BUSY_MEMORY * memory_roof ? LIMIT_BUSY_MEMORY
								       : LIMIT_IDLE;
	return facts->flop_per_byte >= facts->fma_gflops / facts->copy_gbps ? LIMIT_ABOVE_RIDGE
									    : LIMIT_BELOW_RIDGE;
}

struct limit_finding limit_find(const struct limit_facts *facts)
{
	static const enum limited_by limits[LIMIT_RULE_COUNT] = {
		[LIMIT_FEW_THREADS] = LIMITED_BY_LATENCY,
		[LIMIT_SHORT_RUN] = LIMITED_BY_LATENCY,
		[LIMIT_NO_ROOFS] = LIMITED_BY_UNKNOWN,
		[LIMIT_ABOVE_MEMORY] = LIMITED_BY_CACHE,
		[LIMIT_BUSY_MEMORY] = LIMITED_BY_MEMORY,
		[LIMIT_IDLE] = LIMITED_BY_LATENCY,
		[LIMIT_ABOVE_RIDGE] = LIMITED_BY_COMPUTE,
		[LIMIT_BELOW_RIDGE] = LIMITED_BY_MEMORY,
	};
	enum limit_rule rule = first_rule(facts);

	return (struct limit_finding){limits[rule], rule};
}
