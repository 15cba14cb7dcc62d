/*
 * Brain floating point: the upper 16 bits of a float. Every operation is calculated in float, or in
 * double for fused ones, and its result is rounded to nearest, ties to even.
 */
#pragma once
#include "pmpp_half.h"

/* A double is rounded once: the bits that a float would drop decide ties. */
PMPP_EMU_UNSEEN static unsigned short pmpp_emu_bf16_bits(double value)
{
	float nearest = (float)value;
	unsigned bits;

	__builtin_memcpy(&bits, &nearest, sizeof bits);
	if (!(value == value))
		return 0x7fff;
	/* A tie in float that was no tie in double: move away from it. */
	if ((bits & 0xffff) == 0x8000 && (double)nearest != value)
		bits += __builtin_fabs((double)nearest) < __builtin_fabs(value) ? 1 : -1;
	return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

PMPP_EMU_UNSEEN static float pmpp_emu_bf16_value(unsigned short half)
{
	unsigned bits = (unsigned)half << 16;
	float value;
	__builtin_memcpy(&value, &bits, sizeof value);
	return value;
}

PMPP_EMU_HALF(__nv_bfloat16, __nv_bfloat162, bfloat16, pmpp_emu_bf16_bits, pmpp_emu_bf16_value)
PMPP_EMU_TYPE(__nv_bfloat16, PMPP_EMU_ONLY_ADD)
PMPP_EMU_TYPE(__nv_bfloat162, PMPP_EMU_ONLY_ADD)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
static inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
static inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
static inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
static inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
