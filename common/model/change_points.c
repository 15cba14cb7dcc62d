#include "common/model/change_points.h"

#include "common/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller shift is never a change, even if it is significant: it has no practical use. */
#define MIN_SHIFT 0.00995 /* log(1.01) */

struct series {
	double *logs; /* without outliers */
	const double *sd;
	size_t n;
	double spread;    /* robust standard deviation of one value */
	double threshold; /* of the statistic */
	struct change_point *changes;
	size_t count;
};

/* A single value that is more than this number of standard deviations above or below both
 * neighbours is replaced by the nearer neighbour. */
#define OUTLIER_SDS 3

/* A part of the series: the sum of its values and of their variances. */
struct part {
	double sum, variance;
	size_t n;
};

static double robust_spread(const double *logs, size_t n, double *scratch)
{
	size_t count = n - 1;

	for (size_t i = 0; i < count; i++)
		scratch[i] = fabs(logs[i + 1] - logs[i]);
	qsort(scratch, count, sizeof *scratch, stats_compare);
	double median = (scratch[count / 2] + scratch[(count - 1) / 2]) / 2;
	return 1.4826 * median / sqrt(2);
}

static double sd_of(const struct series *series, size_t index)
{
	return fmax(series->sd[index], series->spread);
}

/* An end of the series has two neighbours on one side. */
static double without_outlier(const struct series *series, const double *logs, size_t index)
{
	size_t last = series->n - 1;
	double value = logs[index];
	double a = logs[index == 0 ? 2 : index - 1];
	double b = logs[index == last ? last - 2 : index + 1];
	double above = value - fmax(a, b);
	double below = fmin(a, b) - value;

	if (fmax(above, below) <= OUTLIER_SDS * sd_of(series, index))
		return value;
	return above > below ? fmax(a, b) : fmin(a, b);
}

static void part_add(struct part *part, const struct series *series, size_t index)
{
	double sd = sd_of(series, index);

	part->sum += series->logs[index];
	part->variance += sd * sd;
	part->n++;
}

static struct part part_of(const struct series *series, size_t from, size_t to)
{
	struct part part = {0};

	for (size_t i = from; i < to; i++)
		part_add(&part, series, i);
	return part;
}

static double shift_of(const struct part *before, const struct part *after)
{
	return after->sum / (double)after->n - before->sum / (double)before->n;
}

/* (shift / standard error) / threshold: above 1 the shift is a change. 0 if the shift is below the
 * minimum. */
static double strength_of(
	const struct series *series, const struct part *before, const struct part *after)
{
	double shift = fabs(shift_of(before, after));
	double n = (double)before->n;
	double m = (double)after->n;
	double error = sqrt(before->variance / (n * n) + after->variance / (m * m));

	return shift > MIN_SHIFT ? shift / error / series->threshold : 0;
}

/* The split of the values from..to-1 with the largest statistic; 0 if no split is a change. */
static size_t best_split(const struct series *series, size_t from, size_t to)
{
	const struct part whole = part_of(series, from, to);
	struct part before = {0};
	double best = 1;
	size_t split = 0;

	for (size_t i = from + 1; i < to; i++) {
		part_add(&before, series, i - 1);
		const struct part after = {whole.sum - before.sum, whole.variance - before.variance,
			whole.n - before.n};
		if (before.n < CHANGE_POINTS_MIN_VALUES || after.n < CHANGE_POINTS_MIN_VALUES)
			continue;
		double strength = strength_of(series, &before, &after);
		if (strength > best) {
			best = strength;
			split = i;
		}
	}
	return split;
}

/* The part that ends at change number `next`: the last part if there is no such change. */
static size_t part_end(const struct series *series, size_t next)
{
	return next < series->count ? series->changes[next].index : series->n;
}

static size_t part_begin(const struct series *series, size_t next)
{
	return next > 0 ? series->changes[next - 1].index : 0;
}

/* Splits parts from left to right until none has a change. */
static void segment(struct series *series)
{
	size_t next = 0; /* the change at which the part in progress ends */

	while (next <= series->count) {
		size_t split = best_split(series, part_begin(series, next), part_end(series, next));
		if (!split) {
			next++;
			continue;
		}
		memmove(&series->changes[next + 1], &series->changes[next],
			(series->count - next) * sizeof *series->changes);
		series->changes[next].index = split;
		series->count++;
	}
}

/* Sets the ratio of a change; returns its strength. */
static double judge(const struct series *series, size_t change)
{
	size_t index = series->changes[change].index;
	const struct part before = part_of(series, part_begin(series, change), index);
	const struct part after = part_of(series, index, part_end(series, change + 1));

	series->changes[change].ratio = exp(shift_of(&before, &after));
	return strength_of(series, &before, &after);
}

/* Removes the weakest change until all are significant. */
static void prune(struct series *series)
{
	for (;;) {
		double min = INFINITY;
		size_t weakest = 0;
		for (size_t i = 0; i < series->count; i++) {
			double strength = judge(series, i);
			if (strength < min) {
				min = strength;
				weakest = i;
			}
		}
		if (min > 1)
			return;
		series->count--;
		memmove(&series->changes[weakest], &series->changes[weakest + 1],
			(series->count - weakest) * sizeof *series->changes);
	}
}

size_t change_points_find(const double *logs, const double *sd, size_t n, double *scratch,
	struct change_point *ret_changes)
{
	if (n < 2 * CHANGE_POINTS_MIN_VALUES)
		return 0;
	struct series series = {.sd = sd,
		.n = n,
		.spread = robust_spread(logs, n, scratch),
		.threshold = 4.1 + 24 / (double)n,
		.changes = ret_changes};
	series.logs = scratch;
	for (size_t i = 0; i < n; i++)
		series.logs[i] = without_outlier(&series, logs, i);
	segment(&series);
	prune(&series);
	return series.count;
}
