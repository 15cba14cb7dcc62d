#include "common/model/repetition.h"

#include <math.h>

#define NORMAL_975 1.959963984540054

struct repetition_estimate repetition_estimate_of(const struct repetitions *repetitions)
{
	const struct noise_floor *floor = &repetitions->floor;
	double n = (double)repetitions->count;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < repetitions->count; i++)
		sum += log(repetitions->medians_ns[i]);
	double mean = sum / n;
	for (size_t i = 0; i < repetitions->count; i++) {
		double distance = log(repetitions->medians_ns[i]) - mean;
		squares += distance * distance;
	}
	double dof = floor->dof + n - 1;
	double variance = (floor->dof * floor->sd * floor->sd + squares) / dof;
	if (squares > REPETITION_FLOOR_FAILS * (n - 1) * floor->sd * floor->sd) {
		dof = n - 1;
		variance = squares / dof;
	}
	double within = repetitions->half_width / NORMAL_975;
	/* fmax ignores NAN. */
	variance = fmax(variance, within * within);
	return (struct repetition_estimate){.log_ns = mean, .variance = variance / n, .dof = dof};
}

/* The expansion in 1 / dof. */
static double expansion(double v)
{
	const double z = NORMAL_975;
	const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

double student_t_975(double dof)
{
	const double exact[] = {12.706205, 4.302653, expansion(3)}; /* dof = 1, 2, 3 */
	double x = 1 / fmax(dof, 1);

	if (dof >= 3)
		return expansion(dof);
	if (dof >= 2)
		return exact[2] + (exact[1] - exact[2]) * (x - 1 / 3.0) * 6;
	return exact[1] + (exact[0] - exact[1]) * (x - 0.5) * 2;
}

/* exp(log_value +- t * standard error) */
static void interval_of(double log_value, double variance, double dof, double ret_interval[2])
{
	double half = student_t_975(dof) * sqrt(variance);

	ret_interval[0] = exp(log_value - half);
	ret_interval[1] = exp(log_value + half);
}

void repetition_interval(const struct repetition_estimate *estimate, double ret_ns[2])
{
	interval_of(estimate->log_ns, estimate->variance, estimate->dof, ret_ns);
}

struct repetition_ratio repetition_ratio_of(
	const struct repetition_estimate *over, const struct repetition_estimate *under)
{
	double variance = over->variance + under->variance;
	double dof = variance * variance /
		     (over->variance * over->variance / over->dof +
			     under->variance * under->variance / under->dof);
	struct repetition_ratio ratio = {.ratio = exp(over->log_ns - under->log_ns)};

	interval_of(over->log_ns - under->log_ns, variance, dof, ratio.ci95);
	return ratio;
}
