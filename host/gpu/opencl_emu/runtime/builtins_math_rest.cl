/*
 * Mathematical functions (OpenCL C 6.12.2) that the C library has in another form, or not at
 * all. The functions of this table are computed in double. For float the result is rounded once
 * more: at most 1 ulp. For double, the largest errors of 65536 random inputs were:
 *
 *	function                                            bound, ulp     measured, ulp
 *	rsqrt                                               2              1.44
 *	cospi, sinpi                                        4              1.72
 *	acospi, asinpi, atanpi                              5              1.47
 *	atan2pi                                             6              1.48
 *	tanpi                                               6              2.77
 *	pown, rootn                                         16             0.50, 1.48
 */
#define PMPP_PI 0x1.921fb54442d18p+1
/* A function of double for all three types. */
#define PMPP_BY_DOUBLE1(name)                         \
	PMPP_IN float pmpp_##name(float a)            \
	{                                             \
		return (float)pmpp_##name((double)a); \
	}                                             \
	PMPP_HALF1(name)                              \
	PMPP_FLOATS(PMPP_GENERIC1, name)
#define PMPP_BY_DOUBLE2(name)                                    \
	PMPP_IN float pmpp_##name(float a, float b)              \
	{                                                        \
		return (float)pmpp_##name((double)a, (double)b); \
	}                                                        \
	PMPP_HALF2(name)                                         \
	PMPP_FLOATS(PMPP_GENERIC2, name)

double pmpp_c_acos(double) __asm__("acos");
double pmpp_c_asin(double) __asm__("asin");
double pmpp_c_atan(double) __asm__("atan");
double pmpp_c_atan2(double, double) __asm__("atan2");
double pmpp_c_cbrt(double) __asm__("cbrt");
double pmpp_c_cos(double) __asm__("cos");
double pmpp_c_fmod(double, double) __asm__("fmod");
double pmpp_c_frexp(double, int *) __asm__("frexp");
double pmpp_c_ldexp(double, int) __asm__("ldexp");
double pmpp_c_lgamma_r(double, int *) __asm__("lgamma_r");
double pmpp_c_nextafter(double, double) __asm__("nextafter");
double pmpp_c_pow(double, double) __asm__("pow");
double pmpp_c_remainder(double, double) __asm__("remainder");
double pmpp_c_sin(double) __asm__("sin");
float pmpp_c_cosf(float) __asm__("cosf");
float pmpp_c_lgammaf_r(float, int *) __asm__("lgammaf_r");
float pmpp_c_ldexpf(float, int) __asm__("ldexpf");
float pmpp_c_nextafterf(float, float) __asm__("nextafterf");
float pmpp_c_sinf(float) __asm__("sinf");
int pmpp_c_ilogb(double) __asm__("ilogb");

/* ---- Rounded once ---------------------------------------------------------------------------- */

/* mad is fma, as on GPUs and in PoCL. */
#define PMPP_PRODUCT(name, float_form, double_form, half_form)   \
	PMPP_IN float pmpp_##name(float a, float b, float c)     \
	{                                                        \
		return float_form;                               \
	}                                                        \
	PMPP_IN double pmpp_##name(double a, double b, double c) \
	{                                                        \
		return double_form;                              \
	}                                                        \
	PMPP_IN half pmpp_##name(half a, half b, half c)         \
	{                                                        \
		return half_form;                                \
	}                                                        \
	PMPP_FLOATS(PMPP_GENERIC3, name)
#ifdef NEED_fma
/* The product of two f16 and its sum with a third are exact in double, or not near a tie. */
PMPP_PRODUCT(fma, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c),
	pmpp_to_half((double)a *(double)b + (double)c))
#endif
#ifdef NEED_mad
PMPP_PRODUCT(mad, __builtin_fmaf(a, b, c), __builtin_fma(a, b, c),
	pmpp_to_half((double)a *(double)b + (double)c))
#endif
#ifdef NEED_rsqrt
PMPP_IN double pmpp_rsqrt(double a)
{
	return 1.0 / __builtin_sqrt(a);
}
PMPP_BY_DOUBLE1(rsqrt)
#endif

#if defined NEED_cbrt || defined NEED_rootn
/* The C library's error is up to 4 ulp, the bound is 2: one step of Newton's method, scaled so
 * that no product is subnormal. */
