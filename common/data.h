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

/* Data that shows mistakes which random data may hide (docs/verification.md). */
enum data_case {
	CASE_NEGATIVE,  /* unsigned types: the upper half */
	CASE_POSITIVE,  /* unsigned types: the lower half without 0 */
	CASE_EQUAL,     /* one value */
	CASE_ASCENDING, /* sorted */
	CASE_ENDS,      /* the largest element is the first one, the smallest is the last one */
	CASE_SWAPPED,   /* the other way round */
	CASE_MIDDLE,    /* both are in the middle */
	CASE_ZEROS,     /* half of the elements are 0, also -0 */
	CASE_SUBNORMAL, /* floats; integers: -1, 0, 1 */
	CASE_LARGE, /* f32: up to 2^50, f16: up to 2^14; integers: the whole range of the type */
	CASE_COUNT
};

/* Bits of a set of cases. */
#define CASE_BIT(data_case) (1u << (data_case))
#define ALL_CASES (CASE_BIT(CASE_COUNT) - 1)

/* "negative" */
const char *data_case_name(enum data_case data_case);

/* Writes the elements first to first + count - 1 of `total` elements, as data_fill_random(). range:
 * the type whose range the values have; another one than dtype for rows that round their inputs. */
void data_fill_case(enum dtype dtype, enum dtype range, void *target, int64_t first, int64_t count,
	int64_t total, uint64_t seed, uint64_t stream, enum data_case data_case);

/* Writes integers in [-limit, limit] as elements of a float type; limit >= 1. */
void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit);

#endif
