/*
 * The timer of a device: its calibration, the throttle probe and the flush of the cache.
 *
 * Timing contract pmpp-timing/2 (docs/measuring.md). Each variant has three blocks of samples:
 * cold, hot, host. The probe runs before and after each block. Several variants are sampled in
 * turn: A B, B A, A B.
 */
#ifndef PMPP_HOST_SUITE_TIMING_H
#define PMPP_HOST_SUITE_TIMING_H

#include "common/stats.h"
#include "host/record/measurement.h"
#include "host/suite/launch.h"
#include "host/suite/outcome.h"
#include "host/suite/verify.h"

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

#define FLUSH_CACHES 2 /* a complete flush reads this many caches; 1 is not enough if not LRU */

/* Zero-initialised. Points into itself: do not copy it. */
struct flusher {
	/* Operands of the kernel. The buffers are NULL until they are needed. */
	struct gpu_buffer *buffers[2]; /* the region and its sums */
	struct config config;
	struct problem problem; /* reads the whole region */
	struct bound_run run;
	uint64_t run_bytes; /* read by the bound run */
	double read_ns;     /* time to read the whole region; 0: not measured */
	bool unusable;      /* the kernel does not build, or its sums are wrong */
};

#define PROBE_SESSION_BYTES 48

enum probe_part {
	PROBE_FMA,
	PROBE_MEMORY,
	PROBE_PART_COUNT
};

/* One part. Points into itself: do not copy it. */
struct probe_work {
	bool ready;
	struct gpu_buffer *buffers[2];
	struct bound_run run;
	char work[160];       /* kernel, source and size: part of the key of the cache */
	double fastest_ns[2]; /* in this session, the fastest first; INFINITY = none */
	double others_ns;     /* in other sessions; INFINITY = none */
	bool others_known;    /* the cache was read */
	double stored_ns;     /* this session's time in the cache; INFINITY = none */
	double next_ns;       /* host clock: do not run the part again before this time */
};

/* Zero-initialised: not ready. Points into itself: do not copy it. */
struct throttle_probe {
	bool ready;                /* PROBE_FMA is ready */
	struct gpu_device *device; /* not owned */
	char session[PROBE_SESSION_BYTES];
	struct probe_work parts[PROBE_PART_COUNT];
};

/* The timer of one device. The owner sets programs; all other members are zero-initialised. Points
 * into itself: do not copy it. */
struct timer {
	struct programs *programs;  /* not owned */
	bool calibrated;            /* record is known */
	struct timer_record record; /* owned */
	struct throttle_probe probe;
	struct flusher flush;
};

/* Measures once: the time of an empty launch, the resolution of the timer, and whether the timer
 * agrees with the host clock on batches of the probe (common/model/timer_check.h). On the host
 * clock, a batch takes at least 20 ms and at least as long as 100 empty launches. All batches take
 * at most 90 ms, or one run of the probe on a slow device. Prepares the probe. The figures of an
 * emulated device are NAN. */
enum pmpp_status timer_calibrate(struct timer *timer, enum gpu_math math, struct pmpp_error *error);

void timer_finish(struct timer *timer);

/* Large buffers of a timer. */
enum timer_part {
	TIMER_FLUSH, /* the region of the flush, which is created again when it is needed */
	TIMER_PROBE  /* of PROBE_MEMORY, which does not run again in this session */
};

/* Bytes of device memory that timer_release() would free. */
uint64_t timer_held_bytes(const struct timer *timer, enum timer_part part);
void timer_release(struct timer *timer, enum timer_part part);

/* Frees the region of the flush if the allocation of `bytes` would use most of the device's memory,
 * or does not fit in the memory that other processes leave free. */
void timer_make_room(struct timer *timer, uint64_t bytes);

enum sample_kind {
	SAMPLE_COLD,
	SAMPLE_HOT,
	SAMPLE_HOST,
	SAMPLE_KINDS
};

/* One verified variant. */
struct timed_run {
	struct timer *timer;                 /* calibrated */
	struct operands *operands;           /* created for the variant */
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

#endif
