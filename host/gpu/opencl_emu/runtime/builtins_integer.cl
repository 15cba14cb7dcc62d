/* Integer functions (OpenCL C 6.12.3). All results are exact. */

/* For every integer type T: pmpp_NAME(T...) as an expression. W: a type that has all products. */
#define PMPP_WIDE __int128
#define PMPP_BITS(T) ((int)sizeof(T) * 8)
#define PMPP_IS_SIGNED(T) ((T)-1 < (T)1)
#define PMPP_LARGEST(T, U) (PMPP_IS_SIGNED(T) ? (T)((U)-1 >> 1) : (T)(U)-1)
#define PMPP_SMALLEST(T, U) (PMPP_IS_SIGNED(T) ? (T)((U)1 << (PMPP_BITS(T) - 1)) : (T)0)
#define PMPP_SATURATED(T, U, x)                                              \
	((x) > (PMPP_WIDE)PMPP_LARGEST(T, U)           ? PMPP_LARGEST(T, U)  \
		: (x) < (PMPP_WIDE)PMPP_SMALLEST(T, U) ? PMPP_SMALLEST(T, U) \
						       : (T)(x))

#define PMPP_INTEGER1(T, I, U, name, R, expression) \
	PMPP_IN R pmpp_##name(T a)                  \
	{                                           \
		return (R)(expression);             \
	}                                           \
	PMPP_ALL1(name, R, T)
#define PMPP_INTEGER2(T, I, U, name, R, expression) \
	PMPP_IN R pmpp_##name(T a, T b)             \
	{                                           \
		return (R)(expression);             \
	}                                           \
	PMPP_ALL2(name, R, T, T)
#define PMPP_INTEGER3(T, I, U, name, R, expression) \
	PMPP_IN R pmpp_##name(T a, T b, T c)        \
	{                                           \
		return (R)(expression);             \
	}                                           \
	PMPP_ALL3(name, R, T, T, T)
/* The functions of PMPP_INTEGERS cannot use the names T, I, U in an expression that is an
 * argument, so each has its own macro. */

#ifdef NEED_abs
#define PMPP_ABS(T, I, U, x) PMPP_INTEGER1(T, I, U, abs, U, a < 0 ? (U) - (U)a : (U)a)
PMPP_INTEGERS(PMPP_ABS, )
#endif
#ifdef NEED_abs_diff
#define PMPP_ABS_DIFF(T, I, U, x) \
	PMPP_INTEGER2(T, I, U, abs_diff, U, a > b ? (U)a - (U)b : (U)b - (U)a)
PMPP_INTEGERS(PMPP_ABS_DIFF, )
#endif
#ifdef NEED_add_sat
#define PMPP_ADD_SAT(T, I, U, x) \
	PMPP_INTEGER2(T, I, U, add_sat, T, PMPP_SATURATED(T, U, (PMPP_WIDE)a + b))
PMPP_INTEGERS(PMPP_ADD_SAT, )
#endif
#ifdef NEED_sub_sat
#define PMPP_SUB_SAT(T, I, U, x) \
	PMPP_INTEGER2(T, I, U, sub_sat, T, PMPP_SATURATED(T, U, (PMPP_WIDE)a - b))
PMPP_INTEGERS(PMPP_SUB_SAT, )
#endif
#ifdef NEED_hadd
#define PMPP_HADD(T, I, U, x) PMPP_INTEGER2(T, I, U, hadd, T, ((PMPP_WIDE)a + b) >> 1)
PMPP_INTEGERS(PMPP_HADD, )
#endif
#ifdef NEED_rhadd
#define PMPP_RHADD(T, I, U, x) PMPP_INTEGER2(T, I, U, rhadd, T, ((PMPP_WIDE)a + b + 1) >> 1)
PMPP_INTEGERS(PMPP_RHADD, )
#endif
#ifdef NEED_clz
#define PMPP_CLZ(T, I, U, x)           \
	PMPP_INTEGER1(T, I, U, clz, T, \
		(U)a == 0 ? PMPP_BITS(T) : __builtin_clzl((ulong)(U)a) - (64 - PMPP_BITS(T)))
PMPP_INTEGERS(PMPP_CLZ, )
#endif
#ifdef NEED_ctz
#define PMPP_CTZ(T, I, U, x) \
	PMPP_INTEGER1(T, I, U, ctz, T, (U)a == 0 ? PMPP_BITS(T) : __builtin_ctzl((ulong)(U)a))
PMPP_INTEGERS(PMPP_CTZ, )
#endif
#ifdef NEED_popcount
#define PMPP_POPCOUNT(T, I, U, x) \
	PMPP_INTEGER1(T, I, U, popcount, T, __builtin_popcountl((ulong)(U)a))
PMPP_INTEGERS(PMPP_POPCOUNT, )
#endif
#ifdef NEED_mul_hi
#define PMPP_MUL_HI(T, I, U, x) PMPP_INTEGER2(T, I, U, mul_hi, T, pmpp_high((T)a, (T)b))
#endif
#if defined NEED_mul_hi || defined NEED_mad_hi
#define PMPP_HIGH(T, I, U, x)                                 \
	PMPP_IN T pmpp_high(T a, T b)                         \
	{                                                     \
		return (T)((PMPP_WIDE)a * b >> PMPP_BITS(T)); \
	}
