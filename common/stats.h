/*
 * Statistics of timing samples: order statistics (the median says what a run takes; a mean would
 * follow the outliers), and a bootstrap for the ratio of two medians.
 */
#ifndef PMPP_COMMON_STATS_H
#define PMPP_COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats {
	size_t n;
	double min, q1, median, q3; /* quartiles by linear interpolation (R type 7) */
};

/* Of n samples, which stay as they are; all zero for n = 0. scratch: work space of n doubles. */
struct stats stats_of(const double *samples, size_t n, double *scratch);

/* Half width of the notch around the median, 1.57 IQR / sqrt(n), as a fraction of the median
 * (McGill, Tukey, Larsen: Variations of box plots, The American Statistician 32, 1978). */
double stats_notch(const struct stats *stats);

/* 95 % percentile-bootstrap interval of median(a) / median(b), seeded. Both n >= 1.
 * Returns false if memory runs out; ret_interval is then untouched. */
bool stats_ratio_interval(const double *a, size_t a_count, const double *b, size_t b_count,
	uint64_t seed, double ret_interval[2]);

#endif
