/* The suite on the fake backend: gates, figures, clocks that lie, roofs and their cache, parity. */
#include "host/record/json.h"
#include "host/run/fit.h"
#include "host/suite/parity.h"
#include "host/suite/session.h"
#include "tests/support/fake_suite.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Helpers ------------------------------------------------------------------------------- */

/* The fake must have been set up. */
static struct suite *open_suite(const struct suite_options *options)
{
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	struct suite *suite = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;
	size_t count = 0;
	enum pmpp_status status;

	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &error), &error);
	assert_true(count >= 1);
	status = suite_open(&infos[0], options, &suite, &error);
	free(infos);
	test_ok(status, &error);
	return suite;
}

static struct suite_options quick(void)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;

	options.min_samples = 5;
	options.max_samples = 8;
	options.min_time_ms = 0;
	return options;
}

static struct problem problem_of(const char *family, int64_t a, int64_t b, int64_t c)
{
	return (struct problem){.family = family_find(family), .dim = {a, b, c}, .seed = 1};
}

static struct config config_of(const char *family, const char *variant)
{
	return config_default(variant_find(family_find(family), variant));
}

/* The record has every key that its table requires: it is written, read, and written alike. */
static void check_record(const struct record_type *type, const void *record)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	char *text = NULL, *again = NULL;
	void *copy = calloc(1, type->size);

	assert_non_null(copy);
	test_ok(record_write(type, record, RECORD_ONE_LINE, &text, &error), &error);
	test_ok(record_read(type, text, strlen(text), "row", copy, &error), &error);
	test_ok(record_write(type, copy, RECORD_ONE_LINE, &again, &error), &error);
	assert_string_equal(text, again);
	record_finish(type, copy);
	free(copy);
	free(again);
	free(text);
}

/* The caller finishes the outcome. */
static struct outcome run_one(struct suite *suite, const char *family, const char *variant,
	const struct problem *problem, unsigned actions)
{
	struct config config = config_of(family, variant);
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct outcome outcome;

	memset(&outcome, 0, sizeof outcome);
	test_ok(suite_run(suite, &config, problem, actions, &outcome, &error), &error);
	check_record(&result_row_type, &outcome.row);
	return outcome;
}

static void close_suite(struct suite *suite)
{
	suite_close(&suite);
	assert_null(suite);
	assert_int_equal(fake_live_count(), 0);
	assert_string_equal(fake_misuse(), "");
}

/* ---- Verifying ----------------------------------------------------------------------------- */

static void verifies(const void *context)
{
	struct problem problem = problem_of("matmul", 5, 7, 3);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	int64_t rows = 0, columns = 0;
	assert_null(suite_output(suite, &rows, &columns));
	struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	assert_true(verify_record_passed(&outcome.row.verify));
	assert_string_equal(outcome.row.verify.coverage, "all elements");
	assert_true(outcome.row.verify.max_ratio >= 0 && outcome.row.verify.max_ratio <= 1);
	assert_int_equal(strlen(outcome.row.verify.output_sha256), 64);
	assert_int_equal(strlen(outcome.row.build.source_sha256), 64);
	assert_false(outcome.row.verify.first.record.present);
	test_near(outcome.row.work.flops, 210, 0);
	test_near(outcome.row.work.bytes_compulsory, 4 * (15 + 21 + 35), 0);
	test_near(outcome.row.derived.intensity, 210.0 / 284, 1e-15);
	assert_true(isnan(outcome.row.derived.gflops) && isnan(outcome.row.derived.pct_roof));
	assert_false(outcome.row.timing.record.present);
	assert_true(strlen(outcome.untimed) > 0);
	assert_non_null(suite_output(suite, &rows, &columns));
	assert_int_equal(rows, 5);
	assert_int_equal(columns, 7);
	outcome_finish(&outcome);
	close_suite(suite);
}

