/* Buffers: ranges, guards, fills, refusals. */
#include "tests/gpu/conformance.h"

#define BYTES 10000
#define GUARD 4096

static void fill_pattern(unsigned char *bytes, size_t count, unsigned seed)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (unsigned char)((i * 2654435761u + seed * 40503u) >> 7);
}

/* ---- Write and read ------------------------------------------------------------------------ */

static const struct range {
	int64_t offset;
	uint64_t bytes;
} ranges[] = {{0, BYTES}, {0, 1}, {1, 3}, {BYTES - 1, 1}, {4097, 1234}, {-GUARD, GUARD},
	{-GUARD, 2 * GUARD + BYTES}, {BYTES, GUARD}, {-1, 2}, {BYTES - 1, 2}, {-GUARD, 1},
	{BYTES + GUARD - 1, 1}, {-256, 512}};

/* Writes every range over known contents. A host copy has the expected contents. */
static void round_trips(struct conf *conf)
{
	static unsigned char whole[BYTES + 2 * GUARD], got[BYTES + 2 * GUARD],
		part[BYTES + 2 * GUARD];
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, BYTES);

	fill_pattern(whole, sizeof whole, 1);
	test_ok(gpu_buffer_write(buffer, -GUARD, whole, sizeof whole, &test_error));
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		int64_t offset = ranges[i].offset;
		size_t bytes = ranges[i].bytes;

		fill_pattern(part, bytes, (unsigned)i + 2);
		test_ok(gpu_buffer_write(buffer, offset, part, bytes, &test_error));
		memcpy(whole + GUARD + offset, part, bytes);
		test_ok(gpu_buffer_read(buffer, -GUARD, got, sizeof got, &test_error));
		assert_memory_equal(got, whole, sizeof whole);
		memset(part, 0, bytes);
		test_ok(gpu_buffer_read(buffer, offset, part, bytes, &test_error));
		assert_memory_equal(part, whole + GUARD + offset, bytes);
	}
}

static void large(struct conf *conf)
{
	size_t bytes = (16 << 20) - 20;
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, bytes);
	FREED unsigned char *put = malloc(bytes), *got = calloc(1, bytes);

	IS(put && got);
	fill_pattern(put, bytes, 3);
	test_ok(gpu_buffer_write(buffer, 0, put, bytes, &test_error));
	test_ok(gpu_buffer_read(buffer, 0, got, bytes, &test_error));
	assert_memory_equal(got, put, bytes);
}

static void nothing_moved(struct conf *conf)
{
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, BYTES);
	unsigned char byte = 77;

	test_ok(gpu_buffer_write(buffer, 0, &byte, 1, &test_error));
	test_ok(gpu_buffer_write(buffer, 0, "", 0, &test_error));
	test_ok(gpu_buffer_fill(buffer, 0, 0, 0, &test_error));
	byte = 5;
	test_ok(gpu_buffer_read(buffer, 0, &byte, 0, &test_error));
	EQUAL(byte, 5);
	test_ok(gpu_buffer_read(buffer, 0, &byte, 1, &test_error));
	EQUAL(byte, 77);
}

/* ---- Refused ranges ------------------------------------------------------------------------ */

static const struct range outside[] = {{-GUARD - 1, 1}, {-GUARD - 1, 10}, {BYTES + GUARD, 1},
	{0, BYTES + GUARD + 1}, {-GUARD, BYTES + 2 * GUARD + 1}, {INT64_MIN, 1}, {INT64_MAX, 1},
	{0, UINT64_MAX}, {-GUARD, UINT64_MAX}, {BYTES + GUARD, UINT64_MAX}, {4, UINT64_MAX - 3},
	{INT64_MIN, UINT64_MAX}};

