/* Blocks that do not fit the device, on the fake backend: the row runs with the largest declared
 * config that fits, and has the replaced values. */
#include "common/capability.h"
#include "host/report/flag_marks.h"
#include "host/suite/fallback.h"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* ---- Points -------------------------------------------------------------------------------- */

/* The values of a point: "128 128 16 8 16". */
static void values_of(const struct config *config, char text[80])
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; config->variant->macros[i].name; i++)
		used += (size_t)snprintf(
			text + used, 80 - used, "%s%d", i ? " " : "", config->value[i]);
}

static const struct points_row {
	const char *family, *variant;
	unsigned chosen;
	const char *first[5]; /* the first points; NULL: the list ends */
} points_rows[] = {
	{"matmul", "tiled32", 0, {"16", "8", "4"}},
	{"matmul", "tiled32", 1, {NULL}},
	/* Equal products: the largest last value first. */
	{"matmul", "naive", 0, {"8 16", "16 8", "4 16", "8 8", "16 4"}},
	{"matmul", "naive", 2, {"8 16", "4 16", "2 16", "1 16"}},
	/* Fixed macros, also those of value 0, stay. */
	{"transpose", "tiled", 0, {"16 8 0 0", "32 4 0 0", "16 4 0 0"}},
	/* Only points that the row declares feasible. */
	{"matmul", "f16", 0, {"64 64 8"}},
	{"matmul", "prefetch", 0, {"64 256 16 8 16", "128 128 16 8 16"}},
	{"latency", "chase", 0, {"1 128 32 32 262144", "1 64 32 32 262144", "1 32 32 32 262144"}},
};

/* Every block fits. */
static const struct gpu_limits all_blocks = {.max_block = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
	.max_block_threads = UINT32_MAX,
	.shared_optin_bytes = UINT32_MAX};

TEST_ROWS(points, points_rows, "points of %s/%s, chosen %u", row->family, row->variant, row->chosen)
{
	struct config config = runs_config(row->family, row->variant);
	const struct problem problem = problem_default(variant_family(config.variant));
	struct fallback_points points;
	char text[80];

	config.chosen = row->chosen;
	IS(fallback_points_make(&config, &problem, &all_blocks, &points));
	for (size_t i = 0; i < 5 && row->first[i]; i++) {
		IS(i < points.count);
		values_of(&points.items[i], text);
		STRING(text, row->first[i]);
	}
	if (!row->first[0])
		EQUAL(points.count, 0);
	for (size_t i = 0; i < points.count; i++)
		IS(!config.variant->infeasible || !config.variant->infeasible(&points.items[i]));
	free(points.items);
}

static void plan_nothing(
	const struct config *config, const struct problem *problem, struct plan *plan)
{
	(void)config, (void)problem, (void)plan;
}

/* The width of a warp is a property of the device. */
TEST(lanes_stay, "the width of a warp stays")
{
	static const int choices[] = {64, 128, 256, 0};
	static const struct variant variant = {
		.macros = {{.name = "BLOCK", .value = 256, .choices = choices}, MACRO_LANES},
		.plan = plan_nothing};
	const struct config config = {.variant = &variant, .value = {256, 64}};
	struct fallback_points points;

	CHECK(IS(fallback_points_make(&config, NULL, &all_blocks, &points)),
		EQUAL(points.count, 2));
	for (size_t i = 0; i < points.count; i++)
		EQUAL(points.items[i].value[1], 64);
	free(points.items);
}

/* ---- Limits -------------------------------------------------------------------------------- */

static int64_t tile_bytes(const struct gpu_macro *macros, size_t count)
{
	int64_t tile = fake_macro_of(macros, count, "TILE");

	return 4 * tile * tile;
}

static int64_t constant_bytes(const struct gpu_macro *macros, size_t count)
{
	(void)macros;
	(void)count;
	return 4096;
}

static bool is_large_tile(const struct gpu_macro *macros, size_t count)
{
	return fake_macro_of(macros, count, "BLOCK_X") * fake_macro_of(macros, count, "BLOCK_Y") >
	       64;
}

static bool is_any(const struct gpu_macro *macros, size_t count)
{
	return fake_macro_of(macros, count, "BLOCK_X") > 0;
}

