/*
 * The types and functions that half precision (cuda_fp16.h) and brain floating point (cuda_bf16.h) share.
 */
#pragma once
#include "pmpp_cuda.h"

/* The larger number; +0 is larger than -0. nan: whether the result of a NaN is a NaN, else the other number. */
PMPP_EMU_UNSEEN static float pmpp_emu_half_max(float a, float b, bool nan)
{
	if (a != a || b != b)
		return nan ? __builtin_nanf("") : a != a ? b : a;
	return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}

/* T: a number, T2: two of them, whose copy is one 4-byte access. to_bits(): rounds a double. */
#define PMPP_EMU_HALF_TYPES(T, T2, to_bits, to_value)                                              \
	struct T##_raw {                                                                           \
		unsigned short x;                                                                  \
	};                                                                                         \
	struct __attribute__((aligned(4))) T2##_raw {                                              \
		unsigned short x, y;                                                               \
	};                                                                                         \
	struct T {                                                                                 \
		unsigned short bits;                                                               \
                                                                                                   \
		T() = default;                                                                     \
		T(T##_raw raw) : bits(raw.x) {}                                                    \
		T(float x) : bits(to_bits(x)) {}                                                   \
		T(double x) : bits(to_bits(x)) {}                                                  \
		T(int x) : bits(to_bits(x)) {}                                                     \
		T(short x) : bits(to_bits(x)) {}                                                   \
		T(unsigned short x) : bits(to_bits(x)) {}                                          \
		T(unsigned x) : bits(to_bits(x)) {}                                                \
		T(long long x) : bits(to_bits((double)x)) {}                                       \
		T(unsigned long long x) : bits(to_bits((double)x)) {}                              \
		operator float() const { return to_value(bits); }                                  \
		operator T##_raw() const { return T##_raw{bits}; }                                 \
	};                                                                                         \
	struct __attribute__((aligned(4))) T2 {                                                    \
		typedef unsigned whole __attribute__((may_alias));                                 \
		T x, y;                                                                            \
                                                                                                   \
		T2() = default;                                                                    \
		T2(T x_, T y_) : x(x_), y(y_) {}                                                   \
		T2(T2##_raw raw) : x(T##_raw{raw.x}), y(T##_raw{raw.y}) {}                         \
		operator T2##_raw() const { return T2##_raw{x.bits, y.bits}; }                     \
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
	PMPP_EMU_UNSEEN static T __float2##name##_rz(float x)                                      \
	{                                                                                          \
		T near = x;                                                                        \
		near.bits -= __builtin_fabsf(near) > __builtin_fabsf(x);                           \
		return near;                                                                       \
	}                                                                                          \
	PMPP_EMU_UNSEEN static T __float2##name##_rd(float x)                                      \
	{                                                                                          \
		T near = x;                                                                        \
		near.bits += (float)near > x ? (near.bits & 0x8000u ? 1 : -1) : 0;                 \
		return near;                                                                       \
	}                                                                                          \
	PMPP_EMU_UNSEEN static T __float2##name##_ru(float x)                                      \
	{                                                                                          \
		T near = x;                                                                        \
		near.bits += (float)near < x ? (near.bits & 0x8000u ? -1 : 1) : 0;                 \
		return near;                                                                       \
	}                                                                                          \
	static inline T __double2##name(double x) { return T(x); }                                 \
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

/* Integers: round to nearest, to zero, down and up. */
#define PMPP_EMU_HALF_INTEGER(T, name, C, kind)                                                    \
	static inline T __##kind##2##name##_rn(C x) { return T(x); }                               \
	static inline C __##name##2##kind##_rn(T x) { return (C)__builtin_rintf(x); }              \
	static inline C __##name##2##kind##_rz(T x) { return (C)(float)x; }                        \
	static inline C __##name##2##kind##_rd(T x) { return (C)__builtin_floorf(x); }             \
	static inline C __##name##2##kind##_ru(T x) { return (C)__builtin_ceilf(x); }

#define PMPP_EMU_HALF_INTEGERS(T, name)                                                            \
	PMPP_EMU_HALF_INTEGER(T, name, int, int)                                                   \
	PMPP_EMU_HALF_INTEGER(T, name, unsigned, uint)                                             \
	PMPP_EMU_HALF_INTEGER(T, name, short, short)                                               \
	PMPP_EMU_HALF_INTEGER(T, name, unsigned short, ushort)                                     \
	PMPP_EMU_HALF_INTEGER(T, name, long long, ll)                                              \
	PMPP_EMU_HALF_INTEGER(T, name, unsigned long long, ull)                                    \
	static inline short __##name##_as_short(T x) { return (short)x.bits; }                     \
	static inline T __short_as_##name(short bits) { return __ushort_as_##name((unsigned short)bits); }

/* A comparison of numbers, false for a NaN; of pairs: 1 or 0 for each, and whether it is true for both. */
#define PMPP_EMU_HALF_COMPARISON(T, T2, name, operation)                                           \
	static inline bool __h##name(T a, T b)                                                     \
	{                                                                                          \
		return (float)a == (float)a && (float)b == (float)b && (float)a operation(float) b; \
	}                                                                                          \
	static inline T2 __h##name##2(T2 a, T2 b) { return T2((float)__h##name(a.x, b.x), (float)__h##name(a.y, b.y)); } \
	static inline bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }

/* Names with `u` are true for a NaN too. reverse: the opposite comparison. unordered: `u` if the operator of pairs is
 * true for a NaN. */
#define PMPP_EMU_HALF_COMPARISONS(T, T2, name, operation, reverse, unordered)                      \
	PMPP_EMU_HALF_COMPARISON(T, T2, name, operation)                                           \
	static inline unsigned __h##name##2_mask(T2 a, T2 b)                                       \
	{                                                                                          \
		return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u); \
	}                                                                                          \
	static inline bool __h##name##u(T a, T b) { return !((float)a reverse(float) b); }         \
	static inline unsigned __h##name##u2_mask(T2 a, T2 b)                                      \
	{                                                                                          \
		return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u); \
	}                                                                                          \
	static inline T2 __h##name##u2(T2 a, T2 b) { return T2((float)__h##name##u(a.x, b.x), (float)__h##name##u(a.y, b.y)); } \
	static inline bool __hb##name##u2(T2 a, T2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); } \
	static inline bool operator operation(T2 a, T2 b) { return __hb##name##unordered##2(a, b); }

#define PMPP_EMU_HALF_FUNCTION(T, T2, name, expression)                                            \
	static inline T h##name(T p)                                                               \
	{                                                                                          \
		float a = p;                                                                       \
		return T(expression);                                                              \
	}                                                                                          \
	static inline T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }

