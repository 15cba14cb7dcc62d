/*
 * Calibration of a device's timer.
 */
#ifndef PMPP_HOST_SUITE_CALIBRATE_H
#define PMPP_HOST_SUITE_CALIBRATE_H

#include "host/gpu/gpu.h"
#include "host/record/measurement.h"
#include "host/suite/launch.h"

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
struct probe {
	bool ready;                /* PROBE_FMA is ready */
	struct gpu_device *device; /* not owned */
	char session[PROBE_SESSION_BYTES];
	struct probe_work parts[PROBE_PART_COUNT];
};

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

/* Zero-initialised: not known. */
struct calibrator {
	bool known;
	struct timer_record timer; /* owned */
};

/* Measures once: the time of an empty launch, the resolution of the timer, and whether the timer
 * agrees with the host clock on batches of the probe (common/model/timer_check.h). On the host
 * clock, a batch takes at least 20 ms and at least as long as 100 empty launches. All batches take
 * at most 90 ms, or one run of the probe on a slow device. Prepares the probe. The figures of an
 * emulated device are NAN. */
enum pmpp_status calibrator_measure(struct calibrator *calibrator, struct probe *probe,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error);

void calibrator_finish(struct calibrator *calibrator);

/* false: measure intervals with the host clock. Returns true before the calibration. */
bool calibrator_device_timer(const struct calibrator *calibrator);

#endif
