/*
 * Verdicts on the ratio of two times: whether the new time is faster, slower or the same.
 */
#ifndef PMPP_COMMON_MODEL_VERDICT_H
#define PMPP_COMMON_MODEL_VERDICT_H

#include "common/model/repetition.h"

#include <stdbool.h>

enum verdict {
	VERDICT_SAME,
	VERDICT_FAST,
	VERDICT_SLOW,
	VERDICT_AMBG,
	VERDICT_MISSING,
	VERDICT_NOCOMP,
	VERDICT_COUNT
};

/* By verdict: "SAME", "FAST", ...; the last element is NULL. */
extern const char *const verdict_words[VERDICT_COUNT + 1];

/* Differences as fractions: 0.02 stands for the ratios from 1 / 1.02 to 1.02. */
struct verdict_limits {
	double same;   /* the largest difference that counts as the same speed; >= 0 */
	double differ; /* a smaller difference is never FAST or SLOW; 0 to same */
};

/* The limits of a device type: "gpu", "cpu", ... Other words and NULL get the limits of a CPU.
 *
 *     gpu    same 1.75 %, differ 1.75 %
 *     cpu    same 15 %, differ 10 %
 *
 * Unchanged kernels differ by up to 1.2 % between two cards of one model
 * (common/model/noise_floor.h), and a few kernels by up to 2.2 % between runs (docs/comparing.md).
 * A CPU that other programs use is far noisier. On a virtual machine, kernels that are bound by
 * memory keep one of several speeds for minutes, up to 1.2 times apart, and repeated runs within
 * these minutes do not show it (docs/results/pocl/compare). The limits of a CPU overlap: an
 * interval within `same` is SAME, even if it is beyond `differ`. */
struct verdict_limits verdict_limits_of(const char *device_type);

/* The limits for a comparison of two devices: the larger limits of both types. A tolerance that the
 * user gives replaces both limits; NAN = none. */
struct verdict_limits verdict_limits_with(
	double tolerance, const char *device_type, const char *other_type);

/* Intervals of time new / time base, ascending, with 95 and 99 %.
 *   SAME    ci95 lies between 1 / (1 + same) and 1 + same
 *   FAST    else: ci99 lies below 1 / (1 + differ)
 *   SLOW    else: ci99 lies above 1 + differ
 *   AMBG    else, or an end is NAN
 *
 * FAST and SLOW need 99 %: for any noise, at most 1 % of the comparisons of two sides with the same
 * speed are FAST or SLOW. */
enum verdict verdict_of(
	const double ci95[2], const double ci99[2], const struct verdict_limits *limits);

/* The largest p-value with which the verdict number k is confirmed. k: number of smaller p-values
 * among `count` judged rows; these must be confirmed too. With 95 % probability no row is confirmed
 * by chance: Holm's limit 0.05 / (count - k) (A simple sequentially rejective multiple test
 * procedure, Scandinavian Journal of Statistics 6, 1979). */
double verdict_p_limit(size_t k, size_t count);

/* ---- Fleets --------------------------------------------------------------------------------- */

/* Several processes (ranks) that run one job on several devices: which rank is slower than the others. */

/* Whether rank `index` is a straggler: the verdict on its time / the time of the median rank is
 * SLOW. The intervals contain the floor of noise
 * (common/model/repetition.h), so the usual difference between two cards of one model does not make
 * a rank a straggler.
 *
 * estimates: of one variant on `count` >= 1 ranks, in ascending order of log_ns. The median rank is
 * the middle one; if `count` is even, the faster one of the middle two. *ret_ratio and *ret_p are set
 * in all cases: the ratio of the times, and the p-value of "not slower" (verdict_p_limit()). For the
 * median rank both are 1. */
bool fleet_is_straggler(const struct repetition_estimate *estimates, size_t count, size_t index,
	const char *device_type, struct repetition_ratio *ret_ratio, double *ret_p);

#endif
