/*
 * Input data: a pure function of the seed, the operand and the index of the element. It is the same
 * on every engine and thread.
 */
#ifndef PMPP_COMMON_DATA_H
#define PMPP_COMMON_DATA_H

#include "common/dtype.h"

#include <stdbool.h>
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
	CASE_EQUAL,     /* one value; unsigned types: the largest of the cases (u8 255, u32 2^28) */
	CASE_ASCENDING, /* sorted */
	CASE_ENDS,      /* the largest element is the first one, the smallest is the last one */
	CASE_SWAPPED,   /* the other way round */
	CASE_MIDDLE,    /* both are in the middle */
	CASE_ZEROS,     /* half of the elements are 0, also -0; a quarter are tiny floats */
	CASE_SUBNORMAL, /* floats; integers: -1, 0, 1 */
	CASE_LARGE, /* f32: up to 2^50, f16: up to 2^14; integers: the whole range of the type, often its
		     * ends */
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

/* The same with integers from 0 to bound - 1, for example indices. bound >= 1. */
void data_fill_case_below(enum dtype dtype, uint64_t bound, void *target, int64_t first,
	int64_t count, int64_t total, uint64_t seed, uint64_t stream, enum data_case data_case);

/* Returns the element that data_fill_case_below() writes at this index. */
uint64_t data_case_below(uint64_t bound, int64_t index, int64_t total, uint64_t seed,
	uint64_t stream, enum data_case data_case);

/* Writes integers in [-limit, limit] as elements of a float type; limit >= 1. */
void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit);

/*
 * Wide integers: odd, 2^11 < |x| < 2^13. A kernel that rounds its inputs to 11 bits (f16, TF32)
 * changes each of them. A sum of `terms` independent wide integers, or of wide integers times 1 or
 * -1, must stay below 2^24 (bound_integer_limit()): if there are more than 2^15 terms, only a share
 * of 2^14 / terms of the places is wide. Then 2^14 * 2^26 takes the place of terms * L^(2 factors)
 * in Hoeffding's inequality, which gives a probability below 2 exp(-64) up to 2^34 terms.
 *
 * data_is_wide() returns whether the place (from 0) of a sum is wide. data_wide() returns the wide
 * integer of an element.
 */
bool data_is_wide(uint64_t seed, uint64_t stream, uint64_t place, double terms);
int64_t data_wide(uint64_t seed, uint64_t stream, uint64_t index);

/* data_fill_integer(), with wide integers in the wide places. */
void data_fill_wide(float *target, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
	int64_t limit, double terms);

#endif
