/*
 * Input data: a pure function of the seed, the operand and the index of the element. It is the same
 * on every engine and thread.
 */
#ifndef PMPP_COMMON_DATA_H
#define PMPP_COMMON_DATA_H

#include "common/dtype.h"

#include <stdint.h>

/* Returns 64 random bits: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014) of seed, stream and index. */
uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* Returns an f32 in [-1, 1): a 24-bit fraction times 1, 1/2, 1/4 or 1/8. Therefore sums and
 * products of these numbers need rounding. */
float data_random(uint64_t seed, uint64_t stream, uint64_t index);

/* Writes the elements first to first + count - 1 to target[0] to target[count - 1]. f32:
 * data_random(); f16: the same, rounded; i32: [-2^20, 2^20); u32 and u8: any value. */
void data_fill_random(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream);

/* Writes integers in [-limit, limit] as elements of a float type; limit >= 1. */
void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit);

#endif
