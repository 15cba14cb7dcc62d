/*
 * The sampling rule of the timing contract (docs/measuring.md): the sample after which a block of
 * samples ends.
 *
 * The samples are evaluated only at fixed checkpoints. A rule that evaluates them after every
 * sample stops where the interval is narrow by chance, and the interval then covers less than it
 * claims. If sampling ends when an interval is narrow, the interval keeps its coverage for a small
 * width (Chow and Robbins: On the asymptotic theory of fixed-width sequential confidence intervals,
 * Annals of Mathematical Statistics 36, 1965). The margins of the first checkpoints come from
 * simulation.
 */
#ifndef PMPP_COMMON_MODEL_SAMPLING_H
#define PMPP_COMMON_MODEL_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/stats.h"

/* Wanted half-width of the 95 % interval of the median, as a fraction of the median. */
#define SAMPLING_HALF_WIDTH 0.005

struct sampling_limits {
	size_t first;  /* the first checkpoint; the next ones are at 2, 4, 8 ... times this */
	size_t min;    /* the time limit ends the block only after this many samples; >= 1 */
	size_t max;    /* the last checkpoint; ends the block; >= min */
	double min_ns; /* the interval ends the block only after this wall time */
	double max_ns; /* time limit */
};

/* The limits of a block of samples. min_samples = 0 is the default, with fewer samples for a slow
 * run:
 *
 *     one run takes     up to 10 ms   up to 1 s   longer
 *     minimum samples   20            10          3
 *
 * The first checkpoint is at 20, or at min_samples if that is above 0, but not below 8. The block
 * may take four times min_time_ns or 0.2 s, whichever is longer. */
struct sampling_limits sampling_limits_of(
	size_t min_samples, size_t max_samples, double min_time_ns, double run_ns);

/* Limits for exactly n samples, without the rule. */
struct sampling_limits sampling_exactly(size_t n);

/* Whether the samples are evaluated after n of them. */
bool sampling_is_checkpoint(const struct sampling_limits *limits, size_t n);

/* Whether the intervals of the median are narrow enough to end the block at a checkpoint. The width
 * of an interval is itself an estimate with an error, and the block must not end because the error
 * makes it small. Therefore the half-width must be below SAMPLING_HALF_WIDTH by the fraction
 * 2.4 / sqrt(n), about two standard errors of the width. The same holds for the 99 % interval,
 * scaled to 95 % as for a normal distribution.
 *
 * Simulated coverage of the 95 % interval after the end of the block, the minimum over noise of
 * 0.3 to 10 % (normal and drifting): 92.4 % without the margin, 93.8 % with it. */
bool sampling_is_narrow(const struct stats *stats);

/* Whether the block ends after n samples and elapsed_ns. narrow: at a checkpoint, whether
 * sampling_is_narrow() holds for all variants of the block; else false. */
bool sampling_ends(const struct sampling_limits *limits, size_t n, double elapsed_ns, bool narrow);

/* Whether the samples at the end of the block are noisy: the interval is unknown, or its half-width
 * is not below SAMPLING_HALF_WIDTH. */
bool sampling_is_noisy(const struct stats *stats);

#endif
