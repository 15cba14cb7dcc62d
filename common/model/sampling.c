#include "common/model/sampling.h"

#include <math.h>

#define FIRST_CHECKPOINT 20
#define MIN_CHECKPOINT 8 /* fewer samples have no 99 % interval */
#define LONGEST_BLOCK 4  /* x min_time */
#define MIN_BLOCK_NS 2e8 /* smallest time limit of a block */
#define WIDTH_MARGIN 2.4
#define NORMAL_95_TO_99 (1.960 / 2.576) /* quantiles of the normal distribution */

static const struct {
	double run_ns; /* the row applies to runs of at most this time */
	size_t min;
} min_rows[] = {{1e7, 20}, {1e9, 10}, {INFINITY, 3}};

static size_t min_of(double run_ns)
{
	size_t row = 0;

	while (run_ns > min_rows[row].run_ns)
		row++;
	return min_rows[row].min;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

struct sampling_limits sampling_limits_of(
	size_t min_samples, size_t max_samples, double min_time_ns, double run_ns)
{
	size_t min = min_samples > 0 ? min_samples : min_of(run_ns);
	size_t max = larger(max_samples, min_samples > 0 ? min_samples : 1);

	return (struct sampling_limits){
		.first = min_samples > 0 ? larger(min_samples, MIN_CHECKPOINT) : FIRST_CHECKPOINT,
		.min = min < max ? min : max,
		.max = max,
		.min_ns = min_time_ns,
		.max_ns = fmax(LONGEST_BLOCK * min_time_ns, MIN_BLOCK_NS)};
}

struct sampling_limits sampling_exactly(size_t n)
{
	return (struct sampling_limits){
		.first = n, .min = n, .max = n, .min_ns = INFINITY, .max_ns = INFINITY};
}

bool sampling_is_checkpoint(const struct sampling_limits *limits, size_t n)
{
	size_t checkpoint = limits->first;

	while (checkpoint < n)
		checkpoint *= 2;
	return n == checkpoint || n == limits->max;
}

bool sampling_is_narrow(const struct stats *stats)
{
	double margin = WIDTH_MARGIN / sqrt((double)stats->n);
	double wanted = (1 - margin) * SAMPLING_HALF_WIDTH;
	double outer = (stats->ci99[1] - stats->ci99[0]) / 2 / stats->median * NORMAL_95_TO_99;

	return stats_half_width(stats) < wanted && outer < wanted;
}

bool sampling_ends(const struct sampling_limits *limits, size_t n, double elapsed_ns, bool narrow)
{
	if (n >= limits->max)
		return true;
	if (narrow && elapsed_ns >= limits->min_ns)
		return true;
	return n >= limits->min && elapsed_ns >= limits->max_ns;
}

bool sampling_is_noisy(const struct stats *stats)
{
	return !(stats_half_width(stats) < SAMPLING_HALF_WIDTH);
}
