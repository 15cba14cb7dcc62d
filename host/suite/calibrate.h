/*
 * Calibration of a device's timer.
 */
#ifndef PMPP_HOST_SUITE_CALIBRATE_H
#define PMPP_HOST_SUITE_CALIBRATE_H

#include "host/record/measurement.h"
#include "host/suite/probe.h"

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
