/*
 * Rounding-error bounds.
 *
 * A chain of h roundings in a precision of unit roundoff u has relative error at most
 * gamma_h = h u / (1 - h u) of the sum of the magnitudes of its terms, in any order of summation.
 * (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1 and
 * section 3.1.)
 */
#ifndef PMPP_COMMON_BOUND_H
#define PMPP_COMMON_BOUND_H

#include "common/dtype.h"

#include <stdbool.h>
#include <stdint.h>

#define F32_UNIT_ROUNDOFF 0x1p-24

/* The right answer for one output, and what its bound is made of. */
struct expected {
	double value;
	double terms; /* sum of the magnitudes added for it: the bound is gamma_h of it ... */
	double slack; /* ... and this: errors that are not roundings of sums (library functions) */
};

/* gamma_h; infinity when h u >= 1. */
double bound_gamma(int64_t h, double unit_roundoff);

/* NaN and infinity by their bits: no compiler option folds this away. */
bool f32_is_finite(float value);

/*
 * |got - want| as a fraction of its bound: <= 1 passes. The bound is gamma * terms + slack, plus
 * the least subnormal of the type (a result that underflows is rounded by at most half of that). A
 * got that is NaN or infinite, or any difference of an integer type, gives infinity; never NaN.
 */
double bound_ratio(enum dtype dtype, double got, const struct expected *want, double gamma);

#endif
