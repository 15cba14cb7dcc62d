#include "common/data.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define COUNT 100000

static float first[COUNT], second[COUNT];

/* Uniform in [-1, 1), scaled by 1, 1/2, 1/4 or 1/8: the moments of the mixture. */
static void in_range(const void *context)
{
	double variance = (1 + 1.0 / 4 + 1.0 / 16 + 1.0 / 64) / 4 / 3;
	double fourth = (1 + 1.0 / 16 + 1.0 / 256 + 1.0 / 4096) / 4 / 5;
	double sum = 0, squares = 0;

	(void)context;
	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	for (size_t i = 0; i < COUNT; i++) {
		assert_true(first[i] >= -1 && first[i] < 1);
		test_near(first[i] * 0x1p26, rint(first[i] * 0x1p26), 0);
		sum += first[i];
		squares += (double)first[i] * first[i];
	}
	/* Six standard errors. */
	test_near(sum / COUNT, 0, 6 * sqrt(variance / COUNT));
	test_near(squares / COUNT, variance, 6 * sqrt((fourth - variance * variance) / COUNT));
}

/* If f32 were exact on the data, no test would find wrong rounding. */
static void must_round(const void *context)
{
	size_t sums = 0, products = 0;

	(void)context;
	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	data_fill_random(DTYPE_F32, second, 0, COUNT, 1, 1);
	for (size_t i = 0; i < COUNT; i++) {
		double a = first[i], b = second[i];
		sums += (double)(float)(a + b) != a + b;
		products += (double)(float)(a * b) != a * b;
	}
	test_note("%zu %% of sums and %zu %% of products are rounded", sums * 100 / COUNT,
		products * 100 / COUNT);
	assert_true(sums > COUNT / 10);
	assert_true(products > COUNT / 2);
}

static void pure(const void *context)
{
	(void)context;
	data_fill_random(DTYPE_F32, first, 0, COUNT, 5, 2);
	data_fill_random(DTYPE_F32, second, 0, COUNT, 5, 2);
	assert_memory_equal(first, second, sizeof first);
	/* Element i does not depend on the number of requested elements. */
	memset(second, 0, sizeof second);
	data_fill_random(DTYPE_F32, second, 0, 100, 5, 2);
	assert_memory_equal(first, second, 100 * sizeof *second);
	test_near(second[100], 0, 0);
}

/* A part has the same elements as the whole array at the same place, for every type. */
static void pieces(const void *context)
{
	enum dtype dtype = *(const enum dtype *)context;
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
	assert_true(sum > 0);
}

static size_t equal_elements(void)
{
	size_t equal = 0;

	for (size_t i = 0; i < COUNT; i++)
		equal += memcmp(&first[i], &second[i], sizeof *first) == 0;
	return equal;
}

static void separate(const void *context)
{
	static const struct {
		uint64_t seed, stream;
	} others[] = {{2, 0}, {1, 1}, {0, 0}, {1, 2}, {UINT64_MAX, 0}, {0, 1}};

	(void)context;
	data_fill_random(DTYPE_F32, first, 0, COUNT, 1, 0);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		data_fill_random(DTYPE_F32, second, 0, COUNT, others[i].seed, others[i].stream);
		assert_true(equal_elements() < 5);
	}
}

static void never_constant(const void *context)
{
	(void)context;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		data_fill_random(DTYPE_F32, first, 0, 2, seed, seed % 5);
		if (memcmp(&first[0], &first[1], sizeof *first) == 0)
			test_fail("seed %llu gives two equal elements", (unsigned long long)seed);
	}
}

static void integers(const void *context)
{
	int64_t limit = *(const int64_t *)context;
	float min = 0, max = 0;

	data_fill_integer(DTYPE_F32, first, 0, COUNT, 3, 1, limit);
	for (size_t i = 0; i < COUNT; i++) {
		test_near(first[i], rint(first[i]), 0);
		assert_true(fabsf(first[i]) <= (float)limit);
		min = fminf(min, first[i]);
		max = fmaxf(max, first[i]);
	}
	if (limit <= 100) {
		test_near(min, (double)-limit, 0);
		test_near(max, (double)limit, 0);
	}
	assert_true(min < -0.99 * (double)limit && max > 0.99 * (double)limit);
}

static void bits_spread(const void *context)
{
	int counts[64] = {0};

	(void)context;
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t bits = data_bits(1, 0, i);
		for (int b = 0; b < 64; b++)
			counts[b] += bits >> b & 1;
	}
	for (int b = 0; b < 64; b++)
		test_near(counts[b], 10000, 6 * sqrt(20000 * 0.25));
}

int main(int argc, char **argv)
{
	static const int64_t limits[] = {1, 2, 7, 100, (1 << 23) - 1};
	struct test_list list = {0};

	test_add(&list, in_range, NULL, "random: range, grid, mean, variance");
	test_add(&list, must_round, NULL, "random: sums and products must be rounded");
	test_add(&list, pure, NULL, "random: a pure function");
	for (size_t i = 0; i < DTYPE_COUNT; i++) {
		static const enum dtype types[] = {
			DTYPE_F32, DTYPE_F16, DTYPE_I32, DTYPE_U32, DTYPE_U8};
		test_add(&list, pieces, &types[i], "random: pieces of %s",
			dtype_info(types[i])->name);
	}
	test_add(&list, separate, NULL, "random: seeds and streams differ");
	test_add(&list, never_constant, NULL, "random: never constant");
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		test_add(&list, integers, &limits[i], "integers up to %lld", (long long)limits[i]);
	test_add(&list, bits_spread, NULL, "bits: each is set half of the time");
	return test_run(&list, argc, argv);
}
