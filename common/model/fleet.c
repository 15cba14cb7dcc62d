#include "common/model/fleet.h"

#include "common/model/verdict.h"

bool fleet_is_straggler(const struct repetition_estimate *estimates, size_t count, size_t index,
	const char *device_type, struct repetition_ratio *ret_ratio, double *ret_p)
{
	const size_t typical = (count - 1) / 2;
	const struct verdict_limits limits = verdict_limits_of(device_type);

	*ret_ratio = repetition_ratio_of(&estimates[index], &estimates[typical]);
	*ret_p = index == typical ? 1 : repetition_p_above(ret_ratio, 1 + limits.differ);
	return index != typical &&
	       verdict_of(ret_ratio->ci95, ret_ratio->ci99, &limits) == VERDICT_SLOW;
}
