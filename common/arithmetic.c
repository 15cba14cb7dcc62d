#include "common/arithmetic.h"

#include <math.h>

#define ULP 0x1p-23 /* of f32, relative to the result, at most */

/* ulps + ulps_per_argument |argument|, in ulps of the exact result, and an absolute error. */
struct function_error {
	double ulps, ulps_per_argument, absolute;
};

#define ULPS(n)         \
	{               \
		n, 0, 0 \
	}
#define ABSOLUTE(error)     \
	{                   \
		0, 0, error \
	}

/*
 * The table of CUDA counts ulps from the correctly rounded result. The error from the exact result
 * is half an ulp larger. -use_fast_math sets -prec-sqrt=false: at most 3 ulps on any device.
 *
 * OpenCL does not limit the errors of native functions. Here their limit is that of half_exp(),
 * half_sin() and half_cos(): 8192 ulps; for sine and cosine, ulps of 1.
 */
#define NATIVE_ULPS 8192
#define NATIVE ABSOLUTE(NATIVE_ULPS *ULP)

static const struct function_error errors[ARITHMETIC_RULES_COUNT][ARITHMETIC_FUNCTION_COUNT] = {
	[ARITHMETIC_OPENCL] = {ULPS(2.5), ULPS(3), ULPS(3), ULPS(4), ULPS(4), ULPS(NATIVE_ULPS),
		NATIVE, NATIVE, ULPS(3)},
	[ARITHMETIC_OPENCL_RELAXED] = {ULPS(2.5), ULPS(3), {3, 2, 0}, ABSOLUTE(0x1p-11),
		ABSOLUTE(0x1p-11), ULPS(NATIVE_ULPS), NATIVE, NATIVE, {3, 2, 0}},
	[ARITHMETIC_OPENCL_EMBEDDED] = {ULPS(3), ULPS(4), ULPS(4), ULPS(4), ULPS(4),
		ULPS(NATIVE_ULPS), NATIVE, NATIVE, ULPS(4)},
	[ARITHMETIC_OPENCL_EMBEDDED_RELAXED] = {ULPS(3), ULPS(4), ULPS(4), ABSOLUTE(0x1p-11),
		ABSOLUTE(0x1p-11), ULPS(NATIVE_ULPS), NATIVE, NATIVE, ULPS(4)},
	[ARITHMETIC_CUDA] = {ULPS(0.5), ULPS(0.5), ULPS(2.5), ULPS(2.5), ULPS(2.5), {2.5, 1.173, 0},
		ABSOLUTE(0x1p-21), ABSOLUTE(0x1p-21), ULPS(2.5)},
	[ARITHMETIC_CUDA_FAST] = {ULPS(2.5), ULPS(3.5), {2.5, 1.173, 0}, ABSOLUTE(0x1p-21),
		ABSOLUTE(0x1p-21), {2.5, 1.173, 0}, ABSOLUTE(0x1p-21), ABSOLUTE(0x1p-21),
		ULPS(2.5)},
};

static struct function_error error_of(
	const struct arithmetic *arithmetic, enum arithmetic_function function)
{
	static const struct function_error rounded = ULPS(0.5);
	bool divides = function == ARITHMETIC_DIVIDE || function == ARITHMETIC_SQRT;

	return divides && arithmetic->exact_divide ? rounded : errors[arithmetic->rules][function];
}

double arithmetic_relative_error(
	const struct arithmetic *arithmetic, enum arithmetic_function function, double argument)
{
	struct function_error error = error_of(arithmetic, function);

	return (error.ulps + error.ulps_per_argument * fabs(argument)) * ULP;
}

double arithmetic_error(const struct arithmetic *arithmetic, enum arithmetic_function function,
	double argument, double value)
{
	double relative = arithmetic_relative_error(arithmetic, function, argument);
	double absolute = error_of(arithmetic, function).absolute;
	/* An ulp of a subnormal result is the least subnormal number. */
	double subnormal = relative / ULP * dtype_info(DTYPE_F32)->min;

	return relative * fabs(value) + absolute + subnormal +
	       arithmetic_underflow(arithmetic, DTYPE_F32, 1);
}

double arithmetic_flushed_below(const struct arithmetic *arithmetic, enum dtype dtype)
{
	bool flushes = dtype == DTYPE_F16 ? arithmetic->flushes_f16 : arithmetic->flushes_f32;

	return flushes ? dtype_info(dtype)->min_normal : 0;
}

double arithmetic_underflow(
	const struct arithmetic *arithmetic, enum dtype dtype, double operations)
{
	double flushed = arithmetic_flushed_below(arithmetic, dtype);

	return operations * (flushed > 0 ? flushed : dtype_info(dtype)->min / 2);
}

double arithmetic_sum_underflow(const struct arithmetic *arithmetic, double terms)
{
	return arithmetic->flushes_f32 ? arithmetic_underflow(arithmetic, DTYPE_F32, 2 * terms) : 0;
}