static double pmpp_cube_root(double a)
{
	if (a == 0.0 || a != a || __builtin_fabs(a) == (double)INFINITY)
		return a;
	bool small = __builtin_fabs(a) < 0x1p-600;
	double x = small ? a * 0x1p300 : a, y = pmpp_c_cbrt(x);
	double square = y * y, lost = __builtin_fma(y, y, -square);
	y -= (__builtin_fma(square, y, -x) + lost * y) / (3.0 * square);
	return small ? y * 0x1p-100 : y;
}
#endif
#ifdef NEED_cbrt
PMPP_IN double pmpp_cbrt(double a)
{
	return pmpp_cube_root(a);
}
PMPP_BY_DOUBLE1(cbrt)
#endif

/* ---- Multiples of pi ------------------------------------------------------------------------- */

#if defined NEED_sinpi || defined NEED_tanpi
/* The angle is reduced exactly, to at most pi / 4. */
static double pmpp_sin_of_pi(double a)
{
	double x = pmpp_c_remainder(a, 2.0), y = __builtin_fabs(x);

	if (x != x)
		return NAN;
	if (y > 0.5)
		y = 1.0 - y;
	double r = y > 0.25 ? pmpp_c_cos(PMPP_PI * (0.5 - y)) : pmpp_c_sin(PMPP_PI * y);
	/* Multiples of 1 are zeros with the sign of a. */
	return y == 0.0 ? __builtin_copysign(0.0, a) : __builtin_copysign(r, x);
}
#endif
#if defined NEED_cospi || defined NEED_tanpi
static double pmpp_cos_of_pi(double a)
{
	double y = __builtin_fabs(pmpp_c_remainder(a, 2.0));

	if (y != y)
		return NAN;
	double r = y == 0.5    ? 0.0
		   : y <= 0.25 ? pmpp_c_cos(PMPP_PI * y)
		   : y >= 0.75 ? -pmpp_c_cos(PMPP_PI * (1.0 - y))
			       : pmpp_c_sin(PMPP_PI * (0.5 - y));
	return r;
}
#endif
#ifdef NEED_sinpi
PMPP_IN double pmpp_sinpi(double a)
{
	return pmpp_sin_of_pi(a);
}
PMPP_BY_DOUBLE1(sinpi)
#endif
#ifdef NEED_cospi
PMPP_IN double pmpp_cospi(double a)
{
	return pmpp_cos_of_pi(a);
}
PMPP_BY_DOUBLE1(cospi)
#endif
#ifdef NEED_tanpi
/* C23, F.10.1.14: the sign of zeros and infinities alternates. */
PMPP_IN double pmpp_tanpi(double a)
{
	double s = pmpp_sin_of_pi(a), c = pmpp_cos_of_pi(a);

	if (s == 0.0)
		return c < 0.0 ? -s : s;
	return c == 0.0 ? __builtin_copysign(INFINITY, s) : s / c;
}
PMPP_BY_DOUBLE1(tanpi)
#endif
#ifdef NEED_acospi
PMPP_IN double pmpp_acospi(double a)
{
	return pmpp_c_acos(a) / PMPP_PI;
}
PMPP_BY_DOUBLE1(acospi)
#endif
#ifdef NEED_asinpi
PMPP_IN double pmpp_asinpi(double a)
{
	return pmpp_c_asin(a) / PMPP_PI;
}
PMPP_BY_DOUBLE1(asinpi)
#endif
#ifdef NEED_atanpi
PMPP_IN double pmpp_atanpi(double a)
{
	return pmpp_c_atan(a) / PMPP_PI;
}
PMPP_BY_DOUBLE1(atanpi)
#endif
#ifdef NEED_atan2pi
PMPP_IN double pmpp_atan2pi(double a, double b)
{
	return pmpp_c_atan2(a, b) / PMPP_PI;
}
PMPP_BY_DOUBLE2(atan2pi)
#endif

/* ---- Powers ---------------------------------------------------------------------------------- */

#define PMPP_INTEGER_POWER(T, I, U, name) PMPP_ALL2(name, T, T, int)
#define PMPP_BY_DOUBLE_INTEGER(name)                           \
	PMPP_IN float pmpp_##name(float a, int n)              \
	{                                                      \
		return (float)pmpp_##name((double)a, n);       \
	}                                                      \
	PMPP_IN half pmpp_##name(half a, int n)                \
	{                                                      \
		return (half)(float)pmpp_##name((double)a, n); \
	}                                                      \
	PMPP_FLOATS(PMPP_INTEGER_POWER, name)

