/*
 * Compares one kernel on two backends: a verdict on the times, and the promise of the same bits.
 */
#ifndef PMPP_COMMON_MODEL_PARITY_H
#define PMPP_COMMON_MODEL_PARITY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/outcome.h"

enum parity_verdict {
	PARITY_SAME,
	PARITY_FAST,
	PARITY_SLOW,
	PARITY_AMBG,
	PARITY_RESULTS_ONLY,
	PARITY_VERDICT_COUNT
};

/* By verdict: "SAME", "FAST", ...; ended by NULL. */
extern const char *const parity_verdict_words[PARITY_VERDICT_COUNT + 1];

/* "unknown" for a value outside the enumeration. */
const char *parity_verdict_name(enum parity_verdict verdict);

/* Limits of the tolerance that follows from noise. A difference below the lower limit has no use. A
 * tolerance above the upper limit would hide real differences. */
#define PARITY_MIN_TOLERANCE 0.01
#define PARITY_MAX_TOLERANCE 0.10

/* interval: confidence interval of the ratio of times, ascending; NULL = not timed. *tolerance: NAN is replaced
 * by the tolerance below.
 *   RESULTS_ONLY  not timed
 *   SAME          the interval lies within 1 +- tolerance; its ends may be these borders
 *   FAST, SLOW    the whole interval lies below, above the borders
 *   AMBG          it contains a border, or its ends are NAN
 *
 * The tolerance that follows from the noise of the samples: 2.3 times the half-width of the
 * interval, within the limits above. With it one kernel against itself is SAME in about 99 % of all
 * comparisons:
 *
 *     If both sides have the same speed, the measured ratio is about normal around 1, with the
 *     standard error s. The 95 % interval is the ratio +- 1.96 s. The ratio lies within 1 +- 2.58 s
 *     in 99 % of all comparisons, and then the whole interval lies within 1 +- 4.54 s, which is
 *     4.54 / 1.96 = 2.3 half-widths. */
enum parity_verdict parity_judge(const double interval[2], double *tolerance);

/* One row of a summary. */
struct parity_score {
	int verdict;  /* enum parity_verdict; another value means that the row has no times */
	double ratio; /* of times */
};

/* Whether the verdict is about times: a value of the enumeration except RESULTS_ONLY. */
bool parity_is_timed(int verdict);

/* Finds the timed rows that are not SAME with the largest |ln(ratio)|: a ratio of 2 and a ratio of
 * 1/2 are equally far from 1. max >= 1. ret_worst: room for `max` indices, in descending order of
 * |ln(ratio)|; rows with equal values keep their order. Returns the number of indices; 0: there is
 * no such row. */
size_t parity_worst(const struct parity_score *scores, size_t count, size_t max, size_t *ret_worst);

/* One side of the comparison. */
struct parity_side {
	enum outcome_status status;
	bool promises_bits; /* the variant gives the same bits on every engine */
};

/* Whether both sides passed and promise the same bits, but the outputs differ. free_math: the
 * compilers may change results (--math=fast), so the promise does not hold. */
bool parity_breaks_promise(const struct parity_side sides[2], bool free_math, bool bit_identical);

#endif
