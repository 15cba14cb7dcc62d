#include "common/model/limit.h"
#include "tests/support/test.h"

#include <math.h>

/* ---- The first rule that applies ----------------------------------------------------------- */

/* A device of 1000 GB/s and 2000 GFLOP/s: the ridge is at 2 FLOP per byte. Its empty launch takes
 * 100 ns. Far from the roofs is below 50 GB/s and 100 GFLOP/s; busy memory starts at 500 GB/s. The
 * figures are chosen so that every border is exact in double precision. */
#define ROOFS .empty_launch_ns = 100, .copy_gbps = 1000, .read_gbps = 800, .fma_gflops = 2000
#define MEASURED(gbps_, gflops_, issued, intensity)                                     \
	{                                                                               \
		ROOFS, .threads = NAN, .ns = 1e6, .gbps = (gbps_), .gflops = (gflops_), \
		       .issued_gbps = (issued), .flop_per_byte = (intensity)            \
	}
#define MODELLED(threads_, ns_, intensity)                                             \
	{                                                                              \
		ROOFS, .threads = (threads_), .ns = (ns_), .gbps = NAN, .gflops = NAN, \
		       .issued_gbps = NAN, .flop_per_byte = (intensity)                \
	}

static const struct limit_row {
	const char *name;
	struct limit_facts facts;
	enum limited_by limit;
	enum limit_rule rule;
} limit_rows[] = {
	/* Threads: at most 4 schedulers x 32. */
	{"a warp for each scheduler", MODELLED(128, 1e6, 1), LIMITED_BY_LATENCY, LIMIT_FEW_THREADS},
	{"one thread more", MODELLED(129, 1e6, 1), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"unknown threads", MODELLED(NAN, 1e6, 1), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"no thread", MODELLED(0, 1e6, 9), LIMITED_BY_LATENCY, LIMIT_FEW_THREADS},
	{"few threads in a short run", MODELLED(1, 1, 1), LIMITED_BY_LATENCY, LIMIT_FEW_THREADS},

	/* Short runs: less than 3 x 100 ns. */
	{"just under three launches", MODELLED(999, 299.5, 1), LIMITED_BY_LATENCY, LIMIT_SHORT_RUN},
	{"three launches", MODELLED(999, 300, 1), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"three launches, high intensity", MODELLED(999, 300, 3), LIMITED_BY_COMPUTE,
		LIMIT_ABOVE_RIDGE},
	{"unknown launch",
		{.ns = 1,
			.empty_launch_ns = NAN,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = NAN,
			.gflops = NAN,
			.issued_gbps = NAN,
			.copy_gbps = 1000,
			.read_gbps = NAN,
			.fma_gflops = 2000},
		LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},

	/* Unknown roofs. */
	{"unknown copy",
		{.ns = 1e6,
			.empty_launch_ns = 100,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = 600,
			.gflops = 600,
			.issued_gbps = 600,
			.copy_gbps = NAN,
			.read_gbps = 800,
			.fma_gflops = 2000},
		LIMITED_BY_UNKNOWN, LIMIT_NO_ROOFS},
	{"unknown arithmetic",
		{.ns = 1e6,
			.empty_launch_ns = 100,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = 600,
			.gflops = 600,
			.issued_gbps = 600,
			.copy_gbps = 1000,
			.read_gbps = 800,
			.fma_gflops = NAN},
		LIMITED_BY_UNKNOWN, LIMIT_NO_ROOFS},
	{"unknown roofs, short",
		{.ns = 1,
			.empty_launch_ns = 100,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = 600,
			.gflops = 600,
			.issued_gbps = 600,
			.copy_gbps = NAN,
			.read_gbps = NAN,
			.fma_gflops = NAN},
		LIMITED_BY_LATENCY, LIMIT_SHORT_RUN},
	{"unknown read",
		{.ns = 1e6,
			.empty_launch_ns = 100,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = 1000.5,
			.gflops = 600,
			.issued_gbps = 600,
			.copy_gbps = 1000,
			.read_gbps = NAN,
			.fma_gflops = 2000},
		LIMITED_BY_CACHE, LIMIT_ABOVE_MEMORY},

	/* Faster than memory: the higher of copy and read counts. */
	{"at the memory roof", MEASURED(1000, 1000, 1000, 1), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"above the memory roof", MEASURED(1000.5, 1000, 1000, 1), LIMITED_BY_CACHE,
		LIMIT_ABOVE_MEMORY},
	{"above both roofs", MEASURED(1000.5, 2001, 1000, 2), LIMITED_BY_CACHE, LIMIT_ABOVE_MEMORY},
	{"above copy, below read",
		{.ns = 1e6,
			.empty_launch_ns = 100,
			.threads = NAN,
			.flop_per_byte = 1,
			.gbps = 1000.5,
			.gflops = 600,
			.issued_gbps = 600,
			.copy_gbps = 1000,
			.read_gbps = 1100,
			.fma_gflops = 2000},
		LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},

	/* Far from both roofs. */
	{"far, busy memory", MEASURED(49.5, 99.5, 600, 3), LIMITED_BY_MEMORY, LIMIT_BUSY_MEMORY},
	{"far, memory at half", MEASURED(49.5, 99.5, 500, 3), LIMITED_BY_MEMORY, LIMIT_BUSY_MEMORY},
	{"far, memory below half", MEASURED(49.5, 99.5, 499.5, 3), LIMITED_BY_LATENCY, LIMIT_IDLE},
	{"5 % of the memory roof", MEASURED(50, 99.5, 1, 3), LIMITED_BY_COMPUTE, LIMIT_ABOVE_RIDGE},
	{"5 % of the arithmetic roof", MEASURED(49.5, 100, 1, 1), LIMITED_BY_MEMORY,
		LIMIT_BELOW_RIDGE},
	{"5 % of both", MEASURED(50, 100, 1, 2), LIMITED_BY_COMPUTE, LIMIT_ABOVE_RIDGE},
	{"no rate at all", MEASURED(0, 0, 0, 1), LIMITED_BY_LATENCY, LIMIT_IDLE},

	/* The ridge. */
	{"at the ridge", MEASURED(600, 1200, 600, 2), LIMITED_BY_COMPUTE, LIMIT_ABOVE_RIDGE},
	{"below the ridge", MEASURED(600, 1200, 600, 1.5), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"no arithmetic", MEASURED(600, 0, 600, 0), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
	{"no bytes", MEASURED(0, 600, 0, INFINITY), LIMITED_BY_COMPUTE, LIMIT_ABOVE_RIDGE},
	{"no work", MODELLED(999, 1e6, NAN), LIMITED_BY_MEMORY, LIMIT_BELOW_RIDGE},
};

static void limit(const void *context)
{
	const struct limit_row *row = context;
	struct limit_finding finding = limit_find(&row->facts);

	assert_int_equal(finding.rule, row->rule);
	assert_int_equal(finding.limit, row->limit);
}

/* ---- Names --------------------------------------------------------------------------------- */

static void names(const void *context)
{
	static const char *const words[] = {"memory", "compute", "latency", "cache"};

	(void)context;
	assert_int_equal(LIMITED_BY_COUNT, 4);
	for (int i = 0; i < LIMITED_BY_COUNT; i++) {
		assert_string_equal(limited_by_name((enum limited_by)i), words[i]);
		assert_string_equal(limited_by_words[i], words[i]);
	}
	assert_null(limited_by_words[LIMITED_BY_COUNT]);
	assert_null(limited_by_name(LIMITED_BY_UNKNOWN));
	assert_null(limited_by_name(LIMITED_BY_COUNT));
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++)
		test_add(&list, limit, &limit_rows[i], "limit: %s", limit_rows[i].name);
	test_add(&list, names, NULL, "names");
	return test_run(&list, argc, argv);
}
