#include "common/data.h"
#include "tests/support/test.h"

#define COUNT 100000

static float first[COUNT], second[COUNT];

/* Uniform in [-1, 1), scaled by 1, 1/2, 1/4 or 1/8: the moments of the mixture. */
TEST(in_range, "random: range, grid, mean, variance")
{
	double variance = (1 + 1.0 / 4 + 1.0 / 16 + 1.0 / 64) / 4 / 3;
	double fourth = (1 + 1.0 / 16 + 1.0 / 256 + 1.0 / 4096) / 4 / 5;
	double sum = 0, squares = 0;

	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	for (size_t i = 0; i < COUNT; i++) {
		IS(first[i] >= -1 && first[i] < 1);
		test_near(first[i] * 0x1p26, rint(first[i] * 0x1p26), 0);
		sum += first[i];
		squares += (double)first[i] * first[i];
	}
	/* Six standard errors. */
	test_near(sum / COUNT, 0, 6 * sqrt(variance / COUNT));
	test_near(squares / COUNT, variance, 6 * sqrt((fourth - variance * variance) / COUNT));
}

/* If f32 were exact on the data, no test would find wrong rounding. */
TEST(must_round, "random: sums and products must be rounded")
{
	size_t sums = 0, products = 0;

	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	data_fill_random(DTYPE_F32, second, 0, COUNT, 1, 1);
	for (size_t i = 0; i < COUNT; i++) {
		double a = first[i], b = second[i];
		sums += (double)(float)(a + b) != a + b;
		products += (double)(float)(a * b) != a * b;
	}
	test_note("%zu %% of sums and %zu %% of products are rounded", sums * 100 / COUNT,
		products * 100 / COUNT);
	CHECK(IS(sums > COUNT / 10), IS(products > COUNT / 2));
}

TEST(pure, "random: a pure function")
{
	data_fill_random(DTYPE_F32, first, 0, COUNT, 5, 2);
	data_fill_random(DTYPE_F32, second, 0, COUNT, 5, 2);
	assert_memory_equal(first, second, sizeof first);
	/* Element i does not depend on the number of requested elements. */
	memset(second, 0, sizeof second);
	data_fill_random(DTYPE_F32, second, 0, 100, 5, 2);
	assert_memory_equal(first, second, 100 * sizeof *second);
	test_near(second[100], 0, 0);
}

static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_I32, DTYPE_U32, DTYPE_U8};

/* A part has the same elements as the whole array at the same place, for every type. */
TEST_ROWS(pieces, types, "random: pieces of %s", dtype_info(*row)->name)
{
	enum dtype dtype = *row;
	int64_t bytes = (int64_t)dtype_info(dtype)->bytes;
	double sum = 0;

	data_fill_random(dtype, first, 0, 1000, 5, 2);
	memset(second, 0, 1000 * sizeof *second);
	data_fill_random(dtype, (char *)second + 300 * bytes, 300, 400, 5, 2);
	data_fill_random(dtype, second, 0, 300, 5, 2);
	data_fill_random(dtype, (char *)second + 700 * bytes, 700, 300, 5, 2);
	assert_memory_equal(first, second, 1000 * (size_t)bytes);
	for (int64_t i = 1; i < 1000; i++)
		sum += fabs(dtype_load(dtype, first, i) - dtype_load(dtype, first, i - 1));
	IS(sum > 0);
}

static size_t equal_elements(void)
{
	size_t equal = 0;

	for (size_t i = 0; i < COUNT; i++)
		equal += memcmp(&first[i], &second[i], sizeof *first) == 0;
	return equal;
}

TEST(separate, "random: seeds and streams differ")
{
	static const struct {
		uint64_t seed, stream;
	} others[] = {{2, 0}, {1, 1}, {0, 0}, {1, 2}, {UINT64_MAX, 0}, {0, 1}};

	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		data_fill_random(DTYPE_F32, second, 0, COUNT, others[i].seed, others[i].stream);
		IS(equal_elements() < 5);
	}
}

TEST(never_constant, "random: never constant")
{
	for (uint64_t seed = 0; seed < 20000; seed++) {
		data_fill_random(DTYPE_F32, first, 0, 2, seed, seed % 5);
		if (memcmp(&first[0], &first[1], sizeof *first) == 0)
			test_fail("seed %llu gives two equal elements", (unsigned long long)seed);
	}
}

static const int64_t limits[] = {1, 2, 7, 100, (1 << 23) - 1};

TEST_ROWS(integers, limits, "integers up to %lld", (long long)*row)
{
	int64_t limit = *row;
	float min = 0, max = 0;

	data_fill_integer(DTYPE_F32, first, 0, COUNT, 3, 1, limit);
	for (size_t i = 0; i < COUNT; i++) {
		CHECK(NEAR(first[i], rint(first[i]), 0), IS(fabsf(first[i]) <= (float)limit));
		min = fminf(min, first[i]);
		max = fmaxf(max, first[i]);
	}
	if (limit <= 100) {
		CHECK(NEAR(min, (double)-limit, 0), NEAR(max, (double)limit, 0));
	}
	IS(min < -0.99 * (double)limit && max > 0.99 * (double)limit);
}

static const double wide_terms[] = {1, 0x1p15, 0x1p16, 0x1p20};

