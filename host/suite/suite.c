#include "host/suite/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Devices ------------------------------------------------------------------------------- */

const struct gpu_device_info *suite_device(const struct suite *suite)
{
	return &suite->device->info;
}

enum device_class suite_device_class(const struct gpu_device_info *info)
{
	static const enum device_class classes[] = {
		[GPU_TYPE_GPU] = DEVICE_CLASS_GPU,
		[GPU_TYPE_CPU] = DEVICE_CLASS_CPU,
		[GPU_TYPE_EMULATED] = DEVICE_CLASS_EMULATED,
		[GPU_TYPE_OTHER] = DEVICE_CLASS_GPU,
	};
	return classes[info->type];
}

#define TRACED_BUDGET 0x1p21

double suite_work_budget(const struct gpu_device_info *info, bool traced)
{
	static const double budgets[GPU_ENGINE_COUNT] = {
		[GPU_ENGINE_GPU] = 0x1p36, /* 4096^3 */
		[GPU_ENGINE_CPU] = 0x1p26,
		[GPU_ENGINE_SLOW_CPU] = TRACED_BUDGET,
		[GPU_ENGINE_EMULATOR] = 0x1p24,
		[GPU_ENGINE_INTERPRETER] = 0x1p18,
	};
	double budget = budgets[info->engine];

	return traced && budget > TRACED_BUDGET ? TRACED_BUDGET : budget;
}

bool suite_is_emulated(const struct suite *suite)
{
	return suite->device->info.type == GPU_TYPE_EMULATED;
}

/* ---- Life ---------------------------------------------------------------------------------- */

void suite_set_environment(void)
{
	/* Without it PoCL's workers may share a core, and short kernels take twice as long. */
	setenv("POCL_AFFINITY", "1", 0);
}

enum pmpp_status suite_open(const struct gpu_device_info *info, const struct suite_options *options,
	struct suite **ret_suite, struct pmpp_error *error)
{
	struct suite *suite = calloc(1, sizeof *suite);

	if (!suite)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a suite");
	suite->options = *options;
	suite->roofs = roofs_unknown();
	suite_set_environment();
	enum pmpp_status status = gpu_open(info, &suite->device, error);
	if (status != PMPP_OK) {
		free(suite);
		return status;
	}
	*ret_suite = suite;
	return PMPP_OK;
}

void suite_close(struct suite **suite_pointer)
{
	struct suite *suite = suite_pointer ? *suite_pointer : NULL;

	if (!suite)
		return;
	operands_finish(&suite->operands);
	probe_finish(&suite->probe);
	gpu_buffer_destroy(&suite->flush);
	programs_finish(&suite->programs);
	gpu_close(&suite->device);
	reference_finish(&suite->reference);
	inputs_finish(&suite->inputs);
	free(suite->output);
	free(suite->again);
	free(suite);
	*suite_pointer = NULL;
}

const void *suite_output(struct suite *suite, int64_t *ret_rows, int64_t *ret_columns)
{
	if (!suite->output_rows)
		return NULL;
	*ret_rows = suite->output_rows;
	*ret_columns = suite->output_columns;
	return suite->output;
}

void suite_progress(struct suite *suite, const struct outcome *outcome, const char *what)
{
	char text[256];

	if (!suite->options.progress)
		return;
	snprintf(text, sizeof text, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, what);
	suite->options.progress(suite->options.progress_context, text);
}

/* ---- Outcomes ------------------------------------------------------------------------------ */

void outcome_init(
	struct outcome *outcome, const struct config *config, const struct problem *problem)
{
	*outcome = (struct outcome){.status = OUTCOME_UNVERIFIED,
		.config = *config,
		.problem = *problem,
		.resources = {-1, -1, -1, -1},
		.verify = {.first_row = -1, .first_column = -1},
		.flops = problem->family->flops(problem),
		.bytes_compulsory = problem_bytes_compulsory(problem),
		.bytes_issued = config->variant->bytes_issued(config, problem),
		.gflops = NAN,
		.gbps = NAN,
		.fraction_of_roof = NAN,
		.metric = NAN,
		.limited_by = LIMITED_BY_UNKNOWN};
	for (size_t s = 0; s < PMPP_MAX_STEPS; s++)
		outcome->step_resources[s] = outcome->resources;
	outcome->problem.rounding = config->variant->rounding;
	outcome->intensity = outcome->flops / outcome->bytes_compulsory;
}

void outcome_finish(struct outcome *outcome)
{
	free(outcome->log);
	outcome->log = NULL;
	timing_finish(&outcome->timing);
}

