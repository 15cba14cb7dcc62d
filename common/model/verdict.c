#include "common/model/verdict.h"

#include <math.h>

const char *const verdict_words[VERDICT_COUNT + 1] = {
	[VERDICT_SAME] = "SAME",
	[VERDICT_FAST] = "FAST",
	[VERDICT_SLOW] = "SLOW",
	[VERDICT_AMBG] = "AMBG",
	[VERDICT_MISSING] = "MISSING",
	[VERDICT_NOCOMP] = "NOCOMP",
};

/* By noise_floor_class(). */
static const struct verdict_limits class_limits[NOISE_CLASSES] = {
	{.same = 0.0175, .differ = 0.0175}, /* GPU */
	{.same = 0.15, .differ = 0.10},     /* CPU, others */
};

struct verdict_limits verdict_limits_of(const char *device_type)
{
	return class_limits[noise_floor_class(device_type)];
}

struct verdict_limits verdict_limits_with(
	double tolerance, const char *device_type, const char *other_type)
{
	const struct verdict_limits a = verdict_limits_of(device_type);
	const struct verdict_limits b = verdict_limits_of(other_type);

	if (isfinite(tolerance))
		return (struct verdict_limits){.same = tolerance, .differ = tolerance};
	return (struct verdict_limits){
		.same = fmax(a.same, b.same), .differ = fmax(a.differ, b.differ)};
}

enum verdict verdict_of(
	const double ci95[2], const double ci99[2], const struct verdict_limits *limits)
{
	if (isnan(ci95[0]) || isnan(ci95[1]) || isnan(ci99[0]) || isnan(ci99[1]))
		return VERDICT_AMBG;
	if (ci95[0] >= 1 / (1 + limits->same) && ci95[1] <= 1 + limits->same)
		return VERDICT_SAME;
	if (ci99[1] < 1 / (1 + limits->differ))
		return VERDICT_FAST;
	return ci99[0] > 1 + limits->differ ? VERDICT_SLOW : VERDICT_AMBG;
}

double verdict_p_limit(size_t k, size_t count)
{
	const double family_wise_error = 0.05;

	return family_wise_error / (double)(count - k);
}

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