static void ranges_refused(struct conf *conf)
{
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, BYTES);
	unsigned char small[64] = {9};

	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
		int64_t offset = outside[i].offset;
		uint64_t bytes = outside[i].bytes;
		test_refused(gpu_buffer_write(buffer, offset, small, bytes, &test_error),
			PMPP_INTERNAL, "10000");
		test_refused(gpu_buffer_read(buffer, offset, small, bytes, &test_error),
			PMPP_INTERNAL, "4096");
		test_refused(gpu_buffer_fill(buffer, offset, bytes, 0, &test_error), PMPP_INTERNAL,
			NULL);
	}
	EQUAL(small[0], 9);
	test_refused(gpu_buffer_fill(buffer, 2, 4, 0, &test_error), PMPP_INTERNAL, "multiple");
	test_refused(gpu_buffer_fill(buffer, 0, 6, 0, &test_error), PMPP_INTERNAL, "multiple");
}

/* ---- Fills --------------------------------------------------------------------------------- */

static const struct fill_row {
	int64_t offset;
	uint64_t bytes;
	uint32_t pattern;
} fills[] = {{0, BYTES, 0x7fc0dead}, {4, 4, 0x01020304}, {100, 1000, 0xffffffff},
	{BYTES - 4, 4, 0x80000000}, {-GUARD, GUARD, 0x7fc0cafe}, {BYTES, GUARD, 0x12345678},
	{-4, 8, 0xa5a5a5a5}, {-GUARD, BYTES + 2 * GUARD, 0}, {12, 8, 1}};

static void fill_patterns(struct conf *conf)
{
	static unsigned char whole[BYTES + 2 * GUARD], got[BYTES + 2 * GUARD];
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, BYTES);

	fill_pattern(whole, sizeof whole, 5);
	test_ok(gpu_buffer_write(buffer, -GUARD, whole, sizeof whole, &test_error));
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
		const struct fill_row *fill = &fills[i];

		test_ok(gpu_buffer_fill(
			buffer, fill->offset, fill->bytes, fill->pattern, &test_error));
		for (uint64_t b = 0; b < fill->bytes; b += 4)
			memcpy(whole + GUARD + fill->offset + b, &fill->pattern, 4);
		test_ok(gpu_buffer_read(buffer, -GUARD, got, sizeof got, &test_error));
		assert_memory_equal(got, whole, sizeof whole);
	}
}

/* ---- Eviction ------------------------------------------------------------------------------ */

static bool must_evict(const struct gpu_device *device)
{
#if defined(__x86_64__)
	/* On these devices PoCL can call functions of the host. */
	return device->info.engine == GPU_ENGINE_CPU && __builtin_cpu_supports("avx512f");
#else
	(void)device;
	return false;
#endif
}

/* Evictions keep the order of the queue: the result has both the fill and the kernel. */
static void evictions(struct conf *conf)
{
	static unsigned char whole[BYTES + 2 * GUARD], got[BYTES + 2 * GUARD];
	struct gpu_device *device = conf_device(conf);

	if (must_evict(device))
		IS(gpu_can_evict(device));
	if (!gpu_can_evict(device))
		test_skip("the device cannot evict buffers");
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = conf_buffer(conf, BYTES);
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_value");
	fill_pattern(whole, sizeof whole, 9);
	test_ok(gpu_buffer_write(buffer, -GUARD, whole, sizeof whole, &test_error));
	test_ok(gpu_buffer_fill(buffer, 64, 4000, 0x7fc0dead, &test_error));
	for (int i = 0; i < 3; i++)
		test_ok(gpu_buffer_evict(buffer, &test_error));
	conf_launch(kernel, 1, 1, 0, &ARG_BUFFER(buffer), 1);
	test_ok(gpu_buffer_evict(buffer, &test_error));
	test_ok(gpu_buffer_read(buffer, -GUARD, got, sizeof got, &test_error));
	for (size_t b = 0; b < 4000; b += 4)
		memcpy(whole + GUARD + 64 + b, &(uint32_t){0x7fc0dead}, 4);
	assert_memory_equal(got, whole, GUARD);
	assert_memory_equal(got + GUARD + 16, whole + GUARD + 16, BYTES + GUARD - 16);
	int64_t value = 0;
	memcpy(&value, got + GUARD, sizeof value);
	EQUAL(value, CONF_DEFAULT);
}

/* ---- Creation ------------------------------------------------------------------------------ */

