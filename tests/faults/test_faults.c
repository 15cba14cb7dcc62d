/*
 * Every error path, by failing the n-th call of the fake backend: n = 1, 2, 3, ... until nothing
 * fails any more. Each failure must come back as an error with a message (or as the variant's
 * outcome with its reason), leave nothing alive, and break no rule of gpu.h. Built with the address
 * and undefined-behaviour sanitizers, which see leaks and worse.
 */
#include "host/suite/roofs.c"
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

/* What came of one run of a scenario. */
struct result {
	enum pmpp_status status;
	bool outcome_failed; /* the failure is a variant's outcome, and has its reason */
	bool reason_missing;
	bool reported;      /* not failed, but a flag or a note reports what is missing */
	const char *defect; /* what is wrong after the failure; NULL: nothing */
};

struct scenario {
	const char *name;
	struct result (*run)(struct pmpp_error *error);
	enum pmpp_status fail_status; /* PMPP_OK: each slot's own */
	uint64_t all_up_to;           /* every n up to here, ... */
	unsigned stride_percent;      /* ... then each this much larger; 0: all */
	double kernel_ns;
	bool may_tolerate; /* what only makes timing better may be missing */
	bool evicts;       /* a CPU device that evicts the lines of buffers */
	bool is_long;      /* not in the short form */
};

static unsigned note_count;

static void count_note(void *context, const char *text)
{
	(void)context, (void)text;
	note_count++;
}

static enum pmpp_status open_fake(struct suite **ret_suite, struct pmpp_error *error)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	size_t count = 0;
	enum pmpp_status status = gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, error);

	options.min_samples = options.max_samples = 3;
	options.min_time_ms = 0;
	options.note = count_note;
	if (status == PMPP_OK)
		status = suite_open(&infos[0], &options, ret_suite, error);
	return status;
}

/* ---- Scenario: the GPU layer --------------------------------------------------------------- */

struct layer {
	struct gpu_device *device;
	struct gpu_buffer *buffers[2];
	struct gpu_program *program;
	struct gpu_kernel *kernel;
};

static enum pmpp_status make_layer(struct layer *layer, struct pmpp_error *error)
{
	const struct gpu_macro macro = {.name = "BLOCK", .value = 64};
	const struct gpu_program_desc desc = {.name = "vecadd/fine.cu",
		.source = "vecadd_fine(",
		.macros = &macro,
		.macro_count = 1};
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	size_t count = 0;
	enum pmpp_status status = gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, error);

	if (status == PMPP_OK)
		status = gpu_open(&infos[0], &layer->device, error);
	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(layer->device, 4000, 256, &layer->buffers[i], error);
	if (status == PMPP_OK)
		status = gpu_program_create(layer->device, &desc, &layer->program, error);
	if (status == PMPP_OK)
		status = gpu_kernel_create(layer->program, "vecadd_fine", &layer->kernel, error);
	return status;
}

static enum pmpp_status use_layer(struct layer *layer, struct pmpp_error *error)
{
	struct gpu_buffer *const *b = layer->buffers;
	const struct gpu_arg args[] = {{.kind = GPU_ARG_BUFFER, .as.buffer = b[0]},
		{.kind = GPU_ARG_BUFFER, .as.buffer = b[0]},
		{.kind = GPU_ARG_BUFFER, .as.buffer = b[1]},
		{.kind = GPU_ARG_ULONG, .as.ul = 1000}};
	const struct gpu_launch launch = {.groups = {16, 1, 1},
		.block = {64, 1, 1},
		.shared_bytes = 128,
		.args = args,
		.arg_count = 4};
	static float values[1000];
	double ns = 0;
	enum pmpp_status status = gpu_buffer_write(b[0], 0, values, sizeof values, error);

	if (status == PMPP_OK)
		status = gpu_buffer_fill(b[1], 0, 4000, 0, error);
	if (status == PMPP_OK)
		status = gpu_timer_begin(layer->device, error);
	if (status == PMPP_OK)
		status = gpu_launch(layer->kernel, &launch, error);
	if (status == PMPP_OK)
		status = gpu_timer_end(layer->device, error);
	if (status == PMPP_OK)
		status = gpu_finish(layer->device, error);
	if (status == PMPP_OK)
		status = gpu_timer_read(layer->device, &ns, error);
	if (status == PMPP_OK)
		status = gpu_buffer_read(b[1], 0, values, sizeof values, error);
	return status;
}

