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
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return (bits & 0x7f800000u) != 0x7f800000u;
}

double bound_ratio(float got, double want, double terms, double gamma)
{
	if (!f32_is_finite(got))
		return INFINITY;
	double bound = gamma * terms + 0x1p-149;
	double ratio = fabs((double)got - want) / bound;
	return isnan(ratio) ? INFINITY : ratio;
}
