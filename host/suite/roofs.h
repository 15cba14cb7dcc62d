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

/* Reads the roofs from the cache directory (host/suite/roofs_cache.h). Measures those that this
 * backend has not yet measured on this device, on the bench with options of its own; force measures
 * all of them again. The result has the largest figures of all backends of the device. A figure
 * from samples that are throttled, noisy or of the host clock is used with its flag; the cache does
 * not keep it for a GPU. options: progress and math of the calibration. The roofs of emulated
 * devices stay unknown. Only errors of the device are returned. */
enum pmpp_status device_roofs_get(struct device_roofs *device, struct bench *bench,
	const struct suite_options *options, bool force, struct pmpp_error *error);

#endif
