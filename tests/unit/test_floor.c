#include "common/model/floor.h"
#include "tests/support/test.h"

#include <math.h>

/* A device of 1000 GB/s for copies and reads (and so for writes), 4000 GB/s of the last-level
 * cache, 8000 GB/s of shared memory and 2000 operations per ns. A launch takes 100 ns, each further
 * one 20 ns. The cache holds 1000 bytes. */
#define RATES                                                                         \
	.launch_ns = 100, .next_launch_ns = 20, .copy_gbps = 1000, .read_gbps = 1000, \
	.l2_gbps = 4000, .shared_gbps = 8000, .type_gops = 2000, .cache_bytes = 1000
#define WORK .launches = 1, .type = OPERATIONS_F32

static const struct floor_row {
	const char *name;
	struct floor_work work;
	struct floor_rates rates;
	int largest;
	double ns; /* of the largest */
} floor_rows[] = {
	{"nothing but a launch", {WORK}, {RATES}, FLOOR_LAUNCH, 100},
	{"three launches", {.launches = 3, .type = OPERATIONS_F32}, {RATES}, FLOOR_LAUNCH, 140},
	{"reads", {WORK, .bytes_read = 5e5}, {RATES}, FLOOR_MEMORY, 500},
	{"written bytes beyond the cache", {WORK, .bytes_written = 5e5}, {RATES}, FLOOR_MEMORY,
		499},
	{"written bytes that the cache holds", {WORK, .bytes_read = 2e5, .bytes_written = 1000},
		{RATES}, FLOOR_MEMORY, 200},
	{"warm reads", {WORK, .bytes_read = 2e5}, {RATES, .warm = true}, FLOOR_MEMORY, 199},
	{"warm reads that the cache holds", {WORK, .bytes_read = 900}, {RATES, .warm = true},
		FLOOR_LAUNCH, 100},
	{"unknown cache", {WORK, .bytes_written = 5e5}, {RATES, .cache_bytes = NAN}, FLOOR_MEMORY,
		500},
	/* 2 / 1000 - 1 / 2000 ns for each written byte. */
	{"faster reads", {WORK, .bytes_read = 4e5, .bytes_written = 1000 + 4e5},
		{RATES, .read_gbps = 2000}, FLOOR_MEMORY, 200 + 600},
	{"unknown rate of reads", {WORK, .bytes_read = 4e5}, {RATES, .read_gbps = NAN},
		FLOOR_MEMORY, 400},
	{"reads slower than half of copies", {WORK, .bytes_read = 4e5, .bytes_written = 4e5},
		{RATES, .read_gbps = 400}, FLOOR_MEMORY, 1000},
	{"the last-level cache", {WORK, .bytes_read = 1e5, .l2_bytes = 2e6}, {RATES}, FLOOR_L2,
		500},
	{"unknown rate of the last-level cache", {WORK, .bytes_read = 2e5, .l2_bytes = 2e6},
		{RATES, .l2_gbps = NAN}, FLOOR_MEMORY, 200},
	{"shared memory", {WORK, .l1_bytes = 3e6, .shared_bytes = 4e6}, {RATES}, FLOOR_SHARED, 500},
	{"one memory, shared more", {WORK, .l1_bytes = 4e6, .shared_bytes = 4e6},
		{RATES, .l1_is_shared = true}, FLOOR_SHARED, 1000},
	{"one memory, L1 more", {WORK, .l1_bytes = 5e6, .shared_bytes = 3e6},
		{RATES, .l1_is_shared = true}, FLOOR_L1, 1000},
	{"one memory, L1 alone", {WORK, .l1_bytes = 4e6, .shared_bytes = NAN},
		{RATES, .l1_is_shared = true}, FLOOR_L1, 500},
	{"L1 of its own has no rate", {WORK, .l1_bytes = 4e9}, {RATES}, FLOOR_LAUNCH, 100},
	{"arithmetic", {WORK, .operations = 1e6}, {RATES}, FLOOR_COMPUTE, 500},
	{"tensor cores", {.launches = 1, .operations = 1e6, .type = OPERATIONS_TENSOR_TF32},
		{RATES}, FLOOR_TENSOR, 500},
	{"unknown arithmetic", {WORK, .operations = 1e6}, {RATES, .type_gops = NAN}, FLOOR_LAUNCH,
		100},
	{"equal floors: the first", {WORK, .bytes_read = 1e5}, {RATES}, FLOOR_LAUNCH, 100},
	{"nothing is known", {.launches = 1, .bytes_read = NAN},
		{NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false, false}, -1, NAN},
	{"unknown written bytes", {WORK, .bytes_read = 5e5, .bytes_written = NAN}, {RATES},
		FLOOR_LAUNCH, 100},
};

static void largest(const void *context)
{
	const struct floor_row *row = context;
	struct floors floors = floors_of(&row->work, &row->rates);

	assert_int_equal(floors.largest, row->largest);
	if (row->largest < 0) {
		assert_true(isnan(floors_share(&floors, 1)));
		return;
	}
	test_near(floors.ns[row->largest], row->ns, 1e-9 * row->ns);
	test_near(floors_share(&floors, 2 * row->ns), 0.5, 1e-12);
	assert_true(isnan(floors_share(&floors, 0)));
	assert_true(isnan(floors_share(&floors, NAN)));
}

static void words(const void *context)
{
	(void)context;
	for (int i = 0; i < FLOOR_COUNT; i++)
		assert_non_null(floor_words[i]);
	assert_null(floor_words[FLOOR_COUNT]);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof floor_rows / sizeof *floor_rows; i++)
		test_add(&list, largest, &floor_rows[i], "%s", floor_rows[i].name);
	test_add(&list, words, NULL, "each resource has a word");
	return test_run(&list, argc, argv);
}
