#include "common/bound.h"
#include "tests/support/test.h"

static float from_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static const struct finite_row {
	const char *name;
	uint32_t bits;
	bool finite;
} finite_rows[] = {
	{"0", 0x00000000, true},
	{"-0", 0x80000000, true},
	{"least subnormal", 0x00000001, true},
	{"greatest subnormal", 0x807fffff, true},
	{"FLT_MAX", 0x7f7fffff, true},
	{"-FLT_MAX", 0xff7fffff, true},
	{"inf", 0x7f800000, false},
	{"-inf", 0xff800000, false},
	{"signalling NaN", 0x7f800001, false},
	{"quiet NaN", 0x7fc00000, false},
	{"-NaN, all ones", 0xffffffff, false},
};

TEST_ROWS(is_finite, finite_rows, "finite: %s", row->name)
{
	EQUAL(f32_is_finite(from_bits(row->bits)), row->finite);
}

TEST(gamma_values, "gamma")
{
	double u = F32_UNIT_ROUNDOFF;

	CHECK(NEAR(bound_of_chain(CHAIN_ANY, 0, u), 0, 0),
		NEAR(bound_of_chain(CHAIN_ANY, 1, u), u / (1 - u), 1e-22),
		NEAR(bound_of_chain(CHAIN_ANY, 1024, u), 1024 * u / (1 - 1024 * u), 1e-18),
		NEAR(bound_of_chain(CHAIN_ANY, 1 << 23, u), 1, 1e-15),
		IS(isinf(bound_of_chain(CHAIN_ANY, 1 << 24, u))),
		IS(isinf(bound_of_chain(CHAIN_ANY, INT64_MAX, u))));
}

static const struct chain_row {
	const char *name;
	enum chain_kind kind;
	double hu; /* h = hu 2^24, u = 2^-24 */
	double bound;
} chain_rows[] = {
	{"any, h u = 1/4", CHAIN_ANY, 0.25, 1.0 / 3},
	{"any, h u = 1", CHAIN_ANY, 1, HUGE_VAL},
	{"sum, nothing is rounded", CHAIN_SUM, 0, 0},
	{"sum, h u = 1/4", CHAIN_SUM, 0.25, 1.0 / 3},
	{"sum, just below h u = 1/2", CHAIN_SUM, 0.5 - 0x1p-24, 1},
	{"sum, h u = 1/2", CHAIN_SUM, 0.5, 1},
	{"sum, h u = 1", CHAIN_SUM, 1, 2},
	{"sum, h u = 2^16", CHAIN_SUM, 0x1p16, 0x1p17},
	{"chopped sum, one rounding", CHAIN_CHOPPED_SUM, 0x1p-24, 0x1p-24},
	{"chopped sum, h u = 1", CHAIN_CHOPPED_SUM, 1, 1.7182818},
	{"chopped sum, h u = 128", CHAIN_CHOPPED_SUM, 128, 3.8877e55},
};

TEST_ROWS(chain_bound, chain_rows, "%s", row->name)
{
	double bound = bound_of_chain(row->kind, (int64_t)(row->hu * 0x1p24), 0x1p-24);

	if (isinf(row->bound))
		IS(isinf(bound));
	else
		test_near(bound, row->bound, 1e-4 * row->bound);
}

/* A sum of 2^25 ones, added one after another in f32, stops at 2^24. The program is right, and its
 * error is half of the answer. The same with products that f32 cannot represent. */
TEST(sums_that_stop, "sums that stop at 2^24")
{
	int64_t terms = 1 << 25;
	double gamma = bound_of_chain(CHAIN_SUM, terms, F32_UNIT_ROUNDOFF);
	double value = 0;
	volatile float sum = 0, dot = 0;

	for (int64_t i = 0; i < terms; i++) {
		sum += 1.0f;
		dot = fmaf(1.0000001f, 1.0000001f, dot);
		value += 1.0000001f * (double)1.0000001f;
	}
	struct expected ones = {.value = (double)terms, .terms = (double)terms};
	struct expected products = {.value = value, .terms = value};
	test_near((double)sum, 0x1p24, 0);
	IS(bound_ratio(DTYPE_F32, (double)sum, &ones, gamma) <= 1);
	IS(bound_ratio(DTYPE_F32, (double)dot, &products, gamma) <= 1);
	IS(bound_ratio(DTYPE_F32, -3e38, &ones, gamma) > 1);
}

