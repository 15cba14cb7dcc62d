/*
 * The measured rates of a device, in the form that floors_of() needs.
 */
#ifndef PMPP_HOST_SUITE_FLOOR_RATES_H
#define PMPP_HOST_SUITE_FLOOR_RATES_H

#include "common/model/floor.h"
#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* primary: whether the primary samples are cold or hot. flags (enum timing_flag): the flags of
 * these samples. Cold samples without a complete flush may read their data from the cache, as hot
 * samples do. */
struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags);

#endif
