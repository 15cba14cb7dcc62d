#include "common/bound.h"

#include <math.h>
#include <string.h>

double bound_gamma(int64_t h, double unit_roundoff)
{
	double hu = (double)h * unit_roundoff;
	return hu < 1.0 ? hu / (1.0 - hu) : INFINITY;
}

bool f32_is_finite(float value)
{
	return dtype_is_finite(DTYPE_F32, &value, 0);
}

/* By its bits, as f32_is_finite(). */
static bool is_finite(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}

double bound_ratio(enum dtype dtype, double got, const struct expected *want, double gamma)
{
	const struct dtype_info *info = dtype_info(dtype);

	if (!is_finite(got))
		return INFINITY;
	if (!info->is_float)
		return got == want->value ? 0 : INFINITY;
	double bound = gamma * want->terms + want->slack + info->least;
	double ratio = fabs(got - want->value) / bound;
	return isnan(ratio) ? INFINITY : ratio;
}
