/* Functions of 64-bit integers that the families and the host use. */
#ifndef PMPP_COMMON_INTEGERS_H
#define PMPP_COMMON_INTEGERS_H

#include <stdint.h>

/* Returns a / b rounded up; a >= 0, b >= 1. Never overflows. */
static inline int64_t ceil_div(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* Returns the smallest multiple of unit that is not below count; count >= 0, unit >= 1. */
static inline int64_t round_up(int64_t count, int64_t unit)
{
	return ceil_div(count, unit) * unit;
}

static inline int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Returns log2(n) rounded down; n >= 1. */
static inline int64_t floor_log2(int64_t n)
{
	return 63 - __builtin_clzll((unsigned long long)n);
}

#endif
