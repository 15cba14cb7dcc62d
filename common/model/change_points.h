/*
 * Change points: where the level of a series of measurements changes.
 *
 * The method is binary segmentation (Scott and Knott: A cluster analysis method for grouping means
 * in the analysis of variance, Biometrics 30, 1974): find the split with the largest shift of the
 * mean, and repeat in both parts as long as the shift is significant. A last pass removes each
 * change that is not significant between the final parts.
 *
 * The statistic of a split is the difference of the means over its standard error. The standard
 * deviation of a value is the larger of its floor and a robust estimate for the series: 1.4826 /
 * sqrt(2) times the median of the absolute first differences. A few steps hardly change this
 * estimate.
 *
 * A change needs at least CHANGE_POINTS_MIN_VALUES values on each side, a shift above 1 %, and a
 * statistic above 4.1 + 24 / n. This limit follows from a simulation of normal noise without a
 * change and without a floor (60000 series of each length): 0.1 to 0.6 % of the series with
 * n = 4 to 200 values have a false alarm. The term 24 / n is for the error of the estimate, which
 * is large in short series. With a floor at or above the noise there are fewer false alarms.
 *
 * A single value that is more than 3 standard deviations above or below both neighbours is an
 * outlier: the nearer neighbour replaces it.
 */
#ifndef PMPP_COMMON_MODEL_CHANGE_POINTS_H
#define PMPP_COMMON_MODEL_CHANGE_POINTS_H

#include <stddef.h>

/* Minimum number of values on each side of a change: a single value is never a change. */
#define CHANGE_POINTS_MIN_VALUES 2

struct change_point {
	size_t index; /* of the first value after the change */
	double ratio; /* level after the change / level before it: 1.03 is 3 % slower */
};

/* logs: n logarithms of medians in order of time, all finite. sd: for each value a lower limit of
 * its standard deviation, > 0. scratch: work space of n doubles. ret_changes: room for n; the
 * changes in ascending order. Returns their number. */
size_t change_points_find(const double *logs, const double *sd, size_t n, double *scratch,
	struct change_point *ret_changes);

#endif
