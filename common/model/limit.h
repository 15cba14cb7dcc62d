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

/* The first rule that applies gives the limit. */
enum limit_rule {
	LIMIT_FEW_THREADS,  /* modelled: latency. At most one warp for each scheduler. A scheduler
			     * has nothing to issue while its warp waits */
	LIMIT_NO_FLOOR,     /* unknown: no floor is known */
	LIMIT_LARGEST,      /* modelled: the largest floor */
	LIMIT_EXPLAINED,    /* the largest floor is at least LIMIT_SHARE of the time */
	LIMIT_INCOMPLETE,   /* unknown: a larger floor may exist; floors.gap is the reason */
	LIMIT_ABOVE_MEMORY, /* cache */
	LIMIT_WAITS,        /* latency */
	LIMIT_RULE_COUNT
};

struct limit_finding {
	enum limited_by limit;
	enum limit_rule rule;
	double share; /* the largest floor / the time. With LIMIT_ABOVE_MEMORY: the time that memory
		       * would take without a cache / the time (above 1). NAN = unknown */
};

/* The limit of a run that took ns > 0. */
struct limit_finding limit_measured(const struct floors *floors, double ns);

/* The limit of a run that takes as long as its largest floor. threads: the number that a unit
 * (multiprocessor) holds at a time. one_each: the threads of one warp for each scheduler of a unit
 * (occupancy_unit.h: SIMDs x lanes; 128 on NVIDIA's GPUs). NAN = unknown. */
struct limit_finding limit_modelled(const struct floors *floors, double threads, double one_each);

#endif
