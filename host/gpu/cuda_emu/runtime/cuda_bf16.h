/*
 * Brain floating point: the upper 16 bits of a float. Every operation is calculated in float, or in
 * double for fused ones, and its result is rounded to nearest, ties to even.
 */
#pragma once
#include "pmpp_cuda.h"

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

struct __nv_bfloat16 {
	unsigned short bits;

	__nv_bfloat16() = default;
	__nv_bfloat16(float x) : bits(pmpp_emu_bf16_bits(x)) {}
	__nv_bfloat16(double x) : bits(pmpp_emu_bf16_bits(x)) {}
	__nv_bfloat16(int x) : bits(pmpp_emu_bf16_bits(x)) {}
	operator float() const { return pmpp_emu_bf16_value(bits); }
};
typedef __nv_bfloat16 nv_bfloat16;

/* A copy is one 4-byte access. */
struct __attribute__((aligned(4))) __nv_bfloat162 {
	typedef unsigned whole __attribute__((may_alias));
	__nv_bfloat16 x, y;

	__nv_bfloat162() = default;
	__nv_bfloat162(__nv_bfloat16 x_, __nv_bfloat16 y_) : x(x_), y(y_) {}
	__nv_bfloat162(const __nv_bfloat162 &other) { *(whole *)this = *(const whole *)&other; }
	__nv_bfloat162 &operator=(const __nv_bfloat162 &other)
	{
		*(whole *)this = *(const whole *)&other;
		return *this;
	}
};
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
static inline __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16((double)x); }
static inline float __bfloat162float(__nv_bfloat16 x) { return pmpp_emu_bf16_value(x.bits); }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
	__nv_bfloat16 x;
	x.bits = bits;
	return x;
}
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
static inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(a, a); }
static inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(a, b); }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(a.x, a.y); }
static inline float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x, a.y); }
static inline float __low2float(__nv_bfloat162 a) { return a.x; }
static inline float __high2float(__nv_bfloat162 a) { return a.y; }

#define PMPP_EMU_BF16(name, name2, expression)                                                     \
	static inline __nv_bfloat16 name(__nv_bfloat16 p, __nv_bfloat16 q)                         \
	{                                                                                          \
		float a = p, b = q;                                                                \
		return __nv_bfloat16(expression);                                                  \
	}                                                                                          \
	static inline __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b)                     \
	{                                                                                          \
		return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                             \
	}
PMPP_EMU_BF16(__hadd, __hadd2, a + b)
PMPP_EMU_BF16(__hsub, __hsub2, a - b)
PMPP_EMU_BF16(__hmul, __hmul2, a * b)
PMPP_EMU_BF16(__hdiv, __h2div, a / b)
PMPP_EMU_BF16(__hmax, __hmax2, __builtin_fmaxf(a, b))
PMPP_EMU_BF16(__hmin, __hmin2, __builtin_fminf(a, b))
static inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
	return __nv_bfloat16((double)(float)a * (double)(float)b + (double)(float)c);
}
static inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
	return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
static inline __nv_bfloat16 __hneg(__nv_bfloat16 a)
{
	return __ushort_as_bfloat16((unsigned short)(a.bits ^ 0x8000u));
}
static inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
static inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
static inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
static inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
static inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
static inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
static inline __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
static inline __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a + b; }
static inline __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a * b; }
