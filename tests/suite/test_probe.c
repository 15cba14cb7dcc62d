/* The suite on the fake backend: the throttle probe and its cache. */
#include "host/io/clock.h"
#include "host/suite/roof_rows.h"
#include "host/suite/session.c"
#include "host/suite/suite.h"
#include "host/suite/timing.c"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#include <glob.h>

/* Opens a session whose probes take the given times. They are times of the device timer and do not
 * depend on the host. */
static struct suite *open_session(double fma_ns, double read_ns)
{
	struct suite *suite = runs_open(NULL);

	fake_suite_control.fma_ns = fma_ns;
	fake_suite_control.read_ns = read_ns;
	runs_calibrate(suite);
	return suite;
}

static bool is_slow(struct suite *suite, double fma_ns, double read_ns)
{
	bool slow = false;

	fake_suite_control.fma_ns = fma_ns;
	fake_suite_control.read_ns = read_ns;
	/* The host's clock measures the pauses of the memory part. */
	suite->bench.timer.probe.parts[PROBE_MEMORY].next_ns = 0;
	test_ok(probe_run(&suite->bench.timer.probe, true, &slow, &test_error));
	return slow;
}

/* Returns whether the first probe of a session is slow. The session has three probes. */
static bool session_is_slow(double fma_ns, double read_ns)
{
	struct suite *suite = open_session(fma_ns, read_ns);
	bool slow = is_slow(suite, fma_ns, read_ns);

	is_slow(suite, fma_ns, read_ns);
	is_slow(suite, fma_ns, read_ns);
	runs_close(suite);
	return slow;
}

/* Each row has a cache of its own. */
static void new_cache(void)
{
	fake_suite_new_cache();
	fake_suite_setup();
}

TEST(within_session, "probe: within a session")
{
	RUNS_SUITE suite;

	new_cache();
	suite = open_session(1e5, 2e5);
	CHECK(NOT(is_slow(suite, 1e5, 2e5)), NOT(is_slow(suite, 1.05e5, 2.1e5)),
		IS(is_slow(suite, 1.2e5, 2e5)), IS(is_slow(suite, 1e5, 2.4e5)),
		NOT(is_slow(suite, 1e5, 2e5)));
	/* An impossible sample does not flag the samples after it. */
	CHECK(NOT(is_slow(suite, 1, 1)), NOT(is_slow(suite, 1e5, 2e5)),
		NOT(is_slow(suite, 0.9e5, 1.8e5)), NOT(is_slow(suite, 0.9e5, 1.8e5)),
		IS(is_slow(suite, 1e5, 2e5)));
}

static const struct session_row {
	const char *name;
	struct {
		double fma_ns, read_ns;
		bool slow;
	} sessions[4];
} session_rows[] = {
	{"the clock is reduced from the start",
		{{1e5, 2e5}, {1.3e5, 2e5, true}, {1e5, 2e5}, {1.3e5, 2e5, true}}},
	{"the memory is slow from the start",
		{{1e5, 2e5}, {1e5, 2.6e5, true}, {1e5, 2e5}, {1e5, 2.6e5, true}}},
	{"the device gets faster", {{1.3e5, 2.6e5}, {1e5, 2e5}, {1e5, 2e5}, {1.3e5, 2e5, true}}},
	{"one session reports an impossible speed",
		{{1, 1}, {1e5, 2e5, true}, {1e5, 2e5}, {1.3e5, 2e5, true}}},
	{"the second session reports an impossible speed",
		{{1e5, 2e5}, {1, 1}, {1e5, 2e5}, {1.3e5, 2e5, true}}},
};

TEST_ROWS(across_sessions, session_rows, "probe, across sessions: %s", row->name)
{
	bool slow[4];

	new_cache();
	for (size_t i = 0; i < 4; i++)
		slow[i] = session_is_slow(row->sessions[i].fma_ns, row->sessions[i].read_ns);
	test_note("slow: %d %d %d %d", slow[0], slow[1], slow[2], slow[3]);
	for (size_t i = 0; i < 4; i++)
		EQUAL(slow[i], row->sessions[i].slow);
}

