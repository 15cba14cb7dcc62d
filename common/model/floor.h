/*
 * Floors: the time that each resource of a device needs for a run's work, at the rate that was
 * measured for this resource (S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009,
 * with a roof for each resource). No run is faster than its largest floor, except that a measured
 * rate may be a few percent below what the resource can do. A run that takes about as long as its
 * largest floor is limited by that resource. A run that takes much longer waits for memory, for
 * other threads, or for instructions that no floor counts.
 */
#ifndef PMPP_COMMON_MODEL_FLOOR_H
#define PMPP_COMMON_MODEL_FLOOR_H

#include "common/operations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, word */
#define FLOOR_MAP(XX)                                                  \
	XX(LAUNCH, "launch")   /* kernel launches */                   \
	XX(MEMORY, "memory")   /* device memory */                     \
	XX(L2, "l2")           /* the second-level cache */            \
	XX(L1, "l1")           /* the first-level cache */             \
	XX(SHARED, "shared")   /* shared memory */                     \
	XX(COMPUTE, "compute") /* arithmetic except on tensor cores */ \
	XX(TENSOR, "tensor")   /* tensor cores */

enum floor_resource {
#define XX(name, word) FLOOR_##name,
	FLOOR_MAP(XX)
#undef XX
	FLOOR_COUNT
};

/* By resource: "launch", "memory", ...; ended by NULL. */
extern const char *const floor_words[FLOOR_COUNT + 1];

/* The work of one run. NAN = unknown: the resource has no floor. */
struct floor_work {
	double launches;
	/* Bytes of device memory, each counted as often as it must be moved, in whole sectors
	 * (kernel_shape.sector_bytes): the smallest part that a GPU reads. */
	double bytes_read, bytes_written;
	/* More bytes: they are moved again after the run has moved `again_after` other bytes,
	 * unless the last-level cache still holds them. 0: none. */
	double again_read, again_written, again_after;
	/* Overfetched bytes: like again_read, but they count only with rates.overfetches. They are
	 * the other sectors of pairs of which the run reads one sector, and the sectors of which
	 * the run writes a part. */
	double overfetched;
	/* NVIDIA's: between the first-level caches and the second-level cache, in sectors of 32
	 * bytes. Each multiprocessor has a first-level cache that joins no stores, and warps of
	 * 32 threads. */
	double l2_bytes;
	/* NVIDIA's: passes of the first-level cache and of shared memory. In one pass a warp of 32 threads
	 * gets one word of 4 bytes from each of 32 banks: access_shared() (access.h), which counts
	 * them as wavefronts. */
	double l1_passes, shared_passes;
	/* More passes of shared memory: instructions in which no thread takes part. An NVIDIA GPU
	 * spends a pass on them where predicates replace a short branch. Example: for two orders of
	 * the tree of `reduce` Nsight Compute counts 221 and 219 wavefronts per block of 256
	 * threads, and threads take part in 151 and 45 of them. 0: none, or unknown. They count
	 * only with l1_is_shared. */
	double idle_passes;
	/* By type; [OPERATIONS_OF_DTYPE] is not used. A multiply-add is two operations. A single
	 * sum or product takes as long and may count as two. */
	double operations[OPERATIONS_COUNT];
	bool uncounted; /* the run has further operations; their number depends on the compiler */
};

/* Returns one launch; everything else is unknown. */
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
	bool overfetches;   /* device memory sends pairs of sectors, 64 aligned bytes, and sends a
			     * sector before the cache writes a part of it (last_level_cache_overfetches(),
			     * last_level_cache.h) */
	bool warm;          /* the run found its data in the cache (hot samples) */
	bool l1_is_shared;  /* the first-level cache and shared memory are one memory with one rate;
			     * otherwise the first-level cache has no floor */
};

/* Why an unknown floor may be larger than the known floors. If there are several reasons,
 * FLOOR_GAP_MEMORY is given first. */
enum floor_gap {
	FLOOR_GAP_OPERATIONS, /* the number of operations is unknown for all types */
	FLOOR_GAP_MEMORY,     /* memory has no floor */
	FLOOR_GAP_RATE,       /* the operations of a type are known, but not their rate */
	FLOOR_GAP_UNCOUNTED,  /* floor_work.uncounted */
	FLOOR_GAP_NONE,       /* no unknown floor can be larger */
	FLOOR_GAP_COUNT
};

struct floors {
	double ns[FLOOR_COUNT]; /* NAN = unknown */
	int largest;            /* enum floor_resource; -1 = none is known */
	double uncached_ns;     /* of memory, if no cache held any byte, and none moves again; NAN =
				 * unknown */
	enum floor_gap gap;     /* FLOOR_GAP_MEMORY if it applies, else the first that applies */
};

/*
 * Memory: bytes that are read take bytes / read_gbps. A copy reads and writes the same number of
 * bytes, and copy_gbps counts both. This gives the rate of writes: 1 / write = 2 / copy - 1 / read.
 * Written bytes that the last-level cache can hold do not count. With warm data, bytes that are
 * read and that it can hold do not count either. If the size of the cache is unknown, or
 * again_after is not larger than the cache, no byte is moved again. Otherwise the model assumes a
 * cache that replaces sectors at random. A cache of C sectors keeps a sector in each of the M
 * replacements between two of its uses with the probability 1 - 1 / C. With the fraction h of hits,
 * M sectors have (1 - h) again_after bytes, so h = exp(-(1 - h) again_after / cache_bytes). An LRU
 * cache would have no hits. On an H200 Nsight Compute counts no hits where again_after is 2.1 times
 * the cache (dram__bytes of coalesce/stride32).
 * L2: l2_bytes where l1_is_shared. On other devices a first-level cache may serve several
 * multiprocessors (AMD, RDNA Architecture, 2019: one for each shader array) or join stores. There
 * only the bytes of memory count: each of them passes the second-level cache.
 * A pass of L1 or shared memory moves 128 bytes. With l1_is_shared the passes of L1 and of shared
 * memory add up, and the part with more passes gets the floor. Arithmetic: the type that takes
 * longest.
 */
