#include "host/suite/floor_rates.h"

#include "host/suite/device.h"
#include "host/suite/roof_figures.h"

#include <math.h>

struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags)
{
	bool batch = primary == TIMING_HOT;
	bool is_cpu = suite_device_class(info) == DEVICE_CLASS_CPU;
	struct floor_rates rates = {
		/* Hot samples are a batch of runs. */
		.launch_ns = batch ? timer->next_launch_ns : timer->least_launch_ns,
		.next_launch_ns = timer->next_launch_ns,
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		/* A CPU has no separate shared memory: the data are in caches of several levels
		 * with different rates. */
		.l2_gbps = is_cpu ? NAN : roofs->l2_gbps,
		.shared_gbps = is_cpu ? NAN : roofs->shared_gbps,
		.cache_bytes = (double)suite_cache_bytes(info),
		.overfetches = suite_overfetches(info),
		.warm = batch || flags & TIMING_UNFLUSHED,
		/* CUDA C++ Programming Guide, "Unified Data/L1 Cache": 7.0 and newer. */
		.l1_is_shared = (info->capabilities & PMPP_CAP_NVIDIA_PTX) != 0,
	};

	for (int i = 0; i < OPERATIONS_COUNT; i++)
		rates.gops[i] = roofs_rate(roofs, (enum operations)i);
	return rates;
}
