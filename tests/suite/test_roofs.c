/* The roofs of a device on the fake backend: what is measured and kept. */
#include "host/suite/roofs.c"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#define ALL_TYPES (PMPP_CAP_FP16 | PMPP_CAP_FP64 | PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR)
#define SAMPLE_NS 4e5

/* ---- A session ----------------------------------------------------------------------------- */

/* Samples that the suite warns about, whatever the load of the machine is. */
enum warning {
	WARN_NOT,
	WARN_HOST_CLOCK,
	WARN_THROTTLED,
	WARN_NOISY
};

struct setting {
	unsigned capabilities;
	enum gpu_device_type type;
	enum warning warning;
	bool force;
	bool transfers; /* the memory has room for them; it makes the streams longer */
	bool coarse;    /* a cold run is below the resolution of the timer */
};

struct got {
	struct roofs_record roofs;
	uint64_t launches; /* to get the roofs, without the calibration */
	size_t reports;    /* of the progress */
};

static const struct fake_kernel_row *plain_rows;

static void run_plain(const struct fake_launch *launch, const char *entry)
{
	const struct fake_kernel_row *row = plain_rows;

	while (strcmp(row->entry, entry) != 0)
		row++;
	row->run(launch);
}

/* Times between 1 and 3 ms, the same in each run of the test. */
static void noisy_copy(const struct fake_launch *launch)
{
	static uint32_t state = 1;

	run_plain(launch, "roof_copy");
	state = state * 1664525 + 1013904223;
	fake_control.timer_ns = 1e6 + 2e6 * (state >> 8) / 0x1p24;
}

/* The probe's kernel. */
static void steady_fma(const struct fake_launch *launch)
{
	run_plain(launch, "roof_fma");
	fake_control.timer_ns = SAMPLE_NS;
}

static void make_copy_noisy(void)
{
	static struct fake_kernel_row rows[64];

	IS(fake_control.kernel_count <= sizeof rows / sizeof *rows);
	memcpy(rows, fake_control.kernels, fake_control.kernel_count * sizeof *rows);
	for (size_t i = 0; i < fake_control.kernel_count; i++)
		if (strcmp(rows[i].entry, "roof_copy") == 0)
			rows[i].run = noisy_copy;
		else if (strcmp(rows[i].entry, "roof_fma") == 0)
			rows[i].run = steady_fma;
	plain_rows = fake_control.kernels;
	fake_control.kernels = rows;
}

/* The steps of the timer are far longer than a run: it reports 1 ns for a cold sample. The host
 * waits before the other intervals. */
static double coarse_ns(const struct gpu_device *device, double clock_ns, void *context)
{
	uint64_t n = fake_call_count();
	double ns = 0;

	(void)device, (void)clock_ns, (void)context;
	for (; fake_call(n) != FAKE_SLOT_timer_begin; n--)
		ns += fake_call(n) == FAKE_SLOT_launch ? SAMPLE_NS : 0;
	return fake_call(n - 1) == FAKE_SLOT_finish ? ns : 1;
}

static double slowdown = 1; /* of the kernels */

static void prepare(struct suite *suite, enum warning warning)
{
	runs_fix_times(suite, slowdown * SAMPLE_NS);
	suite->bench.timer.record.device_timer_ok = warning != WARN_HOST_CLOCK;
	/* The probe was faster in other sessions. */
	if (warning == WARN_THROTTLED) {
		suite->bench.timer.probe.parts[PROBE_FMA].others_ns = slowdown * SAMPLE_NS / 2;
		suite->bench.timer.probe.parts[PROBE_FMA].others_known = true;
	}
	if (warning == WARN_NOISY)
		make_copy_noisy();
}

static void count_report(void *context, const char *text)
{
	*(size_t *)context += strstr(text, "roofs") != NULL;
}

/* The roofs from a new session. */
static struct got get_roofs(const struct setting *setting)
{
	const struct roofs_record *roofs = NULL;
	struct suite_options options = runs_quick();
	struct got got;
	size_t reports = 0;

