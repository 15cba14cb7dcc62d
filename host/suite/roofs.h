/*
 * The measured limits of a device.
 */
#ifndef PMPP_HOST_SUITE_ROOFS_H
#define PMPP_HOST_SUITE_ROOFS_H

#include "common/model/floor.h"
#include "common/operations.h"
#include "host/gpu/gpu.h"
#include "host/suite/session.h"

/* The rate of a type, in 10^9 operations per second; NaN = unknown, or no row measures the type. */
double roofs_rate(const struct roofs_record *roofs, enum operations operations);

/* primary: whether the primary samples are cold or hot. flags (enum timing_flag): the flags of
 * these samples. Cold samples without a complete flush may read their data from the cache, as hot
 * samples do. */
struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags);

/* Reads the roofs from the cache directory (roofs_cache.def). Measures the roofs that this
 * backend has not yet measured on this device; force: measures all roofs again. The measurement
 * uses the bench with default options; `options` gives progress and math of the calibration. A
 * figure from throttled, noisy or host-clock samples is used with its flag, but not cached for a
 * GPU. The roofs of emulated devices stay unknown. Returns only errors of the device. */
enum pmpp_status device_roofs_get(
	struct device_roofs *device, struct bench *bench, bool force, struct pmpp_error *error);

#endif
