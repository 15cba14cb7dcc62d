/*
 * Rounding-error bounds, and integers that need none.
 *
 * A chain of h roundings in a precision of unit roundoff u has relative error at most
 * gamma_h = h u / (1 - h u) of the sum of the magnitudes of its terms, in any order of summation.
 * (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 3.1 and
 * section 3.1.) It is infinite once h u >= 1.
 *
 * Sums have a bound without that limit. Rounding to nearest moves a + b by no more than |b|,
 * because a itself is a number of the format. A sum of n numbers, in any order, therefore has an
 * error of at most (n - 1) u sum |terms|, and a dot product of n products, in any order, of at most
 * n u sum |terms|, for every n. (C.-P. Jeannerod, S. M. Rump, Improved error bounds for inner
 * products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34(2), 2013, theorems 3.1 and
 * 4.1.) The proof for sums also holds for a chain of n fused multiply-adds from 0, p the exact
 * product: the rounding moves s + p by at most |p|, and by at most u |s + p|. Let S be the sum of
 * the magnitudes so far, E <= n u S the error so far. If |p| <= u S, then
 * E + |p| <= (n + 1) u S. Else E + u (S + |p| + E) <= n u S + u (S + |p|) + n u |p|, because
 * E <= n u S < n |p|: that is (n + 1) u (S + |p|).
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

/* What the h roundings of a chain are. */
enum chain_kind {
	/* Any: also quotients of sums. gamma_h. */
	CHAIN_ANY,

	/* Sums and dot products rounded to nearest. The chain adds h terms one after another, or
	 * several such chains in levels, of which one is long and the others together have less
	 * than 1 / u roundings. gamma_h while h u < 1/2, 2 h u beyond: levels of h1 and h2 <= 1 / u
	 * roundings have an error of at most (1 + h1 u) (1 + h2 u) - 1 <= 2 (h1 + h2) u. */
	CHAIN_SUM,

	/* Sums rounded in any way, relative to the sum of the magnitudes so far: (1 + u)^h - 1. It
	 * is finite, and beyond h u = 1 it soon means nothing. */
	CHAIN_CHOPPED_SUM,
	CHAIN_KIND_COUNT
};

/* The error of a chain of h roundings, as a part of the sum of the magnitudes of its terms. */
double bound_of_chain(enum chain_kind kind, int64_t h, double unit_roundoff);

/*
 * From here on the bound of an element may be as large as the sum of the magnitudes of its terms: 0
 * would pass for every answer. Such a bound judges nothing by itself.
 */
#define BLIND_BOUND 1.0

/*
 * The largest magnitude L of random integers whose sums stay exact in f32: sums of `terms` products
 * of `factors` (1 or 2) of them each, in any order. 0: there is none.
 *
 * Up to terms 8^factors < 2^24 no sum can reach 2^24 with the L returned, and L >= 8. Beyond, L is
 * at most 8, and sums that reach 2^24 are improbable: the terms are independent, they are within
 * L^factors, and their mean is 0 (data_fill_integer(): less than 2^-25, which moves a sum of 2^40
 * terms by less than 2^15). By Hoeffding's inequality a sum of n <= terms of them reaches 2^24 with
 * a probability of at most 2 exp(-2^48 / (2 terms L^(2 factors))) (W. Hoeffding, Probability
 * inequalities for sums of bounded random variables, J. Amer. Statist. Assoc. 58, 1963, theorem 2).
 * L is such that this is at most 2 exp(-64) = 3.2e-28: for all partial sums of a problem of 2^50
 * additions together, 4e-13.
 */
int64_t bound_integer_limit(int64_t terms, int factors);

/* NaN and infinity by their bits: no compiler option folds this away. */
bool f32_is_finite(float value);

/*
 * |got - want| as a fraction of its bound: <= 1 passes. The bound is gamma * terms + slack, plus
 * the least subnormal of the type (a result that underflows is rounded by at most half of that). A
 * got that is NaN or infinite, or any difference of an integer type, gives infinity; never NaN.
 */
double bound_ratio(enum dtype dtype, double got, const struct expected *want, double gamma);

#endif
