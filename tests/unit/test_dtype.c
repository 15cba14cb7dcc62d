/* Element types: half precision by its definition, rounding, TF32. */
#include "common/dtype.h"
#include "tests/support/test.h"

static double half_value(unsigned bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double magnitude =
		exponent == 0 ? ldexp(fraction, -24) : ldexp(1 + fraction / 1024.0, exponent - 15);

	return bits >> 15 ? -magnitude : magnitude;
}

/* Converts every half to its value and back. */
TEST(every_half, "every half precision number")
{
	for (unsigned bits = 0; bits < 65536; bits++) {
		bool finite = (bits >> 10 & 31) < 31;
		float value = f16_to_float((uint16_t)bits);
		uint16_t stored = (uint16_t)bits;

		EQUAL(dtype_is_finite(DTYPE_F16, &stored, 0), finite);
		if (finite)
			test_near(value, half_value(bits), 0);
		if (isnan(value))
			IS(isnan(f16_to_float(f16_from_double(NAN))));
		else if (f16_from_double((double)value) != bits)
			test_fail("%#x becomes %#x after conversion to double and back", bits,
				f16_from_double((double)value));
	}
}

/* A value between two neighbours rounds to the nearer one; a tie rounds to the even one. */
TEST(rounds_to_nearest, "half: to nearest, ties to even")
{
	for (unsigned bits = 0; bits < 0x7bff; bits++) {
		double low = half_value(bits), high = half_value(bits + 1);
		unsigned even = bits & 1 ? bits + 1 : bits;

		EQUAL(f16_from_double(low + 0.49 * (high - low)), bits);
		EQUAL(f16_from_double(low + 0.51 * (high - low)), bits + 1);
		EQUAL(f16_from_double((low + high) / 2), even);
		EQUAL(f16_from_double(-(low + high) / 2), even | 0x8000);
	}
	CHECK(EQUAL(f16_from_double(65519.9), 0x7bff), EQUAL(f16_from_double(65520), 0x7c00),
		EQUAL(f16_from_double(-1e300), 0xfc00));
}

TEST(tf32, "TF32 rounding")
{
	test_near(tf32_round(1 + 0x1p-10f), 1 + 0x1p-10, 0);
	test_near(tf32_round(1 + 0x1p-11f), 1 + 0x1p-10, 0); /* ties away from zero */
	test_near(tf32_round(-1 - 0x1p-11f), -1 - 0x1p-10, 0);
	CHECK(NEAR(tf32_round(1 + 0x1p-12f), 1, 0), IS(isinf(tf32_round(INFINITY))),
		IS(isnan(tf32_round(NAN))));
}

static const enum dtype dtypes[] = {DTYPE_F32, DTYPE_F16, DTYPE_I32, DTYPE_U32, DTYPE_U8};

TEST_ROWS(stores, dtypes, "stores %s", dtype_info(*row)->name)
{
	enum dtype dtype = *row;
	uint32_t array[4] = {0};

	for (int64_t i = 0; i < 4; i++)
		dtype_store(dtype, array, i, (double)(3 * i + 1));
	for (int64_t i = 0; i < 4; i++)
		test_near(dtype_load(dtype, array, i), (double)(3 * i + 1), 0);
}
