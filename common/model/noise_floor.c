#include "common/model/noise_floor.h"

#include <math.h>
#include <string.h>

/* The smallest standard deviation: timers have a resolution, and two equal medians prove nothing.
 */
#define LEAST_SD 1e-4

static const struct {
	const char *type;
	struct noise_floor floor;
} defaults[] = {
	{"gpu", {.sd = 0.002, .dof = 10}},
	{"cpu", {.sd = 0.05, .dof = 10}},
};

struct noise_floor noise_floor_default(const char *device_type)
{
	const size_t count = sizeof defaults / sizeof *defaults;

	for (size_t i = 0; i < count; i++)
		if (device_type && strcmp(defaults[i].type, device_type) == 0)
			return defaults[i].floor;
	return defaults[count - 1].floor;
}

struct noise_floor noise_floor_of(const double *variances, size_t count, size_t runs)
{
	double sum = 0, squares = 0;
	double most = (double)(runs - 1);

	for (size_t i = 0; i < count; i++)
		sum += variances[i];
	double mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (variances[i] - mean) * (variances[i] - mean);
	double dof = count > 1 ? 2 * mean * mean / (squares / (double)(count - 1)) : most;
	if (!(dof < most)) /* also NAN, where all variances are 0 */
		dof = most;
	return (struct noise_floor){.sd = fmax(sqrt(mean), LEAST_SD), .dof = fmax(dof, 1)};
}
