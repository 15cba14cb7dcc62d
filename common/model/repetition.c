#include "common/model/repetition.h"

#include <math.h>

#define NORMAL_975 1.959963984540054

static double mean_log(const double *medians_ns, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += log(medians_ns[i]);
	return sum / (double)count;
}

/* Sum of squared distances of the logarithms from their mean. */
static double log_squares(const double *medians_ns, size_t count)
{
	double mean = mean_log(medians_ns, count);
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += (log(medians_ns[i]) - mean) * (log(medians_ns[i]) - mean);
	return squares;
}

double repetition_variance(const double *medians_ns, size_t count)
{
	return log_squares(medians_ns, count) / (double)(count - 1);
}

struct repetition_estimate repetition_estimate_of(const struct repetitions *repetitions)
{
	const struct noise_floor *floor = &repetitions->floor;
	double n = (double)repetitions->count;
	double squares = log_squares(repetitions->medians_ns, repetitions->count);
	double dof = floor->dof + n - 1;
	double variance = (floor->dof * floor->sd * floor->sd + squares) / dof;

	if (squares > REPETITION_FLOOR_FAILS * (n - 1) * floor->sd * floor->sd) {
		dof = n - 1;
		variance = squares / dof;
	}
	double within = repetitions->half_width / NORMAL_975;
	/* fmax ignores NAN. */
	variance = fmax(variance, within * within);
	return (struct repetition_estimate){
		.log_ns = mean_log(repetitions->medians_ns, repetitions->count),
		.variance = variance / n,
		.dof = dof};
}

/* A quantile of Student's t distribution. */
#define EXACT 5
struct student {
	double normal;       /* infinitely many degrees of freedom */
	double exact[EXACT]; /* 1, 2, ... degrees of freedom */
};

static const struct student two_sided_95 = {
	NORMAL_975, {12.706205, 4.302653, 3.182446, 2.776445, 2.570582}};
static const struct student two_sided_99 = {
	2.575829303548901, {63.656741, 9.924843, 5.840909, 4.604095, 4.032143}};

static double quantile(const struct student *student, double dof)
{
	const double z = student->normal;
	const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
	double v = fmax(dof, 1); /* 1 for NAN */
	size_t below = (size_t)fmin(v, EXACT);

	if (v >= EXACT)
		return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
		       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
	/* 1 at `below` degrees of freedom, 0 at one more. */
	double weight = (1 / v - 1 / (double)(below + 1)) * (double)(below * (below + 1));
	return weight * student->exact[below - 1] + (1 - weight) * student->exact[below];
}

double student_t_975(double dof)
{
	return quantile(&two_sided_95, dof);
}

double student_t_995(double dof)
{
	return quantile(&two_sided_99, dof);
}

/* exp(log_value +- t * standard error) */
static void interval_of(double log_value, double variance, double t, double ret_interval[2])
{
	double half = t * sqrt(variance);

	ret_interval[0] = exp(log_value - half);
	ret_interval[1] = exp(log_value + half);
}

void repetition_interval(const struct repetition_estimate *estimate, double ret_ns[2])
{
	interval_of(estimate->log_ns, estimate->variance, student_t_975(estimate->dof), ret_ns);
}

struct repetition_ratio repetition_ratio_of(
	const struct repetition_estimate *over, const struct repetition_estimate *under)
{
	double variance = over->variance + under->variance;
	double dof = variance * variance /
		     (over->variance * over->variance / over->dof +
			     under->variance * under->variance / under->dof);
	double log_ratio = over->log_ns - under->log_ns;
	struct repetition_ratio ratio = {.ratio = exp(log_ratio)};

	interval_of(log_ratio, variance, student_t_975(dof), ratio.ci95);
	interval_of(log_ratio, variance, student_t_995(dof), ratio.ci99);
	return ratio;
}
