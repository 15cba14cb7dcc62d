/* The flush of the cache before cold samples, on the fake backend: the queued calls and their
 * order. The results do not depend on the load of the machine, because the device's timer always
 * reports the times of the test. */
#include "host/suite/roof_rows.h"
#include "host/suite/session.c"
#include "host/suite/suite.h"
#include "host/suite/timing.c"
#include "host/suite/variant.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define RUN_NS 4e5

/* ---- Calls --------------------------------------------------------------------------------- */

static bool is_launch(uint64_t n, const char *entry)
{
	return fake_call(n) == FAKE_SLOT_launch && strcmp(fake_call_entry(n), entry) == 0;
}

/* The calls between the poison of the output and the timed interval of a sample. */
struct preparation {
	uint64_t reads, evictions, others, evicted_bytes, filled_bytes;
};

/* first: the call after the poison. Stops at the call that begins the interval. */
static struct preparation preparation_from(uint64_t first, uint64_t begin)
{
	struct preparation found = {0};

	for (uint64_t n = first; n < begin; n++) {
		if (is_launch(n, "roof_read"))
			found.reads++;
		else if (fake_call(n) == FAKE_SLOT_buffer_evict)
			found.evictions++, found.evicted_bytes += fake_call_bytes(n);
		else
			found.others++;
		if (fake_call(n) == FAKE_SLOT_buffer_fill)
			found.filled_bytes += fake_call_bytes(n);
	}
	return found;
}

/* Checks each sample of one run of vecadd whose output has output_bytes: poison, flush, interval,
 * with nothing in between. The host does not wait. Returns the number of such samples. */
static int64_t flushed_samples(
	uint64_t output_bytes, const struct preparation *expected, struct preparation *ret_last)
{
	int64_t samples = 0;
	uint64_t poison = 0;

	for (uint64_t n = 1; n + 2 <= fake_call_count(); n++) {
		if (fake_call(n) == FAKE_SLOT_buffer_fill && fake_call_bytes(n) == output_bytes)
			poison = n;
		/* Not a batch, which has several launches, nor an interval after a wait. */
		if (fake_call(n) != FAKE_SLOT_timer_begin || !is_launch(n + 1, "vecadd_fine") ||
			fake_call(n + 2) != FAKE_SLOT_timer_end ||
			fake_call(n - 1) == FAKE_SLOT_finish)
			continue;
		IS(poison > 0);
		struct preparation found = preparation_from(poison + 1, n);
		*ret_last = found;
		if (found.reads != expected->reads || found.evictions != expected->evictions ||
			found.others)
			test_fail("before a sample: %llu reads, %llu evictions, %llu other calls, "
				  "%llu bytes filled",
				(unsigned long long)found.reads,
				(unsigned long long)found.evictions,
				(unsigned long long)found.others,
				(unsigned long long)found.filled_bytes);
		samples++;
	}
	return samples;
}

/* ---- Timed runs ---------------------------------------------------------------------------- */

static struct suite *open_suite(bool flush)
{
	struct suite_options options = runs_quick();

	runs_notes[0] = '\0';
	options.flush = flush;
	options.note = runs_keep_note;
	struct suite *suite = runs_open(&options);
	/* The calibration uses the host's clock. After it, the times of the test are used. */
	runs_fix_times(suite, RUN_NS);
	fake_suite_control.run_timer_ns = RUN_NS;
	/* The probe's memory part has the same kernel, and pauses by the host's clock. */
	suite->bench.timer.probe.parts[PROBE_MEMORY].next_ns = INFINITY;
	return suite;
}

static struct outcome time_vecadd(struct suite *suite, int64_t n)
{
	struct problem problem = runs_problem("vecadd", n, 0, 0);
	struct config config = runs_config("vecadd", "fine");
	struct outcome outcome;
	struct bound_run run;

	outcome_init(&outcome, &config, &problem, suite_device(suite), &suite->options);
	test_ok(variant_verify(&suite->bench, &outcome, &run, &test_error));
	test_ok(variant_time(&suite->bench, &run, "", &outcome, &test_error));
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), IS(outcome.row.timing.record.present));
	runs_check_record(&result_row_type, &outcome.row);
	return outcome;
}

enum {
	GPU,
	CPU,
	EVICTING_CPU
};