	options.progress = count_report;
	options.progress_context = &reports;
	fake_suite_setup();
	fake_control.info.capabilities = setting->capabilities;
	fake_control.info.type = setting->type;
	fake_control.info.limits.global_bytes = (setting->transfers ? 96 : 24) << 20;
	struct suite *suite = runs_open(&options);
	prepare(suite, setting->warning);
	if (setting->coarse) {
		fake_control.timer = coarse_ns;
		suite->bench.timer.record.timer_resolution_ns = 10;
	}
	uint64_t before = fake_slot_count(FAKE_SLOT_launch);
	test_ok(suite_roofs(suite, setting->force, &roofs, &test_error));
	got = (struct got){*roofs, fake_slot_count(FAKE_SLOT_launch) - before, reports};
	runs_check_record(&roofs_type, roofs);
	runs_close(suite);
	return got;
}

static const struct setting complete = {.capabilities = ALL_TYPES, .type = GPU_TYPE_GPU};

static double figure(const struct roofs_record *roofs, int role)
{
	struct roofs_record copy = *roofs;

	return *roof_figure(&copy, (enum roof_role)role);
}

/* ---- What is measured ---------------------------------------------------------------------- */

/* Each figure is known; the next session has the same from the cache. */
TEST(measured, "all figures are measured, then read from the cache")
{
	fake_suite_new_cache();
	struct setting all = complete;
	all.transfers = true;
	struct got first = get_roofs(&all), second = get_roofs(&all);
	assert_true(first.launches > 0);
	assert_int_equal(second.launches, 0);
	/* Reports keep the worker alive between two tasks. */
	CHECK(EQUAL(first.reports, ROOF_ROLE_COUNT), EQUAL(second.reports, 0));
	for (int role = 0; role < ROOF_FIGURE_COUNT; role++) {
		IS(figure(&first.roofs, role) > 0);
		test_near(figure(&second.roofs, role), figure(&first.roofs, role),
			1e-9 * figure(&first.roofs, role));
	}
	CHECK(EQUAL(first.roofs.flags, 0), EQUAL(second.roofs.flags, 0),
		IS(second.roofs.age_s >= 0));
}

/* All rows take the same time, so the figures are proportional to the work. For each element and
 * pass: 2 operations, 1 function; 8 columns on tensor cores. */
TEST(amounts, "the work of each row")
{
	static const double fma = 2.0 * 16 * 1024 * 8192;
	static const struct {
		enum roof_role role;
		double amount;
	} rows[] = {
		{ROOF_FMA_F16, 2.0 * 16 * 2048 * 8192},
		{ROOF_FMA_F64, 2.0 * 8 * 1024 * 8192},
		{ROOF_INTEGER, 2.0 * 8 * 1024 * 8192},
		{ROOF_SPECIAL, 1.0 * 8 * 1024 * 2048},
		{ROOF_TENSOR_F16, 2.0 * 8 * 128 * 256 * 4096},
		{ROOF_TENSOR_TF32, 2.0 * 8 * 64 * 256 * 4096},
		{ROOF_L2, (2 << 20) * 8.0},
	};

	fake_suite_new_cache();
	struct got got = get_roofs(&complete);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_near(figure(&got.roofs, rows[i].role) / figure(&got.roofs, ROOF_FMA),
			rows[i].amount / fma, 1e-9);
}

/* The rate of a type that the device lacks stays unknown and does not cause a new measurement. */
TEST(needs, "types that the device does not have")
{
	static const struct setting plain = {.type = GPU_TYPE_GPU};

	fake_suite_new_cache();
	struct got first = get_roofs(&plain);
	IS(first.roofs.l2_gbps > 0 && first.roofs.fma_gflops.f32 > 0);
	IS(isnan(first.roofs.fma_gflops.f16) && isnan(first.roofs.fma_gflops.f64));
	IS(isnan(first.roofs.tensor_gflops.f16) && isnan(first.roofs.tensor_gflops.tf32));
	EQUAL(get_roofs(&plain).launches, 0);
}

/* Cold samples below the resolution give no roof. */
TEST(short_runs, "cold runs below the resolution of the timer")
{
	static const struct setting coarse = {.type = GPU_TYPE_GPU, .coarse = true};
	struct roof_row row;

	fake_suite_new_cache();
	struct got got = get_roofs(&coarse);
	IS(roof_row_of(&fake_control.info, ROOF_COPY, false, &row));
	test_near(got.roofs.copy_gbps * SAMPLE_NS / row.amount, 1, 1e-9);
}

