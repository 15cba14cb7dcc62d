#include "common/model/verdict.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const verdict_words[VERDICT_COUNT + 1] = {
	[VERDICT_SAME] = "SAME",
	[VERDICT_FAST] = "FAST",
	[VERDICT_SLOW] = "SLOW",
	[VERDICT_AMBG] = "AMBG",
	[VERDICT_MISSING] = "MISSING",
	[VERDICT_NOCOMP] = "NOCOMP",
};

static const struct {
	const char *type;
	double tolerance;
} tolerances[] = {{"gpu", 0.015}, {"cpu", 0.15}};

double verdict_tolerance(const char *device_type)
{
	const size_t count = sizeof tolerances / sizeof *tolerances;

	for (size_t i = 0; i < count; i++)
		if (device_type && strcmp(tolerances[i].type, device_type) == 0)
			return tolerances[i].tolerance;
	return tolerances[count - 1].tolerance;
}

enum verdict verdict_of(const double interval[2], double tolerance)
{
	double least = fmin(tolerance, VERDICT_LEAST);

	if (interval[0] >= 1 / (1 + tolerance) && interval[1] <= 1 + tolerance)
		return VERDICT_SAME;
	if (interval[1] < 1 / (1 + least))
		return VERDICT_FAST;
	return interval[0] > 1 + least ? VERDICT_SLOW : VERDICT_AMBG;
}
