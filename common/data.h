/*
 * Input data: a pure function of (seed, operand, element), the same on every engine and thread.
 */
#ifndef PMPP_COMMON_DATA_H
#define PMPP_COMMON_DATA_H

#include <stdint.h>

/* 64 random bits for a counter: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014) of seed, stream and index. */
uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* count f32 in [-1, 1): a 24-bit fraction, scaled by 1, 1/2, 1/4 or 1/8, so that sums and products
 * have to be rounded. */
void data_fill_random(float *target, int64_t count, uint64_t seed, uint64_t stream);

/* count integers in [-limit, limit], limit >= 1. */
void data_fill_integer(float *target, int64_t count, uint64_t seed, uint64_t stream, int64_t limit);

#endif
