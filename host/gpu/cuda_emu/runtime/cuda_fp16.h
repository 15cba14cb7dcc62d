/*
 * Half precision. Every operation is calculated in float or double, and its result is rounded to half.
 * The float or double is exact, or so precise that the second rounding gives the correctly rounded
 * half. So the results have the same bits as on a device, except for the payload of a NaN.
 */
#pragma once
#include "pmpp_cuda.h"

/* Round to nearest, ties to even. */
PMPP_EMU_UNSEEN static unsigned short pmpp_emu_half_bits(double value)
{
	unsigned long long bits;
	__builtin_memcpy(&bits, &value, sizeof bits);
	unsigned sign = (unsigned)(bits >> 48) & 0x8000u;
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	unsigned long long fraction = (bits & 0xfffffffffffffull) | 0x10000000000000ull;

	if (exponent == 1024)
		return (unsigned short)(sign | 0x7c00u | (bits & 0xfffffffffffffull ? 0x3ffu : 0u));
	if (exponent > 15)
		return (unsigned short)(sign | 0x7c00u);
	if (exponent < -25)
		return (unsigned short)sign;
	/* Below 2^-14 (subnormal numbers) the last place has the value 2^-24. */
	int drop = exponent < -14 ? 42 + (-14 - exponent) : 42;
	unsigned long long kept = fraction >> drop;
	unsigned long long rest = fraction & ((1ull << drop) - 1);
	unsigned long long tie = 1ull << (drop - 1);
	kept += rest > tie || (rest == tie && (kept & 1));
	/* A carry out of the fraction moves into the exponent, up to infinity. */
	if (exponent >= -14)
		kept += (unsigned long long)(exponent + 14) << 10;
	return (unsigned short)(sign | (unsigned)kept);
}

PMPP_EMU_UNSEEN static float pmpp_emu_half_value(unsigned short half)
{
	unsigned exponent = half >> 10 & 31u;
	unsigned fraction = half & 0x3ffu;
	unsigned sign = (half & 0x8000u) << 16;

	if (exponent == 0) {
		float tiny = (float)fraction * 0x1p-24f;
		return sign ? -tiny : tiny;
	}
	unsigned bits = sign | (exponent == 31 ? 0xffu : exponent + 112) << 23 | fraction << 13;
	float value; /* pmpp_emu_cast is traced, but not all lanes reach this line */
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

struct __half {
	unsigned short bits;

	__half() = default;
	__half(float x) : bits(pmpp_emu_half_bits(x)) {}
	__half(double x) : bits(pmpp_emu_half_bits(x)) {}
	__half(int x) : bits(pmpp_emu_half_bits(x)) {}
	operator float() const { return pmpp_emu_half_value(bits); }
};
typedef __half half;

/* A copy is one 4-byte access. */
struct __attribute__((aligned(4))) __half2 {
	typedef unsigned whole __attribute__((may_alias));
	__half x, y;

	__half2() = default;
	__half2(__half x_, __half y_) : x(x_), y(y_) {}
	__half2(const __half2 &other) { *(whole *)this = *(const whole *)&other; }
	__half2 &operator=(const __half2 &other)
	{
		*(whole *)this = *(const whole *)&other;
		return *this;
	}
};
typedef __half2 half2;

static inline __half __float2half(float x) { return __half(x); }
static inline __half __float2half_rn(float x) { return __half(x); }
static inline __half __double2half(double x) { return __half(x); }
static inline __half __int2half_rn(int x) { return __half(x); }
static inline float __half2float(__half x) { return pmpp_emu_half_value(x.bits); }
static inline int __half2int_rn(__half x) { return (int)__builtin_rintf(__half2float(x)); }
static inline int __half2int_rz(__half x) { return (int)__half2float(x); }
static inline unsigned short __half_as_ushort(__half x) { return x.bits; }
static inline __half __ushort_as_half(unsigned short bits)
{
	__half x;
	x.bits = bits;
	return x;
}

static inline __half __hadd(__half a, __half b) { return __half((float)a + (float)b); }
static inline __half __hsub(__half a, __half b) { return __half((float)a - (float)b); }
static inline __half __hmul(__half a, __half b) { return __half((float)a * (float)b); }
static inline __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
static inline __half __hfma(__half a, __half b, __half c)
{
	return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
static inline __half __hneg(__half a) { return __ushort_as_half((unsigned short)(a.bits ^ 0x8000u)); }
static inline __half __habs(__half a) { return __ushort_as_half((unsigned short)(a.bits & 0x7fffu)); }
static inline __half __hmax(__half a, __half b) { return __half(__builtin_fmaxf(a, b)); }
static inline __half __hmin(__half a, __half b) { return __half(__builtin_fminf(a, b)); }
static inline bool __heq(__half a, __half b) { return (float)a == (float)b; }
static inline bool __hne(__half a, __half b) { return (float)a != (float)b; }
static inline bool __hlt(__half a, __half b) { return (float)a < (float)b; }
static inline bool __hle(__half a, __half b) { return (float)a <= (float)b; }
static inline bool __hgt(__half a, __half b) { return (float)a > (float)b; }
static inline bool __hge(__half a, __half b) { return (float)a >= (float)b; }
static inline bool __hisnan(__half a) { return (a.bits & 0x7fffu) > 0x7c00u; }
static inline __half hsqrt(__half a) { return __half(__builtin_sqrtf(a)); }
static inline __half hexp(__half a) { return __half(__builtin_expf(a)); }

static inline __half operator+(__half a, __half b) { return __hadd(a, b); }
static inline __half operator-(__half a, __half b) { return __hsub(a, b); }
static inline __half operator*(__half a, __half b) { return __hmul(a, b); }
static inline __half operator/(__half a, __half b) { return __hdiv(a, b); }
static inline __half operator-(__half a) { return __hneg(a); }
static inline __half &operator+=(__half &a, __half b) { return a = a + b; }
static inline __half &operator-=(__half &a, __half b) { return a = a - b; }
static inline __half &operator*=(__half &a, __half b) { return a = a * b; }

static inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half2 __half2half2(__half a) { return __half2(a, a); }
static inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static inline __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
static inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
static inline float __low2float(__half2 a) { return a.x; }
static inline float __high2float(__half2 a) { return a.y; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }

#define PMPP_EMU_HALF2(name, operation)                                                            \
	static inline __half2 name(__half2 a, __half2 b)                                           \
	{                                                                                          \
		return __half2(operation(a.x, b.x), operation(a.y, b.y));                          \
	}
PMPP_EMU_HALF2(__hadd2, __hadd)
PMPP_EMU_HALF2(__hsub2, __hsub)
PMPP_EMU_HALF2(__hmul2, __hmul)
PMPP_EMU_HALF2(__h2div, __hdiv)
PMPP_EMU_HALF2(__hmax2, __hmax)
PMPP_EMU_HALF2(__hmin2, __hmin)
PMPP_EMU_HALF2(operator+, __hadd)
PMPP_EMU_HALF2(operator-, __hsub)
PMPP_EMU_HALF2(operator*, __hmul)
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
