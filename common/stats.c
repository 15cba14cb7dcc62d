#include "common/stats.h"

#include "common/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 2000

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of sorted samples; position counts from 0 to n - 1. */
static double quantile(const double *sorted, size_t n, double fraction)
{
	double position = fraction * (double)(n - 1);
	size_t below = (size_t)position;
	size_t above = below + 1 < n ? below + 1 : below;

	return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

struct stats stats_of(const double *samples, size_t n, double *scratch)
{
	if (n == 0)
		return (struct stats){0};
	memcpy(scratch, samples, n * sizeof *scratch);
	qsort(scratch, n, sizeof *scratch, compare);
	return (struct stats){.n = n,
		.min = scratch[0],
		.q1 = quantile(scratch, n, 0.25),
		.median = quantile(scratch, n, 0.5),
		.q3 = quantile(scratch, n, 0.75)};
}

double stats_notch(const struct stats *stats)
{
	if (stats->n == 0 || stats->median <= 0)
		return INFINITY;
	return 1.57 * (stats->q3 - stats->q1) / sqrt((double)stats->n) / stats->median;
}

static double resampled_median(
	const double *samples, size_t n, double *scratch, uint64_t seed, uint64_t stream)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = samples[data_bits(seed, stream, i) % n];
	qsort(scratch, n, sizeof *scratch, compare);
	return quantile(scratch, n, 0.5);
}

bool stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
	uint64_t seed, double ret_interval[2])
{
	size_t longer = a_count > b_count ? a_count : b_count;
	double *scratch = malloc(longer * sizeof *scratch);
	double *ratios = malloc(RESAMPLES * sizeof *ratios);
	bool ok = scratch && ratios;

	if (!ok)
		goto out;
	for (size_t i = 0; i < RESAMPLES; i++)
		ratios[i] = resampled_median(a, a_count, scratch, seed, 2 * i) /
			    resampled_median(b, b_count, scratch, seed, 2 * i + 1);
	qsort(ratios, RESAMPLES, sizeof *ratios, compare);
	ret_interval[0] = quantile(ratios, RESAMPLES, 0.025);
	ret_interval[1] = quantile(ratios, RESAMPLES, 0.975);
out:
	free(scratch);
	free(ratios);
	return ok;
}
