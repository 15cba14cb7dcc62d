#include "common/model/limit.h"
#include "tests/support/test.h"

#include <math.h>

/* ---- The first rule that applies ----------------------------------------------------------- */

#define KNOWN .gap = FLOOR_GAP_NONE
#define GAP .gap = FLOOR_GAP_OPERATIONS

/* Floors of one resource, or of none. */
#define FLOORS_OF(resource, time, ...)                                            \
	{                                                                         \
		.largest = (resource), .ns = {[(resource)] = (time)}, __VA_ARGS__ \
	}
#define NO_FLOORS(...)                     \
	{                                  \
		.largest = -1, __VA_ARGS__ \
	}

static const struct measured_row {
	const char *name;
	struct floors floors;
	double ns;
	enum limited_by limit;
	enum limit_rule rule;
	double share;
} measured_rows[] = {
	{"memory at the roof", FLOORS_OF(FLOOR_MEMORY, 1000, KNOWN), 1000, LIMITED_BY_MEMORY,
		LIMIT_EXPLAINED, 1},
	{"half of the time", FLOORS_OF(FLOOR_MEMORY, 500, KNOWN), 1000, LIMITED_BY_MEMORY,
		LIMIT_EXPLAINED, 0.5},
	{"less than half", FLOORS_OF(FLOOR_MEMORY, 499, KNOWN), 1000, LIMITED_BY_LATENCY,
		LIMIT_WAITS, 0.499},
	{"arithmetic", FLOORS_OF(FLOOR_COMPUTE, 700, KNOWN), 1000, LIMITED_BY_COMPUTE,
		LIMIT_EXPLAINED, 0.7},
	{"the second-level cache", FLOORS_OF(FLOOR_L2, 700, KNOWN), 1000, LIMITED_BY_L2,
		LIMIT_EXPLAINED, 0.7},
	{"the first-level cache", FLOORS_OF(FLOOR_L1, 700, KNOWN), 1000, LIMITED_BY_L1,
		LIMIT_EXPLAINED, 0.7},
	{"shared memory", FLOORS_OF(FLOOR_SHARED, 700, KNOWN), 1000, LIMITED_BY_SHARED,
		LIMIT_EXPLAINED, 0.7},
	{"tensor cores", FLOORS_OF(FLOOR_TENSOR, 700, KNOWN), 1000, LIMITED_BY_TENSOR,
		LIMIT_EXPLAINED, 0.7},
	{"launches", FLOORS_OF(FLOOR_LAUNCH, 700, KNOWN), 1000, LIMITED_BY_LAUNCH, LIMIT_EXPLAINED,
		0.7},
	{"launches, and bytes of a cache", FLOORS_OF(FLOOR_LAUNCH, 700, KNOWN, .uncached_ns = 2000),
		1000, LIMITED_BY_LAUNCH, LIMIT_EXPLAINED, 0.7},

	/* Memory cannot transfer the bytes in this time. */
	{"a cache", FLOORS_OF(FLOOR_L2, 400, KNOWN, .uncached_ns = 1500), 1000, LIMITED_BY_CACHE,
		LIMIT_ABOVE_MEMORY, 1.5},
	{"as fast as memory", FLOORS_OF(FLOOR_L2, 400, KNOWN, .uncached_ns = 1000), 1000,
		LIMITED_BY_LATENCY, LIMIT_WAITS, 0.4},
	{"a cache that explains the time", FLOORS_OF(FLOOR_L2, 600, KNOWN, .uncached_ns = 1500),
		1000, LIMITED_BY_L2, LIMIT_EXPLAINED, 0.6},

	/* A floor above half of the time is the limit, even if other floors are unknown. */
	{"incomplete, explained", FLOORS_OF(FLOOR_SHARED, 600, GAP), 1000, LIMITED_BY_SHARED,
		LIMIT_EXPLAINED, 0.6},
	{"incomplete, not explained", FLOORS_OF(FLOOR_SHARED, 400, GAP), 1000, LIMITED_BY_UNKNOWN,
		LIMIT_INCOMPLETE, 0.4},
	{"incomplete, a cache", FLOORS_OF(FLOOR_L2, 400, .uncached_ns = 1500), 1000,
		LIMITED_BY_UNKNOWN, LIMIT_INCOMPLETE, 0.4},
	{"no floor", NO_FLOORS(.gap = FLOOR_GAP_MEMORY), 1000, LIMITED_BY_UNKNOWN, LIMIT_NO_FLOOR,
		NAN},
	{"no floor, known to be none", NO_FLOORS(KNOWN), 1000, LIMITED_BY_UNKNOWN, LIMIT_NO_FLOOR,
		NAN},
	{"no time", FLOORS_OF(FLOOR_MEMORY, 400, KNOWN), 0, LIMITED_BY_UNKNOWN, LIMIT_NO_FLOOR,
		NAN},
	{"unknown time", FLOORS_OF(FLOOR_MEMORY, 400, KNOWN), NAN, LIMITED_BY_UNKNOWN,
		LIMIT_NO_FLOOR, NAN},
};

