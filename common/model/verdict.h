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

/* A difference below this fraction is never FAST or SLOW: it has no use, and two cards of one model
 * differ by nearly as much. */
#define VERDICT_LEAST 0.01

/* Largest difference that counts as the same speed: tolerance of a device type ("gpu", "cpu", ...;
 * NULL and other words have that of a CPU). */
double verdict_tolerance(const char *device_type);

/* interval: 95 % interval of time new / time base, ascending.
 *   SAME    the interval lies between 1 / (1 + tolerance) and 1 + tolerance
 *   FAST    else: the interval lies below 1 / (1 + VERDICT_LEAST)
 *   SLOW    else: the interval lies above 1 + VERDICT_LEAST
 *   AMBG    else, or an end is NAN
 *
 * tolerance >= 0. If it is below VERDICT_LEAST, it replaces VERDICT_LEAST. */
enum verdict verdict_of(const double interval[2], double tolerance);

#endif
