/* The rates of a device for floors, and the text of what limits a row. */
#include "host/report/format.h"
#include "host/suite/roofs.c"
#include "tests/support/test.h"

/* ---- Rates --------------------------------------------------------------------------------- */

static const struct rates_row {
	const char *name;
	bool is_cpu, is_nvidia;
	enum timing_primary primary;
	double launch_ns, l2_gbps, shared_gbps;
	bool warm, l1_is_shared;
	unsigned flags;
	const char *device; /* NULL: without a name */
} rates_rows[] = {
	{"NVIDIA, cold", false, true, TIMING_COLD, 80, 5000, 30000, false, true},
	{"NVIDIA, hot", false, true, TIMING_HOT, 20, 5000, 30000, true, true},
	{"NVIDIA, cold without a flush", false, true, TIMING_COLD, 80, 5000, 30000, true, true,
		TIMING_UNFLUSHED | TIMING_NOISY},
	{"NVIDIA, cold and noisy", false, true, TIMING_COLD, 80, 5000, 30000, false, true,
		TIMING_NOISY},
	{"a memory that overfetches", false, true, TIMING_COLD, 80, 5000, 30000, false, true,
		.device = "NVIDIA H200"},
	{"another GPU", false, false, TIMING_COLD, 80, 5000, 30000, false, false},
	{"a CPU", true, false, TIMING_COLD, 80, NAN, NAN, false, false},
};

TEST_ROWS(rates, rates_rows, "rates: %s", row->name)
{
	struct gpu_device_info info = {.type = row->is_cpu ? GPU_TYPE_CPU : GPU_TYPE_GPU,
		.capabilities = row->is_nvidia ? PMPP_CAP_NVIDIA_PTX : 0,
		.limits.cache_bytes = 1000};
	struct roofs_record roofs = roofs_unknown();
	const struct timer_record timer = {
		.empty_launch_ns = 100, .least_launch_ns = 80, .next_launch_ns = 20};

	snprintf(info.name, sizeof info.name, "%s", row->device ? row->device : "");
	roofs.copy_gbps = 1000;
	roofs.read_gbps = 1100;
	roofs.l2_gbps = 5000;
	roofs.shared_gbps = 30000;
	roofs.fma_gflops.f16 = 7;
	const struct floor_rates got =
		floor_rates_of(&info, &roofs, &timer, row->primary, row->flags);
	NEAR_OR_NAN(got.launch_ns, row->launch_ns, 0);
	NEAR_OR_NAN(got.next_launch_ns, 20, 0);
	NEAR_OR_NAN(got.copy_gbps, 1000, 0);
	NEAR_OR_NAN(got.read_gbps, 1100, 0);
	NEAR_OR_NAN(got.l2_gbps, row->l2_gbps, 0);
	NEAR_OR_NAN(got.shared_gbps, row->shared_gbps, 0);
	NEAR_OR_NAN(got.gops[OPERATIONS_F16], 7, 0);
	NEAR_OR_NAN(got.gops[OPERATIONS_F32], NAN, 0);
	CHECK(EQUAL(got.warm, row->warm), EQUAL(got.l1_is_shared, row->l1_is_shared));
	IS(got.cache_bytes > 0); /* from the table, or a default */
	EQUAL(got.overfetches, row->device != NULL);
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