#ifdef NEED_powr
PMPP_IN double pmpp_powr(double a, double b)
{
	if (a < 0.0 || a != a || b != b || (a == 0.0 && b == 0.0) ||
		(a == (double)INFINITY && b == 0.0) ||
		(a == 1.0 && __builtin_fabs(b) == (double)INFINITY))
		return NAN;
	return pmpp_c_pow(__builtin_fabs(a), b);
}
PMPP_BY_DOUBLE2(powr)
#endif
#ifdef NEED_pown
PMPP_IN double pmpp_pown(double a, int n)
{
	return pmpp_c_pow(a, (double)n);
}
PMPP_BY_DOUBLE_INTEGER(pown)
#endif
#ifdef NEED_rootn
/* OpenCL C 7.5.1: zeros and signs. One step of Newton's method removes the error of 1 / n. */
PMPP_IN double pmpp_rootn(double a, int n)
{
	bool odd = n & 1;
	double x = __builtin_fabs(a), m = n < 0 ? -(double)n : (double)n;

	if (n == 0 || a != a || (a < 0.0 && !odd))
		return NAN;
	double y = m == 1.0   ? x
		   : m == 2.0 ? __builtin_sqrt(x)
		   : m == 3.0 ? pmpp_cube_root(x)
			      : pmpp_c_pow(x, 1.0 / m);
	if (m > 3.0 && x > 0.0 && x < (double)INFINITY && y < (double)INFINITY)
		y -= (y - x / pmpp_c_pow(y, m - 1.0)) / m;
	if (n < 0)
		y = 1.0 / y;
	return odd ? __builtin_copysign(y, a) : y;
}
PMPP_BY_DOUBLE_INTEGER(rootn)
#endif

/* ---- Exponents and neighbours ---------------------------------------------------------------- */

#ifdef NEED_ilogb
PMPP_IN int pmpp_ilogb(double a)
{
	return a == 0.0 ? FP_ILOGB0 : a != a ? FP_ILOGBNAN : pmpp_c_ilogb(a);
}
PMPP_IN int pmpp_ilogb(float a)
{
	return pmpp_ilogb((double)a);
}
PMPP_IN int pmpp_ilogb(half a)
{
	return pmpp_ilogb((double)a);
}
#define PMPP_ILOGB(T, I, U, name) PMPP_ALL1(name, int, T)
PMPP_FLOATS(PMPP_ILOGB, ilogb)
#endif
#ifdef NEED_ldexp
PMPP_IN float pmpp_ldexp(float a, int n)
{
	return pmpp_c_ldexpf(a, n);
}
PMPP_IN double pmpp_ldexp(double a, int n)
{
	return pmpp_c_ldexp(a, n);
}
PMPP_IN half pmpp_ldexp(half a, int n)
{
	return pmpp_to_half(pmpp_c_ldexp((double)a, n < -200 ? -200 : n > 200 ? 200 : n));
}
#define PMPP_LDEXP(T, I, U, name) \
	PMPP_ALL2(name, T, T, int) PMPP_SIZES(PMPP_VECTOR2_SCALAR, name, T, T, int)
PMPP_FLOATS(PMPP_LDEXP, ldexp)
#endif
#ifdef NEED_nextafter
PMPP_IN float pmpp_nextafter(float a, float b)
{
	return pmpp_c_nextafterf(a, b);
}
PMPP_IN double pmpp_nextafter(double a, double b)
{
	return pmpp_c_nextafter(a, b);
}
PMPP_IN half pmpp_nextafter(half a, half b)
{
	ushort bits = as_ushort(a);

	if (a != a || b != b)
		return (half)NAN;
	if (a == b)
		return b;
	if (a == (half)0)
		return as_half((ushort)(1 | (b < (half)0 ? 0x8000 : 0)));
	/* The bits of positive numbers are in the order of the numbers. */
	return as_half((ushort)((a < b) == !(bits & 0x8000) ? bits + 1 : bits - 1));
}
PMPP_FLOATS(PMPP_GENERIC2, nextafter)
#endif
#ifdef NEED_nan
PMPP_IN float pmpp_nan(uint a)
{
	return as_float(0x7fc00000 | (a & 0x3fffff));
}
PMPP_IN double pmpp_nan(ulong a)
{
	return as_double(0x7ff8000000000000UL | (a & 0x7ffffffffffffUL));
}
PMPP_IN half pmpp_nan(ushort a)
{
	return as_half((ushort)(0x7e00 | (a & 0x1ff)));
}
PMPP_ALL1(nan, float, uint)
PMPP_ALL1(nan, double, ulong)
PMPP_ALL1(nan, half, ushort)
#endif