/* A reference that was kept for one variant is not taken for another of its own. */
static void own_references(const void *context)
{
	static const char *const names[] = {"int-mul", "f64-fma", "int-mul"};
	struct problem problem = problem_of("instructions", 300, 9, 0);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	fake_control.info.capabilities |= PMPP_CAP_FP64;
	struct suite *suite = open_suite(&options);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct outcome outcome =
			run_one(suite, "instructions", names[i], &problem, SUITE_VERIFY);

		assert_int_equal(outcome.row.status, OUTCOME_OK);
		assert_string_equal(outcome.row.verify.coverage, "all elements");
		outcome_finish(&outcome);
	}
	close_suite(suite);
}

static void seeds(const void *context)
{
	struct problem problem = problem_of("matmul", 5, 7, 3);
	struct suite_options options = quick();
	char first[65], again[65], second[65];

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(first, outcome.row.verify.output_sha256, sizeof first);
	outcome_finish(&outcome);
	problem.seed = 2;
	outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(second, outcome.row.verify.output_sha256, sizeof second);
	outcome_finish(&outcome);
	problem.seed = 1;
	outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(again, outcome.row.verify.output_sha256, sizeof again);
	assert_string_equal(first, again);
	assert_string_not_equal(first, second);
	outcome_finish(&outcome);
	close_suite(suite);
}

static void users_data(const void *context)
{
	static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12};
	static const float want[4] = {58, 64, 139, 154};
	struct problem problem = problem_of("matmul", 2, 2, 3);
	struct suite_options options = quick();
	int64_t rows, columns;

	(void)context;
	fake_suite_setup();
	options.user_inputs[0] = a;
	options.user_inputs[1] = b;
	problem.data = DATA_USER;
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	assert_memory_equal(suite_output(suite, &rows, &columns), want, sizeof want);
	outcome_finish(&outcome);
	close_suite(suite);
}

static void sampled(const void *context)
{
	struct problem problem = problem_of("matmul", 650, 651, 652);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	test_note("%s", outcome.row.verify.coverage);
	assert_non_null(strstr(outcome.row.verify.coverage, "rows"));
	assert_non_null(strstr(outcome.row.verify.coverage, "columns"));
	assert_non_null(strstr(outcome.row.verify.coverage, "integers"));
	outcome_finish(&outcome);
	close_suite(suite);
}

/* ---- What cannot run ----------------------------------------------------------------------- */

/* "12.3 MB of ..." in bytes; -1 where the text has no such amount. */
static double amount_of(const char *text)
{
	double value = 0;
	char unit = 0;

	if (!text || sscanf(text, "%lf %c", &value, &unit) != 2)
		return -1;
	return unit == 'G'   ? value * 1e9
	       : unit == 'M' ? value * 1e6
	       : unit == 'k' ? value * 1e3
			     : -1;
}

/* The reason has the needed and the free memory, and the needed memory is larger. */
static void check_too_large(const struct outcome *outcome)
{
	const char *reason = text_or_empty(outcome->row.reason);
	const char *needs = strstr(reason, "needs ");
	const char *there = strstr(reason, "; ");

	assert_int_equal(outcome->row.status, OUTCOME_UNSUPPORTED);
	assert_int_equal(outcome->row.error.status, PMPP_TOO_LARGE);
	while (there && *there && (*there < '0' || *there > '9'))
		there++;
	double needed = amount_of(needs ? needs + strlen("needs ") : NULL);
	double limit = amount_of(there);
	if (limit < 0 || needed <= limit)
		test_fail("not both figures: %s", reason);
}

static void does_not_fit(const void *context)
{
	static const int64_t sizes[][3] = {{10000, 10000, 10000}, {2147479552, 2147479552, 1},
		{2147479552, 2147479552, 2147479552}, {1, 40000000, 1}};
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct problem problem =
			problem_of("matmul", sizes[i][0], sizes[i][1], sizes[i][2]);
		struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);

		check_too_large(&outcome);
		outcome_finish(&outcome);
	}
	assert_int_equal(fake_slot_count(FAKE_SLOT_buffer_create), 0);
	close_suite(suite);
}

