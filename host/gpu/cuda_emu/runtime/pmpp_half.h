/*
 * The types and functions that half precision (cuda_fp16.h) and brain floating point (cuda_bf16.h) share.
 */
#pragma once
#include "pmpp_cuda.h"

/* T: a number, T2: two of them, whose copy is one 4-byte access. to_bits(): rounds a double. */
#define PMPP_EMU_HALF_TYPES(T, T2, to_bits, to_value)                                              \
	struct T {                                                                                 \
		unsigned short bits;                                                               \
                                                                                                   \
		T() = default;                                                                     \
		T(float x) : bits(to_bits(x)) {}                                                   \
		T(double x) : bits(to_bits(x)) {}                                                  \
		T(int x) : bits(to_bits(x)) {}                                                     \
		operator float() const { return to_value(bits); }                                  \
	};                                                                                         \
	struct __attribute__((aligned(4))) T2 {                                                    \
		typedef unsigned whole __attribute__((may_alias));                                 \
		T x, y;                                                                            \
                                                                                                   \
		T2() = default;                                                                    \
		T2(T x_, T y_) : x(x_), y(y_) {}                                                   \
		T2(const T2 &other) { *(whole *)this = *(const whole *)&other; }                   \
		T2 &operator=(const T2 &other)                                                     \
		{                                                                                  \
			*(whole *)this = *(const whole *)&other;                                   \
			return *this;                                                              \
		}                                                                                  \
	};

#define PMPP_EMU_HALF_CONVERSIONS(T, T2, name)                                                     \
	static inline T __float2##name(float x) { return T(x); }                                   \
	static inline T __float2##name##_rn(float x) { return T(x); }                              \
	static inline T __double2##name(double x) { return T(x); }                                 \
	static inline T __int2##name##_rn(int x) { return T(x); }                                  \
	static inline float __##name##2float(T x) { return x; }                                    \
	static inline unsigned short __##name##_as_ushort(T x) { return x.bits; }                  \
	static inline T __ushort_as_##name(unsigned short bits)                                    \
	{                                                                                          \
		T x;                                                                               \
		x.bits = bits;                                                                     \
		return x;                                                                          \
	}                                                                                          \
	static inline T2 __halves2##name##2(T a, T b) { return T2(a, b); }                         \
	static inline T2 __##name##2##name##2(T a) { return T2(a, a); }                            \
	static inline T2 __float2##name##2_rn(float a) { return T2(a, a); }                        \
	static inline T2 __floats2##name##2_rn(float a, float b) { return T2(a, b); }              \
	static inline T2 __float22##name##2_rn(float2 a) { return T2(a.x, a.y); }                  \
	static inline float2 __##name##22float2(T2 a) { return make_float2(a.x, a.y); }            \
	static inline float __low2float(T2 a) { return a.x; }                                      \
	static inline float __high2float(T2 a) { return a.y; }

#define PMPP_EMU_HALF_OPERATION(T, T2, name, name2, expression)                                    \
	static inline T name(T p, T q)                                                             \
	{                                                                                          \
		float a = p, b = q;                                                                \
		return T(expression);                                                              \
	}                                                                                          \
	static inline T2 name2(T2 a, T2 b) { return T2(name(a.x, b.x), name(a.y, b.y)); }

#define PMPP_EMU_HALF_OPERATIONS(T, T2, name)                                                      \
	PMPP_EMU_HALF_OPERATION(T, T2, __hadd, __hadd2, a + b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hsub, __hsub2, a - b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmul, __hmul2, a * b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hdiv, __h2div, a / b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmax, __hmax2, __builtin_fmaxf(a, b))                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmin, __hmin2, __builtin_fminf(a, b))                     \
	static inline T __hfma(T a, T b, T c)                                                      \
	{                                                                                          \
		return T((double)(float)a * (double)(float)b + (double)(float)c);                  \
	}                                                                                          \
	static inline T2 __hfma2(T2 a, T2 b, T2 c)                                                 \
	{                                                                                          \
		return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                           \
	}                                                                                          \
	static inline T __hneg(T a) { return __ushort_as_##name((unsigned short)(a.bits ^ 0x8000u)); } \
	static inline bool __hlt(T a, T b) { return (float)a < (float)b; }                         \
	static inline bool __hgt(T a, T b) { return (float)a > (float)b; }                         \
	static inline T operator+(T a, T b) { return __hadd(a, b); }                               \
	static inline T operator-(T a, T b) { return __hsub(a, b); }                               \
	static inline T operator*(T a, T b) { return __hmul(a, b); }                               \
	static inline T operator/(T a, T b) { return __hdiv(a, b); }                               \
	static inline T operator-(T a) { return __hneg(a); }                                       \
	static inline T &operator+=(T &a, T b) { return a = a + b; }                               \
	static inline T &operator*=(T &a, T b) { return a = a * b; }

#define PMPP_EMU_HALF(T, T2, name, to_bits, to_value)                                              \
	PMPP_EMU_HALF_TYPES(T, T2, to_bits, to_value)                                              \
	PMPP_EMU_HALF_CONVERSIONS(T, T2, name)                                                     \
	PMPP_EMU_HALF_OPERATIONS(T, T2, name)
