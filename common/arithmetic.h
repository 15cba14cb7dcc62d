/*
 * Errors that the standards allow the arithmetic of one build on one device: errors of library
 * functions and of divisions, and subnormal numbers that become 0. References use them for bounds.
 *
 * Additions, products and fused multiply-adds are rounded correctly, to nearest. OpenCL's embedded
 * profile also allows devices that round toward zero. The bounds do not cover such devices.
 *
 * Sources: OpenCL C specification 3.0, 7.4 "Relative error as ULPs" (full profile, embedded
 * profile, and -cl-unsafe-math-optimizations, which -cl-fast-relaxed-math includes) and 7.5.3
 * (flush to zero). CUDA C++ Programming Guide 12, "Mathematical Functions": standard functions, and
 * the intrinsic functions that replace them with -use_fast_math.
 */
#ifndef PMPP_COMMON_ARITHMETIC_H
#define PMPP_COMMON_ARITHMETIC_H

#include "common/dtype.h"

#include <stdbool.h>

/* The standard that limits errors of f32 functions. */
enum arithmetic_rules {
	ARITHMETIC_OPENCL,                  /* full profile */
	ARITHMETIC_OPENCL_RELAXED,          /* ... with -cl-fast-relaxed-math */
	ARITHMETIC_OPENCL_EMBEDDED,         /* embedded profile */
	ARITHMETIC_OPENCL_EMBEDDED_RELAXED, /* ... with -cl-fast-relaxed-math */
	ARITHMETIC_CUDA,
	ARITHMETIC_CUDA_FAST, /* ... with -use_fast_math */
	ARITHMETIC_RULES_COUNT
};

/* Zero-initialised: full profile of OpenCL, no options, subnormal numbers are kept. */
struct arithmetic {
	enum arithmetic_rules rules;
	bool exact_divide; /* f32 division and square root are rounded correctly */
	bool flushes_f32;  /* subnormal f32 operands and results may become 0 */
	bool flushes_f16;
	bool warp_sums_in_any_order; /* of f32: the driver chooses the order */
};

/* f32 functions of kernels. NATIVE: native_exp() and __expf(), and likewise for sin and cos. */
enum arithmetic_function {
	ARITHMETIC_DIVIDE, /* x / y, and 1 / y; the argument is y */
	ARITHMETIC_SQRT,
	ARITHMETIC_EXP,
	ARITHMETIC_SIN, /* sine and cosine: arguments in [-pi, pi]. Outside, relaxed and native
			   forms have no bound */
	ARITHMETIC_COS,
	ARITHMETIC_NATIVE_EXP,
	ARITHMETIC_NATIVE_SIN,
	ARITHMETIC_NATIVE_COS,
	ARITHMETIC_EXP2,
	ARITHMETIC_FUNCTION_COUNT
};

/*
 * Returns the largest absolute error of a function's result, including the final rounding.
 * argument: representable in f32. value: the exact result. The error of relaxed divisions is only
 * bounded if operands and result are far from underflow and overflow: 2^-62 <= |x|, |y| <= 2^62.
 */
double arithmetic_error(const struct arithmetic *arithmetic, enum arithmetic_function function,
	double argument, double value);

/* Returns the largest error relative to the exact result. Only for functions with a relative error:
 * division, square root and exponential. Underflow is not included. */
double arithmetic_relative_error(
	const struct arithmetic *arithmetic, enum arithmetic_function function, double argument);

/*
 * Returns the largest sum of underflow errors of `operations` results of a float type. One result
 * has an error of half the least subnormal number, or of the least normal number if results may
 * become 0. For operands that may become 0 see arithmetic_flushed_below().
 */
double arithmetic_underflow(
	const struct arithmetic *arithmetic, enum dtype dtype, double operations);

/* Returns the largest sum of underflow errors of a sum of `terms` f32 numbers, in any order. If
 * subnormal numbers are kept, the result is 0: the exact result of an addition is a multiple of the
 * least subnormal number. Otherwise operands and results may become 0. */
double arithmetic_sum_underflow(const struct arithmetic *arithmetic, double terms);

/* Returns the magnitude below which operands of the float type may become 0: the least normal number
 * if subnormal numbers may be flushed, else 0. */
double arithmetic_flushed_below(const struct arithmetic *arithmetic, enum dtype dtype);

#endif
