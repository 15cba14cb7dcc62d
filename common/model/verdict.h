/*
 * Verdicts on the ratio of two times: is the new one faster, slower, or the same?
 */
#ifndef PMPP_COMMON_MODEL_VERDICT_H
#define PMPP_COMMON_MODEL_VERDICT_H

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

/* By verdict: "SAME", "FAST", ...; ended by NULL. */
extern const char *const verdict_words[VERDICT_COUNT + 1];

/* Differences as fractions: 0.02 stands for the ratios from 1 / 1.02 to 1.02. */
struct verdict_limits {
	double same;   /* the largest difference that counts as the same speed; >= 0 */
	double differ; /* a smaller difference is never FAST or SLOW; 0 to same */
};

/* The limits of a device type ("gpu", "cpu", ...; NULL and other words have those of a CPU):
 *
 *     gpu    same 1.75 %, differ 1.75 %
 *     cpu    same 15 %, differ 0
 *
 * Two cards of one model, and a few kernels from run to run, differ by up to 1.7 % (docs/
 * comparing.md). A CPU that other programs use is far noisier; there the limits overlap, and an
 * interval within both is SAME. */
struct verdict_limits verdict_limits_of(const char *device_type);

/* The limits for a comparison of two devices: the larger ones of both types, or both limits from a
 * tolerance that the user gives (NAN: none). */
struct verdict_limits verdict_limits_with(
	double tolerance, const char *device_type, const char *other_type);

/* Intervals of time new / time base, ascending, with 95 and 99 %.
 *   SAME    ci95 lies between 1 / (1 + same) and 1 + same
 *   FAST    else: ci99 lies below 1 / (1 + differ)
 *   SLOW    else: ci99 lies above 1 + differ
 *   AMBG    else, or an end is NAN
 *
 * FAST and SLOW need 99 %, so that two sides of the same speed have them in at most 1 % of all
 * comparisons, whatever the noise is. */
enum verdict verdict_of(
	const double ci95[2], const double ci99[2], const struct verdict_limits *limits);

#endif