/* Free memory decides, not all memory: another program uses the rest. */
static void memory_of_others(const void *context)
{
	struct problem large = problem_of("vecadd", 1000000, 0, 0);
	struct problem smaller = problem_of("vecadd", 100000, 0, 0);
	struct suite_options options = quick();
	struct config config = config_of("vecadd", "fine");

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "vecadd", "fine", &large, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	/* The memory of the last problem counts as free. */
	fake_control.free_bytes = 13000000;
	outcome = run_one(suite, "vecadd", "fine", &large, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	assert_false(suite_fits_well(suite, &config, &large));
	outcome = run_one(suite, "vecadd", "fine", &smaller, SUITE_VERIFY);
	outcome_finish(&outcome);
	fake_control.free_bytes = 4000000;
	outcome = run_one(suite, "vecadd", "fine", &large, SUITE_VERIFY);
	check_too_large(&outcome);
	assert_non_null(strstr(outcome.row.reason, "the free memory of Fake device is"));
	outcome_finish(&outcome);
	assert_true(suite_fits_well(suite, &config, &smaller));
	outcome = run_one(suite, "vecadd", "fine", &smaller, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	close_suite(suite);
}

/* A default size is reduced until it fits in free memory. If no size fits, it is unchanged. */
static void default_fits(const void *context)
{
	static const struct {
		uint64_t free_bytes;
		int64_t want;
	} rows[] = {{0, 1 << 20}, {100000000, 1 << 20}, {10000000, 1 << 19}, {5000000, 1 << 18},
		{1000, 1 << 20}};
	struct suite_options options = quick();
	const struct task task = {.config = config_of("vecadd", "fine")};
	char note[FIT_NOTE_BYTES];

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	const struct fit_place place = {{suite}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem = problem_of("vecadd", 1 << 20, 0, 0);

		fake_control.free_bytes = rows[i].free_bytes;
		note[0] = '\0';
		bool changed = fit_problem(&place, &task, 1, &problem, note);
		assert_int_equal(problem.dim[0], rows[i].want);
		assert_int_equal(changed, rows[i].want != 1 << 20);
		assert_int_equal(strstr(note, "reduced from n=1048576") != NULL, changed);
	}
	close_suite(suite);
}

static void needs_hardware(const void *context)
{
	struct problem problem = problem_of("matmul", 5, 7, 3);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "cpu-packed", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_SKIPPED);
	assert_non_null(strstr(outcome.row.reason, "OpenCL CPU"));
	outcome_finish(&outcome);
	close_suite(suite);
}

static void block_too_large(const void *context)
{
	struct problem problem = problem_of("matmul", 5, 7, 3);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	fake_control.info.limits.max_block_threads = 64;
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_UNSUPPORTED);
	assert_non_null(strstr(outcome.row.reason, "256"));
	assert_non_null(strstr(outcome.row.reason, "64"));
	outcome_finish(&outcome);
	close_suite(suite);
}

static void others_go_on(const void *context)
{
	struct problem problem = problem_of("matmul", 5, 7, 3);
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "matmul", "tiled16", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_BUILD_ERROR);
	assert_non_null(strstr(outcome.row.reason, "matmul_tiled"));
	outcome_finish(&outcome);
	outcome = run_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	close_suite(suite);
}

/* A log with the line, from a kernel read from disk; the rest of the session goes on. */
static void broken_kernel(const void *context)
{
	static const char source[] = "/* vecadd_fine( */\n#error broken\n";
	struct problem problem = problem_of("vecadd", 100, 0, 0);
	struct suite_options options = quick();
	char path[600];

	(void)context;
	fake_suite_setup();
	options.kernel_dir = test_folder();
	snprintf(path, sizeof path, "%s/cuda_kernels/vecadd/fine.cu", options.kernel_dir);
	test_write_file(path, source, sizeof source - 1);
	struct suite *suite = open_suite(&options);
	struct outcome outcome = run_one(suite, "vecadd", "fine", &problem, SUITE_VERIFY);
	assert_int_equal(outcome.row.status, OUTCOME_BUILD_ERROR);
	assert_non_null(outcome.row.log);
	assert_non_null(strstr(outcome.row.log, "vecadd/fine.cu:2: error"));
	assert_true(strlen(outcome.row.reason) > 0);
	outcome_finish(&outcome);
	close_suite(suite);
}

