/* The verifier on the fake backend: what it counts, and which bounds it needs. */
#include "host/suite/suite.h"
#include "host/suite/verify.h"
#include "tests/support/fake_suite.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Kernels ------------------------------------------------------------------------------- */

/* What the kernel does to the right answer; set by each test. */
static struct {
	float added;   /* to each element */
	float instead; /* of each element; 0: nothing */
} defect;

static float spoiled(float value)
{
	return defect.instead != 0 ? defect.instead : value + defect.added;
}

static void matmul_naive(const struct fake_launch *launch)
{
	const struct gpu_arg *args = launch->launch->args;
	const float *a = fake_arg_buffer(launch, 0);
	const float *b = fake_arg_buffer(launch, 1);
	float *c = fake_arg_buffer(launch, 2);
	int m = args[3].as.i, n = args[4].as.i, k = args[5].as.i;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int kk = 0; kk < k; kk++)
				sum = fmaf(a[(int64_t)i * k + kk], b[(int64_t)kk * n + j], sum);
			c[i * n + j] = spoiled(sum);
		}
}

static void setup(void)
{
	static const struct fake_kernel_row rows[] = {{"matmul_naive", matmul_naive, 0}};

	fake_suite_setup();
	fake_control.kernels = rows;
	fake_control.kernel_count = sizeof rows / sizeof *rows;
	fake_control.info.limits.global_bytes = 1ull << 30;
	fake_control.info.limits.max_buffer_bytes = 1ull << 29;
	memset(&defect, 0, sizeof defect);
}

/* The caller finishes the outcome. */
static struct outcome verify(
	const char *family, const char *variant, int64_t a, int64_t b, int64_t c)
{
	struct problem problem = problem_default(family_find(family));
	struct config config = config_default(variant_find(problem.family, variant));
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	struct suite *suite = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct outcome outcome;
	size_t count = 0;

	problem.dim[0] = a;
	problem.dim[1] = b;
	problem.dim[2] = c;
	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &error), &error);
	test_ok(suite_open(&infos[0], &options, &suite, &error), &error);
	free(infos);
	memset(&outcome, 0, sizeof outcome);
	test_ok(suite_run(suite, &config, &problem, SUITE_VERIFY, &outcome, &error), &error);
	suite_close(&suite);
	test_note("%s: %s", outcome_status_name((enum outcome_status)outcome.row.status),
		text_or_empty(outcome.row.reason));
	return outcome;
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* A deep product is checked on random data and on integers: both passes find the same element. */
static void counted_once(const void *context)
{
	(void)context;
	setup();
	defect.instead = NAN;
	struct outcome outcome = verify("matmul", "naive", 1, 1, 100000);
	assert_int_equal(outcome.row.status, OUTCOME_FAILED);
	assert_int_equal(outcome.row.verify.mismatches, 1);
	assert_int_equal(outcome.row.verify.nan, 1);
	assert_non_null(strstr(outcome.row.reason, "1 wrong (1 unwritten"));
	outcome_finish(&outcome);
	defect.instead = -3e38f;
	outcome = verify("matmul", "naive", 2, 3, 100000);
	assert_int_equal(outcome.row.status, OUTCOME_FAILED);
	assert_int_equal(outcome.row.verify.mismatches, 6);
	assert_int_equal(outcome.row.verify.nan, 0);
	assert_true(isinf(outcome.row.verify.max_ratio)); /* of the integers, a later pass */
	outcome_finish(&outcome);
}

/* ---- Bounds -------------------------------------------------------------------------------- */

/* h u = 1: an answer that is off by 1, and one that is far away, and the right one. */
static void long_product(const void *context)
{
	static const struct {
		float added, instead;
		enum outcome_status status;
	} rows[] = {{0, 0, OUTCOME_OK}, {1, 0, OUTCOME_FAILED}, {0, -3e38f, OUTCOME_FAILED}};

	(void)context;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		setup();
		defect.added = rows[i].added;
		defect.instead = rows[i].instead;
		struct outcome outcome = verify("matmul", "naive", 1, 1, 1 << 24);
		assert_int_equal(outcome.row.status, rows[i].status);
		assert_string_equal(outcome.row.verify.coverage, "all elements; all on integers");
		assert_true(rows[i].instead == 0 || outcome.row.verify.max_ratio > 1e30);
		outcome_finish(&outcome);
	}
}

/* A quotient of sums has no finite bound beyond h u = 1, and there are no exact softmaxes. */
static void without_a_bound(const void *context)
{
	(void)context;
	setup();
	struct outcome outcome = verify("softmax", "online", 1, 1 << 29, 0);
	assert_int_equal(outcome.row.status, OUTCOME_UNVERIFIED);
	assert_non_null(strstr(outcome.row.reason, "cannot be verified at this size"));
	assert_false(outcome.row.verify.record.present);
	assert_false(outcome.row.timing.record.present);
	assert_int_equal(fake_slot_count(FAKE_SLOT_launch), 0);
	outcome_finish(&outcome);
}

/* Every row at every size, default or largest: its bound is finite and judges something, or
 * integers do, or the row stays unverified. */
static void every_row_is_judged(const void *context)
{
	(void)context;
	for (size_t f = 0; f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count; v++) {
			const struct variant *variant = &families[f]->variants[v];
			struct config config = config_default(variant);
			struct problem problem = problem_default(families[f]);

			for (size_t d = 0; d < families[f]->dim_count; d++)
				problem.dim[d] = families[f]->dim_max;
			bool finite = isfinite(config_bound(&config, &problem));
			bool possible = verify_is_possible(&config, &problem);
			if (!finite && possible)
				test_fail("%s/%s: an infinite bound at its largest size",
					families[f]->name, variant->name);
			problem_default_size(&problem, DEVICE_CLASS_GPU);
			assert_true(config_bound(&config, &problem) < BLIND_BOUND);
			assert_true(verify_is_possible(&config, &problem));
		}
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, counted_once, NULL, "a wrong element counts once, however many passes");
	test_add(&list, long_product, NULL, "a product of 2^24 terms");
	test_add(&list, without_a_bound, NULL, "a row without a finite bound is unverified");
	test_add(&list, every_row_is_judged, NULL, "every row is judged, or unverified");
	return test_run(&list, argc, argv);
}
