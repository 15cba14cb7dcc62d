/*
 * Several runs of one variant, each in its own process: their typical time, and its 95 % interval.
 *
 * The time is the trimmed mean of the logarithms of the n medians: the g = floor(n / 5) smallest
 * and the g largest are left out. One run in ten takes 1.4 to 1.8 times as long, because another
 * program uses the machine (PoCL on a virtual machine). Such runs hardly change a trimmed mean.
 *
 * The variance s^2 of a run follows from the Winsorised sum of squares W and h = n - 2 g. In W the
 * nearest value that is kept replaces each value that is left out:
 *
 *     variance of the trimmed mean = W / (h * (h - 1)), with h - 1 degrees of freedom
 *     s^2 = n * W / (h * (h - 1)) / REPETITION_TRIMMED   (without the divisor if g = 0)
 *
 * (Yuen: The two-sample trimmed t for unequal population variances, Biometrika 61, 1974.) For up
 * to four runs these are the mean and the usual variance.
 *
 * The variance of a run combines the floor of noise with s^2:
 *
 *     variance = (dof_floor * sd_floor^2 + (h - 1) * s^2) / (dof_floor + h - 1)
 *
 * This is the moderated variance of Smyth (Linear models and empirical Bayes methods, Statistical
 * Applications in Genetics and Molecular Biology 3, 2004). With one run it is the floor; with many
 * runs it is close to s^2. It is never below the variance of the samples within a run.
 *
 * If s^2 is above REPETITION_FLOOR_FAILS * sd_floor^2, the floor does not fit this variant. The
 * variance is then s^2, with h - 1 degrees of freedom.
 */
#ifndef PMPP_COMMON_MODEL_REPETITION_H
#define PMPP_COMMON_MODEL_REPETITION_H

#include <stddef.h>

#include "common/model/noise_floor.h"

/* About the quantile 0.95 of the F distribution with 1 (two runs) and dof_floor degrees of freedom:
 * 4.17 for dof_floor = 30 (the default floor of a GPU). The quantiles are smaller for more runs. For
 * 4 (the default floor of a CPU) the quantile is 7.71, so this floor is dropped more often. */
#define REPETITION_FLOOR_FAILS 5.0

/* The variance of the trimmed mean of a normal sample, divided by the variance of its mean: 1.06 to
 * 1.15, by simulation for 5 to 40 runs. */
#define REPETITION_TRIMMED 1.14

/* Runs of one variant. */
struct repetitions {
	const double *medians_ns; /* > 0 */
	size_t count;             /* >= 1 */
	double half_width;        /* of the 95 % interval of one median, as a fraction of it; NAN =
				     unknown */
	struct noise_floor floor;
};

struct repetition_estimate {
	double log_ns;   /* the trimmed mean of the logarithms of the medians, in ns */
	double variance; /* of log_ns */
	double dof;      /* degrees of freedom of the variance */
	double share;   /* variance of log_ns / variance of one run: 1 / n if nothing is left out */
	double own;     /* s^2; 0 if own_dof is 0 */
	double own_dof; /* h - 1 */
	double within;  /* variance of one median from the samples within a run; 0 = unknown */
	struct noise_floor floor; /* that the variance contains; dof 0: none */
};

struct repetition_estimate repetition_estimate_of(const struct repetitions *repetitions);

/* s^2. *ret_dof: h - 1; count >= 2. */
double repetition_variance(const double *medians_ns, size_t count, double *ret_dof);

/* The 95 % interval of the time in ns, ascending. */
void repetition_interval(const struct repetition_estimate *estimate, double ret_ns[2]);

/* Ratio of two times. */
struct repetition_ratio {
	double ratio;          /* time of `over` / time of `under` */
	double ci95[2];        /* ascending */
	double ci99[2];        /* the same with 99 % */
	double log_error, dof; /* standard error of log(ratio), and its degrees of freedom */
};

/* One-sided p-value of "the ratio is at most `limit`": small if `over` is slower than that. limit >
 * 0. */
double repetition_p_above(const struct repetition_ratio *ratio, double limit);

/* If both estimates contain the same floor, it enters once: the two sides have one variance, with
 * the degrees of freedom of the floor and of both s^2. Otherwise the variances add, and the degrees
 * of freedom follow from Welch's formula (The generalization of Student's problem when several
 * different population variances are involved, Biometrika 34, 1947). */
struct repetition_ratio repetition_ratio_of(
	const struct repetition_estimate *over, const struct repetition_estimate *under);

#endif