/* Times of another driver, number of units or device are not compared. */
static const struct other_row {
	const char *name;
	size_t offset;
	const char *text; /* NULL: a number */
} other_rows[] = {
	{"another driver", offsetof(struct gpu_device_info, driver), "fake 2"},
	{"another device", offsetof(struct gpu_device_info, uuid),
		"11111111-0000-0000-0000-00000000fa4e"},
	{"another number of units", offsetof(struct gpu_device_info, limits.compute_units), NULL},
};

TEST_ROWS(other_device, other_rows, "probe: %s", row->name)
{
	new_cache();
	CHECK(NOT(session_is_slow(1e5, 2e5)), IS(session_is_slow(1.3e5, 2.6e5)));
	runs_change_device(&fake_control.info, row->offset, row->text);
	NOT(session_is_slow(1.3e5, 2.6e5));
}

/* Damaged files of the cache are treated as missing. */
TEST(damaged_cache, "probe: a damaged cache")
{
	static const char *const texts[] = {"", "{\"schema\": \"pmpp-pro",
		("{\"schema\": \"pmpp-probe/1\", \"device\": \"x\", \"driver\": \"x\", \"work\": \"x\", "
		 "\"sessions\": [{\"session\": \"x\", \"ns\": -1}]}")};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		new_cache();
		NOT(session_is_slow(1e5, 2e5));
		FINISHED(globfree) glob_t found = {0};
		const char *cache = getenv("XDG_CACHE_HOME");
		EQUAL(glob(test_text("%s/pmpp/probes/*", cache), 0, NULL, &found), 0);
		EQUAL(found.gl_pathc, 2);
		for (size_t f = 0; f < found.gl_pathc; f++)
			test_write_text(texts[i], "%s", found.gl_pathv[f]);
		CHECK(NOT(session_is_slow(1.3e5, 2.6e5)), IS(session_is_slow(1.7e5, 3.4e5)));
	}
}

/* The memory part pauses in proportion to its cost on the host's clock. A pause that ends in the
 * far future replaces a long pause. */
TEST(memory_pauses, "probe: the memory part pauses")
{
	bool slow = false;

	new_cache();
	RUNS_SUITE suite = open_session(1e5, 2e5);
	struct probe_work *memory = &suite->bench.timer.probe.parts[PROBE_MEMORY];
	IS(memory->ready);
	double before = host_clock_ns();
	test_ok(probe_run(&suite->bench.timer.probe, true, &slow, &test_error));
	double after = host_clock_ns();
	IS(memory->next_ns > before && memory->next_ns <= after + 20 * (after - before));
	uint64_t launches = fake_suite_control.read_launches;
	memory->next_ns = INFINITY;
	test_ok(probe_run(&suite->bench.timer.probe, true, &slow, &test_error));
	EQUAL(fake_suite_control.read_launches, launches);
	memory->next_ns = 0;
	test_ok(probe_run(&suite->bench.timer.probe, true, &slow, &test_error));
	EQUAL(fake_suite_control.read_launches, launches + 1);
}

/* Sizes of the buffer: several caches, and on a GPU at least 1 GiB, but at most a sixteenth of the
 * memory. */