static const struct run_row {
	const char *name;
	int device;
	bool flush;
	int64_t n;            /* elements of vecadd */
	double read_ns;       /* to read the whole region */
	uint64_t cache_bytes; /* as the driver reports it */
	struct preparation expected;
	uint64_t flushed_bytes; /* 0: expected to be what is evicted */
	bool unflushed;         /* the flag */
} run_rows[] = {
	/* 256 MiB of memory: a cache of 4 MiB is assumed. */
	{"GPU: a region is read, none is written", GPU, true, 1000, 1e5, 65536, {.reads = 1},
		8 * MIB},
	{"GPU: a slow read is not limited", GPU, true, 1000, 4e6, 65536, {.reads = 1}, 8 * MIB},
	{"GPU: a larger reported cache is used", GPU, true, 1000, 1e5, 3 * MIB, {.reads = 1},
		12 * MIB},
	{"GPU: a sixteenth of the memory is not enough", GPU, true, 1000, 1e5, 16 * MIB,
		{.reads = 1}, 16 * MIB, true},
	{"GPU: no flush", GPU, false, 1000, 1e5, 65536, {0}, 0, true},
	{"CPU: a region is read", CPU, true, 1000, 1e5, 4 * MIB, {.reads = 1}, 8 * MIB},
	{"CPU: a read as long as the run", CPU, true, 1000, RUN_NS, 4 * MIB, {.reads = 1}, 8 * MIB},
	{"CPU: the read is limited to the time of the run", CPU, true, 1000, 10 * RUN_NS, 4 * MIB,
		{.reads = 1}, 8 * MIB / 10 / 65536 * 65536, true},
	{"CPU: not even a row can be read", CPU, true, 1000, 1e6 * RUN_NS, 4 * MIB, {0}, 0, true},
	{"CPU: no flush", EVICTING_CPU, false, 1000, 1e5, 4 * MIB, {0}, 0, true},
	{"CPU: the run's own buffers are evicted", EVICTING_CPU, true, 1000, 1e5, 4 * MIB,
		{.evictions = 3}},
	{"CPU: operands larger than the region, which is read", EVICTING_CPU, true, 1000000, 1e5,
		4 * MIB, {.reads = 1}, 8 * MIB},
	{"CPU: operands larger than the region, but a slow read", EVICTING_CPU, true, 1000000,
		10 * RUN_NS, 4 * MIB, {.evictions = 3}},
};

TEST_ROWS(run, run_rows, "%s", row->name)
{
	struct preparation last = {0};

	fake_suite_setup();
	fake_control.info.limits.cache_bytes = row->cache_bytes;
	if (row->device != GPU) {
		fake_control.info.type = GPU_TYPE_CPU;
		fake_control.info.engine = GPU_ENGINE_CPU;
	}
	fake_control.evicts = row->device == EVICTING_CPU;
	RUNS_SUITE suite = open_suite(row->flush);
	fake_suite_control.read_timer_ns = row->read_ns;
	RUNS_OUTCOME outcome = time_vecadd(suite, row->n);
	const struct timing_record *timing = &outcome.row.timing;
	int64_t samples = flushed_samples((uint64_t)row->n * 4, &row->expected, &last);
	test_note("%lld cold samples, %lld flushed; %lld bytes each", (long long)timing->cold.n,
		(long long)samples, (long long)timing->flushed_bytes);
	EQUAL(samples, timing->cold.n);
	EQUAL((timing->flags & TIMING_UNFLUSHED) != 0, row->unflushed);
	if (row->expected.evictions) {
		CHECK(EQUAL(timing->flushed_bytes, last.evicted_bytes),
			EQUAL(timing->flushed_bytes, operands_held_bytes(&suite->bench.operands)));
	} else {
		EQUAL(timing->flushed_bytes, row->flushed_bytes);
	}
	if (row->expected.reads)
		EQUAL(fake_suite_control.read_bytes, row->flushed_bytes);
	STRING(runs_notes, "");
}

/* ---- No region ----------------------------------------------------------------------------- */

static void check_unflushed(struct suite *suite)
{
	struct preparation none = {0};
	struct preparation last;
	RUNS_OUTCOME outcome = time_vecadd(suite, 1000);

	IS(outcome.row.timing.flags & TIMING_UNFLUSHED);
	EQUAL(outcome.row.timing.flushed_bytes, 0);
	EQUAL(flushed_samples(4000, &none, &last), outcome.row.timing.cold.n);
	EQUAL(timer_held_bytes(&suite->bench.timer, TIMER_FLUSH), 0);
}

TEST(no_memory, "no memory for the region")
{
	fake_suite_setup();
	RUNS_SUITE suite = open_suite(true);
	fake_control.free_bytes = 4 * MIB;
	check_unflushed(suite);
	/* Later, memory is free. */
	fake_control.free_bytes = 0;
	RUNS_OUTCOME outcome = time_vecadd(suite, 1000);
	CHECK(EQUAL(outcome.row.timing.flushed_bytes, 8 * MIB),
		EQUAL(outcome.row.timing.flags & TIMING_UNFLUSHED, 0), STRING(runs_notes, ""));
}

