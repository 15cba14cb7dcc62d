/*
 * The throttle probe: parts with a fixed amount of work, on operands of its own. A part takes the
 * same time in every run, unless the device has slowed down or other programs use it.
 *
 *   PROBE_FMA     the kernel of the FMA roof: checks the clock of the compute units
 *   PROBE_MEMORY  the kernel of the read roof on a buffer of several caches: checks the memory. It
 *                 is skipped if there is no memory for such a buffer. After each run it pauses for
 *                 20 times its duration, so it takes at most 1/20 of the time.
 *
 * A part is slow if it takes over 1.1 times the reference time of this device. The reference time
 * is the shorter of two times: the second fastest run of this session, and the second fastest of
 * the other sessions (host/suite/probe_cache.h). The fastest run is not used, because it may be a
 * bad sample.
 */
#ifndef PMPP_HOST_SUITE_PROBE_H
#define PMPP_HOST_SUITE_PROBE_H

#include "host/suite/launch.h"
#include "host/suite/probe_cache.h"

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
struct probe {
	bool ready;                /* PROBE_FMA is ready */
	struct gpu_device *device; /* not owned */
	char session[PROBE_SESSION_BYTES];
	struct probe_work parts[PROBE_PART_COUNT];
};

/* Builds the kernels, fills the operands and runs each kernel once. Does nothing if the probe is
 * ready. */
enum pmpp_status probe_prepare(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct pmpp_error *error);

/* Runs the probe, which must be ready. *ret_slow: a part is slow. device_timer: as in struct
 * interval_request. */
enum pmpp_status probe_run(
	struct probe *probe, bool device_timer, bool *ret_slow, struct pmpp_error *error);

/* The number of elements that PROBE_MEMORY reads, before rounding down to whole threads. 0 if a
 * sixteenth of the memory cannot hold a buffer of twice the cache. */
int64_t probe_stream_elements(const struct gpu_device_info *info);

/* Bytes of device memory that probe_release_memory() would free. */
uint64_t probe_memory_bytes(const struct probe *probe);

/* Frees the large buffer. PROBE_MEMORY does not run again in this session. */
void probe_release_memory(struct probe *probe);

void probe_finish(struct probe *probe);

#endif
