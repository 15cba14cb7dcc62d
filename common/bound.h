/*
 * Rounding-error bounds, and integers for which sums are exact.
 *
 * A chain of h roundings in a precision of unit roundoff u has relative error at most
 * gamma_h = h u / (1 - h u) of the sum of the magnitudes of its terms, in any order of summation.
 * (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1 and
 * section 3.1.) gamma_h is infinite for h u >= 1.
 *
 * Sums have a bound that is finite for every h. Rounding to nearest moves a + b by no more than
 * |b|, because a itself is a number of the format. A sum of n numbers, in any order, therefore has
 * an error of at most (n - 1) u sum |terms|, and a dot product of n products, in any order, of at
 * most n u sum |terms|, for every n. (C.-P. Jeannerod, S. M. Rump, Improved error bounds for inner
 * products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34(2), 2013, theorems 3.1 and
 * 4.1.) The proof for sums also holds for a chain of n fused multiply-adds that starts at 0. Let p
 * be the exact product: the rounding moves s + p by at most |p|, and by at most u |s + p|. Let S be
 * the sum of the previous magnitudes, and E <= n u S the previous error. The new error is at most
 *   E + |p| <= (n + 1) u S                                          if |p| <= u S
 *   E + u (S + |p| + E) <= n u S + u (S + |p|) + n u |p|            else, since E <= n u S < n |p|
 *                        = (n + 1) u (S + |p|)
 */
#ifndef PMPP_COMMON_BOUND_H
#define PMPP_COMMON_BOUND_H

#include "common/dtype.h"

#include <stdbool.h>
#include <stdint.h>

#define F32_UNIT_ROUNDOFF 0x1p-24

/* The right answer for one output, and its error bound: gamma_h * terms + slack. */
struct expected {
	double value;
	double terms; /* sum of the magnitudes of the terms of the value */
	double slack; /* errors that are not roundings of sums: library functions */
};

/* The sum of f32 numbers, without slack. It adds runs of numbers, so that its own error stays far
 * below that of f32. */
struct expected expected_sum(const float *terms, int64_t count);

/* Kind of the h roundings of a chain. */
enum chain_kind {
	/* Any roundings, for example quotients of sums. Error: gamma_h; infinity if h u >= 1. */
	CHAIN_ANY,

	/* Sums and dot products rounded to nearest. The chain adds h terms one after another, or
	 * several such chains in levels. Only one level is long: the others together have less
	 * than 1 / u roundings. Error: gamma_h for h u < 1/2, else 2 h u. Levels of h1 and
	 * h2 <= 1 / u roundings have at most (1 + h1 u) (1 + h2 u) - 1 <= 2 (h1 + h2) u. */
	CHAIN_SUM,

	/* Sums rounded in any direction: each rounding has an error of at most u times the sum of
	 * the previous magnitudes. Error: (1 + u)^h - 1, finite but useless for large h u. */
	CHAIN_CHOPPED_SUM,
	CHAIN_KIND_COUNT
};

/* Returns the error of a chain of h roundings, relative to the sum of the magnitudes of its terms.
 */
double bound_of_chain(enum chain_kind kind, int64_t h, double unit_roundoff);

/* A relative bound of this value or more accepts 0 for any answer. Such a bound alone cannot reject
 * a wrong answer. */
#define BLIND_BOUND 1.0

/*
 * Returns the largest magnitude L of random integers for which sums are exact in f32: sums of
 * `terms` products of `factors` (1 or 2) integers each, in any order. 0: no such magnitude exists.
 *
 * If terms 8^factors < 2^24, then L >= 8, and no sum can reach 2^24. Otherwise L is at most 8, and
 * sums rarely reach 2^24: the terms are independent, their magnitude is at most L^factors, and
 * their mean is 0 (data_fill_integer(): less than 2^-25, which moves a sum of 2^40 terms by less
 * than 2^15). Hoeffding's inequality: a sum of at most `terms` terms reaches 2^24 with a
 * probability of at most 2 exp(-2^48 / (2 terms L^(2 factors))) (W. Hoeffding, Probability
 * inequalities for sums of bounded random variables, J. Amer. Statist. Assoc. 58, 1963, theorem 2).
 * L keeps this probability at or below 2 exp(-64) = 3.2e-28. For all partial sums of 2^50 additions
 * it is at most 4e-13.
 */
int64_t bound_integer_limit(int64_t terms, int factors);

/* Returns false for NaN and infinity. It tests the bits, so that no compiler option removes the
 * test. */
bool f32_is_finite(float value);

/*
 * Returns |got - want| / bound: a value <= 1 passes. The bound is gamma * terms + slack, plus the
 * least subnormal number of the type: rounding moves a result that underflows by at most half of
 * that number. In an integer type, values with terms (sums) must be equal; without terms the bound
 * is the slack. Returns infinity if `got` is NaN or infinite; never NaN.
 */
double bound_ratio(enum dtype dtype, double got, const struct expected *want, double gamma);

/* The error of an f32 value in units in the last place of the correct value. */
double bound_ulps(double got, double want);

#endif
