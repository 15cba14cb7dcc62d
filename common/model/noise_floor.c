#include "common/model/noise_floor.h"

#include "common/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *type;
	struct noise_floor floor;
	double roof_sd;
} defaults[NOISE_CLASSES] = {
	{"gpu", {.sd = 0.002, .dof = 30}, 0.01},
	{"cpu", {.sd = 0.05, .dof = 4}, 0.1},
};

size_t noise_floor_class(const char *device_type)
{
	for (size_t i = 0; i < NOISE_CLASSES; i++)
		if (device_type && strcmp(defaults[i].type, device_type) == 0)
			return i;
	return NOISE_CLASSES - 1;
}

struct noise_floor noise_floor_default(const char *device_type)
{
	return defaults[noise_floor_class(device_type)].floor;
}

double noise_floor_of_roof(const char *device_type)
{
	return defaults[noise_floor_class(device_type)].roof_sd;
}

struct noise_spread noise_floor_spread(double *variances, size_t count, double dof)
{
	if (count < NOISE_FLOOR_SPREAD_ROWS)
		return (struct noise_spread){0};
	qsort(variances, count, sizeof *variances, stats_compare);
	double median = (variances[(count - 1) / 2] + variances[count / 2]) / 2;
	return (struct noise_spread){median / pow(1 - 2 / (9 * dof), 3), dof};
}

struct noise_floor noise_floor_raised(
	const struct noise_floor *floor, const struct noise_spread *spread)
{
	if (sqrt(spread->variance) <= floor->sd)
		return *floor;
	return (struct noise_floor){sqrt(spread->variance), fmin(floor->dof, spread->dof)};
}
