/*
 * Half precision. Every operation is calculated in float or double, and its result is rounded to half.
 * The float or double is exact, or so precise that the second rounding gives the correctly rounded
 * half. So the results have the same bits as on a device, except for the payload of a NaN.
 */
#pragma once
#include "pmpp_half.h"

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

PMPP_EMU_HALF(__half, __half2, half, pmpp_emu_half_bits, pmpp_emu_half_value)
typedef __half half;
typedef __half2 half2;

static inline int __half2int_rn(__half x) { return (int)__builtin_rintf(__half2float(x)); }
static inline int __half2int_rz(__half x) { return (int)__half2float(x); }
static inline __half __habs(__half a) { return __ushort_as_half((unsigned short)(a.bits & 0x7fffu)); }
static inline bool __heq(__half a, __half b) { return (float)a == (float)b; }
static inline bool __hne(__half a, __half b) { return (float)a != (float)b; }
static inline bool __hle(__half a, __half b) { return (float)a <= (float)b; }
static inline bool __hge(__half a, __half b) { return (float)a >= (float)b; }
static inline bool __hisnan(__half a) { return (a.bits & 0x7fffu) > 0x7c00u; }
static inline __half hsqrt(__half a) { return __half(__builtin_sqrtf(a)); }
static inline __half hexp(__half a) { return __half(__builtin_expf(a)); }
static inline __half &operator-=(__half &a, __half b) { return a = a - b; }

static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
static inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
static inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
static inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