static void refused(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	uint32_t align = device->info.limits.buffer_align_bytes;
	struct gpu_buffer *buffer = NULL;
	uint64_t before = device->allocated_bytes;

	test_refused(
		gpu_buffer_create(device, 0, 0, &buffer, &test_error), PMPP_INTERNAL, "0 bytes");
	if (align > 1)
		test_refused(gpu_buffer_create(device, 64, align / 2, &buffer, &test_error),
			PMPP_INTERNAL, "multiple");
	CHECK(NIL(buffer), EQUAL(device->allocated_bytes, before));
}

/* The message has the needed and the available size, in decimal units: two numbers, two units. */
static void expect_both_figures(const struct pmpp_error *error)
{
	static const char *const units[] = {" TB", " GB", " MB", " kB", " B"};
	size_t figures = 0;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		for (const char *at = error->message; (at = strstr(at, units[i])); at++)
			figures += at > error->message && at[-1] >= '0' && at[-1] <= '9';
	if (figures < 2)
		test_fail("the message lacks one of the figures: %s", error->message);
}

static void too_large(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	const struct gpu_limits *limits = &device->info.limits;
	const struct range sizes[] = {{0, limits->max_buffer_bytes + 1},
		{0, limits->global_bytes + 1}, {0, 4 * limits->global_bytes}, {0, UINT64_MAX},
		{0, UINT64_MAX - 4096}, {0, (uint64_t)1 << 63}};
	FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = NULL;
	uint64_t before = device->allocated_bytes;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		enum pmpp_status status =
			gpu_buffer_create(device, sizes[i].bytes, GUARD, &buffer, &test_error);

		if (status == PMPP_OUT_OF_MEMORY)
			expect_both_figures(&test_error);
		test_refused(status, PMPP_OUT_OF_MEMORY, NULL);
		NIL(buffer);
	}
	uint64_t guard = UINT64_MAX / limits->buffer_align_bytes * limits->buffer_align_bytes;
	test_refused(gpu_buffer_create(device, 4, guard, &buffer, &test_error), PMPP_OUT_OF_MEMORY,
		NULL);
	EQUAL(device->allocated_bytes, before);
	buffer = conf_buffer(conf, 64); /* the device still works */
}

static void accounting(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	uint64_t before = device->allocated_bytes;
	struct gpu_buffer *first = conf_buffer(conf, 1), *second = conf_buffer(conf, BYTES);

	CHECK(EQUAL(device->allocated_bytes - before, 1 + BYTES + 4 * GUARD),
		EQUAL(second->bytes, BYTES), EQUAL(second->guard_bytes, GUARD),
		SAME(second->device, device));
	gpu_buffer_destroy(&first);
	NIL(first);
	gpu_buffer_destroy(&first);
	gpu_buffer_destroy(NULL);
	EQUAL(device->allocated_bytes - before, BYTES + 2 * GUARD);
	gpu_buffer_destroy(&second);
	EQUAL(device->allocated_bytes, before);
}

/* Kernels get the address of byte 0, aligned to 256 bytes, with any guards. */
static void aligned(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_value");
	uint64_t align = device->info.limits.buffer_align_bytes;
	const uint64_t guards[] = {0, align, 3 * align, 65536};

	for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) {
		FINISHED(gpu_buffer_destroy) struct gpu_buffer *buffer = NULL;
		int64_t got[2] = {0, 0};

		test_ok(gpu_buffer_create(device, sizeof got, guards[i], &buffer, &test_error));
		conf_launch(kernel, 1, 1, 0, &ARG_BUFFER(buffer), 1);
		test_ok(gpu_buffer_read(buffer, 0, got, sizeof got, &test_error));
		CHECK(EQUAL(got[0], CONF_DEFAULT), IS(got[1] != 0), EQUAL(got[1] % 256, 0));
	}
}

const struct conf_check conf_buffer_checks[] = {
	{"buffer ranges, guards included", round_trips},
	{"a buffer of 16 MiB", large},
	{"zero bytes move nothing", nothing_moved},
	{"ranges outside are refused", ranges_refused},
	{"fill patterns", fill_patterns},
	{"evicted buffers keep their contents", evictions},
	{"empty and misaligned buffers are refused", refused},
	{"too large: both figures", too_large},
	{"allocated bytes", accounting},
	{"operands are aligned to 256 bytes", aligned},
	{NULL, NULL},
};
