/*
 * Conversions (OpenCL C 6.2.3), from the lines PMPP_CONVERT() of needs.h. All results are exact
 * for the rounding mode. Each source is first converted to long, ulong or double without a loss.
 * Without `_sat` an integer outside of the range has its low bits, and the result of a float
 * outside of it is undefined.
 */

/* ---- To integers ----------------------------------------------------------------------------- */

PMPP_IN double pmpp_whole(double x, int mode)
{
	return mode == PMPP_rte   ? __builtin_rint(x)
	       : mode == PMPP_rtp ? __builtin_ceil(x)
	       : mode == PMPP_rtn ? __builtin_floor(x)
				  : __builtin_trunc(x);
}

/* lowest, highest: of T. beyond: highest + 1, which a double has exactly. */
#define PMPP_TO_INTEGER(T, lowest, highest, beyond)                                \
	PMPP_IN T pmpp_to_##T(long x, bool sat, int mode)                          \
	{                                                                          \
		if (sat && x < (long)lowest)                                       \
			return lowest;                                             \
		return sat && x > 0 && (ulong)x > (ulong)highest ? highest : (T)x; \
	}                                                                          \
	PMPP_IN T pmpp_to_##T(ulong x, bool sat, int mode)                         \
	{                                                                          \
		return sat && x > (ulong)highest ? highest : (T)x;                 \
	}                                                                          \
	PMPP_IN T pmpp_to_##T(double x, bool sat, int mode)                        \
	{                                                                          \
		double whole = pmpp_whole(x, mode);                                \
		if (sat && !(whole > (double)lowest))                              \
			return whole != whole ? (T)0 : lowest;                     \
		if (sat && whole >= beyond)                                        \
			return highest;                                            \
		return whole >= 0x1p63 ? (T)(ulong)whole : (T)(long)whole;         \
	}
PMPP_TO_INTEGER(char, CHAR_MIN, CHAR_MAX, 0x1p7)
PMPP_TO_INTEGER(uchar, (uchar)0, UCHAR_MAX, 0x1p8)
PMPP_TO_INTEGER(short, SHRT_MIN, SHRT_MAX, 0x1p15)
PMPP_TO_INTEGER(ushort, (ushort)0, USHRT_MAX, 0x1p16)
PMPP_TO_INTEGER(int, INT_MIN, INT_MAX, 0x1p31)
PMPP_TO_INTEGER(uint, 0U, UINT_MAX, 0x1p32)
PMPP_TO_INTEGER(long, LONG_MIN, LONG_MAX, 0x1p63)
PMPP_TO_INTEGER(ulong, 0UL, ULONG_MAX, 0x1p64)

/* ---- To floating point ----------------------------------------------------------------------- */

/* The next number of T above and below x, which is not NaN. U: an integer of its size. */
#define PMPP_NEIGHBOURS(T, U, smallest)                                                      \
	PMPP_IN T pmpp_above(T x)                                                            \
	{                                                                                    \
		U bits = __builtin_astype(x, U);                                             \
		return x == (T)0 ? smallest                                                  \
				 : __builtin_astype((U)(x > (T)0 ? bits + 1 : bits - 1), T); \
	}                                                                                    \
	PMPP_IN T pmpp_below(T x)                                                            \
	{                                                                                    \
		return -pmpp_above(-x);                                                      \
	}
PMPP_NEIGHBOURS(float, uint, 0x1p-149f)
PMPP_NEIGHBOURS(double, ulong, 0x1p-1074)

/* `near` is x rounded to the nearest T; compared: the type that has both exactly. */
#define PMPP_DIRECTED(T, near, x, compared, mode)                                       \
	bool over = (compared)near > (compared)x, under = (compared)near < (compared)x; \
	bool down = mode == PMPP_rtn || (mode == PMPP_rtz && x > 0);                    \
	bool up = mode == PMPP_rtp || (mode == PMPP_rtz && x < 0);                      \
	return over && down ? pmpp_below(near) : under && up ? pmpp_above(near) : near
#define PMPP_TO_FLOAT(T, S, compared)                      \
	PMPP_IN T pmpp_to_##T(S x, bool sat, int mode)     \
	{                                                  \
		T near = (T)x;                             \
		PMPP_DIRECTED(T, near, x, compared, mode); \
	}
PMPP_TO_FLOAT(float, long, __int128)
PMPP_TO_FLOAT(float, ulong, __int128)
PMPP_TO_FLOAT(float, double, double)
PMPP_TO_FLOAT(double, long, __int128)
PMPP_TO_FLOAT(double, ulong, __int128)
PMPP_IN double pmpp_to_double(double x, bool sat, int mode)
{
	return x;
}

PMPP_IN half pmpp_to_half(double x, bool sat, int mode)
{
	return as_half(pmpp_half_bits(x, mode));
}
/* Above 2^20 every f16 is infinite, or the largest. */
PMPP_IN half pmpp_to_half(long x, bool sat, int mode)
{
	return as_half(pmpp_half_bits((double)(x > 1 << 20      ? 1 << 20
					       : x < -(1 << 20) ? -(1 << 20)
								: x),
		mode));
}
PMPP_IN half pmpp_to_half(ulong x, bool sat, int mode)
{
	return as_half(pmpp_half_bits((double)(x > 1 << 20 ? 1 << 20 : x), mode));
}

/* ---- The overloads --------------------------------------------------------------------------- */

#define PMPP_CONVERT_FROM(T, I, U, exact, name, R, scalar, n, sat, mode)                 \
	PMPP_DEF R name(T##n a)                                                          \
	{                                                                                \
		R r;                                                                     \
		for (int i = 0; i < n; i++)                                              \
			((scalar *)&r)[i] =                                              \
				pmpp_to_##scalar((exact)((T *)&a)[i], sat, PMPP_##mode); \
		return r;                                                                \
	}
#define PMPP_CONVERT(...)                                    \
	PMPP_SIGNED(PMPP_CONVERT_FROM, long, __VA_ARGS__)    \
	PMPP_UNSIGNED(PMPP_CONVERT_FROM, ulong, __VA_ARGS__) \
	PMPP_FLOATS(PMPP_CONVERT_FROM, double, __VA_ARGS__)
#include "needs.h"
