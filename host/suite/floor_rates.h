/*
 * The measured rates of a device, in the form that floors_of() needs.
 */
#ifndef PMPP_HOST_SUITE_FLOOR_RATES_H
#define PMPP_HOST_SUITE_FLOOR_RATES_H

#include "common/model/floor.h"
#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* primary: the primary samples are cold or hot. flags (enum timing_flag): of the samples. Cold
 * samples without a complete flush may find their data in the cache, as hot samples do. */
struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags);

#endif