static void same(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		test_near(got, want, 1e-12);
}

static void measured(const void *context)
{
	const struct measured_row *row = context;
	struct limit_finding finding = limit_measured(&row->floors, row->ns);

	assert_int_equal(finding.rule, row->rule);
	assert_int_equal(finding.limit, row->limit);
	same(finding.share, row->share);
}

static const struct modelled_row {
	const char *name;
	struct floors floors;
	double threads, one_each;
	enum limited_by limit;
	enum limit_rule rule;
} modelled_rows[] = {
	/* Few threads: at most 4 schedulers x 32 threads. */
	{"a warp for each scheduler", FLOORS_OF(FLOOR_MEMORY, 9, KNOWN), 128, 128,
		LIMITED_BY_LATENCY, LIMIT_FEW_THREADS},
	{"one thread more", FLOORS_OF(FLOOR_MEMORY, 9, KNOWN), 129, 128, LIMITED_BY_MEMORY,
		LIMIT_LARGEST},
	/* 4 SIMDs x 64 lanes. */
	{"a wave for each SIMD", FLOORS_OF(FLOOR_MEMORY, 9, KNOWN), 256, 256, LIMITED_BY_LATENCY,
		LIMIT_FEW_THREADS},
	{"unknown schedulers", FLOORS_OF(FLOOR_MEMORY, 9, KNOWN), 1, NAN, LIMITED_BY_MEMORY,
		LIMIT_LARGEST},
	{"unknown threads", FLOORS_OF(FLOOR_SHARED, 9, KNOWN), NAN, 128, LIMITED_BY_SHARED,
		LIMIT_LARGEST},
	{"no thread", FLOORS_OF(FLOOR_MEMORY, 9, KNOWN), 0, 128, LIMITED_BY_LATENCY,
		LIMIT_FEW_THREADS},
	{"few threads of a device without rates", NO_FLOORS(.gap = FLOOR_GAP_MEMORY), 1, 128,
		LIMITED_BY_LATENCY, LIMIT_FEW_THREADS},
	{"launches", FLOORS_OF(FLOOR_LAUNCH, 9, KNOWN), 999, 128, LIMITED_BY_LAUNCH, LIMIT_LARGEST},
	{"incomplete", FLOORS_OF(FLOOR_MEMORY, 9, GAP), 999, 128, LIMITED_BY_UNKNOWN,
		LIMIT_INCOMPLETE},
	{"no floor", NO_FLOORS(.gap = FLOOR_GAP_MEMORY), 999, 128, LIMITED_BY_UNKNOWN,
		LIMIT_NO_FLOOR},
};

static void modelled(const void *context)
{
	const struct modelled_row *row = context;
	struct limit_finding finding = limit_modelled(&row->floors, row->threads, row->one_each);

	assert_int_equal(finding.rule, row->rule);
	assert_int_equal(finding.limit, row->limit);
}

/* ---- Names --------------------------------------------------------------------------------- */

/* These words are in files. New words are only added at the end. */
static void names(const void *context)
{
	static const char *const words[] = {
		"memory", "compute", "latency", "cache", "l2", "l1", "shared", "tensor", "launch"};

	(void)context;
	assert_int_equal(LIMITED_BY_COUNT, sizeof words / sizeof *words);
	for (int i = 0; i < LIMITED_BY_COUNT; i++) {
		assert_string_equal(limited_by_name((enum limited_by)i), words[i]);
		assert_string_equal(limited_by_words[i], words[i]);
	}
	assert_null(limited_by_words[LIMITED_BY_COUNT]);
	assert_null(limited_by_name(LIMITED_BY_UNKNOWN));
	assert_null(limited_by_name(LIMITED_BY_COUNT));
	assert_null(limited_by_name((enum limited_by) - 2));
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof measured_rows / sizeof *measured_rows; i++)
		test_add(&list, measured, &measured_rows[i], "measured: %s", measured_rows[i].name);
	for (size_t i = 0; i < sizeof modelled_rows / sizeof *modelled_rows; i++)
		test_add(&list, modelled, &modelled_rows[i], "modelled: %s", modelled_rows[i].name);
	test_add(&list, names, NULL, "names");
	return test_run(&list, argc, argv);
}
