#include "common/model/floor.h"
#include "tests/support/test.h"

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
	double share;
} measured_rows[] = {
	{"memory at the roof", FLOORS_OF(FLOOR_MEMORY, 1000, KNOWN), 1000, LIMITED_BY_MEMORY, 1},
	{"half of the time", FLOORS_OF(FLOOR_MEMORY, 500, KNOWN), 1000, LIMITED_BY_MEMORY, 0.5},
	{"less than half", FLOORS_OF(FLOOR_MEMORY, 499, KNOWN), 1000, LIMITED_BY_LATENCY, 0.499},
	{"arithmetic", FLOORS_OF(FLOOR_COMPUTE, 700, KNOWN), 1000, LIMITED_BY_COMPUTE, 0.7},
	{"the second-level cache", FLOORS_OF(FLOOR_L2, 700, KNOWN), 1000, LIMITED_BY_L2, 0.7},
	{"the first-level cache", FLOORS_OF(FLOOR_L1, 700, KNOWN), 1000, LIMITED_BY_L1, 0.7},
	{"shared memory", FLOORS_OF(FLOOR_SHARED, 700, KNOWN), 1000, LIMITED_BY_SHARED, 0.7},
	{"tensor cores", FLOORS_OF(FLOOR_TENSOR, 700, KNOWN), 1000, LIMITED_BY_TENSOR, 0.7},
	{"launches", FLOORS_OF(FLOOR_LAUNCH, 700, KNOWN), 1000, LIMITED_BY_LAUNCH, 0.7},
	{"launches, and bytes of a cache", FLOORS_OF(FLOOR_LAUNCH, 700, KNOWN, .uncached_ns = 2000),
		1000, LIMITED_BY_LAUNCH, 0.7},

	/* Memory cannot transfer the bytes in this time. */
	{"a cache", FLOORS_OF(FLOOR_L2, 400, KNOWN, .uncached_ns = 1500), 1000, LIMITED_BY_CACHE,
		1.5},
	{"as fast as memory", FLOORS_OF(FLOOR_L2, 400, KNOWN, .uncached_ns = 1000), 1000,
		LIMITED_BY_LATENCY, 0.4},
	{"little faster than memory", FLOORS_OF(FLOOR_L2, 300, KNOWN, .uncached_ns = 1200), 1199,
		LIMITED_BY_CACHE, 1200 / 1199.0},
	{"a cache that explains the time", FLOORS_OF(FLOOR_L2, 600, KNOWN, .uncached_ns = 1500),
		1000, LIMITED_BY_L2, 0.6},

	/* A floor above half of the time is the limit, even if other floors are unknown. */
	{"incomplete, explained", FLOORS_OF(FLOOR_SHARED, 600, GAP), 1000, LIMITED_BY_SHARED, 0.6},
	{"incomplete, not explained", FLOORS_OF(FLOOR_SHARED, 400, GAP), 1000, LIMITED_BY_UNKNOWN,
		0.4},
	{"incomplete, a cache", FLOORS_OF(FLOOR_L2, 400, .uncached_ns = 1500), 1000,
		LIMITED_BY_UNKNOWN, 0.4},
	{"no floor", NO_FLOORS(.gap = FLOOR_GAP_MEMORY), 1000, LIMITED_BY_UNKNOWN, NAN},
	{"no floor, known to be none", NO_FLOORS(KNOWN), 1000, LIMITED_BY_UNKNOWN, NAN},
	{"no time", FLOORS_OF(FLOOR_MEMORY, 400, KNOWN), 0, LIMITED_BY_UNKNOWN, NAN},
	{"negative time", FLOORS_OF(FLOOR_MEMORY, 400, KNOWN), -1, LIMITED_BY_UNKNOWN, NAN},
	{"unknown time", FLOORS_OF(FLOOR_MEMORY, 400, KNOWN), NAN, LIMITED_BY_UNKNOWN, NAN},
};

TEST_ROWS(measured, measured_rows, "measured: %s", row->name)
{
	double share;

	EQUAL(limit_measured(&row->floors, row->ns, &share), row->limit);
	NEAR_OR_NAN(share, row->share, 1e-12);
}

/* ---- Names --------------------------------------------------------------------------------- */

/* These words are in files. New words are only added at the end. */
TEST(names, "names")
{
	static const char *const words[] = {
		"memory", "compute", "latency", "cache", "l2", "l1", "shared", "tensor", "launch"};

	EQUAL(LIMITED_BY_COUNT, sizeof words / sizeof *words);
	for (int i = 0; i < LIMITED_BY_COUNT; i++) {
		STRING(limited_by_name((enum limited_by)i), words[i]);
		STRING(limited_by_words[i], words[i]);
	}
	CHECK(NIL(limited_by_words[LIMITED_BY_COUNT]), NIL(limited_by_name(LIMITED_BY_UNKNOWN)),
		NIL(limited_by_name(LIMITED_BY_COUNT)),
		NIL(limited_by_name((enum limited_by) - 2)));
}