/* A read kernel that skips data does not flush the cache. */
TEST(wrong_read, "a read kernel with wrong sums")
{
	fake_suite_setup();
	RUNS_SUITE suite = open_suite(true);
	fake_suite_control.read_wrong = true;
	check_unflushed(suite);
	test_note("%s", runs_notes);
	HAS(runs_notes, "without a cache flush");
}

/* The region's memory can be used by the next problem. */
TEST(makes_room, "the region is freed for a problem")
{
	struct gpu_buffer *buffer = NULL;

	fake_suite_setup();
	RUNS_SUITE suite = open_suite(true);
	struct bench *bench = &suite->bench;
	struct outcome outcome = time_vecadd(suite, 1000);
	outcome_finish(&outcome);
	uint64_t held = timer_held_bytes(&bench->timer, TIMER_FLUSH);
	IS(held >= 8 * MIB);
	double room = bench_room(bench).device;
	timer_make_room(&bench->timer, MIB);
	EQUAL(timer_held_bytes(&bench->timer, TIMER_FLUSH), held);
	timer_make_room(&bench->timer, 240 * MIB);
	CHECK(EQUAL(timer_held_bytes(&bench->timer, TIMER_FLUSH), 0),
		NEAR(bench_room(bench).device, room, 0));
	test_ok(gpu_buffer_create(bench->device, 100 * MIB, 0, &buffer, &test_error));
	gpu_buffer_destroy(&buffer);
	outcome = time_vecadd(suite, 1000);
	EQUAL(outcome.row.timing.flushed_bytes, 8 * MIB);
	outcome_finish(&outcome);
	bench_release_problem(bench);
	EQUAL(timer_held_bytes(&bench->timer, TIMER_FLUSH), 0);
}

/* Other processes use the device: the region is freed for a problem that fits without it. */
TEST(makes_room_beside_others, "the region is freed if others use the device")
{
	fake_suite_setup();
	RUNS_SUITE suite = open_suite(true);
	RUNS_OUTCOME outcome = time_vecadd(suite, 1000);
	outcome_finish(&outcome);
	IS(timer_held_bytes(&suite->bench.timer, TIMER_FLUSH) >= 8 * MIB);
	fake_control.free_bytes = 56 * MIB;
	outcome = time_vecadd(suite, 4 << 20); /* 48 MiB and guards */
	IS(outcome.row.timing.flags & TIMING_UNFLUSHED);
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* The flush and the streams of the roofs use the size of the table, not of the driver. */
static const struct size_row {
	const char *vendor, *name;
	uint64_t reported, memory, wanted_bytes;
} size_rows[] = {
	{"Advanced Micro Devices, Inc.", "gfx1030", 16384, 16 * GIB, 256 * MIB},
	{"Advanced Micro Devices, Inc.", "gfx942:sramecc+:xnack-", 32768, 192 * GIB, 512 * MIB},
	{"NVIDIA Corporation", "NVIDIA GeForce RTX 4090", 0, 24 * GIB, 144 * MIB},
	{"Intel(R) Corporation", "Intel(R) Data Center GPU Max 1100", 192 * MIB, 48 * GIB,
		768 * MIB},
	{"Apple", "Apple M1 Max", 0, 48 * GIB, 128 * MIB},
};

TEST_ROWS(sizes, size_rows, "sizes for %s", row->name)
{
	struct gpu_device_info info;
	struct roof_row copy;

	fake_suite_setup();
	info = fake_control.info;
	strcpy(info.vendor, row->vendor);
	strcpy(info.name, row->name);
	info.limits.cache_bytes = row->reported;
	info.limits.global_bytes = info.limits.max_buffer_bytes = row->memory;
	EQUAL(FLUSH_CACHES * suite_cache_bytes(&info), row->wanted_bytes);
	IS(roof_row_of(&info, ROOF_COPY, false, &copy));
	test_note("streams of %lld bytes", (long long)copy.problem.dim[0] * 4);
	IS((uint64_t)copy.problem.dim[0] * 4 >= row->wanted_bytes);
}

static const struct part_row {
	uint64_t bytes, unit;
	double read_ns, max_ns;
	uint64_t part;
} part_rows[] = {{1000, 10, 5, 5, 1000}, {1000, 10, 5, 6, 1000}, {1000, 10, 10, 5, 500},
	{1000, 300, 10, 5, 300}, {1000, 600, 10, 5, 0}, {1000, 10, 1e9, 1, 0},
	{1005, 10, 1, 2, 1005}, {1000, 1, 10, 0, 0}};

TEST_ROWS(part, part_rows, "%llu bytes in %g ns, %g ns to spend", (unsigned long long)row->bytes,
	row->read_ns, row->max_ns)
{
	EQUAL(flush_part(row->bytes, row->unit, row->read_ns, row->max_ns), row->part);
}