/* Every element has more than 11 bits. Of many terms, only a share is wide. */
TEST_ROWS(wide, wide_terms, "wide integers, %g terms", *row)
{
	double terms = *row;
	size_t count = 0;

	data_fill_wide(first, 0, COUNT, 3, 1, 8, terms);
	for (size_t i = 0; i < COUNT; i++) {
		bool is_wide = data_is_wide(3, 1, i, terms);
		CHECK(NEAR(first[i], rint(first[i]), 0), IS(fabsf(first[i]) < 0x1p13f),
			IS(is_wide == (first[i] != tf32_round(first[i]))),
			IS(is_wide || fabsf(first[i]) <= 8));
		count += is_wide;
	}
	test_near((double)count / COUNT, fmin(1, terms > 0x1p15 ? 0x1p14 / terms : 1), 0.02);
}

TEST(bits_spread, "bits: each is set half of the time")
{
	int counts[64] = {0};

	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = data_bits(1, 0, i);
		for (int b = 0; b < 64; b++)
			counts[b] += bits >> b & 1;
	}
	for (int b = 0; b < 64; b++)
		test_near(counts[b], 10000, 6 * sqrt(20000 * 0.25));
}

/* ---- Cases --------------------------------------------------------------------------------- */

#define CASE_ELEMENTS 1000

struct case_facts {
	enum dtype dtype;
	int64_t largest_at, least_at;
	double largest, least;
	size_t zeros, falls; /* elements that are 0; elements below the one before */
};

static struct case_facts facts_of(enum dtype dtype)
{
	struct case_facts facts = {.dtype = dtype, .largest = -INFINITY, .least = INFINITY};

	for (int64_t i = 0; i < CASE_ELEMENTS; i++) {
		double value = dtype_load(dtype, first, i);
		IS(dtype_is_finite(dtype, first, i));
		facts.zeros += value == 0;
		facts.falls += i > 0 && value < dtype_load(dtype, first, i - 1);
		if (value > facts.largest) {
			facts.largest = value;
			facts.largest_at = i;
		}
		if (value < facts.least) {
			facts.least = value;
			facts.least_at = i;
		}
	}
	return facts;
}

/* Whether the array is as its case says. */
static bool is_as_named(enum data_case c, const struct case_facts *facts)
{
	static const double large[DTYPE_COUNT] = {0x1p49, 0x1p13, 0x1p30, 0x1p31, 0x1p7};
	const struct dtype_info *info = dtype_info(facts->dtype);
	double least = facts->least, largest = facts->largest;
	double tiny = info->is_float ? info->min_normal : 1.5;
	bool has_sign = facts->dtype != DTYPE_U32 && facts->dtype != DTYPE_U8;

	switch (c) {
	case CASE_NEGATIVE:
		return has_sign ? largest < 0 : least > 0;
	case CASE_POSITIVE:
		return least > 0;
	case CASE_EQUAL:
		return least == largest && least != 0;
	case CASE_ASCENDING:
		return facts->falls == 0 && least < largest;
	case CASE_ENDS:
		return facts->largest_at == 0 && facts->least_at == CASE_ELEMENTS - 1;
	case CASE_SWAPPED:
		return facts->least_at == 0 && facts->largest_at == CASE_ELEMENTS - 1;
	case CASE_MIDDLE:
		return facts->largest_at == CASE_ELEMENTS / 2 &&
		       facts->least_at == CASE_ELEMENTS / 2 - 1;
	case CASE_ZEROS:
		return facts->zeros > CASE_ELEMENTS / 3 && facts->zeros < 2 * CASE_ELEMENTS / 3;
	case CASE_SUBNORMAL:
		return largest > 0 && largest < tiny && least > -tiny && (least < 0) == has_sign;
	case CASE_LARGE:
		return largest > large[facts->dtype] && (!has_sign || least < -large[facts->dtype]);
	default:
		return false;
	}
}

static const enum data_case cases[CASE_COUNT] = {CASE_NEGATIVE, CASE_POSITIVE, CASE_EQUAL,
	CASE_ASCENDING, CASE_ENDS, CASE_SWAPPED, CASE_MIDDLE, CASE_ZEROS, CASE_SUBNORMAL,
	CASE_LARGE};

/* Each type and several seeds; parts are as the whole. One element is both the first and the last. */
TEST_ROWS(data_cases, cases, "case: %s", data_case_name(*row))
{
	enum data_case c = *row;

	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (uint64_t seed = 1; seed <= 10; seed++) {
			size_t bytes = dtype_info(dtype)->bytes;

			data_fill_case(
				dtype, dtype, first, 0, CASE_ELEMENTS, CASE_ELEMENTS, seed, 1, c);
			struct case_facts facts = facts_of(dtype);
			if (!is_as_named(c, &facts))
				test_fail("%s, seed %llu: %g at %lld to %g at %lld",
					dtype_info(dtype)->name, (unsigned long long)seed,
					facts.least, (long long)facts.least_at, facts.largest,
					(long long)facts.largest_at);
			data_fill_case(dtype, dtype, (char *)second + 100 * bytes, 100, 900,
				CASE_ELEMENTS, seed, 1, c);
			data_fill_case(dtype, dtype, second, 0, 100, CASE_ELEMENTS, seed, 1, c);
			assert_memory_equal(first, second, CASE_ELEMENTS * bytes);
			data_fill_case(dtype, dtype, first, 0, 1, 1, seed, 1, c);
			IS(dtype_is_finite(dtype, first, 0));
		}
}
