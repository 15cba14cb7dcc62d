#include "common/dtype.h"

#include <math.h>
#include <string.h>

const struct dtype_info *dtype_info(enum dtype dtype)
{
	static const struct dtype_info rows[DTYPE_COUNT] = {
		[DTYPE_F32] = {"f32", "DTYPE_F32", "<f4", "float32", 4, true, 0x1p-24, 0x1p-149,
			0x1p-126},
		[DTYPE_F16] = {"f16", "DTYPE_F16", "<f2", "float16", 2, true, 0x1p-11, 0x1p-24,
			0x1p-14},
		[DTYPE_I32] = {"i32", "DTYPE_I32", "<i4", "int32", 4, false, 0, 0, 0},
		[DTYPE_U32] = {"u32", "DTYPE_U32", "<u4", "uint32", 4, false, 0, 0, 0},
		[DTYPE_U8] = {"u8", "DTYPE_U8", "|u1", "uint8", 1, false, 0, 0, 0},
		[DTYPE_F64] = {"f64", "DTYPE_F64", "<f8", "float64", 8, true, 0x1p-53, 0x1p-1074,
			0x1p-1022},
	};
	return &rows[dtype];
}

/* ---- Small floats -------------------------------------------------------------------------- */

#define HALF_INFINITY 0x7c00u
#define F64_INFINITY 0x7ff0000000000000u
#define HALF_FRACTION_BITS 10

float f16_to_float(uint16_t bits)
{
	int exponent = bits >> HALF_FRACTION_BITS & 31;
	int fraction = bits & 1023;
	double magnitude;

	if (exponent == 31)
		magnitude = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		magnitude = ldexp(fraction, -24);
	else
		magnitude = ldexp(1024 + fraction, exponent - 25);
	return (float)(bits >> 15 ? -magnitude : magnitude);
}

uint16_t f16_from_double(double value)
{
	uint16_t sign = signbit(value) ? 0x8000u : 0;
	double magnitude = fabs(value);
	int exponent;

	if (isnan(value))
		return sign | 0x7e00u;
	if (magnitude >= 65520) /* half way from 65504, the largest, to 65536 */
		return sign | HALF_INFINITY;
	frexp(magnitude, &exponent); /* magnitude < 2^exponent */
	if (magnitude == 0 || exponent < -13)
		exponent = -13; /* subnormal: multiples of 2^-24 */
	/* In units of the last fraction bit. A carry into the exponent gives the right bits. */
	double units = nearbyint(ldexp(magnitude, 11 - exponent));
	return sign | (uint16_t)((uint16_t)(exponent + 13) * 1024u + (unsigned)units);
}

float tf32_round(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	if ((bits & 0x7f800000u) != 0x7f800000u)
		bits = (bits + 0x1000u) & ~0x1fffu;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- Elements ------------------------------------------------------------------------------ */

double dtype_load(enum dtype dtype, const void *array, int64_t index)
{
	switch (dtype) {
	case DTYPE_F32:
		return (double)((const float *)array)[index];
	case DTYPE_F16:
		return (double)f16_to_float(((const uint16_t *)array)[index]);
	case DTYPE_I32:
		return ((const int32_t *)array)[index];
	case DTYPE_U32:
		return ((const uint32_t *)array)[index];
	case DTYPE_U8:
		return ((const uint8_t *)array)[index];
	case DTYPE_F64:
		return ((const double *)array)[index];
	case DTYPE_COUNT:
		break;
	}
	return NAN;
}

void dtype_store(enum dtype dtype, void *array, int64_t index, double value)
{
	switch (dtype) {
	case DTYPE_F32:
		((float *)array)[index] = (float)value;
		break;
	case DTYPE_F16:
		((uint16_t *)array)[index] = f16_from_double(value);
		break;
	case DTYPE_I32:
		((int32_t *)array)[index] = (int32_t)value;
		break;
	case DTYPE_U32:
		((uint32_t *)array)[index] = (uint32_t)value;
		break;
	case DTYPE_U8:
		((uint8_t *)array)[index] = (uint8_t)value;
		break;
	case DTYPE_F64:
		((double *)array)[index] = value;
		break;
	case DTYPE_COUNT:
		break;
	}
}

bool dtype_is_finite(enum dtype dtype, const void *array, int64_t index)
{
	if (dtype == DTYPE_F32) {
		uint32_t bits;
		memcpy(&bits, (const float *)array + index, sizeof bits);
		return (bits & 0x7f800000u) != 0x7f800000u;
	}
	if (dtype == DTYPE_F16)
		return (((const uint16_t *)array)[index] & HALF_INFINITY) != HALF_INFINITY;
	if (dtype == DTYPE_F64) {
		uint64_t bits;
		memcpy(&bits, (const double *)array + index, sizeof bits);
		return (bits & F64_INFINITY) != F64_INFINITY;
	}
	return true;
}
