/*
 * The measured limits of a device.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_H
#define PMPP_HOST_SUITE_ROOFS_H

#include "host/suite/bench.h"
#include "host/suite/roof_figures.h"

struct device_roofs {
	bool known;
	struct roofs_record roofs; /* NaN until known; owns nothing */
};

void device_roofs_init(struct device_roofs *device);

/* Reads the roofs from the cache directory (host/suite/roofs_cache.h). Measures the roofs that this
 * backend has not yet measured on this device; force: measures all roofs again. The measurement
 * uses the bench with default options; `options` gives progress and math of the calibration. A
 * figure from throttled, noisy or host-clock samples is used with its flag, but not cached for a
 * GPU. The roofs of emulated devices stay unknown. Returns only errors of the device. */
enum pmpp_status device_roofs_get(struct device_roofs *device, struct bench *bench,
	const struct suite_options *options, bool force, struct pmpp_error *error);

#endif
