/* The suite on the fake backend: verification, and rows that cannot run. */
#include "host/run/task.h"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* The suite with the usual device of the fake. */
static struct suite *start(void)
{
	fake_suite_setup();
	return runs_open(NULL);
}

/* ---- Verifying ----------------------------------------------------------------------------- */

TEST(verifies, "verifies, and reports the checked elements")
{
	RUNS_SUITE suite = start();
	int64_t rows = 0, columns = 0;
	NIL(suite_output(suite, &rows, &columns));
	RUNS_OUTCOME outcome = runs_matmul(suite, 5, 7, 3);
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), IS(verify_record_passed(&outcome.row.verify)),
		STRING(outcome.row.verify.coverage, "all elements"),
		IS(outcome.row.verify.max_ratio >= 0 && outcome.row.verify.max_ratio <= 1),
		EQUAL(strlen(outcome.row.verify.output_sha256), 64),
		EQUAL(strlen(outcome.row.build.source_sha256), 64),
		EQUAL(strlen(outcome.row.build.code_sha256), 64),
		NOT(outcome.row.verify.first.record.present), NEAR(outcome.row.work.flops, 210, 0),
		NEAR(outcome.row.work.bytes_compulsory, 4 * (15 + 21 + 35), 0),
		NEAR(outcome.row.derived.intensity, 210.0 / 284, 1e-15),
		IS(isnan(outcome.row.derived.gflops) && isnan(outcome.row.derived.pct_roof)),
		NOT(outcome.row.timing.record.present), IS(strlen(outcome.untimed) > 0),
		SOME(suite_output(suite, &rows, &columns)), EQUAL(rows, 5), EQUAL(columns, 7));
}

/* The cached reference of a variant is not used for a variant with another own reference. */
TEST(own_references, "variants with their own references")
{
	static const char *const names[] = {"int-mul", "f64-fma", "int-mul"};
	struct problem problem = runs_problem("instructions", 300, 9, 0);

	fake_suite_setup();
	fake_control.info.capabilities |= PMPP_CAP_FP64;
	RUNS_SUITE suite = runs_open(NULL);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		RUNS_OUTCOME outcome =
			runs_one(suite, "instructions", names[i], &problem, SUITE_VERIFY);

		EQUAL(outcome.row.status, OUTCOME_OK);
		STRING(outcome.row.verify.coverage, "all elements");
	}
}

/* Runs a variant with a wrong output. Call fail_at fails with the status; 0: no call fails. */
static struct outcome run_wrong(uint64_t fail_at, enum pmpp_status status)
{
	fake_suite_setup();
	fake_suite_control.wrong_from = 1;
	fake_control.fail_at = fail_at;
	fake_control.fail_status = status;
	struct suite *suite = runs_open(NULL);
	struct outcome outcome = runs_vecadd(suite, 2000, SUITE_VERIFY);
	runs_close(suite);
	return outcome;
}

/* After the wrong output is read, each later call fails in turn. */
TEST(error_after_wrong, "an error after a wrong output")
{
	static const enum pmpp_status statuses[] = {PMPP_LAUNCH, PMPP_OUT_OF_MEMORY,
		PMPP_UNAVAILABLE, PMPP_INTERNAL, PMPP_IO, PMPP_USAGE};
	struct outcome outcome = run_wrong(0, PMPP_OK);
	uint64_t end = fake_call_count(), first = 1;

	outcome_finish(&outcome);
	while (fake_call(first) != FAKE_SLOT_buffer_read)
		first++;
	IS(first + 3 < end);
	for (uint64_t n = first + 1; n <= end; n++)
		for (size_t s = 0; s < sizeof statuses / sizeof *statuses; s++) {
			outcome = run_wrong(n, statuses[s]);
			EQUAL(outcome.row.status, OUTCOME_FAILED);
			HAS(outcome.row.reason, " wrong (", "; then: ");
			outcome_finish(&outcome);
		}
}