struct floors floors_of(const struct floor_work *work, const struct floor_rates *rates);

/* The three largest floors of those that are at least 1 % of the largest: "shared 1.54 ms, compute
 * 261 µs, memory 12.0 µs"; "none is known". */
void floors_text(const struct floors *floors, char *ret_text, size_t size);

/* ---- Limits --------------------------------------------------------------------------------- */

/*
 * The resource that limits the speed of a run: that of the largest floor, if this floor explains at
 * least half of the time. The input is a measured time, or work whose time is modelled.
 */

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

/* The limit of a run that took ns > 0:
 *
 *   the resource of the largest floor   the floor is at least LIMIT_SHARE of the time
 *   unknown                             else, if no floor is known, or a larger floor may exist: floors.gap
 *                                       is the reason
 *   cache                               else, if memory would take longer without a cache
 *   latency                             else
 *
 * *ret_share: the largest floor / the time; NAN = unknown. For LIMITED_BY_CACHE: the time that memory would
 * take without a cache / the time (above 1). */
enum limited_by limit_measured(const struct floors *floors, double ns, double *ret_share);

/* ---- Work that was not measured ------------------------------------------------------------- */

/*
 * Roofline: the speed limit of a kernel as a function of its FLOP per byte (S. Williams, A.
 * Waterman, D. Patterson, Roofline, CACM 52(4), 2009; PMPP 4th ed. 5.1).
 *
 *   attainable FLOP/s = min(arithmetic roof, FLOP per byte x memory roof)
 *
 * Both roofs are equal at the ridge. A run that is too short or has too few threads reaches neither
 * roof: latency limits it.
 */

/* ---- Roofs --------------------------------------------------------------------------------- */

struct roofline_device {
	const char *name;
	struct floor_rates rates; /* copy_gbps and gops[OPERATIONS_F32] > 0 */
	int64_t multiprocessors;  /* 0 = unknown */
};

/* An NVIDIA H200 as measured by this program. Used for its compute capability if no GPU is measured.
 * Other GPUs have no reference. */
extern const struct roofline_device roofline_reference;
#define ROOFLINE_REFERENCE_CC "9.0"

/* The FLOP per byte above which the arithmetic roof is the lower one. */
double roofline_ridge(const struct roofline_device *device);

/* The attainable rates at an intensity in FLOP per byte, >= 0; infinity = no bytes. Bytes from a cache
 * may be faster than the memory roof. */
struct attainable {
	double gflops, gbps;
};
struct attainable roofline_at(const struct roofline_device *device, double intensity);

/* ---- Limit --------------------------------------------------------------------------------- */

struct roofline_work {
	struct floor_work floor;
	double threads;          /* of its largest launch */
	double resident_threads; /* of this launch on one multiprocessor; NAN = unknown */
	double one_each;   /* threads of one warp for each scheduler of a unit (occupancy.h: SIMDs x
				  * lanes; 128 on NVIDIA's GPUs); NAN = unknown */
	const char *unit;  /* "multiprocessor", "compute unit" */
	const char *where; /* part of the text: "n=1024 on NVIDIA H200" */
};

/* The limit of work that was not measured, which takes as long as its largest floor:
 *
 *   latency                             there is at most one warp for each scheduler, because a scheduler
 *                                       has nothing to issue while its warp waits
 *   unknown                             else, if no floor is known, or a larger floor may exist
 *   the resource of the largest floor   else
 *
 * Writes one line into ret_text: the figures of the limit, work->where, and the reason for
 * LIMITED_BY_UNKNOWN. */
enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size);

/* ---- Certain floors ------------------------------------------------------------------------- */

/*
 * Certain floors: the floors of the work that no right kernel can avoid
 * (config_certain()). A run that is faster is suspect: the kernel skips work, or its time is
 * wrong.
 */

/*
 * Returns the factor by which a right run can be faster than a measured rate. A roof is the fastest
 * sample of one kernel, and other kernels exceed it. In docs/results certain floors are up to 1.05
 * times the time, and floors of all operations up to 1.45 times (tensor cores, roofs of older
 * versions). The rate of a CPU also depends on other programs and on its clock: on a virtual
 * machine of 2 cores the rate of memory differs by a factor of 2.5 within a minute. doubtful: the
 * samples of the roofs or of the run have warnings.
 */
double suspect_margin(bool is_gpu, bool doubtful);

/* Returns the largest certain floor (enum floor_resource) at the rates if it is above margin * ns, and sets
 * *ret_floor_ns to it; -1 = the time is possible. Only bytes beyond the size of the cache count: a
 * cache may hold input of an earlier run, and output at the end of a run. */
int suspect_floor(const struct floor_work *certain, const struct floor_rates *rates, double ns,
	double margin, double *ret_floor_ns);

#endif
