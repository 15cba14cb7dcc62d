/* --device=all: which devices are chosen; a device fails and the others continue. */
#include "tests/support/test.h"
#include "tests/support/worker_jobs.h"

#include <signal.h>

/* ---- Choice -------------------------------------------------------------------------------- */

#define DEVICE(in, at, is, its_name) \
	.backend = GPU_BACKEND_##in, .index = at, .type = GPU_TYPE_##is, .name = its_name

/* Two GPUs with two views each, a CPU with two platforms, and the emulator. */
static const struct gpu_device_info infos[] = {
	{DEVICE(CUDA, "0", GPU, "G"), .uuid = "a"},
	{DEVICE(CUDA, "1", GPU, "G"), .uuid = "b"},
	{DEVICE(OPENCL, "0.0", GPU, "G"), .uuid = "a"},
	{DEVICE(OPENCL, "0.1", GPU, "G"), .uuid = "b"},
	{DEVICE(OPENCL, "1.0", CPU, "cpu-Intel"), .platform = "PoCL"},
	{DEVICE(OPENCL, "2.0", CPU, "Intel CPU"), .platform = "Intel(R) OpenCL"},
	{DEVICE(CUDA_EMU, "0", EMULATED, "E")},
};
static const size_t physical[] = {0, 1, 0, 1, 2, 3, 4};
#define VIEWS (sizeof infos / sizeof *infos)

static const struct choice {
	const char *name;
	struct device_query query;
	bool each; /* for ranks */
	const char *labels;
} choices[] = {
	{"all", {.device = "all"}, false, "cuda:0 cuda:1 opencl:1.0 opencl:2.0"},
	{"all, every backend", {.device = "all", .backend = "all"}, false,
		"cuda:0 cuda:1 opencl:0.0 opencl:0.1 opencl:1.0 opencl:2.0 cuda-emu:0"},
	{"all, verify", {.device = "all", .rule = DEVICE_RULE_EACH_BACKEND}, false,
		"cuda:0 cuda:1 opencl:0.0 opencl:0.1 opencl:1.0 opencl:2.0 cuda-emu:0"},
	{"gpu", {.device = "gpu"}, false, "cuda:0"},
	{"a fleet", {0}, true, "cuda:0 cuda:1"},
	{"a fleet, verify", {.rule = DEVICE_RULE_EACH_BACKEND}, true, "cuda:0 cuda:1"},
	{"a fleet, CPU", {.device = "cpu"}, true, "opencl:1.0 opencl:2.0"},
	{"a fleet, a name of two", {.device = "G"}, true, "cuda:0 cuda:1"},
	{"a fleet, one UUID", {.device = "uuid:b"}, true, "cuda:1"},
	{"the host's backends", {.rule = DEVICE_RULE_EACH_BACKEND, .on_host = true}, false,
		"opencl:1.0 cuda-emu:0"},
	{"the host's devices", {.device = "all", .rule = DEVICE_RULE_EACH_BACKEND, .on_host = true},
		false, "opencl:1.0 opencl:2.0 cuda-emu:0"},
	{"a fleet, all", {.device = "all"}, true, "cuda:0 cuda:1 opencl:1.0 opencl:2.0"},
	{"every view", {.rule = DEVICE_RULE_EVERY_VIEW}, false, "cuda:0 opencl:0.0"},
	{"every view of one", {.device = "uuid:b", .rule = DEVICE_RULE_EVERY_VIEW}, false,
		"cuda:1 opencl:0.1"},
	{"every view of the CPU", {.device = "cpu", .rule = DEVICE_RULE_EVERY_VIEW}, false,
		"opencl:1.0"},
	{"every view on one backend", {.device = "opencl:0.1", .rule = DEVICE_RULE_EVERY_VIEW},
		false, "opencl:0.1"},
	{"a platform", {.device = "pocl"}, false, "opencl:1.0"},
	{"a word of two names and a platform", {.device = "intel"}, false, "opencl:2.0"},
	{"a CPU, whatever its platform's name", {.device = "cpu"}, false, "opencl:1.0"},
};