/* ---- Samples with warnings ----------------------------------------------------------------- */

static const struct warning_row {
	const char *name;
	enum warning warning;
	unsigned flag;
} warning_rows[] = {
	{"the host's clock", WARN_HOST_CLOCK, TIMING_HOST_CLOCK},
	{"throttled", WARN_THROTTLED, TIMING_THROTTLED},
	{"noisy", WARN_NOISY, TIMING_NOISY},
};

/* A roof with a warning is used with its flag, and the next session measures it again. */
TEST_ROWS(not_kept, warning_rows, "a GPU's roofs are not kept: %s", row->name)
{
	struct setting warned = complete;

	fake_suite_new_cache();
	warned.warning = row->warning;
	struct got first = get_roofs(&warned), second = get_roofs(&warned);
	CHECK(IS(first.roofs.copy_gbps > 0), EQUAL(first.roofs.flags & row->flag, row->flag),
		IS(second.launches > 0));
	struct got quiet = get_roofs(&complete);
	CHECK(IS(quiet.launches > 0), EQUAL(quiet.roofs.flags, 0),
		EQUAL(get_roofs(&complete).launches, 0));
}

/* A figure without warnings is not replaced by a smaller figure with warnings. */
TEST_ROWS(kept_when_forced, warning_rows, "measured again with a warning: %s", row->name)
{
	struct setting again = complete;

	fake_suite_new_cache();
	struct got quiet = get_roofs(&complete);
	again.warning = row->warning;
	again.force = true;
	struct got forced = get_roofs(&again);
	CHECK(IS(forced.launches > 0), IS(forced.roofs.copy_gbps >= quiet.roofs.copy_gbps));
	struct got next = get_roofs(&complete);
	EQUAL(next.launches, 0);
	test_near(next.roofs.copy_gbps, quiet.roofs.copy_gbps, 1e-9 * quiet.roofs.copy_gbps);
	EQUAL(next.roofs.flags, 0);
}

/* The only file of the cache. */
static const char *cache_file(const char *cache)
{
	return test_only_file(test_text("%s/pmpp/roofs", cache));
}

/* Replaces the character behind the text in the file of the cache. */
static void change_behind(const char *cache, const char *old, char replacement)
{
	const char *path = cache_file(cache);
	char text[1 << 14] = "";
	FILE *file = fopen(path, "r");

	SOME(file);
	size_t size = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	char *found = strstr(text, old);
	SOME(found);
	assert_int_not_equal(found[strlen(old)], replacement);
	found[strlen(old)] = replacement;
	test_write_file(path, text, size);
}

static void years_ago(const char *cache)
{
	change_behind(cache, "\"doubtful_utc_s\": 1", '1');
}

/* Roofs of a CPU with a warning are kept for ten minutes, with their flag. */
TEST(kept_for_a_while, "a CPU's roofs with a warning")
{
	struct setting cpu = {.type = GPU_TYPE_CPU, .warning = WARN_HOST_CLOCK};
	const char *cache = fake_suite_new_cache();

	IS(get_roofs(&cpu).launches > 0);
	struct got second = get_roofs(&cpu);
	CHECK(EQUAL(second.launches, 0), IS(second.roofs.flags & TIMING_HOST_CLOCK),
		IS(second.roofs.copy_gbps > 0));
	years_ago(cache);
	CHECK(IS(get_roofs(&cpu).launches > 0), EQUAL(get_roofs(&cpu).launches, 0));
	/* A date in the future, as from a wrong clock. */
	change_behind(cache, "\"doubtful_utc_s\": ", '9');
	IS(get_roofs(&cpu).launches > 0);
}

