/*
 * JOB_EXPLAIN: every variant is traced on cuda-emu, and measured where there is a device for that.
 */
#include "host/run/job_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/explain/explain.h"
#include "host/record/json.h"
#include "host/results/encode.h"

/* ---- Command line -------------------------------------------------------------------------- */

static enum pmpp_status check_capability(const char *name, struct pmpp_error *error)
{
	char names[128];

	if (!name || multiprocessor_find(name))
		return PMPP_OK;
	multiprocessor_names(names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE, "--cc=%s: it is one of %s", name, names);
}

/* --diff: two pages, so two variants, each at one point and one size. */
static enum pmpp_status check_pair(const struct job *job, struct pmpp_error *error)
{
	const struct cli_options *options = job->options;
	const struct target_list *targets = &job->targets;
	size_t count = 0;

	for (size_t t = 0; t < targets->count; t++)
		count += targets->items[t].variant_count;
	if (options->argument_count != 2 || count != 2 || !strchr(options->arguments[0], '/') ||
		!strchr(options->arguments[1], '/'))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--diff compares two variants: explain --diff FAMILY/VARIANT "
			"FAMILY/VARIANT");
	if (options->sizes.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--diff goes with one --size, not several");
	for (size_t i = 0; i < options->tunables.count; i++)
		if (options->tunables.items[i].value_count > 1)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--diff does not go with a sweep: one value of %s, please",
				options->tunables.items[i].name);
	if (options->shard_count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--diff does not go with --shard");
	return PMPP_OK;
}

static bool is_all(const char *text)
{
	return text && strcmp(text, "all") == 0;
}

enum pmpp_status job_explain_check(const struct job *job, struct pmpp_error *error)
{
	enum pmpp_status status = check_capability(job->options->model.cc, error);

	if (status == PMPP_OK && (is_all(job->query.backend) || is_all(job->query.device)))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"explain measures on one device: --backend and --device cannot be all");
	if (status == PMPP_OK && job->options->diff)
		status = check_pair(job, error);
	return status;
}

/* ---- Devices ------------------------------------------------------------------------------- */

struct explainer {
	struct runner *runner;
	struct inventory emulators;
	const struct gpu_device_info *emulator; /* NULL: no_emulator says why */
	const struct gpu_device_info *device;   /* that measures; NULL: no_measurement says why */
	char no_emulator[300];
	char no_measurement[200];
	bool opened;
};

static enum pmpp_status find_emulator(struct explainer *explainer)
{
	struct inventory *emulators = &explainer->emulators;
	enum pmpp_status status = inventory_take(
		BACKEND_BIT(GPU_BACKEND_CUDA_EMU), emulators, explainer->runner->error);

	if (status != PMPP_OK)
		return status;
	if (emulators->count)
		explainer->emulator = &emulators->devices[0].info;
	else
		snprintf(explainer->no_emulator, sizeof explainer->no_emulator, "%s",
			emulators->states[GPU_BACKEND_CUDA_EMU].reason);
	return PMPP_OK;
}

static bool has_cpu(const struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->count; i++)
		if (inventory->devices[i].info.type == GPU_TYPE_CPU)
			return true;
	return false;
}

/* What was asked for must be there; a GPU is taken where it is. */
static enum pmpp_status find_device(struct explainer *explainer)
{
	struct runner *runner = explainer->runner;
	struct device_query query = runner->job->query;
	bool asked = query.backend || query.device;
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;

	if (!asked)
		query.device = "gpu";
	enum pmpp_status status =
		device_select(&query, &runner->inventory, &devices, &count, runner->error);
	if (status == PMPP_UNAVAILABLE && !asked) {
		pmpp_error_clear(runner->error);
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"no GPU here%s",
			has_cpu(&runner->inventory) ? "; --device=cpu measures on the CPU" : "");
		return PMPP_OK;
	}
	if (status != PMPP_OK)
		return status;
	if (devices[0]->type == GPU_TYPE_EMULATED)
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"cuda-emu traces; its times are not performance");
	else
		explainer->device = devices[0];
	free(devices);
	return PMPP_OK;
}

static enum pmpp_status open_devices(struct explainer *explainer)
{
	struct runner *runner = explainer->runner;
	enum pmpp_status status = PMPP_OK;

	if (explainer->opened)
		return PMPP_OK;
	if (explainer->emulator)
		status = job_open_suite(runner, explainer->emulator, false, &runner->suite);
	if (status == PMPP_OK && explainer->device)
		status = job_open_suite(runner, explainer->device, true, &runner->other);
	explainer->opened = status == PMPP_OK;
	return status;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

/* What is known before: of a variant that crashes it is all there will be. */
static json_t *encode_head(const struct task *task)
{
	const struct variant *variant = task->config.variant;
	char problem[96];
	char choices[48];

	problem_text(&task->problem, problem, sizeof problem);
	problem_choices_text(&task->problem, choices, sizeof choices);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "family",
		task->problem.family->name, "variant", variant->name, "label", task->label,
		"technique", variant->technique, "idea", variant->idea, "title",
		task->problem.family->title, "problem_text", problem, "choices", choices);
}

/* A page that is lost. */
static void emit_ending(struct runner *runner, const struct task *task, size_t number,
	enum outcome_status outcome, const char *reason, const char *log)
{
	json_t *row = encode_head(task);

	encode_row_ending(row, outcome, reason);
	if (log)
		json_object_set_new(row, "log", json_string(log));
	job_emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "result", "task",
				 (json_int_t)number, "label", task->label, "row", row));
}

