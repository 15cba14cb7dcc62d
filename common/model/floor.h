/*
 * Floors: the time that each resource of a device needs for a run's work, at the rate that was
 * measured for this resource (S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009,
 * with a roof for each resource). No run is faster than its largest floor. A run that takes about
 * as long as its largest floor is limited by that resource. A run that takes much longer waits:
 * for memory, for other threads, or for instructions that no floor counts.
 */
#ifndef PMPP_COMMON_MODEL_FLOOR_H
#define PMPP_COMMON_MODEL_FLOOR_H

#include "common/operations.h"

#include <stdbool.h>
#include <stddef.h>

enum floor_resource {
	FLOOR_LAUNCH,  /* kernel launches */
	FLOOR_MEMORY,  /* device memory */
	FLOOR_L2,      /* the last-level cache */
	FLOOR_L1,      /* the first-level cache */
	FLOOR_SHARED,  /* shared memory */
	FLOOR_COMPUTE, /* arithmetic, but for tensor cores */
	FLOOR_TENSOR,  /* tensor cores */
	FLOOR_COUNT
};

/* By resource: "launch", "memory", ...; ended by NULL. */
extern const char *const floor_words[FLOOR_COUNT + 1];

/* The work of one run. NAN = unknown: the resource has no floor. */
struct floor_work {
	double launches;
	/* Of device memory, each byte as often as it must be moved: whole sectors of 32 bytes, the
	 * smallest part that a GPU reads. */
	double bytes_read, bytes_written;
	/* Besides these: bytes that are moved again after the run has moved `again_after` other
	 * bytes, unless the last-level cache still holds them. 0: none. */
	double again_read, again_written, again_after;
	double l2_bytes; /* sectors between the first-level caches and the last-level cache */
	/* Passes of the first-level cache and of shared memory. In one pass a warp of 32 threads
	 * gets one word of 4 bytes from each of 32 banks; see access_shared() (access.h). */
	double l1_passes, shared_passes;
	/* Besides these, of shared memory: instructions without a thread that takes part. An NVIDIA
	 * GPU gives them a pass where predicates replace a short branch. Nsight Compute counts 221
	 * and 219 wavefronts a block of 256 threads for two orders of the tree of `reduce`, where
	 * 151 and 45 have a thread. 0: none, or unknown. They count where l1_is_shared. */
	double idle_passes;
	/* By type; [OPERATIONS_OF_DTYPE] is not used. A multiply-add is two operations. A single
	 * sum or product takes as long and may count as two. */
	double operations[OPERATIONS_COUNT];
};

/* Nothing known but one launch. */
struct floor_work floor_work_unknown(void);

/* Measured rates of a device, in ns, GB/s (bytes per ns) and 10^9 operations per second. NAN =
 * unknown: no floor. */
struct floor_rates {
	double launch_ns;      /* a run of one empty launch */
	double next_launch_ns; /* each further launch of a run */
	double copy_gbps, read_gbps;
	double l2_gbps, shared_gbps;
	double gops[OPERATIONS_COUNT];
	double cache_bytes; /* of the last-level cache: this many written bytes may stay in it */
	bool warm;          /* the run found its data in the cache (hot samples) */
	bool l1_is_shared;  /* the first-level cache and shared memory are one memory with one rate;
			     * otherwise the first-level cache has no floor */
};

struct floors {
	double ns[FLOOR_COUNT]; /* NAN = unknown */
	int largest;            /* enum floor_resource; -1 = none is known */
	double uncached_ns;     /* of memory, if no cache held any byte, and none moves again; NAN =
				 * unknown */
	bool complete;          /* memory, and all operations that are known, have floors */
};

/*
 * Memory: bytes that are read take bytes / read_gbps. A copy of half as many reads as writes gives
 * the rate of writes: 1 / write = 2 / copy - 1 / read. What the last-level cache can hold of the
 * written bytes counts as not written. With warm data the same holds for the bytes that are read.
 * Of `again_after` bytes the cache holds at most its size: the rest is moved again. If the size is
 * unknown, nothing is.
 * A pass of L1 or shared memory moves 128 bytes. L1 and shared memory with one rate share its time:
 * the part with more passes names the floor. Arithmetic: the type that takes longest.
 */
struct floors floors_of(const struct floor_work *work, const struct floor_rates *rates);

/* The largest floor as a fraction of the measured time; NAN = unknown. */
double floors_share(const struct floors *floors, double ns);

/* The three largest floors of those that are at least 1 % of the largest: "shared 1540 us, compute
 * 261 us, memory 12 us"; "none is known". */
void floors_text(const struct floors *floors, char *ret_text, size_t size);

#endif