TEST_ROWS(choose, choices, "choice: %s", row->name)
{
	struct inventory_device devices[VIEWS];
	struct inventory inventory = {
		.looked = EVERY_BACKEND, .devices = devices, .count = VIEWS, .physical_count = 5};
	FREED const struct gpu_device_info **chosen = NULL;
	char text[300] = "";
	size_t count = 0;

	for (size_t i = 0; i < VIEWS; i++)
		devices[i] = (struct inventory_device){.info = infos[i], .physical = physical[i]};
	test_ok(device_select(&row->query, row->each, &inventory, &chosen, &count, &test_error));
	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
			device_label(chosen[i]).text);
	STRING(text, row->labels);
}

/* ---- Places -------------------------------------------------------------------------------- */

/* A rank has the place "P". */
static const struct place {
	const char *name;
	struct device_query query;
	bool on_host;
	bool kept; /* the query keeps its own device and backends */
} places[] = {
	{"run on a GPU", {0}, false, false},
	{"run on a CPU", {0}, true, false},
	{"verify on a GPU", {.rule = DEVICE_RULE_EACH_BACKEND}, false, false},
	{"verify on a CPU", {.rule = DEVICE_RULE_EACH_BACKEND}, true, true},
	{"verify on a named CPU", {.device = "x", .rule = DEVICE_RULE_EACH_BACKEND}, true, false},
	{"verify all devices", {.device = "all", .rule = DEVICE_RULE_EACH_BACKEND}, true, true},
	{"run all devices", {.device = "all"}, true, false},
	{"run all backends", {.backend = "all"}, true, true},
};

TEST_ROWS(take_place, places, "place: %s", row->name)
{
	struct device_query query = row->query;

	device_query_take_place(&query, "P", row->on_host);
	CHECK(EQUAL(query.on_host, row->kept), SAME(query.backend, row->query.backend));
	if (row->kept)
		SAME(query.device, row->query.device);
	else
		STRING(query.device, "P");
}

/* ---- Failures ------------------------------------------------------------------------------ */

__typeof__(suite_open) __real_suite_open, __wrap_suite_open;
__typeof__(suite_run) __real_suite_run, __wrap_suite_run;

/* Faults of the device of the first backend. */
static enum pmpp_status open_fails, run_fails;
static bool open_crashes;

static bool is_first(const struct gpu_device_info *info)
{
	return info->backend == GPU_BACKEND_OPENCL;
}

/* Linked in place of suite_open(). */
enum pmpp_status __wrap_suite_open(const struct gpu_device_info *info,
	const struct suite_options *options, struct suite **ret_suite, struct pmpp_error *error)
{
	if (is_first(info)) {
		fputs("planted text\n", stderr);
		fflush(stderr);
	}
	if (open_crashes && is_first(info))
		raise(SIGKILL);
	if (open_fails && is_first(info))
		return PMPP_FAIL(error, open_fails, "planted");
	return __real_suite_open(info, options, ret_suite, error);
}

/* Linked in place of suite_run(). */
enum pmpp_status __wrap_suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, unsigned actions, struct outcome *ret_outcome,
	struct pmpp_error *error)
{
	if (!run_fails || !is_first(suite_device(suite)))
		return __real_suite_run(suite, config, problem, actions, ret_outcome, error);
	outcome_init(ret_outcome, config, problem, suite_device(suite), &SUITE_OPTIONS_DEFAULT);
	return PMPP_FAIL(error, run_fails, "planted");
}

struct tally {
	size_t ok[2], launch_errors[2], crashed[2],
		others; /* [0]: first backend, [1]: other backend */
	size_t opened;  /* devices of the other backend */
	size_t lost;
	char message[300]; /* of the last lost device */
	bool text,
		text_at_loss; /* the driver's text came without a row, and before the device was lost */
};