#define PMPP_MAGNITUDE(name, compare, otherwise)                            \
	PMPP_IN double pmpp_##name(double a, double b)                      \
	{                                                                   \
		double x = __builtin_fabs(a), y = __builtin_fabs(b);        \
		return x compare y ? a : y compare x ? b : otherwise(a, b); \
	}                                                                   \
	PMPP_BY_DOUBLE2(name)
#ifdef NEED_maxmag
PMPP_MAGNITUDE(maxmag, >, __builtin_fmax)
#endif
#ifdef NEED_minmag
PMPP_MAGNITUDE(minmag, <, __builtin_fmin)
#endif

/* ---- Two results ----------------------------------------------------------------------------- */

/* P: type of the second result. */
#define PMPP_POINTER1(S, name, T, P)                              \
	PMPP_DEF T name(T a, S P *p)                              \
	{                                                         \
		P second;                                         \
		PMPP_SEEN(p, sizeof second, PMPP_EMU_WRITE, PMPP_PC); \
		T r = pmpp_##name(a, &second);                    \
		*p = second;                                      \
		return r;                                         \
	}
#define PMPP_POINTER1_VECTOR(n, S, name, T, P)                    \
	PMPP_DEF T##n name(T##n a, S P##n *p)                     \
	{                                                         \
		P##n seconds;                                     \
		T##n r;                                           \
		PMPP_SEEN(p, sizeof(P) * n, PMPP_EMU_WRITE, PMPP_PC); \
		for (int i = 0; i < n; i++) {                     \
			P second;                                 \
			r[i] = pmpp_##name(a[i], &second);        \
			seconds[i] = second;                      \
		}                                                 \
		*p = seconds;                                     \
		return r;                                         \
	}
#define PMPP_POINTER1_SPACE(S, name, T, P) \
	PMPP_POINTER1(S, name, T, P) PMPP_SIZES(PMPP_POINTER1_VECTOR, S, name, T, P)
#define PMPP_POINTER1_SAME(T, I, U, name) PMPP_SPACES(PMPP_POINTER1_SPACE, name, T, T)
#define PMPP_POINTER1_INT(T, I, U, name) PMPP_SPACES(PMPP_POINTER1_SPACE, name, T, int)

/* f16 by way of float. */
#define PMPP_POINTER1_HALF(name)                                  \
	PMPP_IN half pmpp_##name(half a, half *p)                 \
	{                                                         \
		float second, r = pmpp_##name((float)a, &second); \
		*p = (half)second;                                \
		return (half)r;                                   \
	}                                                         \
	PMPP_FLOATS(PMPP_POINTER1_SAME, name)

#ifdef NEED_fract
/* The largest value below 1 is the largest result. */
#define PMPP_FRACT(T, I, U, floor_of, largest)                          \
	PMPP_IN T pmpp_fract(T a, T *p)                                 \
	{                                                               \
		T whole = floor_of(a);                                  \
		*p = whole;                                             \
		if (a == (T)0 || a == (T)INFINITY || a == -(T)INFINITY) \
			return __builtin_copysign(0.0, (double)a);      \
		T r = a - whole;                                        \
		return r > largest ? largest : r;                       \
	}
PMPP_FRACT(float, int, uint, __builtin_floorf, 0x1.fffffep-1f)
PMPP_FRACT(double, long, ulong, __builtin_floor, 0x1.fffffffffffffp-1)
PMPP_FRACT(half, short, ushort, __builtin_floorf, (half)0x1.ffcp-1f)
PMPP_FLOATS(PMPP_POINTER1_SAME, fract)
#endif
#ifdef NEED_modf
#define PMPP_MODF(T, trunc_of, sign_of)                           \
	PMPP_IN T pmpp_modf(T a, T *p)                            \
	{                                                         \
		T whole = trunc_of(a);                            \
		*p = whole;                                       \
		return sign_of(a == whole ? (T)0 : a - whole, a); \
	}
