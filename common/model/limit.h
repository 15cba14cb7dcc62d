/*
 * The resource that limits the speed of a run. One classifier for both kinds of input: rates that
 * were measured on a device, and work that a model places below the roofs of a device
 * (common/model/roofline.h).
 */
#ifndef PMPP_COMMON_MODEL_LIMIT_H
#define PMPP_COMMON_MODEL_LIMIT_H

enum limited_by {
	LIMITED_BY_UNKNOWN = -1,
	LIMITED_BY_MEMORY,
	LIMITED_BY_COMPUTE,
	LIMITED_BY_LATENCY,
	LIMITED_BY_CACHE,
	LIMITED_BY_COUNT
};

/* By limit; ended by NULL. */
extern const char *const limited_by_words[LIMITED_BY_COUNT + 1];

/* "memory"; NULL for LIMITED_BY_UNKNOWN. */
const char *limited_by_name(enum limited_by limit);

struct limit_facts {
	double ns;                   /* of one run: measured, or the least at the roofs */
	double empty_launch_ns;      /* NAN = unknown */
	double threads;              /* a multiprocessor holds at a time; NAN = unknown */
	double flop_per_byte;        /* NAN = no work at all */
	double gbps, gflops;         /* measured rates of useful work; NAN = modelled */
	double issued_gbps;          /* measured, bytes that loads and stores request; NAN */
	double copy_gbps, read_gbps; /* memory roofs; NAN = unknown */
	double fma_gflops;           /* arithmetic roof; NAN = unknown */
};

/* The first rule that applies gives the limit. */
enum limit_rule {
	LIMIT_FEW_THREADS,  /* latency: at most one warp for each of the four schedulers of a
			     * multiprocessor (CUDA C++ Programming Guide, "Compute
			     * Capabilities": the same from 7.5 to 12.0); a scheduler has
			     * nothing to issue while its warp waits */
	LIMIT_SHORT_RUN,    /* latency: shorter than three empty launches */
	LIMIT_NO_ROOFS,     /* unknown */
	LIMIT_ABOVE_MEMORY, /* cache: useful bytes move faster than memory can move them */
	LIMIT_BUSY_MEMORY,  /* memory: below 5 % of both roofs, but the requested bytes reach half
			     * of the memory roof */
	LIMIT_IDLE,         /* latency: below 5 % of both roofs, and the requested bytes too */
	LIMIT_ABOVE_RIDGE,  /* compute: the intensity reaches the ridge of the roofs */
	LIMIT_BELOW_RIDGE,  /* memory */
	LIMIT_RULE_COUNT
};

struct limit_finding {
	enum limited_by limit;
	enum limit_rule rule;
};

struct limit_finding limit_find(const struct limit_facts *facts);

#endif
