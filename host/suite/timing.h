/*
 * Timing contract pmpp-timing/2 (docs/measuring.md). Each variant has three blocks of samples:
 * cold, hot, host. The probe runs before and after each block. Several variants are sampled in
 * turn: A B, B A, A B.
 */
#ifndef PMPP_HOST_SUITE_TIMING_H
#define PMPP_HOST_SUITE_TIMING_H

#include "common/stats.h"
#include "host/record/measurement.h"
#include "host/suite/calibrate.h"
#include "host/suite/launch.h"
#include "host/suite/operands.h"
#include "host/suite/outcome.h"

enum flush_kind {
	FLUSH_NONE,
	FLUSH_READ,
	FLUSH_EVICT
};

/* The flush of one run. */
struct flush_plan {
	enum flush_kind kind;
	uint64_t bytes; /* read or evicted before each sample */
	bool complete;  /* no data of the run remain in the cache */
};

/* The owner sets programs; all other members are zero-initialised. Points into itself: do not copy
 * it. */
struct flusher {
	struct programs *programs; /* not owned */

	/* Operands of the kernel. The buffers are NULL until they are needed. */
	struct gpu_buffer *buffers[2]; /* the region and its sums */
	struct config config;
	struct problem problem; /* reads the whole region */
	struct bound_run run;
	uint64_t run_bytes; /* read by the bound run */
	double read_ns;     /* time to read the whole region; 0: not measured */
	bool unusable;      /* the kernel does not build, or its sums are wrong */
};

/* Bytes of a complete flush by reading: twice the last-level cache. */
uint64_t flush_full_bytes(const struct gpu_device_info *info);

/* The part of `bytes` that can be read within max_ns, if reading all of them takes read_ns.
 * Returns a multiple of unit, at most `bytes`. */
uint64_t flush_part(uint64_t bytes, uint64_t unit, double read_ns, double max_ns);

/* Bytes of device memory that the region has allocated. */
uint64_t flush_held_bytes(const struct flusher *flush);

/* Frees the region if the allocation of `bytes` would use most of the device's memory, or does not
 * fit in the memory that other processes leave free. flush_choose() creates the region again. */
void flush_make_room(struct flusher *flush, uint64_t bytes);

void flush_release(struct flusher *flush);

/* The modules of one device that timing uses; owns nothing. */
struct timer {
	struct operands *operands;           /* not owned; created for the variant */
	struct probe *probe;                 /* not owned; ready */
	const struct calibrator *calibrator; /* not owned; known */
	struct flusher *flush;               /* not owned */
};

enum sample_kind {
	SAMPLE_COLD,
	SAMPLE_HOT,
	SAMPLE_HOST,
	SAMPLE_KINDS
};

/* One verified variant. */
struct timed_run {
	struct timer *timer;
	const struct suite_options *options; /* flush and the limits of samples */
	const struct bound_run *run;
	struct timing_record *timing; /* not present */
	bool companion;               /* does not influence when a block ends */

	/* Working state of timing_run(), zero before and after. */
	double run_ns; /* approximate time of one run */
	size_t batch;  /* runs of a hot sample */
	unsigned flags;
	bool paused;             /* takes no more samples in this block */
	bool in_turn;            /* other runs may have changed the cache since its last sample */
	double spent_ns;         /* time of its samples in this block, without wake-ups */
	struct flush_plan flush; /* flush before cold samples */
	struct sample_set {
		double *ns; /* owned; in the order taken, then as much space for stats_of() */
		struct stats stats;
	} sets[SAMPLE_KINDS];
};

/* Times `count` runs in turn, and fills in their timings. Runs may share a timer. Each round takes
 * one sample of each run, so sample i of one run is paired with sample i of the others. After a
 * failure no timing is present. The first run's options limit the samples.
 *
 * The first run is not a companion. A companion changes neither the number nor the kind of the
 * other runs' samples. It takes part in the cold block, and in the hot block if hot samples are
 * primary. It leaves the block when it has both the minimum number of samples for its own run time
 * and min_time; the other runs continue without it. */
enum pmpp_status timing_run(struct timed_run *runs, size_t count, struct pmpp_error *error);

/* The ratio time of a / time of b, from the rounds of primary samples in which both took part. Both
 * timings must be present and from the same call of timing_run(). Fails with PMPP_OUT_OF_MEMORY on
 * the host. */
enum pmpp_status timing_ratio(const struct timing_record *a, const struct timing_record *b,
	struct stats_ratio *ret_ratio, struct pmpp_error *error);

/* Frees the times and marks them as not present. */
void timing_drop(struct timing_record *timing);

#endif
