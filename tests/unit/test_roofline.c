#include "common/model/floor.h"
#include "tests/support/test.h"

/* ---- Roofs --------------------------------------------------------------------------------- */

/* The A100 of PMPP 4th ed. 5.1: 19500 GFLOP/s, 1555 GB/s. */
static const struct roofline_device a100 = {.name = "A100",
	.rates = {.launch_ns = 5000,
		.next_launch_ns = NAN,
		.copy_gbps = 1555,
		.read_gbps = 1555,
		.l2_gbps = NAN,
		.shared_gbps = 19400,
		.gops = {[OPERATIONS_F32] = 19500, [OPERATIONS_F16] = NAN},
		.l1_is_shared = true},
	.multiprocessors = 108};

/* Intensities of PMPP 4th ed. 5.1 and 5.4: the naive product, tiles of 16 and 32. */
static const struct attainable_row {
	const char *name;
	const struct roofline_device *device;
	double intensity, gflops, gbps;
} attainable_rows[] = {
	{"naive product", &a100, 0.25, 388.75, 1555},
	{"tiles of 16", &a100, 4, 6220, 1555},
	{"tiles of 32", &a100, 8, 12440, 1555},
	{"at the ridge", &a100, 19500.0 / 1555, 19500, 1555},
	{"above the ridge", &a100, 25, 19500, 780},
	{"no arithmetic", &a100, 0, 0, 1555},
	{"nothing moved", &a100, INFINITY, 19500, 0},
	{"reference, naive product", &roofline_reference, 0.25, 1080.8675, 4323.47},
	{"reference, tiles of 32", &roofline_reference, 8, 34587.76, 4323.47},
};

TEST_ROWS(attainable, attainable_rows, "attainable: %s", row->name)
{
	struct attainable attainable = roofline_at(row->device, row->intensity);

	test_near(attainable.gflops, row->gflops, 1e-9 * row->gflops);
	test_near(attainable.gbps, row->gbps, 1e-9 * row->gbps);
}

TEST(ridge, "ridge")
{
	test_near(roofline_ridge(&a100), 12.54, 0.005); /* "12.5 OP/B" in the book */
	test_near(roofline_ridge(&roofline_reference), 15.15, 0.005);
}

/* ---- What limits --------------------------------------------------------------------------- */

#define MANY 1e6

/* Work of threads that write nothing. */
static struct roofline_work work_of(double threads, double resident_threads, double one_each)
{
	struct roofline_work work = {floor_work_unknown(), .threads = threads,
		.resident_threads = resident_threads, .one_each = one_each,
		.unit = "multiprocessor", .where = "n=7 on A100"};

	work.floor.bytes_written = 0;
	return work;
}

static const struct limit_row {
	const char *name;
	double flops, bytes_read, shared_passes; /* 0: unknown; for bytes: none */
	double threads, resident_threads;
	enum operations type; /* OPERATIONS_OF_DTYPE: f32 */
	enum limited_by limit;
	const char *part; /* of the text */
} limit_rows[] = {
	{"memory", 1e10, 4e10, 0, MANY, 2048, 0, LIMITED_BY_MEMORY,
		"floors at n=7 on A100: memory 25.7 ms, compute"},
	{"compute", 1e12, 4e10, 0, MANY, 2048, 0, LIMITED_BY_COMPUTE, "compute 51.3 ms"},
	{"no arithmetic", 0, 4e10, 0, MANY, 2048, 0, LIMITED_BY_MEMORY, "memory"},
	{"shared memory", 1e10, 4e10, 1e10, MANY, 2048, 0, LIMITED_BY_SHARED,
		"shared 66.0 ms, memory"},
	{"one block", 1e10, 4e10, 0, 256, 2048, 0, LIMITED_BY_LATENCY,
		"2.37 threads per multiprocessor at n=7 on A100: no more than a warp"},
	{"one warp per scheduler", 1e10, 4e10, 0, MANY, 128, 0, LIMITED_BY_LATENCY, "128 threads"},
	{"one warp more", 1e10, 4e10, 0, MANY, 160, 0, LIMITED_BY_MEMORY},
	{"a grid with one warp per scheduler", 1e10, 4e10, 0, 108 * 128, 2048, 0,
		LIMITED_BY_LATENCY, "128 threads"},
	{"a grid with one warp more", 1e10, 4e10, 0, 108 * 128 + 32, 2048, 0, LIMITED_BY_MEMORY},
	{"unknown occupancy", 1e10, 4e10, 0, MANY, NAN, 0, LIMITED_BY_MEMORY},
	{"unknown occupancy, one block", 1e10, 4e10, 0, 256, NAN, 0, LIMITED_BY_LATENCY, "2.37"},
	{"a launch alone", 0, 1000, 0, MANY, 2048, 0, LIMITED_BY_LAUNCH, "launch 5.00 µs"},
	{"operations without a rate", 1e10, 4e10, 0, MANY, 2048, OPERATIONS_F16, LIMITED_BY_UNKNOWN,
		"the rate of a type of operations is not known; floors at n=7 on A100: memory"},
};

TEST_ROWS(limit, limit_rows, "limit: %s", row->name)
{
	struct roofline_work work = work_of(row->threads, row->resident_threads, 128);
	char text[160] = "";

	work.floor.bytes_read = row->bytes_read;
	work.floor.shared_passes = row->shared_passes > 0 ? row->shared_passes : NAN;
	work.floor.operations[row->type ? row->type : OPERATIONS_F32] = row->flops;
	EQUAL(roofline_limit(&a100, &work, text, sizeof text), row->limit);
	IS(strlen(text) > 10);
	if (row->part)
		HAS(text, row->part);
}

/* 108 multiprocessors have 108 times as many threads. */
static const struct schedulers_row {
	const char *name;
	double threads, one_each;
	enum limited_by limit;
} schedulers_rows[] = {
	{"a wave for each of 4 SIMDs", 256, 256, LIMITED_BY_LATENCY},
	{"one thread more", 257, 256, LIMITED_BY_MEMORY},
	{"unknown schedulers", 1, NAN, LIMITED_BY_MEMORY},
	{"no thread", 0, 128, LIMITED_BY_LATENCY},
};

TEST_ROWS(schedulers, schedulers_rows, "schedulers: %s", row->name)
{
	struct roofline_work work = work_of(108 * row->threads, 2048, row->one_each);
	char text[160];

	work.floor.bytes_read = 4e10;
	work.floor.operations[OPERATIONS_F32] = 1e10;
	EQUAL(roofline_limit(&a100, &work, text, sizeof text), row->limit);
}

/* No floor is known. */
TEST(no_floor, "limit of a device without rates")
{
	struct roofline_device device = a100;
	struct roofline_work work = work_of(MANY, 2048, 128);
	char text[160];

	device.rates.launch_ns = NAN;
	work.floor.bytes_written = NAN;
	EQUAL(roofline_limit(&device, &work, text, sizeof text), LIMITED_BY_UNKNOWN);
	work.threads = 1;
	EQUAL(roofline_limit(&device, &work, text, sizeof text), LIMITED_BY_LATENCY);
}

/* The number of multiprocessors and the time of a launch are unknown: no rule of threads or
 * launches applies. */
TEST(unknown, "limit of a device with unknown properties")
{
	struct roofline_device device = a100;
	struct roofline_work work = work_of(1, NAN, 128);
	char text[160];

	device.multiprocessors = 0;
	device.rates.launch_ns = NAN;
	work.floor.bytes_read = 1;
	work.floor.operations[OPERATIONS_F32] = 0;
	EQUAL(roofline_limit(&device, &work, text, sizeof text), LIMITED_BY_MEMORY);
}