static struct result run_layer(struct pmpp_error *error)
{
	struct layer layer = {0};
	struct result result = {.status = make_layer(&layer, error)};

	if (result.status == PMPP_OK)
		result.status = use_layer(&layer, error);
	gpu_kernel_destroy(&layer.kernel);
	gpu_program_destroy(&layer.program);
	gpu_buffer_destroy(&layer.buffers[0]);
	gpu_buffer_destroy(&layer.buffers[1]);
	gpu_close(&layer.device);
	return result;
}

/* ---- Scenarios: the suite ------------------------------------------------------------------ */

/* A variant that fails, or that is not timed although that was asked for. */
static void add_outcome(struct result *result, const struct outcome *outcome, bool timed)
{
	const char *reason = text_or_empty(outcome->row.reason);

	if (outcome->row.timing.record.present && outcome->row.timing.flags & TIMING_UNFLUSHED)
		result->reported = true;
	if (outcome->row.status == OUTCOME_OK && (!timed || outcome->row.timing.record.present))
		return;
	if (outcome->row.status == OUTCOME_OK)
		reason = outcome->untimed;
	result->outcome_failed = true;
	result->reason_missing = result->reason_missing || reason[0] == '\0';
}

/* Elements of vectors: too many for the passes with other seeds and cases. The matrices have them. */
#define FEW_PASSES 40000

static void check_next(struct suite *suite, bool out_of_memory, const struct outcome *failed,
	struct result *result);

static enum pmpp_status run_variant(struct suite *suite, const char *family, const char *variant,
	const int64_t *dim, enum suite_action action, struct result *result,
	struct pmpp_error *error)
{
	const struct family *found = family_find(family);
	struct config config = config_default(variant_find(found, variant));
	struct problem problem = problem_default(found);
	RUNS_OUTCOME outcome;
	enum pmpp_status status;

	memcpy(problem.dim, dim, found->dim_count * sizeof *dim);
	memset(&outcome, 0, sizeof outcome);
	status = suite_run(suite, &config, &problem, action, &outcome, error);
	if (status == PMPP_OK)
		add_outcome(result, &outcome, action == SUITE_TIME);
	if (status == PMPP_OK && outcome.row.status != OUTCOME_OK)
		check_next(suite, fake_control.fail_status == PMPP_OUT_OF_MEMORY, &outcome, result);
	return status;
}

/* After a failed variant: lack of memory is a launch error and frees the memory of the problem, and
 * the next variant passes. It has another source: what the compiler rejected is not compiled again. */
static void check_next(struct suite *suite, bool out_of_memory, const struct outcome *failed,
	struct result *result)
{
	static const int64_t next[] = {FEW_PASSES};
	const struct bench *bench = &suite->bench;
	struct result after = {0};

	if (out_of_memory && failed->row.status != OUTCOME_LAUNCH_ERROR)
		result->defect = "memory ran out, but the row is not a launch error";
	if (out_of_memory && (operands_held_bytes(&bench->operands) ||
				     timer_held_bytes(&bench->timer, TIMER_FLUSH) ||
				     verifier_held_bytes(&bench->verifier) > 0))
		result->defect = "the memory of the failed row is not freed";
	if (run_variant(suite, "vecadd", "vector4", next, SUITE_VERIFY, &after, &test_error) !=
			PMPP_OK ||
		after.outcome_failed)
		result->defect = "the next variant also fails";
	pmpp_error_clear(&test_error);
}

static const int64_t small[] = {5, 7, 3}, other[] = {6, 2, 9}, length[] = {FEW_PASSES};
static const int64_t large[] = {650, 650, 650};

/* Two problems one after another, the first once more: what is kept is taken down and put up. */
static struct result run_verify(struct pmpp_error *error)
{
	const int64_t *const sizes[] = {small, other, small};
	struct suite *suite = NULL;
	struct result result = {.status = open_fake(&suite, error)};

	for (size_t i = 0; result.status == PMPP_OK && !result.outcome_failed && i < 3; i++)
		result.status = run_variant(
			suite, "matmul", "naive", sizes[i], SUITE_VERIFY, &result, error);
	if (result.status == PMPP_OK && !result.outcome_failed)
		result.status =
			run_variant(suite, "vecadd", "fine", length, SUITE_VERIFY, &result, error);
	suite_close(&suite);
	return result;
}