/* A slower roof with a warning does not replace an older one with a warning. A faster one does. */
TEST(keeps_the_faster, "of a CPU: the faster of two with a warning")
{
	struct setting cpu = {.type = GPU_TYPE_CPU, .warning = WARN_THROTTLED};
	const char *cache = fake_suite_new_cache();

	struct got first = get_roofs(&cpu);
	years_ago(cache);
	slowdown = 2;
	struct got second = get_roofs(&cpu);
	IS(second.launches > 0);
	test_near(second.roofs.copy_gbps / first.roofs.copy_gbps, 1, 1e-9);
	IS(second.roofs.ages_s.copy > 1e6);
	IS(second.roofs.roof_flags.copy & TIMING_THROTTLED);
	years_ago(cache);
	slowdown = 0.5;
	struct got third = get_roofs(&cpu);
	slowdown = 1;
	IS(third.roofs.copy_gbps > 1.5 * first.roofs.copy_gbps);
	test_near(third.roofs.ages_s.copy, 0, 100);
}

/* ---- The cache ----------------------------------------------------------------------------- */

static const struct damage_row {
	const char *name, *text;
} damage_rows[] = {
	{"a torn file", "{\"schema\": \"pmpp-ro"},
	{"an old schema", "{\"schema\": \"pmpp-roofs/1\", \"device\": \"Fake device\", \"driver\": "
			  "\"fake 1\", \"measured_utc_s\": 1, \"copy_gbps\": 9, \"read_gbps\": 9, "
			  "\"fma_gflops\": 9, \"shared_gbps\": 9, \"h2d_gbps\": 9, "
			  "\"d2h_gbps\": 9}"},
};

TEST_ROWS(damaged, damage_rows, "measured again: %s", row->name)
{
	struct setting forced = complete;
	const char *cache = fake_suite_new_cache();

	forced.force = true;
	get_roofs(&complete);
	test_write_text(row->text, "%s", cache_file(cache));
	CHECK(IS(get_roofs(&complete).launches > 0), EQUAL(get_roofs(&complete).launches, 0),
		IS(get_roofs(&forced).launches > 0));
}

/* A device description as a backend gives it. */
static struct gpu_device_info device_of(enum gpu_backend_id backend)
{
	fake_suite_setup();
	struct gpu_device_info info = fake_control.info;
	info.backend = backend;
	snprintf(info.driver, sizeof info.driver, "580.1, %s 13", gpu_backend_name(backend));
	return info;
}

/* Keeps the result of a complete measurement of f32. */
static void keep(enum gpu_backend_id backend, double f32)
{
	struct gpu_device_info info = device_of(backend);
	struct kept_roofs kept = kept_roofs_none();

	kept.own.fma_gflops.f32 = f32;
	kept.complete = true;
	roofs_cache_store(&info, NULL, &kept);
}

#define MEMBER(member) offsetof(struct gpu_device_info, member)

static const struct key_row {
	const char *name;
	size_t offset;
	const char *text; /* NULL: a number */
	bool same;
} key_rows[] = {
	{"name, with a known UUID", MEMBER(name), "Fake (TM)", true},
	{"index", MEMBER(index), "1.0", true},
	{"text after the driver's version", MEMBER(driver), "580.1, OpenCL", true},
	{"compiler", MEMBER(compiler), "other", true},
	{"UUID", MEMBER(uuid), "11111111-0000-0000-0000-00000000fa4e", false},
	{"no UUID", MEMBER(uuid), "", false},
	{"compute units", MEMBER(limits.compute_units), NULL, false},
	{"version of the driver", MEMBER(driver), "580.2, CUDA 13", false},
};

static bool is_known(const struct gpu_device_info *info, const char *roof_dir)
{
	struct kept_roofs kept = roofs_cache_load(info, roof_dir);

	return kept.own.fma_gflops.f32 == 100;
}

/* Checks whether two descriptions use the same file. */
TEST_ROWS(key, key_rows, "the file of a device: another %s is %s", row->name,
	row->same ? "the same file" : "another file")
{
	struct gpu_device_info info = device_of(GPU_BACKEND_CUDA);

	fake_suite_new_cache();
	keep(GPU_BACKEND_CUDA, 100);
	IS(is_known(&info, NULL));
	runs_change_device(&info, row->offset, row->text);
	EQUAL(is_known(&info, NULL), row->same);
}

