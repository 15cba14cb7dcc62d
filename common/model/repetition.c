#include "common/model/repetition.h"

#include <math.h>
#include <stdbool.h>

#define NORMAL_975 1.959963984540054

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The value with the index `rank` in ascending order; rank < count. */
static double value_of_rank(const double *values, size_t count, size_t rank)
{
	double found = values[0];

	for (size_t i = 0; i < count; i++) {
		size_t smaller = 0, equal = 0;
		for (size_t j = 0; j < count; j++) {
			smaller += values[j] < values[i];
			equal += values[j] == values[i];
		}
		if (smaller <= rank && rank < smaller + equal)
			found = values[i];
	}
	return found;
}

struct trimmed {
	double mean, variance, dof; /* of the logarithm of a run's median */
	double share;               /* variance of the mean / variance of a run */
};

static struct trimmed trimmed_of(const double *medians_ns, size_t count)
{
	const size_t out = count / 5;
	const double min = log(value_of_rank(medians_ns, count, out));
	const double max = log(value_of_rank(medians_ns, count, count - 1 - out));
	const double n = (double)count, kept = (double)(count - 2 * out);
	const double wider = out ? REPETITION_TRIMMED : 1;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		sum += fmin(fmax(log(medians_ns[i]), min), max);
	for (size_t i = 0; i < count; i++) {
		double away = fmin(fmax(log(medians_ns[i]), min), max) - sum / n;
		squares += away * away;
	}
	return (struct trimmed){.mean = (sum - (double)out * (min + max)) / kept,
		.variance = kept > 1 ? n * squares / (kept * (kept - 1)) / wider : 0,
		.dof = kept - 1,
		.share = wider / n};
}

double repetition_variance(const double *medians_ns, size_t count, double *ret_dof)
{
	const struct trimmed trimmed = trimmed_of(medians_ns, count);

	*ret_dof = trimmed.dof;
	return trimmed.variance;
}

struct repetition_estimate repetition_estimate_of(const struct repetitions *repetitions)
{
	const struct noise_floor *floor = &repetitions->floor;
	const struct trimmed runs = trimmed_of(repetitions->medians_ns, repetitions->count);
	double within = repetitions->half_width / NORMAL_975;
	struct repetition_estimate estimate = {.log_ns = runs.mean,
		.dof = floor->dof + runs.dof,
		.share = runs.share,
		.own = runs.variance,
		.own_dof = runs.dof,
		.within = within > 0 ? within * within : 0,
		.floor = *floor};
	double variance =
		(floor->dof * floor->sd * floor->sd + runs.dof * runs.variance) / estimate.dof;

	if (runs.variance > REPETITION_FLOOR_FAILS * floor->sd * floor->sd) {
		estimate.dof = runs.dof;
		variance = runs.variance;
		estimate.floor.dof = 0;
	}
	estimate.variance = fmax(variance, estimate.within) * runs.share;
	return estimate;
}

/* ---- Student's t distribution ---------------------------------------------------------------- */

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

/* dof >= 1. For dof >= 5: the expansion of Abramowitz and Stegun, Handbook of Mathematical Functions,
 * 26.7.5, with an error below 0.7 %. Below 5: linear in 1 / dof between the exact values. */
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

/* The continued fraction of the incomplete beta function for x <= (a + 1) / (a + b + 2), by the
 * modified method of Lentz (Applied Optics 15, 1976). */
static double beta_fraction(double a, double b, double x)
{
	const double min = 1e-300;
	double c = 1, d = 1 / fmax(1 - (a + b) * x / (a + 1), min);
	double value = d;

	for (int m = 1; m <= 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / fmax(1 + even * d, min);
		c = fmax(1 + even / c, min);
		value *= d * c;
		d = 1 / fmax(1 + odd * d, min);
		c = fmax(1 + odd / c, min);
		value *= d * c;
		if (fabs(d * c - 1) < 1e-9)
			break;
	}
	return value;
}

/* The regularised incomplete beta function I_x(a, b), 0 <= x <= 1. */
static double incomplete_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x <= (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* P(T > t), dof >= 1: half the regularised incomplete beta function of dof / (dof + t^2) with dof / 2 and
 * 1/2 (Abramowitz and Stegun 26.7.1; the continued fraction 26.5.8). The relative error is below 1e-6. */
static double student_t_tail(double t, double dof)
{
	double half = incomplete_beta(dof / 2, 0.5, dof / (dof + t * t)) / 2;

	return t >= 0 ? half : 1 - half;
}

/* ---- Intervals ------------------------------------------------------------------------------- */

/* exp(log_value +- t * standard error) */
static void interval_of(double log_value, double variance, double t, double ret_interval[2])
{
	double half = t * sqrt(variance);

	ret_interval[0] = exp(log_value - half);
	ret_interval[1] = exp(log_value + half);
}

void repetition_interval(const struct repetition_estimate *estimate, double ret_ns[2])
{
	interval_of(estimate->log_ns, estimate->variance, quantile(&two_sided_95, estimate->dof),
		ret_ns);
}

/* The variance of the logarithm of the ratio. */
struct combined {
	double variance, dof;
};

static bool share_floor(const struct repetition_estimate *a, const struct repetition_estimate *b)
{
	return a->floor.dof > 0 && a->floor.dof == b->floor.dof && a->floor.sd == b->floor.sd;
}

static struct combined pooled(
	const struct repetition_estimate *a, const struct repetition_estimate *b)
{
	const struct noise_floor *floor = &a->floor;
	double dof = floor->dof + a->own_dof + b->own_dof;
	double one =
		(floor->dof * floor->sd * floor->sd + a->own_dof * a->own + b->own_dof * b->own) /
		dof;

	return (struct combined){
		fmax(one, a->within) * a->share + fmax(one, b->within) * b->share, dof};
}

static struct combined welch(
	const struct repetition_estimate *a, const struct repetition_estimate *b)
{
	double variance = a->variance + b->variance;

	return (struct combined){variance,
		variance * variance /
			(a->variance * a->variance / a->dof + b->variance * b->variance / b->dof)};
}

static struct repetition_ratio ratio_of(double log_ratio, const struct combined *both)
{
	struct repetition_ratio ratio = {
		.ratio = exp(log_ratio), .log_error = sqrt(both->variance), .dof = both->dof};

	interval_of(log_ratio, both->variance, quantile(&two_sided_95, both->dof), ratio.ci95);
	interval_of(log_ratio, both->variance, quantile(&two_sided_99, both->dof), ratio.ci99);
	return ratio;
}

struct repetition_ratio repetition_ratio_of(
	const struct repetition_estimate *over, const struct repetition_estimate *under)
{
	const struct combined both =
		share_floor(over, under) ? pooled(over, under) : welch(over, under);

	return ratio_of(over->log_ns - under->log_ns, &both);
}

double repetition_p_above(const struct repetition_ratio *ratio, double limit)
{
	return student_t_tail((log(ratio->ratio) - log(limit)) / ratio->log_error, ratio->dof);
}
