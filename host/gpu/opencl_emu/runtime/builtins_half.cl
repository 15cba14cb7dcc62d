/* f16: the value of 16 bits, and the 16 bits of a value in each rounding mode. */

enum {
	PMPP_default,
	PMPP_rte,
	PMPP_rtz,
	PMPP_rtp,
	PMPP_rtn
};

/* Returns the bits of x, rounded once. Values above 65504 become infinite or 65504, as IEEE 754
 * says for the mode. */
__attribute__((unused)) static ushort pmpp_half_bits(double x, int mode)
{
	ulong bits = as_ulong(x);
	ushort sign = (ushort)(bits >> 48 & 0x8000);
	int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	ulong fraction = bits & 0xfffffffffffffUL;

	if (exponent == 1024)
		return (ushort)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
	/* Rounds away from zero if a discarded bit is set. */
	bool away = (mode == PMPP_rtp && !sign) || (mode == PMPP_rtn && sign);
	if (exponent > 15)
		return (ushort)(sign | (away || mode <= PMPP_rte ? 0x7c00 : 0x7bff));
	/* Subnormal values keep fewer bits; below half of the smallest value none is kept. */
	int drop = 42 + (exponent < -14 ? -14 - exponent : 0);
	if (drop > 54)
		return (ushort)(sign | (away && (bits << 1) ? 1 : 0));
	if (exponent > -1023)
		fraction |= 1UL << 52;
	ulong kept = fraction >> drop, rest = fraction & ((1UL << drop) - 1),
	      tie = 1UL << (drop - 1);
	if (mode <= PMPP_rte ? rest > tie || (rest == tie && (kept & 1)) : away && rest)
		kept++;
	/* `kept` has the leading 1 of a normal value, and a carry continues into the exponent. */
	return (ushort)(sign | (exponent < -14 ? kept : ((ulong)(exponent + 14) << 10) + kept));
}

__attribute__((unused)) static float pmpp_half_value(ushort bits)
{
	uint fraction = bits & 0x3ff, exponent = bits >> 10 & 0x1f,
	     sign = (uint)(bits & 0x8000) << 16;

	if (exponent == 31)
		return as_float(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0));
	if (exponent == 0)
		return as_float(sign | as_uint((float)fraction * 0x1p-24f));
	return as_float(sign | (exponent + 112) << 23 | fraction << 13);
}

PMPP_IN half pmpp_to_half(double x)
{
	return as_half(pmpp_half_bits(x, PMPP_rte));
}

/* clang 14 calls these functions for f16 on x86-64, the first two without F16C. They take and
 * return the bits as an integer; functions of these names in libgcc do not. So every program needs them, also
 * one without built-in functions. */
#if defined(PMPP_HALF_CALLS) && defined(__x86_64__) && __clang_major__ < 15
#define PMPP_RUNTIME __attribute__((visibility("hidden")))
PMPP_RUNTIME ushort __gnu_f2h_ieee(float x)
{
	return pmpp_half_bits(x, PMPP_rte);
}
PMPP_RUNTIME float __gnu_h2f_ieee(ushort bits)
{
	return pmpp_half_value(bits);
}
PMPP_RUNTIME ushort __truncdfhf2(double x)
{
	return pmpp_half_bits(x, PMPP_rte);
}
#endif
