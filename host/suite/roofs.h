/*
 * The measured limits of a device.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_H
#define PMPP_HOST_SUITE_ROOFS_H

#include "host/suite/bench.h"

struct device_roofs {
	bool known;
	struct roofs_record roofs; /* NaN until known; owns nothing */
};

void device_roofs_init(struct device_roofs *device);

/* Reads the roofs from the cache directory, or measures them on the bench with options of its own,
 * once; force measures again. options: progress and math of the calibration. The roofs of emulated
 * devices stay unknown. Only errors of the device are returned. */
enum pmpp_status device_roofs_get(struct device_roofs *device, struct bench *bench,
	const struct suite_options *options, bool force, struct pmpp_error *error);

#endif
