/* --device=all: which devices are chosen; a device fails and the others continue. */
#include "host/run/worker.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Choice -------------------------------------------------------------------------------- */

/* Two GPUs with two views each, a CPU, and the emulator. */
static const struct gpu_device_info infos[] = {
	{.backend = GPU_BACKEND_CUDA, .index = "0", .name = "G", .uuid = "a", .type = GPU_TYPE_GPU},
	{.backend = GPU_BACKEND_CUDA, .index = "1", .name = "G", .uuid = "b", .type = GPU_TYPE_GPU},
	{.backend = GPU_BACKEND_OPENCL,
		.index = "0.0",
		.name = "G",
		.uuid = "a",
		.type = GPU_TYPE_GPU},
	{.backend = GPU_BACKEND_OPENCL,
		.index = "0.1",
		.name = "G",
		.uuid = "b",
		.type = GPU_TYPE_GPU},
	{.backend = GPU_BACKEND_OPENCL, .index = "1.0", .name = "C", .type = GPU_TYPE_CPU},
	{.backend = GPU_BACKEND_CUDA_EMU, .index = "0", .name = "E", .type = GPU_TYPE_EMULATED},
};
static const size_t physical[] = {0, 1, 0, 1, 2, 3};
#define VIEWS (sizeof infos / sizeof *infos)

static const struct choice {
	const char *name;
	struct device_query query;
	bool each; /* device_select_each() */
	const char *labels;
} choices[] = {
	{"all", {.device = "all"}, false, "cuda:0 cuda:1 opencl:1.0"},
	{"all, every backend", {.device = "all", .backend = "all"}, false,
		"cuda:0 cuda:1 opencl:0.0 opencl:0.1 opencl:1.0 cuda-emu:0"},
	{"all, verify", {.device = "all", .rule = DEVICE_RULE_EACH_BACKEND}, false,
		"cuda:0 cuda:1 opencl:0.0 opencl:0.1 opencl:1.0 cuda-emu:0"},
	{"gpu", {.device = "gpu"}, false, "cuda:0"},
	{"a fleet", {0}, true, "cuda:0 cuda:1"},
	{"a fleet, verify", {.rule = DEVICE_RULE_EACH_BACKEND}, true, "cuda:0 cuda:1"},
	{"a fleet, CPU", {.device = "cpu"}, true, "opencl:1.0"},
	{"a fleet, a name of two", {.device = "G"}, true, "cuda:0 cuda:1"},
	{"a fleet, one UUID", {.device = "uuid:b"}, true, "cuda:1"},
	{"a fleet, all", {.device = "all"}, true, "cuda:0 cuda:1 opencl:1.0"},
};

static void choose(const void *context)
{
	const struct choice *row = context;
	struct inventory_device devices[VIEWS];
	struct inventory inventory = {
		.looked = EVERY_BACKEND, .devices = devices, .count = VIEWS, .physical_count = 4};
	const struct gpu_device_info **chosen = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;
	char text[300] = "";
	size_t count = 0;

	for (size_t i = 0; i < VIEWS; i++)
		devices[i] = (struct inventory_device){infos[i], physical[i]};
	test_ok((row->each ? device_select_each : device_select)(
			&row->query, &inventory, &chosen, &count, &error),
		&error);
	for (size_t i = 0; i < count; i++) {
		char label[32];
		device_label(chosen[i], label, sizeof label);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
			label);
	}
	free(chosen);
	assert_string_equal(text, row->labels);
}

/* ---- Failures ------------------------------------------------------------------------------ */

enum pmpp_status __real_suite_open(const struct gpu_device_info *info,
	const struct suite_options *options, struct suite **ret_suite, struct pmpp_error *error);
enum pmpp_status __wrap_suite_open(const struct gpu_device_info *info,
	const struct suite_options *options, struct suite **ret_suite, struct pmpp_error *error);
enum pmpp_status __real_suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, unsigned actions, struct outcome *ret_outcome,
	struct pmpp_error *error);
enum pmpp_status __wrap_suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, unsigned actions, struct outcome *ret_outcome,
	struct pmpp_error *error);

/* What the device of the first backend does. */
static enum pmpp_status open_fails, run_fails;

static bool is_first(const struct gpu_device_info *info)
{
	return info->backend == GPU_BACKEND_OPENCL;
}

/* Linked in place of suite_open(). */
enum pmpp_status __wrap_suite_open(const struct gpu_device_info *info,
	const struct suite_options *options, struct suite **ret_suite, struct pmpp_error *error)
{
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
	outcome_init(ret_outcome, config, problem, suite_device(suite), GPU_MATH_DEFAULT);
	return PMPP_FAIL(error, run_fails, "planted");
}

struct tally {
	size_t ok[2], launch_errors[2], others; /* of the first backend, of the other one */
};

static void count(void *context, struct event *event)
{
	struct tally *tally = context;

	if (event->kind != EVENT_RESULT)
		return;
	bool other = strcmp(event->row.backend, "opencl") != 0;
	tally->ok[other] += event->row.status == OUTCOME_OK;
	tally->launch_errors[other] += event->row.status == OUTCOME_LAUNCH_ERROR;
	tally->others +=
		event->row.status != OUTCOME_OK && event->row.status != OUTCOME_LAUNCH_ERROR;
}

static void tick(void *context)
{
	(void)context;
}

static const struct failure {
	const char *name;
	enum pmpp_status open, run;
} failures[] = {
	{"no failure", PMPP_OK, PMPP_OK},
	{"cannot be opened", PMPP_UNAVAILABLE, PMPP_OK},
	{"cannot be opened: memory", PMPP_OUT_OF_MEMORY, PMPP_OK},
	{"cannot be opened: launch", PMPP_LAUNCH, PMPP_OK},
	{"is lost under each variant", PMPP_OK, PMPP_UNAVAILABLE},
};

static void lose(const void *context)
{
	static const char *const words[] = {"vecadd/fine", "vecadd/coarse2"};
	const struct failure *row = context;
	struct job_options options = {.words = words,
		.word_count = 2,
		.backend = "all",
		.device = "all",
		.backend_from = "--backend",
		.device_from = "--device",
		.timeout_s = 120,
		.shard_index = 1,
		.shard_count = 1};
	struct tally tally = {0};
	const struct event_sink sink = {.emit = count, .tick = tick, .context = &tally};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct job job;
	bool fails = row->open || row->run;

	open_fails = row->open;
	run_fails = row->run;
	test_ok(job_prepare(JOB_VERIFY, &options, &job, &error), &error);
	enum pmpp_status status = worker_run(&job, &sink, &error);
	job_finish(&job);
	test_ok(status, &error);
	if (tally.ok[0] + tally.launch_errors[0] == 0)
		test_skip_backend(GPU_BACKEND_OPENCL, "no OpenCL device");
	if (tally.ok[1] == 0)
		test_skip_backend(GPU_BACKEND_CUDA_EMU, "no emulator");
	assert_int_equal(tally.others, 0);
	assert_int_equal(tally.launch_errors[1], 0);
	assert_true(fails ? tally.ok[0] == 0 : tally.launch_errors[0] == 0);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		test_add(&list, choose, &choices[i], "choice: %s", choices[i].name);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		test_add(&list, lose, &failures[i], "a device: %s", failures[i].name);
	return test_run(&list, argc, argv);
}
