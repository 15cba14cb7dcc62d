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
PMPP_EMU_TYPE(__half, PMPP_EMU_ONLY_ADD)
PMPP_EMU_TYPE(__half2, PMPP_EMU_ONLY_ADD)
typedef __half half;
typedef __half2 half2;

static inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
static inline __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