/* What concerns this variant, or this problem, costs its page; anything else ends the job. */
static enum pmpp_status forgive(
	struct runner *runner, const struct task *task, size_t number, enum pmpp_status status)
{
	static const struct {
		enum pmpp_status status;
		enum outcome_status outcome;
	} endings[] = {
		{PMPP_BUILD, OUTCOME_BUILD_ERROR},
		{PMPP_LAUNCH, OUTCOME_LAUNCH_ERROR},
		{PMPP_TIMEOUT, OUTCOME_TIMEOUT},
		{PMPP_UNSUPPORTED, OUTCOME_UNSUPPORTED},
	};
	struct pmpp_error *error = runner->error;

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		if (endings[i].status != status)
			continue;
		emit_ending(runner, task, number, endings[i].outcome, error->message, error->log);
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status != PMPP_USAGE && status != PMPP_TOO_LARGE)
		return status;
	job_emit(runner,
		json_pack("{s:s, s:I, s:o, s:s}", "event", "misfit", "task", (json_int_t)number,
			"row", encode_head(task), "message", error->message));
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* The entries as JSON, for the pipe. */
static enum pmpp_status encode_entries(
	const struct explanation *explanation, json_t **ret_entries, struct pmpp_error *error)
{
	struct explain_document document;
	char *text = NULL;

	record_init(&explain_document_type, &document);
	text_set(&document.schema, EXPLAIN_SCHEMA);
	enum pmpp_status status = explain_fill(explanation, &document.explanations, error);
	json_t *entries = status == PMPP_OK ? json_array() : NULL;
	for (size_t i = 0; i < document.explanations.count && status == PMPP_OK; i++) {
		status = record_write(&explanation_type, &document.explanations.items[i],
			RECORD_ONE_LINE, &text, error);
		if (status == PMPP_OK)
			json_array_append_new(entries, json_loads(text, 0, NULL));
		free(text);
		text = NULL;
	}
	if (status == PMPP_OK)
		*ret_entries = entries;
	else
		json_decref(entries);
	record_finish(&explain_document_type, &document);
	return status;
}

static enum pmpp_status explain_task(
	struct explainer *explainer, const struct task *task, size_t number)
{
	struct runner *runner = explainer->runner;
	const struct cli_options *options = runner->job->options;
	struct problem measured = task->problem;
	struct explanation explanation = {0};
	struct explain_options explain = {.trace = {options->blocks.which, options->blocks.numbers,
						  options->blocks.count, options->step_limit},
		.sm = options->model.cc ? multiprocessor_find(options->model.cc) : NULL,
		.no_emulator = explainer->emulator ? NULL : explainer->no_emulator,
		.no_device = explainer->device ? NULL : explainer->no_measurement,
		.kernel_dir = options->kernel_dir,
		.math = options->math};

	if (explainer->device && options->sizes.count == 0)
		problem_default_size(&measured, suite_device_class(explainer->device));
	enum pmpp_status status = explain_variant(runner->suite, runner->other, &task->config,
		&task->problem, &measured, &explain, &explanation, runner->error);
	json_t *entries = NULL;
	if (status == PMPP_OK)
		status = encode_entries(&explanation, &entries, runner->error);
	if (status == PMPP_OK)
		job_emit(runner,
			json_pack("{s:s, s:I, s:s, s:o}", "event", "explanation", "task",
				(json_int_t)number, "label", task->label, "entries", entries));
	explanation_finish(&explanation);
	return status == PMPP_OK ? PMPP_OK : forgive(runner, task, number, status);
}

static enum pmpp_status run_task(
	struct explainer *explainer, const struct task *task, size_t number)
{
	struct runner *runner = explainer->runner;
	char label[160];

	if (*runner->stop)
		return PMPP_FAIL(runner->error, PMPP_INTERRUPTED, "interrupted");
	snprintf(label, sizeof label, "%s/%s", task->problem.family->name, task->label);
	job_emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "start", "task",
				 (json_int_t)number, "label", label, "row", encode_head(task)));
	if (*task->reason) {
		emit_ending(runner, task, number, OUTCOME_UNSUPPORTED, task->reason, NULL);
		return PMPP_OK;
	}
	return explain_task(explainer, task, number);
}

static enum pmpp_status run_ladder(struct explainer *explainer, const struct task_list *tasks)
{
	struct runner *runner = explainer->runner;
	const struct cli_options *options = runner->job->options;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < tasks->count && status == PMPP_OK; i++) {
		size_t number = runner->task++;
		if (number % options->shard_count + 1 != options->shard_index ||
			number < runner->skip)
			continue;
		status = open_devices(explainer);
		if (status == PMPP_OK)
			status = run_task(explainer, &tasks->items[i], number);
	}
	return status;
}

enum pmpp_status job_explain(struct runner *runner)
{
	struct explainer explainer = {.runner = runner};
	const struct target_list *targets = &runner->job->targets;
	size_t size_count = runner->job->options->sizes.count;
	enum pmpp_status status = find_device(&explainer);

	if (status == PMPP_OK)
		status = find_emulator(&explainer);
	for (size_t t = 0; t < targets->count && status == PMPP_OK; t++)
		for (size_t s = 0; s < (size_count ? size_count : 1) && status == PMPP_OK; s++) {
			struct task_list tasks = {0};
			status = job_ladder_tasks(runner, &targets->items[t], s, &tasks);
			if (status == PMPP_OK)
				status = run_ladder(&explainer, &tasks);
			free(tasks.items);
		}
	inventory_finish(&explainer.emulators);
	return status;
}
