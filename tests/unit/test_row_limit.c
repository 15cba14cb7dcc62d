/* The rates of a device for floors, and the text of what limits a row. */
#include "host/report/format.h"
#include "host/suite/roofs.c"
#include "tests/support/test.h"

/* ---- Rates --------------------------------------------------------------------------------- */

static const struct rates_row {
	const char *name;
	struct gpu_device_info info;
	enum timing_primary primary;
	double launch_ns, l2_gbps, shared_gbps;
	bool warm, l1_is_shared;
	unsigned flags;
} rates_rows[] = {
	{"NVIDIA, cold",
		{.type = GPU_TYPE_GPU,
			.capabilities = PMPP_CAP_NVIDIA_PTX,
			.limits = {.cache_bytes = 1000}},
		TIMING_COLD, 80, 5000, 30000, false, true},
	{"NVIDIA, hot",
		{.type = GPU_TYPE_GPU,
			.capabilities = PMPP_CAP_NVIDIA_PTX,
			.limits = {.cache_bytes = 1000}},
		TIMING_HOT, 20, 5000, 30000, true, true},
	{"NVIDIA, cold without a flush",
		{.type = GPU_TYPE_GPU,
			.capabilities = PMPP_CAP_NVIDIA_PTX,
			.limits = {.cache_bytes = 1000}},
		TIMING_COLD, 80, 5000, 30000, true, true, TIMING_UNFLUSHED | TIMING_NOISY},
	{"NVIDIA, cold and noisy",
		{.type = GPU_TYPE_GPU,
			.capabilities = PMPP_CAP_NVIDIA_PTX,
			.limits = {.cache_bytes = 1000}},
		TIMING_COLD, 80, 5000, 30000, false, true, TIMING_NOISY},
	{"a memory that overfetches",
		{.type = GPU_TYPE_GPU,
			.name = "NVIDIA H200",
			.capabilities = PMPP_CAP_NVIDIA_PTX,
			.limits = {.cache_bytes = 1000}},
		TIMING_COLD, 80, 5000, 30000, false, true},
	{"another GPU", {.type = GPU_TYPE_GPU, .limits = {.cache_bytes = 1000}}, TIMING_COLD, 80,
		5000, 30000, false, false},
	{"a CPU", {.type = GPU_TYPE_CPU, .limits = {.cache_bytes = 1000}}, TIMING_COLD, 80, NAN,
		NAN, false, false},
};

static void same(double got, double want)
{
	if (isnan(want))
		IS(isnan(got));
	else
		test_near(got, want, 0);
}

TEST_ROWS(rates, rates_rows, "rates: %s", row->name)
{
	struct roofs_record roofs = roofs_unknown();
	const struct timer_record timer = {
		.empty_launch_ns = 100, .least_launch_ns = 80, .next_launch_ns = 20};

	roofs.copy_gbps = 1000;
	roofs.read_gbps = 1100;
	roofs.l2_gbps = 5000;
	roofs.shared_gbps = 30000;
	roofs.fma_gflops.f16 = 7;
	const struct floor_rates got =
		floor_rates_of(&row->info, &roofs, &timer, row->primary, row->flags);
	same(got.launch_ns, row->launch_ns);
	same(got.next_launch_ns, 20);
	same(got.copy_gbps, 1000);
	same(got.read_gbps, 1100);
	same(got.l2_gbps, row->l2_gbps);
	same(got.shared_gbps, row->shared_gbps);
	same(got.gops[OPERATIONS_F16], 7);
	same(got.gops[OPERATIONS_F32], NAN);
	CHECK(EQUAL(got.warm, row->warm), EQUAL(got.l1_is_shared, row->l1_is_shared));
	IS(got.cache_bytes > 0); /* from the table, or a default */
	EQUAL(got.overfetches, strcmp(row->info.name, "NVIDIA H200") == 0);
}

/* ---- Text ---------------------------------------------------------------------------------- */

static const struct text_row {
	const char *name;
	enum limited_by limit;
	int resource; /* -1: no floor */
	double share;
	const char *want;
} text_rows[] = {
	{"its own floor", LIMITED_BY_SHARED, FLOOR_SHARED, 0.8, "shared"},
	{"latency, and the largest floor", LIMITED_BY_LATENCY, FLOOR_SHARED, 0.379,
		"latency (shared 38 %)"},
	{"uncounted operations", LIMITED_BY_UNKNOWN, FLOOR_COMPUTE, 0.066,
		"unknown (compute 6.6 %)"},
	{"latency, and a floor below 10 %", LIMITED_BY_LATENCY, FLOOR_COMPUTE, 0.0149,
		"latency (compute 1.5 %)"},
	{"a cache", LIMITED_BY_CACHE, FLOOR_L2, 0.12, "cache (l2 12 %)"},
	{"unknown", LIMITED_BY_UNKNOWN, FLOOR_L2, 0.12, "unknown (l2 12 %)"},
	{"unknown share", LIMITED_BY_LATENCY, FLOOR_L2, NAN, "latency"},
	{"a file without floors", LIMITED_BY_MEMORY, -1, NAN, "memory"},
	{"a resource of a newer version", LIMITED_BY_MEMORY, WORD_UNKNOWN, 0.5, "memory"},
	{"nothing known", LIMITED_BY_UNKNOWN, -1, NAN, "-"},
};

TEST_ROWS(text, text_rows, "text: %s", row->name)
{
	struct derived_record derived = {.limited_by = row->limit};
	char got[64];

	if (row->resource != -1)
		derived.floor = (struct floor_record){.record.present = true,
			.resource = row->resource,
			.ns = 1,
			.share = row->share};
	format_limit(&derived, got, sizeof got);
	STRING(got, row->want);
}
