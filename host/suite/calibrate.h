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
 * agrees with the host clock on the probe. Prepares the probe. For an emulated device the figures
 * are NAN. */
enum pmpp_status calibrator_measure(struct calibrator *calibrator, struct probe *probe,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error);

void calibrator_finish(struct calibrator *calibrator);

/* false: intervals are taken with the host clock. true before the calibration. */
bool calibrator_device_timer(const struct calibrator *calibrator);

#endif