/* A limit of the device, and the row. */
static const struct limit_row {
	const char *name, *family, *variant;
	uint32_t device_threads, reported_threads, kernel_threads, launched_threads, device_shared;
	fake_shared_fn *shared;
	fake_reject_fn *rejects;
	enum outcome_status status;
	const char *fallback, *reason; /* parts of the row's texts; NULL: no text */
	bool whole_reason;             /* the row's text has no other part */
} limit_rows[] = {
	{"nothing", "matmul", "naive"},
	{"threads of a block", "matmul", "naive", .device_threads = 64,
		.fallback = "BLOCK_X=4 instead of 16: a block has 256 threads; this device allows "
			    "at most 64"},
	{"threads of the kernel's block", "matmul", "naive", .kernel_threads = 64,
		.fallback = "BLOCK_X=4 instead of 16: a block has 256 threads; on this device the "
			    "kernel allows at most 64"},
	{"shared memory", "transpose", "tiled", .device_shared = 2048, .shared = tile_bytes,
		.fallback = "TILE=16 instead of 32: kernel transpose_tiled: 4096 bytes of shared "
			    "memory per block, fake:0 has 2048"},
	{"a refused build", "matmul", "naive", .reported_threads = 64, .rejects = is_large_tile,
		.fallback = "a block has 256 threads, and the device reports at most 64"},
	{"a refused launch", "matmul", "naive", .reported_threads = 128, .launched_threads = 128,
		.fallback = "the device reports at most 128 threads"},
	{"a block above the reported figure that runs", "matmul", "naive", .reported_threads = 64},
	{"a build that fails at every block above the figure", "matmul", "naive", .rejects = is_any,
		.status = OUTCOME_BUILD_ERROR, .reason = "rejected the block"},
	{"nothing fits: threads", "transpose", "tiled", .device_threads = 32,
		.status = OUTCOME_UNSUPPORTED,
		.reason = "a block has 256 threads; this device allows at most 32; no smaller tile "
			  "fits (TILE=16 instead of 32, BLOCK_ROWS=4 instead of 8): a block has 64 "
			  "threads; this device allows at most 32"},
	{"nothing fits: shared memory", "transpose", "tiled", .device_shared = 512,
		.shared = tile_bytes, .status = OUTCOME_UNSUPPORTED,
		.reason = "TILE=16 instead of 32, BLOCK_ROWS=4 instead of 8): kernel "
			  "transpose_tiled: 1024 bytes of shared memory per block, fake:0 has 512"},
	{"nothing fits: shared memory that no tunable changes", "transpose", "tiled",
		.device_shared = 512, .shared = constant_bytes, .status = OUTCOME_UNSUPPORTED,
		.reason =
			"kernel transpose_tiled: 4096 bytes of shared memory per block, fake:0 has "
			"512",
		.whole_reason = true},
};

static void set_limits(const struct limit_row *row)
{
	struct gpu_limits *limits = &fake_control.info.limits;

	fake_suite_setup();
	if (row->device_threads)
		limits->max_block_threads = row->device_threads;
	if (row->device_shared)
		limits->shared_bytes = limits->shared_optin_bytes = row->device_shared;
	limits->reported_block_threads = row->reported_threads;
	fake_control.kernel_threads = row->kernel_threads;
	fake_control.launched_threads = row->launched_threads;
	fake_control.shared = row->shared;
	fake_control.rejects = row->rejects;
}

static void check_text(const char *text, const char *part)
{
	if (!part)
		NIL(text);
	else
		HAS(text, part);
}

TEST_ROWS(limit, limit_rows, "limit: %s", row->name)
{
	struct problem problem = runs_problem(row->family, 40, 24, row->family[0] == 'm' ? 9 : 0);

	set_limits(row);
	RUNS_SUITE suite = runs_open(NULL);
	for (int i = 0; i < 2; i++) {
		uint64_t before = fake_slot_count(FAKE_SLOT_program_create);
		RUNS_OUTCOME outcome =
			runs_one(suite, row->family, row->variant, &problem, SUITE_VERIFY);
		uint64_t builds = fake_slot_count(FAKE_SLOT_program_create) - before;
		test_note("%llu builds: %s", (unsigned long long)builds,
			text_or_empty(outcome.row.fallback));
		EQUAL(outcome.row.status, row->status);
		check_text(outcome.row.fallback, row->fallback);
		if (row->reason)
			check_text(outcome.row.reason, row->reason);
		if (row->whole_reason)
			STRING(outcome.row.reason, row->reason);
		for (size_t m = 0; m < outcome.row.macros.count; m++)
			EQUAL(outcome.row.macros.items[m].value, outcome.config.value[m]);
		IS(builds <= 10);
		/* The result of the search is kept. */
		if (i == 1 && row->fallback)
			EQUAL(builds, 0);
	}
}

/* Short rows of softmax/fused launch one kernel of the file. A driver compiles the others too. */
TEST(other_kernels, "kernels that are not launched")
{
	const struct gpu_limits limits = {
		.max_block = {256, 256, 64}, .max_block_threads = 256, .shared_optin_bytes = 65536};
	const struct problem problem = runs_problem("softmax", 40, 24, 0);
	const struct variant *variant = variant_find(problem.family, "fused");
	const struct config config = config_for(variant, &kernel_shape_reference);
	char text[FALLBACK_TEXT_BYTES], values[80];
	struct fallback_points points;
	struct plan plan;

	config_plan(&config, &problem, &plan);
	EQUAL(plan.step_count, 1);
	fallback_block_limit(&plan, &limits, text, sizeof text);
	STRING(text, "a block of another kernel of the file has 1024 threads; this "
		     "device allows at most 256");
	IS(fallback_points_make(&config, &problem, &limits, &points) && points.count);
	values_of(&points.items[0], values);
	STRING(values, "256 256");
	free(points.items);
}