static void count(void *context, struct event *event)
{
	struct tally *tally = context;

	if (event->kind == EVENT_DRIVER)
		tally->text |= strstr(event->text, "planted text") != NULL;
	if (event->kind == EVENT_LOST) {
		tally->text_at_loss = tally->text;
		tally->lost++;
		snprintf(tally->message, sizeof tally->message, "%s", event->text);
	}
	if (event->kind == EVENT_DEVICE && strncmp(event->label, "opencl", 6) != 0)
		tally->opened++;
	if (event->kind != EVENT_RESULT)
		return;
	bool other = strcmp(event->row.backend, "opencl") != 0;
	tally->ok[other] += event->row.status == OUTCOME_OK;
	tally->launch_errors[other] += event->row.status == OUTCOME_LAUNCH_ERROR;
	tally->crashed[other] += event->row.status == OUTCOME_CRASHED;
	tally->others += event->row.status != OUTCOME_OK &&
			 event->row.status != OUTCOME_LAUNCH_ERROR &&
			 event->row.status != OUTCOME_CRASHED;
}

static const struct failure {
	const char *name;
	enum job_action action;
	enum pmpp_status open, run;
	bool crashes;
	const char *lost; /* a part of the message; NULL: no device is lost */
} failures[] = {
	{"no failure", JOB_VERIFY, PMPP_OK, PMPP_OK, false, NULL},
	{"cannot be opened", JOB_VERIFY, PMPP_UNAVAILABLE, PMPP_OK, false, NULL},
	{"cannot be opened: memory", JOB_VERIFY, PMPP_OUT_OF_MEMORY, PMPP_OK, false, NULL},
	{"cannot be opened: launch", JOB_VERIFY, PMPP_LAUNCH, PMPP_OK, false, NULL},
	{"is lost in each variant", JOB_VERIFY, PMPP_OK, PMPP_UNAVAILABLE, false, NULL},
	{"crashes when it is opened", JOB_VERIFY, PMPP_OK, PMPP_OK, true,
		"is skipped: it cannot be opened: the worker ended with SIGKILL"},
	{"roofline: cannot be opened", JOB_ROOFLINE, PMPP_LAUNCH, PMPP_OK, false,
		"is skipped: it cannot be opened: planted"},
	{"roofline: crashes when it is opened", JOB_ROOFLINE, PMPP_OK, PMPP_OK, true,
		"is skipped: it cannot be opened: the worker ended with SIGKILL"},
};

static void check_rows(const struct failure *row, const struct tally *tally)
{
	bool fails = row->open || row->run || row->crashes;

	if (tally->ok[0] + tally->launch_errors[0] + tally->crashed[0] == 0)
		test_skip_backend(GPU_BACKEND_OPENCL, "no OpenCL device");
	if (tally->ok[1] == 0)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, "no emulator");
	CHECK(EQUAL(tally->others, 0), EQUAL(tally->launch_errors[1] + tally->crashed[1], 0),
		EQUAL(tally->crashed[0] > 0, row->crashes),
		IS(fails ? tally->ok[0] == 0 : tally->launch_errors[0] == 0));
}

TEST_ROWS(lose, failures, "a device: %s", row->name)
{
	static const char *const words[] = {"vecadd/fine", "vecadd/coarse2"};
	const struct job_options options = {.words = words,
		.word_count = row->action == JOB_VERIFY ? 2 : 0,
		.backend = "all",
		.device = "all",
		.backend_from = "--backend",
		.device_from = "--device"};
	struct tally tally = {0};
	struct worker_job job;

	open_fails = row->open;
	run_fails = row->run;
	open_crashes = row->crashes;
	worker_job_begin(&job, row->action, row->action == JOB_VERIFY ? "1000" : NULL, &options);
	job.job.limits.stalls = 2;
	test_ok(worker_job_run(&job, count, &tally));
	if (row->action == JOB_VERIFY)
		check_rows(row, &tally);
	else if (tally.opened == 0)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, "no emulator");
	EQUAL(tally.lost > 0, row->lost != NULL);
	if (row->action == JOB_ROOFLINE && !tally.text_at_loss)
		test_fail("the text of the driver is lost");
	if (row->lost)
		HAS(tally.message, row->lost);
	if (row->lost && strncmp(tally.message, "opencl:", 7) != 0)
		test_fail("the device is not named: '%s'", tally.message);
}