enum pmpp_status outcome_absorb(struct suite *suite, struct outcome *outcome,
	enum pmpp_status status, struct pmpp_error *error)
{
	static const struct {
		enum pmpp_status status;
		enum outcome_status outcome;
	} rows[] = {
		{PMPP_UNSUPPORTED, OUTCOME_UNSUPPORTED},
		{PMPP_BUILD, OUTCOME_BUILD_ERROR},
		{PMPP_LAUNCH, OUTCOME_LAUNCH_ERROR},
		{PMPP_TIMEOUT, OUTCOME_TIMEOUT},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].status != status)
			continue;
		outcome->status = rows[i].outcome;
		snprintf(outcome->reason, sizeof outcome->reason, "%s", error->message);
		free(outcome->log);
		outcome->log = error->log;
		error->log = NULL;
		pmpp_error_clear(error);
		if (status == PMPP_BUILD || status == PMPP_UNSUPPORTED)
			return PMPP_OK;
		/* The launch may have left anything behind, or taken the device with it. */
		operands_forget(&suite->operands);
		suite->output_rows = suite->output_columns = 0;
		suite->lost = gpu_finish(suite->device, error) != PMPP_OK;
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	return status;
}

/* ---- Can it run here? ---------------------------------------------------------------------- */

static bool refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail)
{
	outcome->status = status;
	snprintf(outcome->reason, sizeof outcome->reason, "%s%s", what, detail);
	return false;
}

bool suite_can_run(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct variant *variant = outcome->config.variant;
	unsigned missing = variant->needs & ~info->capabilities;
	const char *reason = variant->infeasible ? variant->infeasible(&outcome->config) : NULL;
	const char *outside =
		variant->domain ? variant->domain(&outcome->config, &outcome->problem) : NULL;

	if (missing)
		return refuse(outcome, OUTCOME_SKIPPED, "needs ", pmpp_capability_text(missing));
	if (variant->one_sided && info->backend != GPU_BACKEND_OPENCL)
		return refuse(outcome, OUTCOME_SKIPPED, "has no CUDA twin: needs ",
			pmpp_capability_text(variant->needs));
	if (reason)
		return refuse(outcome, OUTCOME_UNSUPPORTED, "", reason);
	if (outside)
		return refuse(outcome, OUTCOME_SKIPPED, "out of its domain: ", outside);
	return true;
}

bool suite_fits_device(struct outcome *outcome, const struct gpu_limits *limits)
{
	char text[160] = "";

	for (size_t s = 0; s < outcome->plan.step_count && !*text; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);
		if (!launch)
			continue;
		uint64_t threads = plan_launch_threads(launch);
		if (threads > limits->max_block_threads)
			snprintf(text, sizeof text,
				"a block of %llu threads; this device has %u at most",
				(unsigned long long)threads, limits->max_block_threads);
		if (launch->shared_bytes > limits->shared_optin_bytes)
			snprintf(text, sizeof text,
				"%u bytes of dynamic shared memory a block; this device has %u",
				launch->shared_bytes, limits->shared_optin_bytes);
		for (int d = 0; d < 3 && !*text; d++)
			if (launch->groups[d] > limits->max_groups[d])
				snprintf(text, sizeof text,
					"%llu blocks along %c; this device has %llu at most",
					(unsigned long long)launch->groups[d], "xyz"[d],
					(unsigned long long)limits -> max_groups[d]);
	}
	return *text ? refuse(outcome, OUTCOME_UNSUPPORTED, "", text) : true;
}

/* Of the plan's steps: the kernel whose resources are told. */
static size_t first_launch(const struct plan *plan)
{
	size_t step = 0;

	while (step + 1 < plan->step_count && plan->steps[step].kind != PLAN_LAUNCH)
		step++;
	return step;
}

/* What the compiler made of it against the device. */
static bool fits_resources(struct outcome *outcome, const struct gpu_limits *limits)
{
	const struct gpu_kernel_resources *resources = &outcome->resources;
	const struct plan_step *step = &outcome->plan.steps[first_launch(&outcome->plan)];
	uint64_t threads = plan_launch_threads(&step->as.launch);
	char text[160];

	if (resources->shared_bytes > (int64_t)limits->shared_bytes) {
		snprintf(text, sizeof text,
			"%lld bytes of static shared memory a block; this device has %u",
			(long long)resources->shared_bytes, limits->shared_bytes);
		return refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
	}
	if (resources->max_block_threads > 0 && threads > (uint64_t)resources->max_block_threads) {
		snprintf(text, sizeof text,
			"a block of %llu threads; this kernel runs with %d at most on this device",
			(unsigned long long)threads, resources->max_block_threads);
		return refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
	}
	return true;
}

/* ---- Running ------------------------------------------------------------------------------- */

