#include "common/model/floor.h"
#include "tests/support/test.h"

/* A device of 1000 GB/s for copies and reads (and so for writes), 4000 GB/s of the
 * second-level cache, 12800 GB/s of shared memory (100 passes in a ns), 2000 f32 operations and 50
 * of other types per ns. A launch takes 100 ns, each further one 20 ns. The cache holds 1000 bytes.
 */
static struct floor_rates rates_of_test(void)
{
	struct floor_rates rates = {.launch_ns = 100,
		.next_launch_ns = 20,
		.copy_gbps = 1000,
		.read_gbps = 1000,
		.l2_gbps = 4000,
		.shared_gbps = 12800,
		.cache_bytes = 1000};

	for (int i = 0; i < OPERATIONS_COUNT; i++)
		rates.gops[i] = i == OPERATIONS_F32 ? 2000 : 50;
	return rates;
}

static const struct floor_row {
	const char *name;
	/* The work. 0: unknown, except for launches, where 0 means 1. */
	double launches, read, written, l2, l1_passes, shared_passes, idle_passes;
	double f32, integer, special, tf32, again_read, again_written, again_after, overfetched;
	/* The device. 0: the rate above; UNKNOWN: NAN. */
	double read_gbps, l2_gbps, f32_gops, cache_bytes;
	bool warm, l1_is_shared, overfetches;

	int largest;  /* expected; -1: none */
	double ns;    /* of the largest */
	double error; /* of ns, relative; 0: 1e-9 */
} floor_rows[] = {
#define UNKNOWN (-1)
#define WANT(resource, time) .largest = FLOOR_##resource, .ns = (time)
	{"only a launch", WANT(LAUNCH, 100)},
	{"three launches", .launches = 3, WANT(LAUNCH, 140)},
	{"reads", .read = 5e5, WANT(MEMORY, 500)},
	{"written bytes beyond the cache", .written = 5e5, WANT(MEMORY, 499)},
	{"written bytes that the cache holds", .read = 2e5, .written = 1000, WANT(MEMORY, 200)},
	{"warm reads", .read = 2e5, .warm = true, WANT(MEMORY, 199)},
	{"warm reads that the cache holds", .read = 900, .warm = true, WANT(LAUNCH, 100)},
	{"unknown cache", .written = 5e5, .cache_bytes = UNKNOWN, WANT(MEMORY, 500)},
	/* 2 / 1000 - 1 / 2000 ns for each written byte. */
	{"faster reads", .read = 4e5, .written = 1000 + 4e5, .read_gbps = 2000,
		WANT(MEMORY, 200 + 600)},
	{"unknown rate of reads", .read = 4e5, .read_gbps = UNKNOWN, WANT(MEMORY, 400)},
	{"reads slower than half of copies", .read = 4e5, .written = 4e5, .read_gbps = 400,
		WANT(MEMORY, 1000)},
/* Four times the cache: the solution of f = 1 - exp(-4 f). */
#define AGAIN 0.9801725987182216
	{"read again: the cache holds a quarter", .read = 1e5, .again_read = 4e5,
		.again_after = 4000, WANT(MEMORY, 100 + 400 * AGAIN)},
	{"written again: the cache holds a quarter", .written = 2000, .again_written = 4e5,
		.again_after = 4000, WANT(MEMORY, 1 + 400 * AGAIN)},
	{"read again: little more than the cache", .read = 2e5, .again_read = 4e5,
		.again_after = 1001, WANT(MEMORY, 201), .error = 0.005},
	{"overfetched", .read = 1e5, .again_read = 1e5, .overfetched = 3e5, .again_after = 4000,
		.overfetches = true, WANT(MEMORY, 100 + 400 * AGAIN)},
	{"overfetched, but the cache may hold all", .read = 2e5, .overfetched = 3e5,
		.again_after = 1000, .overfetches = true, WANT(MEMORY, 200)},
	{"a memory that does not overfetch", .read = 2e5, .overfetched = 3e5, .again_after = 4000,
		WANT(MEMORY, 200)},
	{"read again, but the cache may hold all", .read = 2e5, .again_read = 4e5,
		.again_after = 1000, WANT(MEMORY, 200)},
	{"read again, unknown cache", .read = 2e5, .again_read = 4e5, .again_after = 4000,
		.cache_bytes = UNKNOWN, WANT(MEMORY, 200)},
	{"the second-level cache", .read = 1e5, .l2 = 2e6, .l1_is_shared = true, WANT(L2, 500)},
	{"the second-level cache behind another first level", .read = 1e5, .written = 1e5,
		.l2 = 2e6, WANT(MEMORY, 199)},
	{"a slow second-level cache behind another first level", .read = 1e5, .written = 1e5,
		.l2 = 2e6, .l2_gbps = 400, WANT(L2, 500)},
	{"unknown rate of the second-level cache", .read = 2e5, .l2 = 2e6, .l2_gbps = UNKNOWN,
		.l1_is_shared = true, WANT(MEMORY, 200)},
	{"shared memory", .l1_passes = 3e4, .shared_passes = 4e4, WANT(SHARED, 400)},
	{"one memory, shared more", .l1_passes = 4e4, .shared_passes = 4e4, .l1_is_shared = true,
		WANT(SHARED, 800)},
	{"one memory, L1 more", .l1_passes = 5e4, .shared_passes = 3e4, .l1_is_shared = true,
		WANT(L1, 800)},
	{"one memory, L1 alone", .l1_passes = 4e4, .l1_is_shared = true, WANT(L1, 400)},
	{"one memory, shared alone", .shared_passes = 4e4, .l1_is_shared = true, WANT(SHARED, 400)},
	{"one memory, instructions without a thread", .shared_passes = 3e4, .idle_passes = 1e4,
		.l1_is_shared = true, WANT(SHARED, 400)},
	{"no passes without a thread elsewhere", .shared_passes = 3e4, .idle_passes = 1e4,
		WANT(SHARED, 300)},
	{"no floor for an L1 that is not shared memory", .l1_passes = 4e9, WANT(LAUNCH, 100)},
	{"arithmetic", .f32 = 1e6, WANT(COMPUTE, 500)},
	{"two types: the slower one counts", .f32 = 1e6, .special = 4e4, .integer = 1e4,
		WANT(COMPUTE, 800)},
	{"a type without a rate beside another", .f32 = 1e6, .f32_gops = UNKNOWN, .integer = 1e4,
		WANT(COMPUTE, 200)},
	{"tensor cores", .tf32 = 4e4, .f32 = 1e6, WANT(TENSOR, 800)},
	{"unknown arithmetic", .f32 = 1e6, .f32_gops = UNKNOWN, WANT(LAUNCH, 100)},
	{"equal floors: the first", .read = 1e5, WANT(LAUNCH, 100)},
	{"unknown written bytes", .read = 5e5, .written = UNKNOWN, WANT(LAUNCH, 100)},
};