static struct result run_alone(const char *family, const char *variant, const int64_t *dim,
	enum suite_action action, struct pmpp_error *error)
{
	struct suite *suite = NULL;
	struct result result = {.status = open_fake(&suite, error)};

	if (result.status == PMPP_OK)
		result.status = run_variant(suite, family, variant, dim, action, &result, error);
	suite_close(&suite);
	return result;
}

static struct result run_sampled(struct pmpp_error *error)
{
	return run_alone("matmul", "naive", large, SUITE_VERIFY, error);
}

static struct result run_timing(struct pmpp_error *error)
{
	return run_alone("vecadd", "fine", length, SUITE_TIME, error);
}

/* Folders of the cache: with the roofs of the device, and for roofs that are measured again. */
static const char *kept_cache, *forced_cache;

#define ALWAYS_KNOWN \
	(1u << ROOF_COPY | 1u << ROOF_READ | 1u << ROOF_L2 | 1u << ROOF_SHARED | 1u << ROOF_FMA)

/* The roofs that the device has: those of the run without a failure. */
static unsigned device_has;

/* A bit for each figure that is known. */
static unsigned known_roofs(const struct roofs_record *roofs)
{
	struct roofs_record copy = *roofs;
	unsigned known = 0;

	for (int role = 0; role < ROOF_ROLE_COUNT; role++)
		known |= (unsigned)(*roof_figure(&copy, (enum roof_role)role) > 0) << role;
	return known;
}

static struct result run_roofs(struct pmpp_error *error)
{
	struct suite *suite = NULL;
	const struct roofs_record *roofs = NULL;

	fake_control.info.limits.global_bytes = 96 << 20; /* short streams */
	struct result result = {.status = open_fake(&suite, error)};
	setenv("XDG_CACHE_HOME", forced_cache, 1);
	if (result.status == PMPP_OK)
		result.status = suite_roofs(suite, true, &roofs, error);
	setenv("XDG_CACHE_HOME", kept_cache, 1);
	if (result.status == PMPP_OK && fake_control.fail_at == 0) {
		device_has = known_roofs(roofs);
		EQUAL(device_has & ALWAYS_KNOWN, ALWAYS_KNOWN);
	}
	/* A roof whose row failed is unknown, and that is no error. */
	result.outcome_failed = result.status == PMPP_OK && known_roofs(roofs) != device_has;
	suite_close(&suite);
	return result;
}

static struct result run_parity(struct pmpp_error *error)
{
	const struct family *family = family_find("vecadd");
	struct config config = config_default(variant_find(family, "fine"));
	struct problem problem = {.family = family, .dim = {FEW_PASSES}, .seed = 1};
	struct suite *a = NULL, *b = NULL;
	FINISHED(parity_result_finish) struct parity_result parity;
	struct result result = {.status = open_fake(&a, error)};

	memset(&parity, 0, sizeof parity);
	if (result.status == PMPP_OK)
		result.status = open_fake(&b, error);
	if (result.status == PMPP_OK)
		result.status = suite_parity(a, b, &config, &problem, 0.03, &parity, error);
	if (result.status == PMPP_OK) {
		add_outcome(&result, &parity.a, true);
		add_outcome(&result, &parity.b, true);
	}
	suite_close(&a);
	suite_close(&b);
	return result;
}

/* ---- Failing the n-th call ----------------------------------------------------------------- */

/* Call n failed. */
static _Noreturn void fail_row(uint64_t n, const char *what)
{
	test_fail("call %llu (%s) failed: %s", (unsigned long long)n, fake_slot_name(fake_call(n)),
		what);
}

