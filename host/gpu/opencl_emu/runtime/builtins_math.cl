/*
 * Mathematical functions (OpenCL C 6.12.2) that the C library has: errors by the GNU C Library
 * manual, "Known Maximum Errors in Math Functions", for x86-64 and aarch64. All are within the
 * bounds of the specification (OpenCL C 7.4):
 *
 *	function                                            bound, ulp     C library, ulp
 *	fma, sqrt, ceil, fmod, remainder, rint ...          0 (float: 3)   0
 *	sin, cos, exp, exp2, exp10, log, log2, log10        3 or 4         1 or 2
 *	acos, asin, atan, tan, atan2                        4 to 6         1
 *	cosh, sinh, tanh, acosh, asinh, atanh               4 or 5         2 or 3
 *	erf, erfc, pow, tgamma, hypot                       16 (hypot 4)   1, 5, 1, 10, 1
 *
 * f16 is computed in float and rounded once more: at most 1 ulp, bound 2 or more. native_ and
 * half_ functions (bounds: implementation-defined, 8192 ulp) are the functions without the
 * prefix.
 */
#define PMPP_LIBRARY1(name)                                  \
	float pmpp_##name##_float(float) __asm__(#name "f"); \
	double pmpp_##name##_double(double) __asm__(#name);  \
	PMPP_IN float pmpp_##name(float a)                   \
	{                                                    \
		return pmpp_##name##_float(a);               \
	}                                                    \
	PMPP_IN double pmpp_##name(double a)                 \
	{                                                    \
		return pmpp_##name##_double(a);              \
	}
#define PMPP_LIBRARY2(name)                                         \
	float pmpp_##name##_float(float, float) __asm__(#name "f"); \
	double pmpp_##name##_double(double, double) __asm__(#name); \
	PMPP_IN float pmpp_##name(float a, float b)                 \
	{                                                           \
		return pmpp_##name##_float(a, b);                   \
	}                                                           \
	PMPP_IN double pmpp_##name(double a, double b)              \
	{                                                           \
		return pmpp_##name##_double(a, b);                  \
	}
/* f16 by way of float, and with the overloads. */
#define PMPP_HALF1(name)                            \
	PMPP_IN half pmpp_##name(half a)            \
	{                                           \
		return (half)pmpp_##name((float)a); \
	}
#define PMPP_HALF2(name)                                      \
	PMPP_IN half pmpp_##name(half a, half b)              \
	{                                                     \
		return (half)pmpp_##name((float)a, (float)b); \
	}
#define PMPP_MATH1(name) PMPP_HALF1(name) PMPP_FLOATS(PMPP_GENERIC1, name)
#define PMPP_MATH2(name) PMPP_HALF2(name) PMPP_FLOATS(PMPP_GENERIC2, name)
/* The second argument may be a scalar. */
#define PMPP_GENERIC2_SCALAR(T, I, U, name) PMPP_SIZES(PMPP_VECTOR2_SCALAR, name, T, T, T)

