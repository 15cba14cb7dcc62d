#include "common/model/suspect.h"

#include <math.h>

double suspect_margin(bool is_gpu, bool doubtful)
{
	static const double margins[2][2] = {{4, 8}, {1.5, 3}};

	return margins[is_gpu][doubtful];
}

struct floors suspect_floors(const struct floor_work *certain, const struct floor_rates *rates)
{
	struct floor_rates only = *rates;

	only.warm = true;
	only.l2_gbps = only.shared_gbps = NAN;
	return floors_of(certain, &only);
}

int suspect_floor(const struct floors *certain, double ns, double margin)
{
	bool possible = certain->largest < 0 || !(certain->ns[certain->largest] > margin * ns);

	return possible ? -1 : certain->largest;
}
