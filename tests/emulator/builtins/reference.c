/*
 * The errors of mathematical functions for test_builtins.py, in units in the last place (ulp) of
 * the correct result, which is computed in long double (64 bits of significand on x86-64). OpenCL C
 * 7.4 defines ulp.
 */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

typedef long double real;
#define PI 3.141592653589793238462643383279502884L

static real sinpi_(real x)
{
	real r = fabsl(remainderl(x, 2));
	real y = r > 0.5L ? 1 - r : r;
	real value = y > 0.25L ? cosl(PI * (0.5L - y)) : sinl(PI * y);
	return remainderl(x, 2) < 0 ? -value : value;
}
static real cospi_(real x)
{
	real y = fabsl(remainderl(x, 2));
	return y <= 0.25L ? cosl(PI * y) : y >= 0.75L ? -cosl(PI * (1 - y)) : sinl(PI * (0.5L - y));
}
/* Functions of x, and of x and y. */
#define ONE_ARGUMENT(name, value)   \
	static real name##_(real x) \
	{                           \
		return value;       \
	}
#define TWO_ARGUMENTS(name, value)          \
	static real name##_(real x, real y) \
	{                                   \
		return value;               \
	}

ONE_ARGUMENT(acospi, acosl(x) / PI)
ONE_ARGUMENT(asinpi, asinl(x) / PI)
ONE_ARGUMENT(atanpi, atanl(x) / PI)
ONE_ARGUMENT(tanpi, sinpi_(x) / cospi_(x))
TWO_ARGUMENTS(atan2pi, atan2l(x, y) / PI)
ONE_ARGUMENT(rsqrt, 1 / sqrtl(x))
ONE_ARGUMENT(recip, 1 / x)
TWO_ARGUMENTS(divide, x / y)
ONE_ARGUMENT(sign, x > 0 ? 1 : x < 0 ? -1 : x)
ONE_ARGUMENT(degrees, (180 / PI) * x)
ONE_ARGUMENT(radians, (PI / 180) * x)
TWO_ARGUMENTS(rootn, y < 0    ? 1 / rootn_(x, -y)
		     : y == 3 ? cbrtl(x)
			      : copysignl(powl(fabsl(x), 1 / y), x))
TWO_ARGUMENTS(maxmag, fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y))
TWO_ARGUMENTS(minmag, fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y))
TWO_ARGUMENTS(step, y < x ? 0 : 1)
ONE_ARGUMENT(fract, x - floorl(x))

static real frexp_(real x)
{
	int e;
	return frexpl(x, &e);
}
static real modf_(real x)
{
	real whole;
	return modfl(x, &whole);
}

static const struct {
	const char *name;
	real (*one)(real);
	real (*two)(real, real);
	real (*three)(real, real, real);
} functions[] = {
#define ONE(name) {#name, .one = name##l},
	ONE(acos) ONE(acosh) ONE(asin) ONE(asinh) ONE(atan) ONE(atanh) ONE(cbrt) ONE(ceil) ONE(
		cos) ONE(cosh) ONE(erf) ONE(erfc) ONE(exp) ONE(exp10) ONE(exp2) ONE(expm1) ONE(fabs)
		ONE(floor) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p) ONE(log2) ONE(logb) ONE(rint)
			ONE(round) ONE(sin) ONE(sinh) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma) ONE(
				trunc)
#define TWO(name) {#name, .two = name##l},
				TWO(atan2) TWO(copysign) TWO(fdim) TWO(fmax) TWO(fmin) TWO(
					fmod) TWO(hypot) TWO(pow) TWO(remainder)
#define OWN(name) {#name, .one = name##_},
					OWN(sinpi) OWN(cospi) OWN(tanpi) OWN(acospi) OWN(
						asinpi) OWN(atanpi) OWN(rsqrt) OWN(recip) OWN(sign)
						OWN(degrees) OWN(radians) OWN(fract) OWN(frexp) OWN(
							modf)
#define OWN2(name) {#name, .two = name##_},
							OWN2(atan2pi) OWN2(divide) OWN2(maxmag)
								OWN2(minmag) OWN2(step) OWN2(rootn){
									"powr", .two = powl},
	{"pown", .two = powl},
	{"max", .two = fmaxl},
	{"min", .two = fminl},
	{"fma", .three = fmal},
	{"mad", .three = fmal},
};

static real half_of(unsigned bits)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
	real size = exponent == 31 ? (fraction ? NAN : INFINITY)
		    : exponent     ? ldexpl(1024 + fraction, (int)exponent - 25)
				   : ldexpl(fraction, -24);
	return bits & 0x8000 ? -size : size;
}

static real value_of(const void *array, size_t i, char type)
{
	return type == 'f'   ? ((const float *)array)[i]
	       : type == 'i' ? ((const int *)array)[i]
	       : type == 'h' ? half_of(((const unsigned short *)array)[i])
			     : ((const double *)array)[i];
}

static real error_of(real got, real want, char type)
{
	int bits = type == 'f' ? 24 : type == 'h' ? 11 : 53;
	int lowest = type == 'f' ? -126 : type == 'h' ? -14 : -1022;
	real largest = type == 'f'   ? 0x1.fffffep127L
		       : type == 'h' ? 65504
				     : 0x1.fffffffffffffp1023L;

	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want) ? 0 : INFINITY;
	int exponent = want == 0 ? lowest : ilogbl(want);
	if (exponent < lowest)
		exponent = lowest;
	real unit = ldexpl(1, exponent - bits + 1);
	if (fabsl(want) > largest)
		want = copysignl(fabsl(want) >= largest + ldexpl(1, ilogbl(largest) - bits)
					 ? INFINITY
					 : largest,
			want);
	if (isinf(got) && !isinf(want))
		got = copysignl(largest + ldexpl(1, ilogbl(largest) - bits + 1), got);
	if (got == want)
		return got == 0 && !signbit(got) != !signbit(want) ? 1e-9L : 0;
	if (isinf(want))
		return fabsl(got) == largest ? 1 : INFINITY;
	return fabsl(got - want) / unit;
}

/* Returns the largest error of count results; -1: unknown function. second: type of the second
 * array. */
double pmpp_worst(const char *name, char type, char second, const void *a, const void *b,
	const void *c, const void *got, size_t count, size_t *ret_at)
{
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		real worst = 0;
		if (strcmp(functions[f].name, name) != 0)
			continue;
		*ret_at = 0;
		for (size_t i = 0; i < count; i++) {
			real x = value_of(a, i, type), y = value_of(b, i, second),
			     z = value_of(c, i, type);
			real want = functions[f].one   ? functions[f].one(x)
				    : functions[f].two ? functions[f].two(x, y)
						       : functions[f].three(x, y, z);
			real error = error_of(value_of(got, i, type), want, type);
			if (error > worst) {
				worst = error;
				*ret_at = i;
			}
		}
		return (double)worst;
	}
	return -1;
}
