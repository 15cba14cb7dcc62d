/*
 * Input data: a pure function of (seed, operand, element), the same on every engine and thread.
 */
#ifndef PMPP_COMMON_DATA_H
#define PMPP_COMMON_DATA_H

#include "common/dtype.h"

#include <stdint.h>

/* 64 random bits for a counter: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014) of seed, stream and index. */
uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* One f32 in [-1, 1): a 24-bit fraction, scaled by 1, 1/2, 1/4 or 1/8, so that sums and products
 * have to be rounded. */
float data_random(uint64_t seed, uint64_t stream, uint64_t index);

/* Elements first to first + count - 1, at target[0] on. f32 as data_random(); f16 the same,
 * rounded; i32 in [-2^20, 2^20); u32 and u8 any. */
void data_fill_random(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream);

/* Integers in [-limit, limit], limit >= 1, of a float type. */
void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit);

#endif