/* Once, with call n failing (0: none). */
static struct result run_once(
	const struct scenario *scenario, uint64_t n, enum fake_slot *ret_slot, uint64_t *ret_calls)
{
	struct result result;
	bool told;

	fake_suite_setup();
	fake_suite_control.kernel_ns = scenario->kernel_ns;
	fake_control.fail_at = n;
	fake_control.fail_status = scenario->fail_status;
	if (scenario->evicts) {
		fake_control.info.type = GPU_TYPE_CPU;
		fake_control.info.engine = GPU_ENGINE_CPU;
		fake_control.evicts = true;
	}
	note_count = 0;
	result = scenario->run(&test_error);
	result.reported = result.reported || note_count > 0;
	*ret_slot = fake_call(n);
	*ret_calls = fake_call_count();
	told = test_error.status == result.status &&
	       (result.status == PMPP_OK || test_error.message[0]);
	pmpp_error_clear(&test_error);
	if (fake_live_count() != 0)
		fail_row(n,
			test_text("%llu objects are left", (unsigned long long)fake_live_count()));
	if (fake_misuse()[0])
		fail_row(n, fake_misuse());
	if (!told)
		fail_row(n, test_text("'%s' without a message", pmpp_status_text(result.status)));
	if (result.defect)
		fail_row(n, result.defect);
	if (result.reason_missing)
		fail_row(n, "an outcome without a reason");
	return result;
}

static void run_scenario(const void *context)
{
	const struct scenario *scenario = context;
	uint64_t failures = 0, tolerated = 0, calls = 0;
	enum fake_slot slot;
	struct result result = run_once(scenario, 0, &slot, &calls);

	CHECK(EQUAL(result.status, PMPP_OK), NOT(result.outcome_failed), NOT(result.reported));
	for (uint64_t n = 1;; n++) {
		if (scenario->stride_percent && n > scenario->all_up_to)
			n += n * scenario->stride_percent / 100;
		result = run_once(scenario, n, &slot, &calls);
		if (calls < n)
			break; /* the scenario ended before call n: all have failed once */
		if (scenario->fail_status == PMPP_OUT_OF_MEMORY && scenario->run != run_layer &&
			slot != FAKE_SLOT_enumerate && slot != FAKE_SLOT_open &&
			result.status != PMPP_OK)
			fail_row(n, "memory ran out, and more than one row ended");
		if (result.status != PMPP_OK || result.outcome_failed) {
			failures++;
			continue;
		}
		tolerated++;
		if (!scenario->may_tolerate ||
			(slot != FAKE_SLOT_buffer_create && !result.reported))
			fail_row(n, "nobody noticed");
	}
	test_note("%llu calls: %llu failures reported, %llu done without",
		(unsigned long long)calls, (unsigned long long)failures,
		(unsigned long long)tolerated);
	IS(failures > 0);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

#define TIMED_KERNEL_NS 4e5

static const struct scenario scenarios[] = {
	{"GPU layer", run_layer},
	{"GPU layer, out of memory", run_layer, PMPP_OUT_OF_MEMORY},
	{"verify", run_verify},
	{"verify, device lost", run_verify, PMPP_UNAVAILABLE},
	{"verify, out of memory", run_verify, PMPP_OUT_OF_MEMORY},
	{"verify, launches fail", run_verify, PMPP_LAUNCH},
	{"verify, time is up", run_verify, PMPP_TIMEOUT},
	{"verify, unsupported", run_verify, PMPP_UNSUPPORTED},
	{"verify, build fails", run_verify, PMPP_BUILD},
	{"verify a sampled problem", run_sampled},
	{"timing", run_timing, PMPP_OK, 60, 3, TIMED_KERNEL_NS, true},
	{"timing, device lost", run_timing, PMPP_UNAVAILABLE, 30, 10, TIMED_KERNEL_NS, true},
	{"timing, out of memory", run_timing, PMPP_OUT_OF_MEMORY, 30, 10, TIMED_KERNEL_NS, true},
	{"roofs", run_roofs, PMPP_OK, 30, 20, 0, true, .is_long = true},
	{"timing with eviction", run_timing, PMPP_OK, 30, 3, TIMED_KERNEL_NS, true, true},
	{"parity", run_parity, PMPP_OK, 20, 10, TIMED_KERNEL_NS, true},
	{"parity, out of memory", run_parity, PMPP_OUT_OF_MEMORY, 20, 20, TIMED_KERNEL_NS, true},
};

int main(int argc, char **argv)
{
	/* Roofs measured once, for the rows that time. */
	kept_cache = fake_suite_new_cache();
	forced_cache = test_folder();
	runs_keep_roofs();
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
		test_add(run_scenario, &scenarios[i], "n-th call fails: %s", scenarios[i].name);
		if (scenarios[i].is_long)
			test_mark_long();
	}
	return test_run(argc, argv);
}