#define PMPP_EMU_HALF_FUNCTIONS(T, T2)                                                             \
	PMPP_EMU_HALF_COMPARISONS(T, T2, eq, ==, !=, )                                             \
	PMPP_EMU_HALF_COMPARISONS(T, T2, ne, !=, ==, u)                                            \
	PMPP_EMU_HALF_COMPARISONS(T, T2, le, <=, >, )                                              \
	PMPP_EMU_HALF_COMPARISONS(T, T2, ge, >=, <, )                                              \
	PMPP_EMU_HALF_COMPARISONS(T, T2, lt, <, >=, )                                              \
	PMPP_EMU_HALF_COMPARISONS(T, T2, gt, >, <=, )                                              \
	PMPP_EMU_HALF_FUNCTION(T, T2, sqrt, __builtin_sqrtf(a))                                    \
	PMPP_EMU_HALF_FUNCTION(T, T2, rsqrt, 1.0f / __builtin_sqrtf(a))                            \
	PMPP_EMU_HALF_FUNCTION(T, T2, rcp, 1.0f / a)                                               \
	PMPP_EMU_HALF_FUNCTION(T, T2, exp, __builtin_expf(a))                                      \
	PMPP_EMU_HALF_FUNCTION(T, T2, exp2, __builtin_exp2f(a))                                    \
	PMPP_EMU_HALF_FUNCTION(T, T2, exp10, exp10f(a))                                            \
	PMPP_EMU_HALF_FUNCTION(T, T2, log, __builtin_logf(a))                                      \
	PMPP_EMU_HALF_FUNCTION(T, T2, log2, __builtin_log2f(a))                                    \
	PMPP_EMU_HALF_FUNCTION(T, T2, log10, __builtin_log10f(a))                                  \
	PMPP_EMU_HALF_FUNCTION(T, T2, sin, __builtin_sinf(a))                                      \
	PMPP_EMU_HALF_FUNCTION(T, T2, cos, __builtin_cosf(a))                                      \
	PMPP_EMU_HALF_FUNCTION(T, T2, tanh, __builtin_tanhf(a))                                    \
	PMPP_EMU_HALF_FUNCTION(T, T2, floor, __builtin_floorf(a))                                  \
	PMPP_EMU_HALF_FUNCTION(T, T2, ceil, __builtin_ceilf(a))                                    \
	PMPP_EMU_HALF_FUNCTION(T, T2, trunc, __builtin_truncf(a))                                  \
	PMPP_EMU_HALF_FUNCTION(T, T2, rint, __builtin_rintf(a))                                    \
	static inline T pmpp_emu_saturated(T a) { return T(__saturatef(a)); }                      \
	static inline T __hadd_sat(T a, T b) { return pmpp_emu_saturated(__hadd(a, b)); }          \
	static inline T __hsub_sat(T a, T b) { return pmpp_emu_saturated(__hsub(a, b)); }          \
	static inline T __hmul_sat(T a, T b) { return pmpp_emu_saturated(__hmul(a, b)); }          \
	static inline T __hfma_sat(T a, T b, T c) { return pmpp_emu_saturated(__hfma(a, b, c)); }  \
	static inline T __hfma_relu(T a, T b, T c) { return __hmax_nan(__hfma(a, b, c), T(0)); }   \
	static inline T2 __hadd2_sat(T2 a, T2 b) { return T2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); } \
	static inline T2 __hsub2_sat(T2 a, T2 b) { return T2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); } \
	static inline T2 __hmul2_sat(T2 a, T2 b) { return T2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); } \
	static inline T2 __hfma2_sat(T2 a, T2 b, T2 c) { return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
	static inline T2 __hfma2_relu(T2 a, T2 b, T2 c) { return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
	static inline bool __hisnan(T a) { return (float)a != (float)a; }                          \
	static inline T2 __hisnan2(T2 a) { return T2((float)__hisnan(a.x), (float)__hisnan(a.y)); } \
	static inline int __hisinf(T a) { return __builtin_isinf_sign((float)a); }

#define PMPP_EMU_HALF_OPERATION(T, T2, name, name2, expression)                                    \
	static inline T name(T p, T q)                                                             \
	{                                                                                          \
		float a = p, b = q;                                                                \
		return T(expression);                                                              \
	}                                                                                          \
	static inline T2 name2(T2 a, T2 b) { return T2(name(a.x, b.x), name(a.y, b.y)); }

#define PMPP_EMU_HALF_ASSIGNMENTS(T)                                                               \
	static inline T &operator+=(T &a, T b) { return a = a + b; }                               \
	static inline T &operator-=(T &a, T b) { return a = a - b; }                               \
	static inline T &operator*=(T &a, T b) { return a = a * b; }                               \
	static inline T &operator/=(T &a, T b) { return a = a / b; }

#define PMPP_EMU_HALF_INCREMENTS(T, one)                                                           \
	static inline T &operator++(T &a) { return a = a + one; }                                  \
	static inline T &operator--(T &a) { return a = a - one; }                                  \
	static inline T operator++(T &a, int)                                                      \
	{                                                                                          \
		T old = a;                                                                         \
		++a;                                                                               \
		return old;                                                                        \
	}                                                                                          \
	static inline T operator--(T &a, int)                                                      \
	{                                                                                          \
		T old = a;                                                                         \
		--a;                                                                               \
		return old;                                                                        \
	}

#define PMPP_EMU_HALF_OPERATIONS(T, T2, name)                                                      \
	PMPP_EMU_HALF_OPERATION(T, T2, __hadd, __hadd2, a + b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hsub, __hsub2, a - b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmul, __hmul2, a * b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hadd_rn, __hadd2_rn, a + b)                               \
	PMPP_EMU_HALF_OPERATION(T, T2, __hsub_rn, __hsub2_rn, a - b)                               \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmul_rn, __hmul2_rn, a * b)                               \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmax_nan, __hmax2_nan, pmpp_emu_half_max(a, b, true))     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmin_nan, __hmin2_nan, -pmpp_emu_half_max(-a, -b, true))  \
	PMPP_EMU_HALF_OPERATION(T, T2, __hdiv, __h2div, a / b)                                     \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmax, __hmax2, pmpp_emu_half_max(a, b, false))            \
	PMPP_EMU_HALF_OPERATION(T, T2, __hmin, __hmin2, -pmpp_emu_half_max(-a, -b, false))         \
	static inline T __hfma(T a, T b, T c)                                                      \
	{                                                                                          \
		return T((double)(float)a * (double)(float)b + (double)(float)c);                  \
	}                                                                                          \
	static inline T2 __hfma2(T2 a, T2 b, T2 c)                                                 \
	{                                                                                          \
		return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                           \
	}                                                                                          \
	static inline T __hneg(T a) { return __ushort_as_##name((unsigned short)(a.bits ^ 0x8000u)); } \
	static inline T __habs(T a) { return __ushort_as_##name((unsigned short)(a.bits & 0x7fffu)); } \
	static inline T2 __hneg2(T2 a) { return T2(__hneg(a.x), __hneg(a.y)); }                    \
	static inline T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                    \
	static inline T operator+(T a, T b) { return __hadd(a, b); }                               \
	static inline T operator-(T a, T b) { return __hsub(a, b); }                               \
	static inline T operator*(T a, T b) { return __hmul(a, b); }                               \
	static inline T operator/(T a, T b) { return __hdiv(a, b); }                               \
	static inline T operator-(T a) { return __hneg(a); }                                       \
	static inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                           \
	static inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                           \
	static inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                           \
	static inline T2 operator/(T2 a, T2 b) { return __h2div(a, b); }                           \
	static inline T2 operator-(T2 a) { return __hneg2(a); }                                    \
	PMPP_EMU_HALF_ASSIGNMENTS(T)                                                               \
	PMPP_EMU_HALF_ASSIGNMENTS(T2)                                                              \
	static inline T2 operator+(T2 a) { return a; }                                             \
	PMPP_EMU_HALF_INCREMENTS(T, T(1))                                                          \
	PMPP_EMU_HALF_INCREMENTS(T2, T2(T(1), T(1)))

#define PMPP_EMU_HALF(T, T2, name, to_bits, to_value)                                              \
	PMPP_EMU_HALF_TYPES(T, T2, to_bits, to_value)                                              \
	PMPP_EMU_HALF_CONVERSIONS(T, T2, name)                                                     \
	PMPP_EMU_HALF_INTEGERS(T, name)                                                            \
	PMPP_EMU_HALF_OPERATIONS(T, T2, name)                                                      \
	PMPP_EMU_HALF_FUNCTIONS(T, T2)
