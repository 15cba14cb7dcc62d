/*
 * Element types of operands: f32, f16, i32, u32, u8, f64. Functions pass values as double, which
 * represents each of them exactly.
 */
#ifndef PMPP_COMMON_DTYPE_H
#define PMPP_COMMON_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
	DTYPE_F32, /* the default */
	DTYPE_F16, /* IEEE 754 binary16, as uint16_t on the host */
	DTYPE_I32,
	DTYPE_U32,
	DTYPE_U8,
	DTYPE_F64, /* only in problems of the user */
	DTYPE_COUNT
};

struct dtype_info {
	const char *name;     /* "f32": for --dtype and result files */
	const char *macro;    /* "DTYPE_F32": defined for kernels of families with several types */
	const char *npy;      /* "<f4" */
	const char *numpy;    /* "float32" */
	size_t bytes;         /* of an element */
	bool is_float;        /* results are compared with a bound; those of other types exactly */
	double unit_roundoff; /* floats: 2^-24, 2^-11, 2^-53; integers: 0 */
	double min;           /* floats: the least subnormal number; integers: 0 */
	double min_normal;    /* floats: 2^-126, 2^-14, 2^-1022; integers: 0 */
};

const struct dtype_info *dtype_info(enum dtype dtype);

double dtype_load(enum dtype dtype, const void *array, int64_t index);

/* Rounds floats to nearest, ties to even; f16 overflows to infinity. A value for an integer type
 * must be in the range of the type. */
void dtype_store(enum dtype dtype, void *array, int64_t index, double value);

/* Tests the bits, so that no compiler option removes the test. Integers are always finite. */
bool dtype_is_finite(enum dtype dtype, const void *array, int64_t index);

float f16_to_float(uint16_t bits);
uint16_t f16_from_double(double value);

/* Rounds to TF32: f32 with a fraction of 10 bits, to nearest, ties away from zero (the instruction
 * cvt.rna.tf32.f32 of the PTX ISA). */
float tf32_round(float value);

#endif