/* ---- Timing -------------------------------------------------------------------------------- */

static struct outcome time_vecadd(struct suite *suite)
{
	struct problem problem = problem_of("vecadd", 1000, 0, 0);

	return run_one(suite, "vecadd", "fine", &problem, SUITE_VERIFY | SUITE_TIME);
}

static void check_samples(const struct samples_record *set)
{
	assert_true(set->record.present);
	assert_non_null(set->ns.items);
	assert_true(set->n >= 1);
	assert_int_equal(set->ns.count, set->n);
	assert_true(set->min > 0);
	assert_true(set->min <= set->q1 && set->q1 <= set->median);
	assert_true(set->median <= set->q3);
}

static void times(const void *context)
{
	struct suite_options options = quick();
	const struct timer_record *timer = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	(void)context;
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	struct suite *suite = open_suite(&options);
	struct outcome outcome = time_vecadd(suite);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	assert_true(outcome.row.timing.record.present);
	assert_string_equal(outcome.untimed, "");
	check_samples(&outcome.row.timing.cold);
	check_samples(&outcome.row.timing.hot);
	check_samples(&outcome.row.timing.host);
	assert_true(outcome.row.timing.cold.n >= 5 && outcome.row.timing.cold.n <= 8);
	assert_true(result_row_median_ns(&outcome.row) >= 4e5);
	assert_int_equal(outcome.row.timing.flags & (TIMING_HOST_CLOCK | TIMING_UNFLUSHED), 0);
	test_near(outcome.row.derived.gbps, 12000 / result_row_median_ns(&outcome.row), 1e-12);
	assert_true(outcome.row.derived.pct_roof > 0);
	assert_int_not_equal(outcome.row.derived.limited_by, LIMITED_BY_UNKNOWN);
	test_ok(suite_calibration(suite, &timer, &error), &error);
	assert_true(timer->device_timer_ok);
	assert_true(timer->host_launch_ns > 0 && timer->timer_resolution_ns > 0);
	outcome_finish(&outcome);
	close_suite(suite);
}

static void unflushed(const void *context)
{
	struct suite_options options = quick();

	(void)context;
	fake_suite_setup();
	fake_suite_control.kernel_ns = 2e5;
	options.flush = false;
	struct suite *suite = open_suite(&options);
	struct outcome outcome = time_vecadd(suite);
	assert_true(outcome.row.timing.record.present);
	assert_true(outcome.row.timing.flags & TIMING_UNFLUSHED);
	outcome_finish(&outcome);
	close_suite(suite);
}

/* Drivers whose profiling is wrong on either side: the host's clock is used, and it is said. */
static void lying_timer(const void *context)
{
	double ns = *(const double *)context;
	struct suite_options options = quick();
	const struct timer_record *timer = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	fake_control.timer_ns = ns;
	struct suite *suite = open_suite(&options);
	test_ok(suite_calibration(suite, &timer, &error), &error);
	assert_false(timer->device_timer_ok);
	test_note("%s", timer->reason);
	assert_true(strlen(timer->reason) > 0);
	struct outcome outcome = time_vecadd(suite);
	assert_int_equal(outcome.row.status, OUTCOME_OK);
	assert_true(outcome.row.timing.flags & TIMING_HOST_CLOCK);
	assert_true(result_row_median_ns(&outcome.row) >= 4e5);
	assert_true(result_row_median_ns(&outcome.row) < 1e9);
	outcome_finish(&outcome);
	close_suite(suite);
}

static const struct gate_row {
	const char *name;
	uint64_t wrong_from, silent_from;
} gate_rows[] = {{"wrong from the start", 1, 0}, {"silent from the start", 0, 1},
	{"wrong after the check", 4, 0}, {"silent after the check", 0, 4}};