#define TINY 0x1p-149

static const struct ratio_row {
	const char *name;
	uint32_t got;
	double want, terms, gamma;
	double ratio; /* HUGE_VAL: infinity */
} ratio_rows[] = {
	{"exact", 0x3f800000, 1, 1, 1e-7, 0},
	{"half of the bound", 0x3f800000, 1 + 0.5e-3, 1, 1e-3, 0.5},
	{"twice the bound", 0x3f800000, 1 - 2e-3, 1, 1e-3, 2},
	{"-0 for 0", 0x80000000, 0, 0, 1e-7, 0},
	{"0 for the least subnormal", 0, TINY, TINY, 1e-7, 1},
	{"least subnormal for half of it", 1, 0.5 * TINY, 0.5 * TINY, 1e-7, 0.5},
	{"a subnormal flushed to 0", 0, 0x1p-130, 0x1p-130, 0, 0x1p19},
	{"a difference without terms", 0x3f800000, 0, 0, 1e-7, 0x1p149},
	{"NaN", 0x7fc00000, 1, 1, 1e-3, HUGE_VAL},
	{"signalling NaN", 0xff800001, 1, 1, 1e-3, HUGE_VAL},
	{"inf", 0x7f800000, 1, 1, 1e-3, HUGE_VAL},
	{"-inf for -inf", 0xff800000, -HUGE_VAL, HUGE_VAL, 1e-3, HUGE_VAL},
	{"a finite answer for inf", 0x3f800000, HUGE_VAL, HUGE_VAL, 1e-3, HUGE_VAL},
	{"a finite answer for NaN", 0x3f800000, NAN, 1, 1e-3, HUGE_VAL},
	{"terms are NaN", 0x3f800000, 1, NAN, 1e-3, HUGE_VAL},
	{"gamma infinite, no terms", 0x3f800000, 1, 0, HUGE_VAL, HUGE_VAL},
};

TEST_ROWS(ratio, ratio_rows, "ratio: %s", row->name)
{
	struct expected want = {.value = row->want, .terms = row->terms};
	double got = bound_ratio(DTYPE_F32, (double)from_bits(row->got), &want, row->gamma);

	NOT(isnan(got));
	if (isinf(row->ratio)) {
		IS(isinf(got) && got > 0);
		return;
	}
	test_near(got, row->ratio, 1e-3 * row->ratio);
}

TEST(slack_and_types, "slack, and integer types")
{
	const struct expected slack = {.value = 1, .terms = 0, .slack = 0.5};
	const struct expected whole = {.value = 7, .terms = 100, .slack = 100};
	const struct expected level_0 = {.value = 7}, level_1 = {.value = 7, .slack = 1};

	test_near(bound_ratio(DTYPE_F32, 1.25, &slack, 1e-7), 0.5, 1e-12);
	test_near(bound_ratio(DTYPE_F16, 1 + 0.5 + 0x1p-24, &slack, 0), 1, 1e-12);
	/* Sums of integers have no bound. */
	test_near(bound_ratio(DTYPE_I32, 7, &whole, 1), 0, 0);
	IS(isinf(bound_ratio(DTYPE_I32, 8, &whole, 1)));
	IS(isinf(bound_ratio(DTYPE_U8, 6, &whole, HUGE_VAL)));
	IS(isinf(bound_ratio(DTYPE_U8, 6, &level_0, HUGE_VAL)));
	test_near(bound_ratio(DTYPE_U8, 6, &level_1, HUGE_VAL), 1, 0);
	test_near(bound_ratio(DTYPE_U8, 9, &level_1, HUGE_VAL), 2, 0);
}

/* 1 ulp is 2^-23 from 1 to 2, and 2^-149 below the smallest normal number. */
TEST(ulps, "errors in ulp")
{
	CHECK(NEAR(bound_ulps(1 + 0x1p-23, 1), 1, 0), NEAR(bound_ulps(1.5, 1.5 + 0x1p-22), 2, 0),
		NEAR(bound_ulps(1 - 0x1p-24, 1), 0.5, 0),
		NEAR(bound_ulps(-1000, -1000 + 0x1p-14), 1, 0), NEAR(bound_ulps(0x1p-148, 0), 2, 0),
		NEAR(bound_ulps(0x1p-140, 0x1p-140 + 0x1p-149), 1, 0));
}