/* Other kernels have other roofs. The kernels of the source tree equal the embedded kernels. */
TEST(key_of_kernels, "the file of a device: other kernels")
{
	struct gpu_device_info info = device_of(GPU_BACKEND_CUDA);
	const char *folder = test_folder();

	fake_suite_new_cache();
	keep(GPU_BACKEND_CUDA, 100);
	IS(is_known(&info, PMPP_SOURCE_ROOT));
	NOT(is_known(&info, folder));
	CHECK(EQUAL(system(test_text("cp -r '%s/cl_kernels' '%s/cuda_kernels' '%s'",
			    PMPP_SOURCE_ROOT, PMPP_SOURCE_ROOT, folder)),
		      0),
		IS(is_known(&info, folder)));
	test_write_text("other", "%s/cl_kernels/roof/l2.cl", folder);
	NOT(is_known(&info, folder));
}

/* Each backend of a device has its own part of one file. */
TEST(parts, "the parts of two backends")
{
	struct gpu_device_info cuda = device_of(GPU_BACKEND_CUDA);
	struct gpu_device_info opencl = device_of(GPU_BACKEND_OPENCL);
	const char *cache = fake_suite_new_cache();

	keep(GPU_BACKEND_OPENCL, 100);
	NOT(roofs_cache_load(&cuda, NULL).complete);
	keep(GPU_BACKEND_CUDA, 105);
	keep(GPU_BACKEND_CUDA, 103);
	IS(roofs_cache_load(&cuda, NULL).complete);
	IS(roofs_cache_load(&opencl, NULL).complete);
	test_near(roofs_cache_load(&cuda, NULL).own.fma_gflops.f32, 103, 0);
	test_near(roofs_cache_load(&opencl, NULL).own.fma_gflops.f32, 100, 0);
	cache_file(cache); /* there is one */
}

/* Keeps figures of a backend of the fake device, measured 10^6 seconds ago. */
static void keep_old(enum gpu_backend_id backend, double figure)
{
	struct kept_roofs kept = kept_roofs_none();
	struct gpu_device_info info = fake_control.info;

	info.backend = backend;
	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		*roof_figure(&kept.own, (enum roof_role)role) = figure;
	kept.own.age_s = 1e6;
	kept.complete = true;
	roofs_cache_store(&info, NULL, &kept);
}

/* A session does not use the roofs of another backend, even if they are larger, or unknown here. */
TEST(own_backend_only, "only the figures of the own backend are used")
{
	static const struct setting plain = {.type = GPU_TYPE_GPU};

	fake_suite_new_cache();
	struct got first = get_roofs(&plain);
	keep_old(GPU_BACKEND_OPENCL, 1e9);
	struct got got = get_roofs(&plain);
	EQUAL(got.launches, 0);
	test_note("f32: %g, then %g", first.roofs.fma_gflops.f32, got.roofs.fma_gflops.f32);
	CHECK(NEAR(got.roofs.fma_gflops.f32, first.roofs.fma_gflops.f32,
		      1e-9 * first.roofs.fma_gflops.f32),
		IS(isnan(got.roofs.fma_gflops.f64)), IS(got.roofs.age_s < 1e5));
}

TEST(age_of_kept, "the age of kept figures")
{
	fake_suite_new_cache();
	get_roofs(&complete);
	keep_old(fake_control.info.backend, 1e9);
	struct got got = get_roofs(&complete);
	CHECK(EQUAL(got.launches, 0), NEAR(got.roofs.fma_gflops.f32, 1e9, 0),
		IS(got.roofs.age_s >= 1e6));
	/* Only the transfers are kept. The copy is measured later: each roof has its own age. */
	struct setting all = complete, throttled;
	all.transfers = true;
	throttled = all;
	throttled.warning = WARN_THROTTLED;
	fake_suite_new_cache();
	get_roofs(&throttled);
	struct kept_roofs kept = roofs_cache_load(&fake_control.info, NULL);
	kept.own.ages_s.h2d = 1000;
	roofs_cache_store(&fake_control.info, NULL, &kept);
	get_roofs(&all);
	got = get_roofs(&all); /* from the cache */
	IS(got.roofs.ages_s.copy < 500 && got.roofs.ages_s.h2d >= 1000);
	IS(got.roofs.age_s >= 1000);
}
