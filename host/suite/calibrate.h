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

/* Measures once: an empty launch, the smallest step that the timer shows, and whether the timer
 * agrees with the host clock on batches of the probe (common/model/timer_check.h). A batch takes at
 * least 20 ms and 100 empty launches by the host clock; all batches take at most 90 ms, or one run
 * of the probe on a slow device. Prepares the probe. For an emulated device the figures are NAN. */
enum pmpp_status calibrator_measure(struct calibrator *calibrator, struct probe *probe,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error);

void calibrator_finish(struct calibrator *calibrator);

/* false: intervals are taken with the host clock. true before the calibration. */
bool calibrator_device_timer(const struct calibrator *calibrator);

#endif