#define PMPP_OF_LIBRARY1(name) PMPP_IF(name)(PMPP_LIBRARY1(name) PMPP_MATH1(name))
#define PMPP_OF_LIBRARY2(name) PMPP_IF(name)(PMPP_LIBRARY2(name) PMPP_MATH2(name))
PMPP_OF_LIBRARY1(acos)
PMPP_OF_LIBRARY1(acosh)
PMPP_OF_LIBRARY1(asin)
PMPP_OF_LIBRARY1(asinh)
PMPP_OF_LIBRARY1(atan)
PMPP_OF_LIBRARY1(atanh)
PMPP_OF_LIBRARY1(ceil)
PMPP_OF_LIBRARY1(cos)
PMPP_OF_LIBRARY1(cosh)
PMPP_OF_LIBRARY1(erf)
PMPP_OF_LIBRARY1(erfc)
PMPP_OF_LIBRARY1(exp)
PMPP_OF_LIBRARY1(exp10)
PMPP_OF_LIBRARY1(exp2)
PMPP_OF_LIBRARY1(expm1)
PMPP_OF_LIBRARY1(fabs)
PMPP_OF_LIBRARY1(floor)
PMPP_OF_LIBRARY1(lgamma)
PMPP_OF_LIBRARY1(log)
PMPP_OF_LIBRARY1(log10)
PMPP_OF_LIBRARY1(log1p)
PMPP_OF_LIBRARY1(log2)
PMPP_OF_LIBRARY1(logb)
PMPP_OF_LIBRARY1(rint)
PMPP_OF_LIBRARY1(round)
PMPP_OF_LIBRARY1(sin)
PMPP_OF_LIBRARY1(sinh)
PMPP_OF_LIBRARY1(sqrt)
PMPP_OF_LIBRARY1(tan)
PMPP_OF_LIBRARY1(tanh)
PMPP_OF_LIBRARY1(tgamma)
PMPP_OF_LIBRARY1(trunc)
PMPP_OF_LIBRARY2(atan2)
PMPP_OF_LIBRARY2(copysign)
PMPP_OF_LIBRARY2(fdim)
PMPP_OF_LIBRARY2(fmod)
PMPP_OF_LIBRARY2(hypot)
PMPP_OF_LIBRARY2(pow)
PMPP_OF_LIBRARY2(remainder)
#ifdef NEED_fmax
PMPP_LIBRARY2(fmax)
PMPP_MATH2(fmax)
PMPP_FLOATS(PMPP_GENERIC2_SCALAR, fmax)
#endif
#ifdef NEED_fmin
PMPP_LIBRARY2(fmin)
PMPP_MATH2(fmin)
PMPP_FLOATS(PMPP_GENERIC2_SCALAR, fmin)
#endif

/* ---- native_ and half_ functions: float only ------------------------------------------------- */

#define PMPP_ALIAS1(name, base)                              \
	float pmpp_##name##_float(float) __asm__(#base "f"); \
	PMPP_IN float pmpp_##name(float a)                   \
	{                                                    \
		return pmpp_##name##_float(a);               \
	}                                                    \
	PMPP_ALL1(name, float, float)
#define PMPP_EXPRESSION1(name, expression) \
	PMPP_IN float pmpp_##name(float a) \
	{                                  \
		return expression;         \
	}                                  \
	PMPP_ALL1(name, float, float)
#define PMPP_EXPRESSION2(name, expression)          \
	PMPP_IN float pmpp_##name(float a, float b) \
	{                                           \
		return expression;                  \
	}                                           \
	PMPP_ALL2(name, float, float, float)
float pmpp_native_powf(float, float) __asm__("powf");

/* native_<name> and half_<name>. */
#define PMPP_FAST(m, name, ...) \
	PMPP_IF(native_##name)  \
	(m(native_##name, __VA_ARGS__)) PMPP_IF(half_##name)(m(half_##name, __VA_ARGS__))
PMPP_FAST(PMPP_ALIAS1, cos, cos)
PMPP_FAST(PMPP_ALIAS1, exp, exp)
PMPP_FAST(PMPP_ALIAS1, exp2, exp2)
PMPP_FAST(PMPP_ALIAS1, exp10, exp10)
PMPP_FAST(PMPP_ALIAS1, log, log)
PMPP_FAST(PMPP_ALIAS1, log2, log2)
PMPP_FAST(PMPP_ALIAS1, log10, log10)
PMPP_FAST(PMPP_ALIAS1, sin, sin)
PMPP_FAST(PMPP_ALIAS1, sqrt, sqrt)
PMPP_FAST(PMPP_ALIAS1, tan, tan)
PMPP_FAST(PMPP_EXPRESSION1, recip, 1.0f / a)
PMPP_FAST(PMPP_EXPRESSION1, rsqrt, (float)(1.0 / __builtin_sqrt((double)a)))
PMPP_FAST(PMPP_EXPRESSION2, divide, a / b)
PMPP_FAST(PMPP_EXPRESSION2, powr, a < 0.0f ? NAN : pmpp_native_powf(a, b))