/* The output of the first side is wrong. The error may occur on the second side. */
TEST(error_after_wrong_side, "an error after a wrong side")
{
	struct problem problem = runs_problem("vecadd", 2000, 0, 0);
	struct config config = runs_config("vecadd", "fine");
	size_t kept = 0;

	for (uint64_t n = 1; n <= 60; n++) {
		FINISHED(parity_result_finish) struct parity_result parity;

		memset(&parity, 0, sizeof parity);
		fake_suite_setup();
		fake_suite_control.wrong_from = 1;
		fake_control.info.type = GPU_TYPE_EMULATED; /* without times */
		struct suite *a = runs_open(NULL), *b = runs_open(NULL);
		fake_control.fail_at = fake_call_count() + n;
		fake_control.fail_status = PMPP_UNAVAILABLE;
		enum pmpp_status status =
			suite_parity(a, b, &config, &problem, 0.03, &parity, &test_error);
		if (parity.a.row.verify.mismatches > 0) {
			test_ok(status);
			EQUAL(parity.a.row.status, OUTCOME_FAILED);
			IS(strlen(text_or_empty(parity.b.row.reason)) > 0);
			kept++;
		}
		pmpp_error_clear(&test_error);
		suite_close(&a);
		runs_close(b);
	}
	test_note("%zu errors after the wrong output", kept);
	IS(kept > 20);
}

TEST(seeds, "the seed decides the bits")
{
	struct problem problem = runs_problem("matmul", 5, 7, 3);
	char first[65], again[65], second[65];

	RUNS_SUITE suite = start();
	RUNS_OUTCOME outcome = runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(first, outcome.row.verify.output_sha256, sizeof first);
	outcome_finish(&outcome);
	problem.seed = 2;
	outcome = runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(second, outcome.row.verify.output_sha256, sizeof second);
	outcome_finish(&outcome);
	problem.seed = 1;
	outcome = runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	memcpy(again, outcome.row.verify.output_sha256, sizeof again);
	STRING(first, again);
	assert_string_not_equal(first, second);
}

TEST(users_data, "a user's data")
{
	static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12};
	static const float want[4] = {58, 64, 139, 154};
	struct problem problem = runs_problem("matmul", 2, 2, 3);
	struct suite_options options = runs_quick();
	int64_t rows, columns;

	fake_suite_setup();
	options.user_inputs[0] = a;
	options.user_inputs[1] = b;
	problem.source = INPUT_USER;
	RUNS_SUITE suite = runs_open(&options);
	RUNS_OUTCOME outcome = runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_OK);
	assert_memory_equal(suite_output(suite, &rows, &columns), want, sizeof want);
}

TEST(sampled, "large problems are sampled, and checked on integers")
{
	RUNS_SUITE suite = start();
	RUNS_OUTCOME outcome = runs_matmul(suite, 650, 651, 652);
	EQUAL(outcome.row.status, OUTCOME_OK);
	test_note("%s", outcome.row.verify.coverage);
	HAS(outcome.row.verify.coverage, "rows", "columns", "integers");
}

/* ---- Rows that cannot run ------------------------------------------------------------------ */

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

	EQUAL(outcome->row.status, OUTCOME_UNSUPPORTED);
	EQUAL(outcome->row.error.status, PMPP_TOO_LARGE);
	while (there && *there && (*there < '0' || *there > '9'))
		there++;
	double needed = amount_of(needs ? needs + strlen("needs ") : NULL);
	double limit = amount_of(there);
	if (limit < 0 || needed <= limit)
		test_fail("the reason lacks the needed or the free memory: %s", reason);
}

TEST(does_not_fit, "what does not fit is refused with both figures")
{
	static const int64_t sizes[][3] = {{10000, 10000, 10000}, {2147479552, 2147479552, 1},
		{2147479552, 2147479552, 2147479552}, {1, 40000000, 1}};

	RUNS_SUITE suite = start();
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		RUNS_OUTCOME outcome = runs_matmul(suite, sizes[i][0], sizes[i][1], sizes[i][2]);

		check_too_large(&outcome);
	}
	EQUAL(fake_slot_count(FAKE_SLOT_buffer_create), 0);
}

