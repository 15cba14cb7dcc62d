/* The use of a device's roofs: the rate of a type, and the floor of a timed row. */
#include "host/suite/roofs.c"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#define SAMPLE_NS 4e5

static const struct rate_row {
	enum operations operations;
	double want;
} rate_rows[] = {
	{OPERATIONS_F32, 1},
	{OPERATIONS_F16, 2},
	{OPERATIONS_F64, 3},
	{OPERATIONS_TENSOR_F16, 4},
	{OPERATIONS_TENSOR_TF32, 5},
	{OPERATIONS_INTEGER, 6},
	{OPERATIONS_SPECIAL, 7},
	{OPERATIONS_OF_DTYPE, NAN},
};

static struct roofs_record example_roofs(void)
{
	struct roofs_record roofs = roofs_unknown();

	roofs.fma_gflops.f32 = 1;
	roofs.fma_gflops.f16 = 2;
	roofs.fma_gflops.f64 = 3;
	roofs.tensor_gflops.f16 = 4;
	roofs.tensor_gflops.tf32 = 5;
	roofs.integer_gops = 6;
	roofs.special_gops = 7;
	roofs.copy_gbps = 8;
	return roofs;
}

TEST_ROWS(rate, rate_rows, "the rate of %s", operations_words[row->operations])
{
	struct roofs_record roofs = example_roofs();

	/* The other figures are not rates of operations. */
	roofs.copy_gbps = roofs.read_gbps = roofs.l2_gbps = roofs.shared_gbps = 9;
	roofs.h2d_gbps = roofs.d2h_gbps = 9;
	double got = roofs_rate(&roofs, row->operations);

	NEAR_OR_NAN(got, row->want, 0);
}

/* A timed row of f64 is compared with the roof of f64. */
TEST(share_of_type, "the share of the roof of the row's type")
{
	struct problem problem = runs_problem("instructions", 1000, 8, 0);

	fake_suite_new_cache();
	fake_suite_setup();
	fake_control.info.capabilities = PMPP_CAP_FP64;
	RUNS_SUITE suite = runs_open(NULL);
	runs_fix_times(suite, SAMPLE_NS);
	suite->roofs = (struct device_roofs){.known = true, .roofs = example_roofs()};
	RUNS_OUTCOME outcome = runs_one(suite, "instructions", "f64-fma", &problem, SUITE_TIME);
	EQUAL(outcome.row.status, OUTCOME_OK);
	EQUAL(outcome.row.work.operations, OPERATIONS_F64);
	test_note("%g GFLOP/s are %g %% of 3", outcome.row.derived.gflops,
		outcome.row.derived.pct_roof);
	test_near(outcome.row.derived.pct_roof, 100 * outcome.row.derived.gflops / 3, 1e-9);
	IS(outcome.row.derived.floor.record.present);
	EQUAL(outcome.row.derived.floor.resource, FLOOR_COMPUTE);
	test_near(outcome.row.derived.floor.ns, outcome.row.work.flops / 3, 1e-9);
	test_near(100 * outcome.row.derived.floor.share, outcome.row.derived.pct_roof, 1e-9);
}

/* Roofs that are too low: the row is faster. */
static const struct slow_row {
	const char *name, *family, *variant;
	int64_t dim[2];
	double f32, f64, copy;
	enum gpu_device_type type;
	enum outcome_status want;
	bool noted;
} slow_rows[] = {
	{"certain operations", "instructions", "f64-fma", {1000, 8}, 1, 0.01, 1, GPU_TYPE_GPU,
		OUTCOME_SUSPECT, false},
	{"within the margin", "instructions", "f64-fma", {1000, 8}, 1, 0.03, 1, GPU_TYPE_GPU,
		OUTCOME_OK, false},
	{"within the margin of a CPU", "instructions", "f64-fma", {1000, 8}, 1, 0.011, 1,
		GPU_TYPE_CPU, OUTCOME_OK, false},
	{"operations of an algorithm", "vecadd", "fine", {100000}, 0.1, 1, 100, GPU_TYPE_GPU,
		OUTCOME_OK, true},
	{"bytes beyond the cache", "vecadd", "fine", {100000}, 1, 1, 1, GPU_TYPE_GPU,
		OUTCOME_SUSPECT, false},
};

TEST_ROWS(slow_roof, slow_rows, "a slow roof: %s", row->name)
{
	struct problem problem = runs_problem(row->family, row->dim[0], row->dim[1], 0);

	fake_suite_new_cache();
	fake_suite_setup();
	fake_control.info.capabilities = PMPP_CAP_FP64;
	fake_control.info.type = row->type;
	fake_control.info.limits.global_bytes = (uint64_t)1 << 22; /* a cache of 64 KiB */
	RUNS_SUITE suite = runs_open(NULL);
	runs_fix_times(suite, SAMPLE_NS);
	suite->roofs = (struct device_roofs){.known = true, .roofs = example_roofs()};
	suite->roofs.roofs.fma_gflops.f32 = row->f32;
	suite->roofs.roofs.fma_gflops.f64 = row->f64;
	suite->roofs.roofs.copy_gbps = row->copy;
	RUNS_OUTCOME outcome = runs_one(suite, row->family, row->variant, &problem, SUITE_TIME);
	test_note("%s", text_or_empty(outcome.row.reason));
	EQUAL(outcome.row.status, row->want);
	EQUAL(outcome.row.timing.record.present, row->want == OUTCOME_OK);
	EQUAL(suite->bench.earlier.count, row->want == OUTCOME_OK);
	EQUAL(outcome.row.notes.count, row->noted);
	if (row->noted)
		test_note("%s", outcome.row.notes.items[0]);
}
