/*
 * The throttle probe: a known piece of work, the FMA roof's kernel on operands of its own. It takes
 * the same time in every run, unless the device has slowed down or other programs use it.
 */
#ifndef PMPP_HOST_SUITE_PROBE_H
#define PMPP_HOST_SUITE_PROBE_H

#include "host/suite/launch.h"

/* Zero-initialised: not ready. Points into itself: not to be copied. */
struct probe {
	bool ready;
	struct gpu_device *device; /* not owned */
	struct gpu_buffer *buffers[2];
	struct bound_run run;
	double best_ns; /* of the session */
};

/* Builds the kernel and fills the operands; does nothing when the probe is ready. */
enum pmpp_status probe_prepare(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct pmpp_error *error);

/* Runs the probe, which must be ready. *ret_slow: clearly slower than the best of the session.
 * device_timer: as in struct interval_request. */
enum pmpp_status probe_run(
	struct probe *probe, bool device_timer, bool *ret_slow, struct pmpp_error *error);

void probe_finish(struct probe *probe);

#endif