/* No pass, no time: also when the answer goes wrong, or stays out, only after the check. */
static void gates_speed(const void *context)
{
	const struct gate_row *row = context;
	struct suite_options options = quick();

	fake_suite_setup();
	fake_suite_control.kernel_ns = 1e5;
	fake_suite_control.wrong_from = row->wrong_from;
	fake_suite_control.silent_from = row->silent_from;
	struct suite *suite = open_suite(&options);
	struct outcome outcome = time_vecadd(suite);
	test_note("%s; %s", outcome.row.reason, outcome.untimed);
	assert_int_equal(outcome.row.status, OUTCOME_FAILED);
	assert_false(outcome.row.timing.record.present);
	assert_null(outcome.row.timing.cold.ns.items);
	assert_true(strlen(outcome.row.reason) > 0 && strlen(outcome.untimed) > 0);
	assert_true(isnan(outcome.row.derived.gbps));
	outcome_finish(&outcome);
	close_suite(suite);
}

/* ---- Roofs --------------------------------------------------------------------------------- */

static void check_roofs(const struct roofs_record *roofs)
{
	assert_true(roofs->copy_gbps > 0 && roofs->read_gbps > 0 && roofs->fma_gflops.f32 > 0);
	assert_true(roofs->shared_gbps > 0 && roofs->h2d_gbps > 0 && roofs->d2h_gbps > 0);
	assert_true(roofs->age_s >= 0);
}

/* From a new session: the number of launches that it took. */
static uint64_t roofs_launches(bool force, struct roofs_record *ret_roofs)
{
	struct suite_options options = quick();
	struct pmpp_error error = PMPP_ERROR_INIT;

	fake_suite_setup();
	const struct roofs_record *roofs = NULL;
	struct suite *suite = open_suite(&options);
	test_ok(suite_roofs(suite, force, &roofs, &error), &error);
	*ret_roofs = *roofs; /* owns nothing */
	check_roofs(ret_roofs);
	uint64_t launches = fake_slot_count(FAKE_SLOT_launch);
	close_suite(suite);
	return launches;
}

static void damage_files(const char *cache)
{
	char folder[500], path[900];
	DIR *directory;

	snprintf(folder, sizeof folder, "%s/pmpp/roofs", cache);
	directory = opendir(folder);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		test_write_file(path, "{\"schema\": \"pmpp-ro", 19);
	}
	closedir(directory);
}

static void roofs_cached(const void *context)
{
	const char *kept = getenv("XDG_CACHE_HOME");
	char *shared = kept ? strdup(kept) : NULL;
	const char *cache = test_folder();
	struct roofs_record first, second, again;

	(void)context;
	setenv("XDG_CACHE_HOME", cache, 1);
	assert_true(roofs_launches(false, &first) > 0);
	assert_int_equal(roofs_launches(false, &second), 0);
	test_near(second.copy_gbps, first.copy_gbps, 1e-9 * first.copy_gbps);
	test_near(second.d2h_gbps, first.d2h_gbps, 1e-9 * first.d2h_gbps);
	assert_true(roofs_launches(true, &again) > 0);
	damage_files(cache);
	assert_true(roofs_launches(false, &again) > 0);
	assert_int_equal(roofs_launches(false, &again), 0);
	if (shared)
		setenv("XDG_CACHE_HOME", shared, 1);
	free(shared);
}

/* ---- Parity -------------------------------------------------------------------------------- */

/* From here on every interval takes 0.4 ms, whatever the load of the machine is: the device's timer
 * is used, and always shows this time. */
static void fix_times(struct suite *suite)
{
	const struct timer_record *timer = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	fake_control.timer_ns = 0;
	test_ok(suite_calibration(suite, &timer, &error), &error);
	suite->bench.calibrator.timer.device_timer_ok = true;
	suite->bench.calibrator.timer.timer_resolution_ns = 1;
	fake_control.timer_ns = 4e5;
}

