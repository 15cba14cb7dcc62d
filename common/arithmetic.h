/*
 * What the standards allow the arithmetic of one build on one device: errors of library functions
 * and of divisions, and subnormal numbers that become 0. References use it for their bounds.
 *
 * Additions, products and fused multiply-adds are rounded correctly, to nearest. OpenCL's embedded
 * profile also allows devices that round toward zero: bounds do not cover those.
 *
 * Sources: OpenCL C specification 3.0, 7.4 "Relative error as ULPs" (full profile, embedded
 * profile, and -cl-unsafe-math-optimizations, which -cl-fast-relaxed-math includes) and 7.5.3
 * (flush to zero). CUDA C++ Programming Guide 12, "Mathematical Functions": standard functions, and
 * the intrinsic functions that -use_fast_math puts in their place.
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

/* Zero-initialised: OpenCL's full profile without options, subnormal numbers are kept. */
struct arithmetic {
	enum arithmetic_rules rules;
	bool exact_divide; /* f32 division and square root are rounded correctly */
	bool flushes_f32;  /* subnormal f32 operands and results may become 0 */
	bool flushes_f16;
};

bool arithmetic_equal(const struct arithmetic *a, const struct arithmetic *b);

/* f32 functions of kernels. NATIVE: native_exp() and the like, __expf() and the like. */
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
	ARITHMETIC_FUNCTION_COUNT
};

/*
 * Largest |error| of a function's result, its last rounding included. argument: a number that f32
 * holds. value: the exact result. Relaxed divisions have a bound only where operands and result are
 * far from underflow and overflow: 2^-62 <= |x|, |y| <= 2^62.
 */
double arithmetic_error(const struct arithmetic *arithmetic, enum arithmetic_function function,
	double argument, double value);

/* The same, as a part of the exact result, for the functions whose error is relative: division,
 * square root and exponential. Underflow is not included. */
double arithmetic_relative_error(
	const struct arithmetic *arithmetic, enum arithmetic_function function, double argument);

/* true: subnormal numbers of the float type may become 0. */
bool arithmetic_flushes(const struct arithmetic *arithmetic, enum dtype dtype);

/*
 * Largest sum of errors by underflow of `operations` results of a float type: half of the least
 * subnormal number for each, or the least normal number where results may become 0. Operands that
 * may become 0 are arithmetic_operand_loss().
 */
double arithmetic_underflow(
	const struct arithmetic *arithmetic, enum dtype dtype, double operations);

/* The same for a sum of so many f32 numbers, in any order: operands and results may become 0. An
 * addition without that has no error by underflow: its exact result is a multiple of the least
 * subnormal number. */
double arithmetic_sum_underflow(const struct arithmetic *arithmetic, double terms);

/* What an operand of a float type loses if it becomes 0: its magnitude where it is subnormal and
 * may be flushed, else 0. */
double arithmetic_operand_loss(
	const struct arithmetic *arithmetic, enum dtype dtype, double operand);

#endif
