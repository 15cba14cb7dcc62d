#include "common/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int stats_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The quantile of sorted samples. The position goes from 0 to n - 1. */
static double quantile(const double *sorted, size_t n, double fraction)
{
	double position = fraction * (double)(n - 1);
	size_t below = (size_t)position;
	size_t above = below + 1 < n ? below + 1 : below;

	return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

/* Probability of the value k of a binomial distribution (n, 1/2). */
static double binomial_half(size_t n, size_t k)
{
	return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
		   (double)n * M_LN2);
}

/* Interval of the median of sorted samples. The names are those of the source. The search goes from
 * the innermost pair of order statistics outwards. d and n - d + 1 are the first pair that encloses
 * the median with the confidence; d + 1 and n - d are the last pair that does not. */
static void median_interval(
	const double *sorted, size_t n, double confidence, double ret_interval[2])
{
	size_t d = n / 2;
	double inner = 0;

	ret_interval[0] = ret_interval[1] = NAN;
	if (n < 2)
		return;
	double probability = binomial_half(n, d);
	double outer = n % 2 ? 2 * probability : probability;
	for (; outer < confidence && d > 1; d--) {
		probability *= (double)d / (double)(n - d + 1);
		inner = outer;
		outer += 2 * probability;
	}
	if (outer < confidence)
		return;
	double excess = (outer - confidence) / (outer - inner);
	double outside = (double)(n - d);
	double weight = outside * excess / ((double)d + (outside - (double)d) * excess);
	ret_interval[0] = (1 - weight) * sorted[d - 1] + weight * sorted[d];
	ret_interval[1] = (1 - weight) * sorted[n - d] + weight * sorted[n - d - 1];
}

struct stats stats_of(const double *samples, size_t n, double *scratch)
{
	struct stats stats = {.n = n, .ci95 = {NAN, NAN}, .ci99 = {NAN, NAN}};

	if (n == 0)
		return stats;
	memcpy(scratch, samples, n * sizeof *scratch);
	qsort(scratch, n, sizeof *scratch, stats_compare);
	stats.min = scratch[0];
	stats.q1 = quantile(scratch, n, 0.25);
	stats.median = quantile(scratch, n, 0.5);
	stats.q3 = quantile(scratch, n, 0.75);
	median_interval(scratch, n, 0.95, stats.ci95);
	median_interval(scratch, n, 0.99, stats.ci99);
	return stats;
}

double stats_half_width(const struct stats *stats)
{
	if (stats->n == 0 || !(stats->median > 0))
		return NAN;
	return (stats->ci95[1] - stats->ci95[0]) / 2 / stats->median;
}

double stats_notch(const struct stats *stats)
{
	if (stats->n == 0 || stats->median <= 0)
		return INFINITY;
	return 1.57 * (stats->q3 - stats->q1) / sqrt((double)stats->n) / stats->median;
}

struct stats_ratio stats_ratio_of(const double *a, const double *b, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = a[i] / b[i];
	struct stats stats = stats_of(scratch, n, scratch + n);
	return (struct stats_ratio){.median = stats.median, .ci95 = {stats.ci95[0], stats.ci95[1]}};
}