PMPP_SIGNED(PMPP_HIGH, )
PMPP_IN uchar pmpp_high(uchar a, uchar b)
{
	return (uchar)((uint)a * b >> 8);
}
PMPP_IN ushort pmpp_high(ushort a, ushort b)
{
	return (ushort)((uint)a * b >> 16);
}
PMPP_IN uint pmpp_high(uint a, uint b)
{
	return (uint)((ulong)a * b >> 32);
}
PMPP_IN ulong pmpp_high(ulong a, ulong b)
{
	return (ulong)((unsigned __int128)a * b >> 64);
}
#endif
#ifdef NEED_mul_hi
PMPP_INTEGERS(PMPP_MUL_HI, )
#endif
#ifdef NEED_mad_hi
#define PMPP_MAD_HI(T, I, U, x) PMPP_INTEGER3(T, I, U, mad_hi, T, (U)pmpp_high((T)a, (T)b) + (U)c)
PMPP_INTEGERS(PMPP_MAD_HI, )
#endif
#ifdef NEED_mad_sat
/* The product of two 64-bit numbers and a sum fit in 128 bits, unsigned ones in 128 bits without
 * sign. */
#define PMPP_MAD_SAT(T, I, U, x) \
	PMPP_INTEGER3(T, I, U, mad_sat, T, PMPP_SATURATED(T, U, (PMPP_WIDE)a *b + c))
PMPP_SIGNED(PMPP_MAD_SAT, )
#define PMPP_MAD_SAT_UNSIGNED(T, I, U, x)  \
	PMPP_INTEGER3(T, I, U, mad_sat, T, \
		(unsigned __int128)a *b + c > (U)-1 ? (U)-1 : (U)((unsigned __int128)a * b + c))
PMPP_UNSIGNED(PMPP_MAD_SAT_UNSIGNED, )
#endif
#ifdef NEED_rotate
#define PMPP_ROTATE(T, I, U, x)                 \
	PMPP_INTEGER2(T, I, U, rotate, T,       \
		(U)a << ((U)b % PMPP_BITS(T)) | \
			(U)a >> (PMPP_BITS(T) - (U)b % PMPP_BITS(T)) % PMPP_BITS(T))
PMPP_INTEGERS(PMPP_ROTATE, )
#endif
#ifdef NEED_mul24
#define PMPP_MUL24(T) PMPP_INTEGER2(T, , , mul24, T, pmpp_low24(a) * pmpp_low24(b))
#endif
#ifdef NEED_mad24
#define PMPP_MAD24(T) PMPP_INTEGER3(T, , , mad24, T, pmpp_low24(a) * pmpp_low24(b) + (uint)c)
#endif
#if defined NEED_mul24 || defined NEED_mad24
/* Operands beyond 24 bits have an undefined result: here the low 24 bits count. */
PMPP_IN uint pmpp_low24(int a)
{
	return (uint)((int)((uint)a << 8) >> 8);
}
PMPP_IN uint pmpp_low24(uint a)
{
	return a & 0xffffff;
}
#endif
#ifdef NEED_mul24
PMPP_MUL24(int)
PMPP_MUL24(uint)
#endif
#ifdef NEED_mad24
PMPP_MAD24(int)
PMPP_MAD24(uint)
#endif
#ifdef NEED_upsample
#define PMPP_UPSAMPLE(name, R, H, L, bits)               \
	PMPP_IN R pmpp_##name(H a, L b)                  \
	{                                                \
		return (R)((ulong)a << bits | (ulong)b); \
	}                                                \
	PMPP_ALL2(name, R, H, L)
PMPP_UPSAMPLE(upsample, short, char, uchar, 8)
PMPP_UPSAMPLE(upsample, ushort, uchar, uchar, 8)
PMPP_UPSAMPLE(upsample, int, short, ushort, 16)
PMPP_UPSAMPLE(upsample, uint, ushort, ushort, 16)
PMPP_UPSAMPLE(upsample, long, int, uint, 32)
PMPP_UPSAMPLE(upsample, ulong, uint, uint, 32)
#endif

/* ---- Also for floating point ----------------------------------------------------------------- */

#define PMPP_ORDER(T, name, expression) \
	PMPP_IN T pmpp_##name(T a, T b) \
	{                               \
		return expression;      \
	}                               \
	PMPP_ALL2(name, T, T, T)        \
	PMPP_SIZES(PMPP_VECTOR2_SCALAR, name, T, T, T)
#ifdef NEED_max
#define PMPP_MAX(T, I, U, x) PMPP_ORDER(T, max, a < b ? b : a)
PMPP_TYPES(PMPP_MAX, )
#endif
#ifdef NEED_min
#define PMPP_MIN(T, I, U, x) PMPP_ORDER(T, min, b < a ? b : a)
PMPP_TYPES(PMPP_MIN, )
#endif
#ifdef NEED_clamp
/* As min(max(a, b), c). */
#define PMPP_CLAMP(T, I, U, x)                  \
	PMPP_IN T pmpp_clamp(T a, T b, T c)     \
	{                                       \
		T larger = a < b ? b : a;       \
		return c < larger ? c : larger; \
	}                                       \
	PMPP_ALL3(clamp, T, T, T, T)            \
	PMPP_SIZES(PMPP_VECTOR3_SCALARS, clamp, T, T, T, T)
PMPP_TYPES(PMPP_CLAMP, )
#endif
