/*
 * Host memory runs out in a variant: the n-th allocation of the program fails, for every n. The row
 * is then a launch error with its reason, its memory is freed, and the next variant passes.
 * malloc(), calloc() and realloc() of the program's own code are wrapped by the linker.
 */
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "host/suite/verify.c"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#include <stdatomic.h>

static struct {
	atomic_bool armed;
	atomic_ullong count;
	unsigned long long fail_at;
	size_t min_bytes, max_bytes;
} allocations;

__typeof__(malloc) __real_malloc, __wrap_malloc;
__typeof__(calloc) __real_calloc, __wrap_calloc;
__typeof__(realloc) __real_realloc, __wrap_realloc;

static bool fails(size_t bytes)
{
	return allocations.armed && bytes >= allocations.min_bytes &&
	       bytes <= allocations.max_bytes &&
	       atomic_fetch_add(&allocations.count, 1) + 1 == allocations.fail_at;
}

void *__wrap_malloc(size_t size)
{
	return fails(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails(size) ? NULL : __real_realloc(old, size);
}

/* ---- Runs ---------------------------------------------------------------------------------- */

static const struct scenario {
	const char *name, *family, *variant;
	int64_t dim[3];
	enum suite_action action;
	size_t min_bytes, max_bytes; /* only allocations of these sizes fail */
	unsigned long long min;      /* failures that must end the row */
} scenarios[] = {
	{"verify vecadd", "vecadd", "fine", {2000}, SUITE_VERIFY, 2000, SIZE_MAX, 15},
	{"check of matmul on integers", "matmul", "naive", {650, 650, 650}, SUITE_VERIFY, 650 * 8,
		650 * 8, 4},
	{"time vecadd", "vecadd", "fine", {2000}, SUITE_TIME, 1, SIZE_MAX, 20},
};

/* The caller finishes the outcome. */
static struct outcome run(struct suite *suite, const struct scenario *scenario)
{
	struct config config = runs_config(scenario->family, scenario->variant);
	struct problem problem = problem_default(variant_family(config.variant));
	struct outcome outcome;

	memcpy(problem.dim, scenario->dim, sizeof scenario->dim);
	memset(&outcome, 0, sizeof outcome);
	enum pmpp_status status =
		suite_run(suite, &config, &problem, scenario->action, &outcome, &test_error);
	allocations.armed = false;
	if (status != PMPP_OK)
		test_fail("allocation %llu failed, and the job ended too: %s", allocations.fail_at,
			test_error.message);
	return outcome;
}

/* A row that passed has all its samples and their figures. Only texts may be missing. */
static void check_times(
	const struct scenario *scenario, unsigned long long n, const struct outcome *outcome)
{
	const struct timing_record *timing = &outcome->row.timing;

	if (outcome->row.status == OUTCOME_OK && scenario->action == SUITE_TIME &&
		!(timing->cold.n == 3 && timing->hot.n >= 3 && timing->host.n >= 3 &&
			timing->cold.median > 0 && timing->hot.median > 0 &&
			timing->host.median > 0))
		test_fail("allocation %llu failed: the row passed, with %lld cold, %lld hot and "
			  "%lld host samples",
			n, (long long)timing->cold.n, (long long)timing->hot.n,
			(long long)timing->host.n);
}

/* Returns true if the program made allocation n, which failed. */
static bool fail_one(const struct scenario *scenario, unsigned long long n, bool *ret_failed)
{
	struct suite_options options = runs_quick();
	const struct roofs_record *roofs = NULL;

	fake_suite_setup();
	options.min_samples = options.max_samples = 3;
	struct suite *suite = runs_open(&options);
	/* Calibrates the timer and measures the roofs before the scenario. If memory runs out there, the
	 * row keeps its verdict, but has no times or no %roof. */
	if (scenario->action == SUITE_TIME) {
		runs_calibrate(suite);
		test_ok(suite_roofs(suite, false, &roofs, &test_error));
	}
	allocations.fail_at = n;
	allocations.count = 0;
	allocations.min_bytes = scenario->min_bytes;
	allocations.max_bytes = scenario->max_bytes;
	allocations.armed = true;
	struct outcome outcome = run(suite, scenario);
	check_times(scenario, n, &outcome);
	bool reached = allocations.count >= n;
	*ret_failed = outcome.row.status != OUTCOME_OK;
	if (*ret_failed && outcome.row.status != OUTCOME_LAUNCH_ERROR)
		test_fail("allocation %llu failed: %s: %s", n,
			outcome_status_name((enum outcome_status)outcome.row.status),
			text_or_empty(outcome.row.reason));
	if (*ret_failed && text_or_empty(outcome.row.reason)[0] == '\0')
		test_fail("allocation %llu failed: no reason", n);
	if (*ret_failed && (operands_held_bytes(&suite->bench.operands) ||
				   inputs_held_bytes(&suite->bench.inputs)))
		test_fail("allocation %llu failed: the row's memory is not freed", n);
	outcome_finish(&outcome);
	outcome = run(suite, scenario);
	if (outcome.row.status != OUTCOME_OK)
		test_fail("allocation %llu failed: the next variant also fails: %s", n,
			text_or_empty(outcome.row.reason));
	outcome_finish(&outcome);
	suite_close(&suite);
	EQUAL(fake_live_count(), 0);
	return reached;
}

TEST_ROWS(run_scenario, scenarios, "n-th allocation fails: %s", row->name)
{
	unsigned long long failures = 0, n = 0;
	bool failed = false;

	while (fail_one(row, ++n, &failed))
		failures += failed;
	test_note("%llu allocations, %llu of them end the result", n - 1, failures);
	IS(failures >= row->min);
}

/* C[1,1] is wrong. If memory runs out, the check and the search for the element report only
 * that. */
TEST(exact_check, "n-th allocation fails: a wrong element on integers")
{
	static const float a[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	static const float b[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
	static const float c[6] = {4, 4, 4, 4, 5, 4};
	const void *const inputs[PMPP_MAX_OPERANDS] = {a, b};
	const struct output output = {.values = c, .dtype = DTYPE_F32, .rows = 2, .columns = 3};
	struct problem problem = {.family = family_find("matmul"),
		.dim = {2, 3, 4},
		.seed = 1,
		.source = INPUT_INTEGER};
	const struct variant *variant = variant_find(problem.family, "naive");
	struct verify_record result = {0};
	enum pmpp_status status = PMPP_OUT_OF_MEMORY;

	allocations.min_bytes = 1;
	allocations.max_bytes = SIZE_MAX;
	for (allocations.fail_at = 1; status == PMPP_OUT_OF_MEMORY; allocations.fail_at++) {
		CHECK(EQUAL(result.mismatches, 0), NOT(result.first.record.present));
		allocations.count = 0;
		allocations.armed = true;
		status = check_output_exact(
			variant, &problem, inputs, &output, &result, &test_error);
		allocations.armed = false;
		pmpp_error_clear(&test_error);
	}
	test_note("%llu allocations", allocations.fail_at - 2);
	CHECK(NEAR((double)allocations.fail_at - 2, 5, 0), EQUAL(status, PMPP_OK),
		EQUAL(result.mismatches, 1), EQUAL(result.first.row, 1),
		EQUAL(result.first.column, 1));
}

int main(int argc, char **argv)
{
	runs_keep_roofs();
	return test_run(argc, argv);
}