static void parity(const void *context)
{
	bool same_device = *(const bool *)context;
	struct problem problem = problem_of("vecadd", 1000, 0, 0);
	struct config config = config_of("vecadd", "fine");
	struct suite_options options = quick();
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct parity_result result;

	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	struct suite *a = open_suite(&options);
	if (!same_device)
		strcpy(fake_control.info.uuid, "ffffffff-0000-0000-0000-000000000000");
	struct suite *b = open_suite(&options);
	fix_times(a);
	fix_times(b);
	test_ok(suite_parity(a, b, &config, &problem, 0.03, &result, &error), &error);
	const struct parity_row *row = &result.row;
	check_record(&parity_row_type, row);
	test_note("%s %.3f [%.3f, %.3f], %lld samples",
		parity_verdict_name((enum parity_verdict)row->verdict), row->ratio, row->ci95[0],
		row->ci95[1], (long long)row->n);
	assert_int_equal(row->bit_identical, TRUTH_YES);
	assert_int_equal(row->same_device, same_device);
	assert_int_equal(!isnan(row->ratio), same_device);
	if (same_device) {
		test_near(row->ratio, 1, 0);
		test_near(row->ci95[0], 1, 0);
		test_near(row->ci95[1], 1, 0);
		assert_int_equal(row->n, result.a.row.timing.cold.n);
		assert_int_equal(row->verdict, PARITY_SAME);
		assert_int_equal(result.a.row.timing.cold.n, result.b.row.timing.cold.n);
	} else {
		assert_int_equal(row->verdict, PARITY_RESULTS_ONLY);
	}
	parity_result_finish(&result);
	suite_close(&a);
	close_suite(b);
}

/* One side wrong: its outcome says so, and nothing is timed. */
static void parity_of_wrong(const void *context)
{
	struct problem problem = problem_of("vecadd", 1000, 0, 0);
	struct config config = config_of("vecadd", "fine");
	struct suite_options options = quick();
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct parity_result result;

	(void)context;
	fake_suite_setup();
	fake_suite_control.wrong_from = 2;
	struct suite *a = open_suite(&options), *b = open_suite(&options);
	test_ok(suite_parity(a, b, &config, &problem, 0.03, &result, &error), &error);
	check_record(&parity_row_type, &result.row);
	assert_true(isnan(result.row.ratio));
	assert_int_not_equal(result.row.bit_identical, TRUTH_YES);
	assert_int_equal(result.a.row.status, OUTCOME_OK);
	assert_int_equal(result.b.row.status, OUTCOME_FAILED);
	parity_result_finish(&result);
	suite_close(&a);
	close_suite(b);
}

int main(int argc, char **argv)
{
	static const double lies[] = {1, 1e12};
	static const bool sides[] = {true, false};
	struct test_list list = {0};

	setenv("XDG_CACHE_HOME", test_folder(), 1);
	test_add(&list, verifies, NULL, "verifies, and says what it looked at");
	test_add(&list, own_references, NULL, "variants with answers of their own");
	test_add(&list, seeds, NULL, "the seed decides the bits");
	test_add(&list, users_data, NULL, "a user's data");
	test_add(&list, sampled, NULL, "large problems are sampled, and checked on integers");
	test_add(&list, does_not_fit, NULL, "what does not fit is refused with both figures");
	test_add(&list, needs_hardware, NULL, "skipped: needs other hardware");
	test_add(&list, memory_of_others, NULL, "free device memory decides");
	test_add(&list, default_fits, NULL, "a default size fits in free memory");
	test_add(&list, block_too_large, NULL, "unsupported: block too large");
	test_add(&list, others_go_on, NULL, "a kernel that is not there; others go on");
	test_add(&list, broken_kernel, NULL, "a kernel that does not build: its log");
	test_add(&list, times, NULL, "times what passed");
	test_add(&list, unflushed, NULL, "cold without a flush says so");
	for (size_t i = 0; i < 2; i++)
		test_add(&list, lying_timer, &lies[i], "a device timer that always says %g ns",
			lies[i]);
	for (size_t i = 0; i < sizeof gate_rows / sizeof *gate_rows; i++)
		test_add(&list, gates_speed, &gate_rows[i], "nothing is timed: %s",
			gate_rows[i].name);
	test_add(&list, roofs_cached, NULL, "roofs: measured, cached, damaged, forced");
	for (size_t i = 0; i < 2; i++)
		test_add(&list, parity, &sides[i], "parity on %s",
			sides[i] ? "one device" : "two devices");
	test_add(&list, parity_of_wrong, NULL, "parity of a wrong kernel");
	return test_run(&list, argc, argv);
}