TEST(stream_sizes, "probe: sizes of the buffer")
{
	static const struct {
		const char *name;
		enum gpu_device_type type;
		int64_t memory_mib, cache_mib, bytes_mib;
	} rows[] = {
		{"NVIDIA H200", GPU_TYPE_GPU, 141 << 10, 60, 1024},
		{"NVIDIA B200", GPU_TYPE_GPU, 180 << 10, 127, 1024},
		{"a GPU of 4 GiB", GPU_TYPE_GPU, 4 << 10, 4, 256},
		{"a GPU with a large cache", GPU_TYPE_GPU, 192 << 10, 256, 2048},
		{"a CPU", GPU_TYPE_CPU, 16 << 10, 16, 64},
		{"a CPU with a large cache", GPU_TYPE_CPU, 64 << 10, 260, 520},
		{"too little memory", GPU_TYPE_CPU, 1 << 10, 40, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gpu_device_info info = {.type = rows[i].type, .name = "", .vendor = ""};

		snprintf(info.name, sizeof info.name, "%s", rows[i].name);
		info.limits.global_bytes = (uint64_t)rows[i].memory_mib << 20;
		info.limits.max_buffer_bytes = info.limits.global_bytes;
		info.limits.cache_bytes = (uint64_t)rows[i].cache_mib << 20;
		test_note("%s", rows[i].name);
		EQUAL(probe_stream_elements(&info), rows[i].bytes_mib << 18);
	}
}

/* A device without memory for a buffer of two caches has no memory part. If the memory becomes
 * short later, the part is left out. */
TEST(memory_is_short, "probe: memory is short")
{
	new_cache();
	fake_control.info.limits.cache_bytes = fake_control.info.limits.global_bytes / 16;
	struct suite *suite = open_session(1e5, 2e5);
	CHECK(NOT(suite->bench.timer.probe.parts[PROBE_MEMORY].ready),
		NOT(is_slow(suite, 1e5, 2e5)), IS(is_slow(suite, 1.3e5, 2e5)));
	runs_close(suite);
	/* The driver reports an L1: a buffer of 16 MiB would stay in the cache of 128 MiB. */
	new_cache();
	fake_control.info.limits.cache_bytes = 16 << 10;
	strcpy(fake_control.info.name, "gfx1030");
	suite = open_session(1e5, 2e5);
	NOT(suite->bench.timer.probe.parts[PROBE_MEMORY].ready);
	runs_close(suite);
	new_cache();
	suite = runs_open(NULL);
	double room = bench_room(&suite->bench).device;
	runs_calibrate(suite);
	IS(suite->bench.timer.probe.parts[PROBE_MEMORY].ready);
	/* A problem can use the memory of the probe, so default sizes do not depend on it. The FMA
	 * part is small. */
	test_near(bench_room(&suite->bench).device, room, 1 << 20);
	struct problem problem = runs_problem("vecadd", 21 << 20, 0, 0); /* of 256 MiB: 252 */
	RUNS_OUTCOME outcome = runs_one(suite, "vecadd", "fine", &problem, SUITE_VERIFY);
	test_note("%s", text_or_empty(outcome.row.reason));
	EQUAL(outcome.row.status, OUTCOME_OK);
	NOT(suite->bench.timer.probe.parts[PROBE_MEMORY].ready);
	runs_close(suite);
}

static struct gpu_device_info device_of(enum gpu_device_type type, unsigned capabilities)
{
	return (struct gpu_device_info){.type = type,
		.capabilities = capabilities,
		.limits = {.compute_units = 8,
			.global_bytes = (uint64_t)2 << 30,
			.max_buffer_bytes = (uint64_t)1 << 30,
			.max_block_threads = 1024}};
}

/* On a GPU without an instruction for multiply-adds, a pass takes a long time. The probe does not
 * call fma() on a CPU. */
TEST(emulated_fma, "probe: emulated multiply-adds")
{
	struct gpu_device_info info = device_of(GPU_TYPE_GPU, 0);
	struct roof_row row;

	CHECK(IS(roof_row_of(&info, ROOF_FMA, false, &row)), EQUAL(row.problem.dim[2], 8192));
	info.emulated_fma = true;
	CHECK(IS(roof_row_of(&info, ROOF_FMA, false, &row)), EQUAL(row.problem.dim[2], 64),
		NOT(roof_row_of(&info, ROOF_FMA, true, &row)));
	info.type = GPU_TYPE_CPU;
	info.capabilities = PMPP_CAP_OPENCL_CPU;
	CHECK(IS(roof_row_of(&info, ROOF_FMA, false, &row)), EQUAL(row.problem.dim[2], 8192),
		EQUAL(config_value(&row.config, "FUSED"), 0));
	info.emulated_fma = false;
	CHECK(IS(roof_row_of(&info, ROOF_FMA, false, &row)),
		EQUAL(config_value(&row.config, "FUSED"), 1));
}

/* The vectors of the multiply-adds are as wide as the registers of a CPU. lanes 0: unknown. */
static const struct vector_row {
	int64_t lanes;
	int f32, f64;
} vector_rows[] = {{0, 16, 8}, {1, 16, 8}, {4, 4, 2}, {8, 8, 4}, {16, 16, 8}, {64, 16, 8}};

TEST_ROWS(vectors, vector_rows, "roof of multiply-adds: %d lanes of a CPU", (int)row->lanes)
{
	struct gpu_device_info info = device_of(GPU_TYPE_CPU, PMPP_CAP_OPENCL_CPU | PMPP_CAP_FP64);
	struct roof_row result;

	if (row->lanes)
		shape_set(&info.shape, SHAPE_LANES, row->lanes, SHAPE_QUERY, "a query");
	IS(roof_row_of(&info, ROOF_FMA, false, &result));
	EQUAL(config_value(&result.config, "SPAN"), row->f32);
	EQUAL(result.problem.dim[0] / result.problem.dim[1], 12);
	IS(roof_row_of(&info, ROOF_FMA_F64, false, &result));
	EQUAL(config_value(&result.config, "SPAN"), row->f64);
	EQUAL(result.problem.dim[0] / result.problem.dim[1], 12);
}

/* Each memory roof of a CPU has two rows, and so has its roof of multiply-adds. */
TEST(second_rows, "roofs of a CPU with two rows")
{
	struct gpu_device_info info = device_of(GPU_TYPE_CPU, PMPP_CAP_OPENCL_CPU);
	struct roof_row row, other;

	for (int role = 0; role < ROOF_ROLE_COUNT; role++) {
		bool has = roof_row_of(&info, (enum roof_role)role, true, &other);
		EQUAL(has, role == ROOF_COPY || role == ROOF_READ || role == ROOF_FMA);
		if (!has)
			continue;
		IS(roof_row_of(&info, (enum roof_role)role, false, &row));
		assert_ptr_not_equal(row.config.variant, other.config.variant);
		IS(other.amount > 0);
	}
}

/* The roofs of tensor cores have a row of mma.sync where it reaches their rate, and a row of wgmma
 * where the device has it. Both have the same number of operations. */
static const struct tensor_row {
	const char *arch;
	unsigned wgmma;
	bool by_mma;
} tensor_rows[] = {
	{"sm_86", 0, true},
	{"sm_90", 0, false}, /* OpenCL */
	{"sm_90", PMPP_CAP_WGMMA, false},
	{"sm_100", 0, false},
	{"sm_120", 0, true},
	{"", PMPP_CAP_WGMMA, true},
};

TEST_ROWS(rows_of_tensor_cores, tensor_rows, "rows of tensor cores: '%s'%s", row->arch,
	row->wgmma ? ", wgmma" : "")
{
	struct gpu_device_info info =
		device_of(GPU_TYPE_GPU, PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR | row->wgmma);
	struct roof_row result, other;

	snprintf(info.arch, sizeof info.arch, "%s", row->arch);
	for (int role = 0; role < ROOF_ROLE_COUNT; role++) {
		bool tensor = role == ROOF_TENSOR_F16 || role == ROOF_TENSOR_TF32;
		bool first = roof_row_of(&info, (enum roof_role)role, false, &result);
		bool second = roof_row_of(&info, (enum roof_role)role, true, &other);

		/* The backend of the device is OpenCL. */
		EQUAL(first, tensor ? row->by_mma : role != ROOF_FMA_F16);
		EQUAL(second, tensor && row->wgmma);
		if (!tensor || !first || !second)
			continue;
		EQUAL(other.config.variant->operations, result.config.variant->operations);
		test_near(other.amount / result.amount, 1, 1e-9);
	}
}