static double or_unknown(double value, double otherwise)
{
	return value == UNKNOWN ? NAN : value != 0 ? value : otherwise;
}

TEST_ROWS(largest, floor_rows, "%s", row->name)
{
	struct floor_work work = floor_work_unknown();
	struct floor_rates rates = rates_of_test();
	struct floors floors;

	work.launches = or_unknown(row->launches, 1);
	work.bytes_read = or_unknown(row->read, 0);
	work.bytes_written = or_unknown(row->written, 0);
	work.again_read = row->again_read;
	work.again_written = row->again_written;
	work.again_after = row->again_after;
	work.overfetched = row->overfetched;
	work.l2_bytes = or_unknown(row->l2, NAN);
	work.l1_passes = or_unknown(row->l1_passes, NAN);
	work.shared_passes = or_unknown(row->shared_passes, NAN);
	work.idle_passes = row->idle_passes;
	work.operations[OPERATIONS_F32] = or_unknown(row->f32, NAN);
	work.operations[OPERATIONS_INTEGER] = or_unknown(row->integer, NAN);
	work.operations[OPERATIONS_SPECIAL] = or_unknown(row->special, NAN);
	work.operations[OPERATIONS_TENSOR_TF32] = or_unknown(row->tf32, NAN);
	rates.read_gbps = or_unknown(row->read_gbps, rates.read_gbps);
	rates.l2_gbps = or_unknown(row->l2_gbps, rates.l2_gbps);
	rates.gops[OPERATIONS_F32] = or_unknown(row->f32_gops, rates.gops[OPERATIONS_F32]);
	rates.cache_bytes = or_unknown(row->cache_bytes, rates.cache_bytes);
	rates.warm = row->warm;
	rates.l1_is_shared = row->l1_is_shared;
	rates.overfetches = row->overfetches;
	floors = floors_of(&work, &rates);
	CHECK(EQUAL(floors.largest, row->largest),
		NEAR(floors.ns[row->largest], row->ns,
			(row->error > 0 ? row->error : 1e-9) * row->ns));
}

/* All figures of the work and of the device are unknown. */
TEST(nothing_known, "nothing is known")
{
	struct floor_work work = floor_work_unknown();
	struct floor_rates rates = {.launch_ns = NAN, .copy_gbps = NAN, .read_gbps = NAN};
	struct floors floors = floors_of(&work, &rates);

	EQUAL(floors.largest, -1);
}

/* A larger floor may exist unless the operations are known, or known to be none. */
TEST(unknown_operations, "unknown operations")
{
	struct floor_work work = floor_work_unknown();
	struct floor_rates rates = rates_of_test();

	work.bytes_read = work.bytes_written = 1;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_OPERATIONS);
	work.operations[OPERATIONS_INTEGER] = 0;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_NONE);
	work.uncounted = true;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_UNCOUNTED);
	rates.gops[OPERATIONS_F64] = NAN;
	work.operations[OPERATIONS_F64] = 0;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_UNCOUNTED);
	work.operations[OPERATIONS_F64] = 1;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_RATE);
	work.bytes_read = NAN;
	EQUAL(floors_of(&work, &rates).gap, FLOOR_GAP_MEMORY);
}

/* Units as on a page: the floor of a large problem has no exponent. */
TEST(text, "text")
{
	struct floors floors = {.largest = FLOOR_SHARED};
	char line[120];

	for (int i = 0; i < FLOOR_COUNT; i++)
		floors.ns[i] = NAN;
	floors.ns[FLOOR_SHARED] = 677600;
	floors.ns[FLOOR_MEMORY] = 7400;
	floors.ns[FLOOR_COMPUTE] = 1000; /* below 1 % of the largest */
	floors_text(&floors, line, sizeof line);
	STRING(line, "shared 678 µs, memory 7.40 µs");
	floors.ns[FLOOR_SHARED] = 25.72e6;
	floors_text(&floors, line, sizeof line);
	STRING(line, "shared 25.7 ms");
}

TEST(words, "each resource has a word")
{
	for (int i = 0; i < FLOOR_COUNT; i++)
		SOME(floor_words[i]);
	NIL(floor_words[FLOOR_COUNT]);
}
