#include "common/model/parity.h"

#include <math.h>

#define HALF_WIDTHS 2.3 /* the header derives it */

const char *const parity_verdict_words[PARITY_VERDICT_COUNT + 1] = {
	[PARITY_SAME] = "SAME",
	[PARITY_FAST] = "FAST",
	[PARITY_SLOW] = "SLOW",
	[PARITY_AMBG] = "AMBG",
	[PARITY_RESULTS_ONLY] = "RESULTS_ONLY",
};

const char *parity_verdict_name(enum parity_verdict verdict)
{
	return (size_t)verdict < PARITY_VERDICT_COUNT ? parity_verdict_words[verdict] : "unknown";
}

/* interval: as for parity_judge(); unknown ends give the minimum tolerance. */
static double tolerance_of(const double interval[2])
{
	double middle = (interval[0] + interval[1]) / 2;
	double half_width = (interval[1] - interval[0]) / 2 / middle;

	/* fmax ignores NAN. */
	return fmin(fmax(HALF_WIDTHS * half_width, PARITY_MIN_TOLERANCE), PARITY_MAX_TOLERANCE);
}

enum parity_verdict parity_judge(const double interval[2], double *tolerance)
{
	if (!interval)
		return PARITY_RESULTS_ONLY;
	if (isnan(*tolerance))
		*tolerance = tolerance_of(interval);
	double min = 1 - *tolerance, max = 1 + *tolerance;
	if (interval[0] >= min && interval[1] <= max)
		return PARITY_SAME;
	if (interval[1] < min)
		return PARITY_FAST;
	return interval[0] > max ? PARITY_SLOW : PARITY_AMBG;
}

bool parity_is_timed(int verdict)
{
	return verdict >= 0 && verdict < PARITY_VERDICT_COUNT && verdict != PARITY_RESULTS_ONLY;
}

/* 0 for an unknown ratio. */
static double distance(const struct parity_score *score)
{
	double logarithm = fabs(log(score->ratio));

	return isfinite(logarithm) ? logarithm : 0;
}

size_t parity_worst(const struct parity_score *scores, size_t count, size_t max, size_t *ret_worst)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = found;

		if (!parity_is_timed(scores[i].verdict) || scores[i].verdict == PARITY_SAME)
			continue;
		while (at > 0 && distance(&scores[ret_worst[at - 1]]) < distance(&scores[i]))
			at--;
		if (at == max)
			continue;
		found += found < max;
		for (size_t j = found - 1; j > at; j--)
			ret_worst[j] = ret_worst[j - 1];
		ret_worst[at] = i;
	}
	return found;
}

bool parity_breaks_promise(const struct parity_side sides[2], bool free_math, bool bit_identical)
{
	for (int i = 0; i < 2; i++)
		if (sides[i].status != OUTCOME_OK || !sides[i].promises_bits)
			return false;
	return !free_math && !bit_identical;
}