PMPP_MODF(float, __builtin_truncf, __builtin_copysignf)
PMPP_MODF(double, __builtin_trunc, __builtin_copysign)
PMPP_POINTER1_HALF(modf)
#endif
#ifdef NEED_sincos
PMPP_IN float pmpp_sincos(float a, float *p)
{
	*p = pmpp_c_cosf(a);
	return pmpp_c_sinf(a);
}
PMPP_IN double pmpp_sincos(double a, double *p)
{
	*p = pmpp_c_cos(a);
	return pmpp_c_sin(a);
}
PMPP_POINTER1_HALF(sincos)
#endif
#ifdef NEED_frexp
PMPP_IN double pmpp_frexp(double a, int *p)
{
	int exponent = 0;
	double r = pmpp_c_frexp(a, &exponent);

	*p = exponent;
	return r;
}
PMPP_IN float pmpp_frexp(float a, int *p)
{
	return (float)pmpp_frexp((double)a, p);
}
PMPP_IN half pmpp_frexp(half a, int *p)
{
	return (half)(float)pmpp_frexp((double)a, p);
}
PMPP_FLOATS(PMPP_POINTER1_INT, frexp)
#endif
#ifdef NEED_lgamma_r
PMPP_IN float pmpp_lgamma_r(float a, int *p)
{
	return pmpp_c_lgammaf_r(a, p);
}
PMPP_IN double pmpp_lgamma_r(double a, int *p)
{
	return pmpp_c_lgamma_r(a, p);
}
PMPP_IN half pmpp_lgamma_r(half a, int *p)
{
	return (half)pmpp_c_lgammaf_r((float)a, p);
}
PMPP_FLOATS(PMPP_POINTER1_INT, lgamma_r)
#endif
#ifdef NEED_remquo
/* The C library has only 3 bits of the quotient; OpenCL C has 7. */
PMPP_IN double pmpp_remquo(double a, double b, int *p)
{
	double r = pmpp_c_remainder(a, b), x = __builtin_fabs(a), y = __builtin_fabs(b);

	*p = 0;
	if (r != r || y == (double)INFINITY)
		return r;
	if (y < 0x1p1016)
		x = pmpp_c_fmod(x, 128.0 * y);
	/* Scaled: no subnormal number, and no overflow. */
	double scale = y < 1.0 ? 0x1p100 : 0x1p-100;
	double remainder = (a < 0.0 ? -r : r) * scale;
	int quotient = (int)__builtin_rint((x * scale - remainder) / (y * scale)) & 127;
	*p = (a < 0.0) == (b < 0.0) ? quotient : -quotient;
	return r;
}
PMPP_IN float pmpp_remquo(float a, float b, int *p)
{
	return (float)pmpp_remquo((double)a, (double)b, p);
}
PMPP_IN half pmpp_remquo(half a, half b, int *p)
{
	return (half)(float)pmpp_remquo((double)a, (double)b, p);
}
#define PMPP_REMQUO_VECTOR(n, S, T)                                 \
	PMPP_DEF T##n remquo(T##n a, T##n b, S int##n *p)           \
	{                                                           \
		int##n seconds;                                     \
		T##n r;                                             \
		PMPP_SEEN(p, sizeof(int) * n, PMPP_EMU_WRITE, PMPP_PC); \
		for (int i = 0; i < n; i++) {                       \
			int second;                                 \
			r[i] = pmpp_remquo(a[i], b[i], &second);    \
			seconds[i] = second;                        \
		}                                                   \
		*p = seconds;                                       \
		return r;                                           \
	}
#define PMPP_REMQUO(S, T)                                         \
	PMPP_DEF T remquo(T a, T b, S int *p)                     \
	{                                                         \
		int second;                                       \
		PMPP_SEEN(p, sizeof second, PMPP_EMU_WRITE, PMPP_PC); \
		T r = pmpp_remquo(a, b, &second);                 \
		*p = second;                                      \
		return r;                                         \
	}                                                         \
	PMPP_SIZES(PMPP_REMQUO_VECTOR, S, T)
PMPP_SPACES(PMPP_REMQUO, float)
PMPP_SPACES(PMPP_REMQUO, double)
PMPP_SPACES(PMPP_REMQUO, half)
#endif