static enum pmpp_status build_variant(struct suite *suite, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	struct program_entry *entry;
	enum pmpp_status status;

	suite_progress(suite, outcome, "compiling");
	status = programs_get(suite, &outcome->config, &outcome->problem, false, &entry, error);
	if (status != PMPP_OK)
		return status;
	memcpy(outcome->source_sha256, entry->source_sha256, sizeof outcome->source_sha256);
	outcome->math = suite->options.math;
	snprintf(outcome->options, sizeof outcome->options, "%s", entry->program->options);
	outcome->compile_ms = entry->program->compile_ms;
	outcome->cache = entry->program->cache;
	status = launch_bind(entry, &outcome->plan, suite->operands.buffers, ret_run, error);
	for (size_t s = 0; s < outcome->plan.step_count && status == PMPP_OK; s++)
		if (ret_run->steps[s].kind == PLAN_LAUNCH)
			status = gpu_kernel_resources(ret_run->steps[s].as.launch.kernel,
				&outcome->step_resources[s], error);
	outcome->resources = outcome->step_resources[first_launch(&outcome->plan)];
	return status;
}

enum pmpp_status suite_verify_variant(struct suite *suite, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &suite->device->info;
	enum pmpp_status status;

	/* No output to show until this variant has written one. */
	suite->output_rows = suite->output_columns = 0;
	if (suite->lost)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"%s answers no more after a failed kernel", info->name);
	if (!suite_can_run(outcome, info))
		return PMPP_OK;
	status = operands_check_memory(info, &outcome->config, &outcome->problem, error);
	if (status != PMPP_OK)
		return status;
	config_plan(&outcome->config, &outcome->problem, &outcome->plan);
	if (!suite_fits_device(outcome, &info->limits))
		return PMPP_OK;
	status = operands_create(suite, &outcome->config, &outcome->problem, error);
	if (status != PMPP_OK)
		return status;
	status = build_variant(suite, outcome, ret_run, error);
	if (status == PMPP_OK && !fits_resources(outcome, &info->limits))
		return PMPP_OK;
	if (status == PMPP_OK) {
		suite_progress(suite, outcome, "verifying");
		status = verify_run(suite, ret_run, outcome, error);
	}
	if (status == PMPP_OK && verify_passed(&outcome->verify))
		outcome->status = OUTCOME_OK;
	return outcome_absorb(suite, outcome, status, error);
}

static enum pmpp_status time_variant(struct suite *suite, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct timed_run timed = {.suite = suite, .run = run, .timing = &outcome->timing};
	struct calibration calibration;
	enum pmpp_status status;

	suite_progress(suite, outcome, "timing");
	status = timing_run(&timed, 1, error);
	if (status == PMPP_OK)
		status = verify_again(suite, outcome, error);
	if (status == PMPP_OK)
		status = suite_calibration(suite, &calibration, error);
	if (status == PMPP_OK && outcome->status == OUTCOME_OK)
		derive_figures(outcome, suite);
	else
		timing_finish(&outcome->timing); /* no pass, no time */
	return outcome_absorb(suite, outcome, status, error);
}

enum pmpp_status suite_know_device(struct suite *suite, const struct family *family, char *ret_why,
	size_t size, struct pmpp_error *error)
{
	struct calibration calibration;
	struct roofs roofs;
	enum pmpp_status status = suite_calibration(suite, &calibration, error);

	if (status == PMPP_OK && !family->internal)
		status = suite_roofs(suite, false, &roofs, error);
	if (status != PMPP_BUILD && status != PMPP_LAUNCH && status != PMPP_UNSUPPORTED)
		return status;
	snprintf(ret_why, size, "cannot be calibrated: %.100s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}

enum pmpp_status suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, unsigned actions, struct outcome *ret_outcome,
	struct pmpp_error *error)
{
	bool timed = actions & SUITE_TIME;
	struct bound_run run;
	char why[sizeof ret_outcome->timing.reason] = "";
	enum pmpp_status status = PMPP_OK;

	outcome_init(ret_outcome, config, problem);
	if (!timed)
		snprintf(why, sizeof why, "not asked for");
	else if (suite_is_emulated(suite))
		snprintf(why, sizeof why, "emulated: times are not performance");
	else if (!suite->lost)
		status = suite_know_device(suite, problem->family, why, sizeof why, error);
	if (status == PMPP_OK)
		status = suite_verify_variant(suite, ret_outcome, &run, error);
	if (status == PMPP_OK && ret_outcome->status == OUTCOME_OK && !*why)
		status = time_variant(suite, &run, ret_outcome, error);
	if (ret_outcome->timing.done)
		return status;
	if (!*why)
		snprintf(why, sizeof why, "nothing is timed that did not pass");
	memcpy(ret_outcome->timing.reason, why, sizeof why);
	return status;
}