/* The values of --set stay. */
TEST(chosen_stay, "values of the user stay")
{
	struct problem problem = runs_problem("matmul", 5, 7, 3);
	struct config config = runs_config("matmul", "naive");
	struct outcome outcome;

	set_limits(&(struct limit_row){.device_threads = 64});
	RUNS_SUITE suite = runs_open(NULL);
	config.chosen = 3;
	test_ok(suite_run(suite, &config, &problem, SUITE_VERIFY, &outcome, &test_error));
	CHECK(EQUAL(outcome.row.status, OUTCOME_UNSUPPORTED),
		STRING(outcome.row.reason,
			"a block has 256 threads; this device allows at most 64"),
		NIL(outcome.row.fallback));
	outcome_finish(&outcome);
	/* BLOCK_X is chosen: only BLOCK_Y is smaller. */
	config.chosen = 1;
	test_ok(suite_run(suite, &config, &problem, SUITE_VERIFY, &outcome, &test_error));
	EQUAL(outcome.row.status, OUTCOME_OK);
	check_text(outcome.row.fallback, "BLOCK_Y=4 instead of 16: ");
	outcome_finish(&outcome);
}

/* A wrong result with a smaller tile is a failed row, not a reason for another tile. */
TEST(wrong_is_failed, "a wrong result with a smaller tile")
{
	set_limits(&(struct limit_row){.device_threads = 64});
	fake_suite_control.wrong_from = 1;
	RUNS_SUITE suite = runs_open(NULL);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 2000, SUITE_VERIFY);
	EQUAL(outcome.row.status, OUTCOME_FAILED);
	check_text(outcome.row.fallback, "BLOCK=64 instead of 256: ");
}

/* ---- Steps, parity ------------------------------------------------------------------------- */

/* A row and its base fall back, and are timed in turn. */
TEST(steps, "a step between rows with smaller tiles")
{
	struct suite_options options = runs_quick();
	struct problem problem = runs_problem("vecadd", 2000, 0, 0);

	options.min_samples = options.max_samples = 20;
	set_limits(&(struct limit_row){.device_threads = 128});
	RUNS_SUITE suite = runs_open(&options);
	runs_fix_times(suite, 4e5);
	RUNS_OUTCOME base = runs_vecadd(suite, 2000, SUITE_TIME);
	RUNS_OUTCOME outcome = runs_one(suite, "vecadd", "vector4", &problem, SUITE_TIME);
	const struct outcome *const both[] = {&base, &outcome};
	for (size_t i = 0; i < 2; i++) {
		EQUAL(both[i]->row.status, OUTCOME_OK);
		EQUAL(named_list_get(&both[i]->row.macros, "BLOCK", 0), 128);
		check_text(both[i]->row.fallback, "BLOCK=128 instead of 256: ");
		IS(flag_marks_of_row(&both[i]->row) & FLAG_MARK_FALLBACK);
	}
	EQUAL(outcome.row.derived.step_paired, TRUTH_YES);
	test_near(outcome.row.derived.step, 1, 1e-9);
}

/* Both sides of a parity row run the config of the side that allows the smaller blocks. */
static const size_t small_sides[] = {0, 1};

TEST_ROWS(sides, small_sides, "parity: the %s side is smaller", *row ? "second" : "first")
{
	const size_t small = *row;
	struct problem problem = runs_problem("matmul", 5, 7, 3);
	struct config config = runs_config("matmul", "naive");
	FINISHED(parity_result_finish) struct parity_result parity = {0};
	struct suite *suites[2];

	fake_suite_setup();
	fake_control.info.type = GPU_TYPE_EMULATED; /* without times */
	for (size_t i = 0; i < 2; i++) {
		fake_control.info.limits.max_block_threads = i == small ? 64 : 1024;
		suites[i] = runs_open(NULL);
	}
	test_ok(suite_parity(suites[0], suites[1], &config, &problem, 0.03, &parity, &test_error));
	const struct outcome *const outcomes[] = {&parity.a, &parity.b};
	for (size_t i = 0; i < 2; i++) {
		EQUAL(outcomes[i]->row.status, OUTCOME_OK);
		EQUAL(named_list_get(&outcomes[i]->row.macros, "BLOCK_X", 0), 4);
		check_text(outcomes[i]->row.fallback, "BLOCK_X=4 instead of 16: ");
	}
	EQUAL(named_list_get(&parity.row.macros, "BLOCK_X", 0), 4);
	EQUAL(parity.row.bit_identical, TRUTH_YES);
	suite_close(&suites[0]);
	runs_close(suites[1]);
}

/* ---- Devices without a timer ---------------------------------------------------------------- */

TEST(no_timer, "a device without a timer")
{
	fake_suite_setup();
	fake_control.no_timer = true;
	RUNS_SUITE suite = runs_open(NULL);
	const struct timer_record *timer = runs_calibrate(suite);
	NOT(timer->device_timer_ok);
	check_text(timer->reason, "does not measure the times of commands");
	IS(timer->empty_launch_ns > 0);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 2000, SUITE_TIME);
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), IS(outcome.row.timing.record.present),
		IS(outcome.row.timing.flags & TIMING_HOST_CLOCK),
		EQUAL(fake_slot_count(FAKE_SLOT_timer_begin), 0));
}