/* The free memory decides, not the total: other programs use the rest. */
TEST(memory_of_others, "free device memory decides")
{
	struct problem large = runs_problem("vecadd", 1000000, 0, 0);
	struct problem smaller = runs_problem("vecadd", 100000, 0, 0);
	struct config config = runs_config("vecadd", "fine");

	RUNS_SUITE suite = start();
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000000, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	/* The memory of the last problem counts as free. */
	fake_control.free_bytes = 13000000;
	outcome = runs_vecadd(suite, 1000000, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_OK);
	outcome_finish(&outcome);
	NOT(suite_fits_well(suite, &config, &large));
	outcome = runs_vecadd(suite, 100000, SUITE_VERIFY);
	outcome_finish(&outcome);
	fake_control.free_bytes = 4000000;
	outcome = runs_vecadd(suite, 1000000, SUITE_VERIFY);
	check_too_large(&outcome);
	HAS(outcome.row.reason, "the free memory of Fake device is");
	outcome_finish(&outcome);
	IS(suite_fits_well(suite, &config, &smaller));
	outcome = runs_vecadd(suite, 100000, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_OK);
}

/* A default size is reduced until it fits in free memory. If no size fits, it is unchanged. */
TEST(default_fits, "a default size fits in free memory")
{
	static const struct {
		uint64_t free_bytes;
		int64_t want;
	} rows[] = {{0, 1 << 20}, {100000000, 1 << 20}, {10000000, 1 << 19}, {5000000, 1 << 18},
		{1000, 1 << 20}};
	const struct task task = {.config = runs_config("vecadd", "fine")};
	char note[FIT_NOTE_BYTES];

	RUNS_SUITE suite = start();
	const struct suite *const suites[2] = {suite};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem = runs_problem("vecadd", 1 << 20, 0, 0);

		fake_control.free_bytes = rows[i].free_bytes;
		note[0] = '\0';
		bool changed = fit_problem(suites, &task, 1, &problem, note);
		CHECK(EQUAL(problem.dim[0], rows[i].want), EQUAL(changed, rows[i].want != 1 << 20),
			EQUAL(strstr(note, "reduced from n=1048576") != NULL, changed));
	}
}

TEST(needs_hardware, "skipped: needs other hardware")
{
	struct problem problem = runs_problem("matmul", 5, 7, 3);

	RUNS_SUITE suite = start();
	RUNS_OUTCOME outcome = runs_one(suite, "matmul", "cpu-packed", &problem, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_SKIPPED);
	HAS(outcome.row.reason, "OpenCL CPU");
}

TEST(others_go_on, "a kernel that is missing; other variants run")
{
	struct problem problem = runs_problem("matmul", 5, 7, 3);

	RUNS_SUITE suite = start();
	RUNS_OUTCOME outcome = runs_one(suite, "matmul", "tiled16", &problem, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_BUILD_ERROR);
	HAS(outcome.row.reason, "matmul_tiled");
	outcome_finish(&outcome);
	outcome = runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_OK);
}

/* The log of a kernel from disk has the line of the error, and the next variant runs. */
TEST(broken_kernel, "a kernel that does not build: its log")
{
	struct suite_options options = runs_quick();

	fake_suite_setup();
	options.kernel_dir = test_folder();
	test_write_text("/* vecadd_fine( */\n#error broken\n", "%s/cuda_kernels/vecadd/fine.cu",
		options.kernel_dir);
	RUNS_SUITE suite = runs_open(&options);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 100, SUITE_VERIFY);
	CHECK(EQUAL(outcome.row.status, OUTCOME_BUILD_ERROR), SOME(outcome.row.log),
		HAS(outcome.row.log, "vecadd/fine.cu:2: error"),
		IS(strlen(outcome.row.reason) > 0));
}
