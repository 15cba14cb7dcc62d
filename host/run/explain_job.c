#include "host/run/explain_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/explain/explain.h"
#include "host/run/fit.h"
#include "host/run/kernel_dir.h"
#include "host/run/stop.h"
#include "host/run/task.h"

/* ---- Devices ------------------------------------------------------------------------------- */

struct explainer {
	struct runner *runner;
	struct inventory emulators;
	const struct gpu_device_info *emulator; /* NULL: no_emulator has the reason */
	const struct gpu_device_info *device;   /* measures; NULL: no_measurement has the reason */
	char no_emulator[300];
	char no_measurement[200];
	struct suite *tracer, *meter; /* on emulator and device; opened by the first task */
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

/* A device that the user named must exist. Without a name, a GPU is used if there is one. */
static enum pmpp_status find_device(struct explainer *explainer)
{
	struct runner *runner = explainer->runner;
	struct device_query query = runner->job->query;
	bool named = query.backend || query.device;
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;

	if (!named)
		query.device = "gpu";
	enum pmpp_status status =
		device_select(&query, &runner->inventory, &devices, &count, runner->error);
	if (status == PMPP_UNAVAILABLE && !named) {
		pmpp_error_clear(runner->error);
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"no GPU on this machine%s",
			has_cpu(&runner->inventory) ? "; --device=cpu measures on the CPU" : "");
		return PMPP_OK;
	}
	if (status != PMPP_OK)
		return status;
	if (devices[0]->type == GPU_TYPE_EMULATED)
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"cuda-emu only traces: its times do not show performance");
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
		status = runner_open_suite(runner, explainer->emulator, false, &explainer->tracer);
	if (status == PMPP_OK && explainer->device)
		status = runner_open_suite(runner, explainer->device, true, &explainer->meter);
	explainer->opened = status == PMPP_OK;
	return status;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

/* An event with one explanation and its fields known before the variant runs. NULL: no memory. */
static struct explanation_record *add_head(struct event *event, const struct task *task)
{
	struct explanation_record *record =
		record_list_add(&explanation_type, &event->explanations);

	if (record)
		explain_fill_head(&task->config, &task->problem, task->label, record);
	return record;
}

static void emit_head(
	struct runner *runner, enum event_kind kind, const struct task *task, int64_t number)
{
	char label[160];

	snprintf(label, sizeof label, "%s/%s", task->problem.family->name, task->label);
	struct event event = runner_event(kind, number, label);
	add_head(&event, task);
	runner_emit(runner, &event);
}

/* Emits an explanation with an outcome and a reason instead of figures. error: NULL if the reason
 * is not an error. */
static void emit_failure(struct runner *runner, const struct task *task, int64_t number,
	enum outcome_status outcome, const char *reason, const struct pmpp_error *error)
{
	struct event event = runner_event(EVENT_EXPLANATION, number, task->label);
	struct explanation_record *record = add_head(&event, task);

	if (record) {
		explanation_record_end(record, outcome, reason);
		if (error) {
			text_set(&record->log, error->log);
			error_record_set(&record->error, error);
			text_set(&record->error.log, NULL); /* the record has it */
		}
	}
	runner_emit(runner, &event);
}

static void emit_misfit(struct runner *runner, const struct task *task, int64_t number)
{
	struct event event = runner_event(EVENT_MISFIT, number, task->label);

	add_head(&event, task);
	text_set(&event.text, runner->error->message);
	error_record_set(&event.error, runner->error);
	runner_emit(runner, &event);
}

/* Reports an error of this variant or problem in its page, and returns PMPP_OK. Returns any other
 * error: it ends the job. */
static enum pmpp_status handle_error(
	struct runner *runner, const struct task *task, int64_t number, enum pmpp_status status)
{
	static const struct {
		enum pmpp_status status;
		enum outcome_status outcome;
	} rows[] = {
		{PMPP_BUILD, OUTCOME_BUILD_ERROR},
		{PMPP_LAUNCH, OUTCOME_LAUNCH_ERROR},
		{PMPP_TIMEOUT, OUTCOME_TIMEOUT},
		{PMPP_UNSUPPORTED, OUTCOME_UNSUPPORTED},
		{PMPP_OUT_OF_MEMORY, OUTCOME_LAUNCH_ERROR},
	};
	struct pmpp_error *error = runner->error;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].status != status)
			continue;
		emit_failure(runner, task, number, rows[i].outcome, error->message, error);
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status != PMPP_TOO_LARGE)
		return status;
	emit_misfit(runner, task, number);
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* The device's default size, or a smaller one that fits. */
static void choose_measured_size(
	const struct explainer *explainer, const struct task *task, struct problem *measured)
{
	const struct fit_place place = {{explainer->meter}};
	char note[FIT_NOTE_BYTES];

	problem_default_size(measured, suite_device_class(explainer->device));
	if (fit_problem(&place, task, 1, measured, note))
		runner_emit_note(explainer->runner, note);
}

static enum pmpp_status explain_task(
	struct explainer *explainer, const struct task *task, int64_t number)
{
	struct runner *runner = explainer->runner;
	const struct job_options *options = runner->job->options;
	struct problem measured = task->problem;
	struct explanation explanation = {0};
	struct explain_options explain = {.trace = {options->blocks.which, options->blocks.numbers,
						  options->blocks.count, options->step_limit},
		.sm = options->cc ? multiprocessor_find(options->cc) : NULL,
		.no_emulator = explainer->emulator ? NULL : explainer->no_emulator,
		.no_device = explainer->device ? NULL : explainer->no_measurement,
		.kernel_dir = options->kernel_dir,
		.math = options->math};

	if (explainer->device && options->sizes.count == 0)
		choose_measured_size(explainer, task, &measured);
	enum pmpp_status status = explain_variant(explainer->tracer, explainer->meter,
		&task->config, &task->problem, &measured, &explain, &explanation, runner->error);
	struct event event = runner_event(EVENT_EXPLANATION, number, task->label);
	if (status == PMPP_OK)
		status = explain_fill(&explanation, &event.explanations, runner->error);
	if (status == PMPP_OK)
		runner_emit(runner, &event);
	record_finish(&event_type, &event);
	explanation_finish(&explanation);
	return status == PMPP_OK ? PMPP_OK : handle_error(runner, task, number, status);
}

static enum pmpp_status run_task(
	struct explainer *explainer, const struct task *task, int64_t number)
{
	struct runner *runner = explainer->runner;
	enum pmpp_status status = stop_check(runner->error);

	if (status != PMPP_OK)
		return status;
	emit_head(runner, EVENT_START, task, number);
	if (*task->reason) {
		emit_failure(runner, task, number, OUTCOME_UNSUPPORTED, task->reason, NULL);
		return PMPP_OK;
	}
	return explain_task(explainer, task, number);
}

static enum pmpp_status run_ladder(struct explainer *explainer, const struct task_list *tasks)
{
	struct runner *runner = explainer->runner;
	const struct job_options *options = runner->job->options;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < tasks->count && status == PMPP_OK; i++) {
		size_t number = runner->task++;
		if (number % options->shard_count + 1 != options->shard_index ||
			number < runner->skip)
			continue;
		if (!explainer->opened)
			emit_head(runner, EVENT_PREPARE, &tasks->items[i], (int64_t)number);
		status = open_devices(explainer);
		if (status == PMPP_OK)
			status = run_task(explainer, &tasks->items[i], (int64_t)number);
	}
	return status;
}

/* ---- The job ------------------------------------------------------------------------------- */

enum pmpp_status explain_job(struct runner *runner)
{
	struct explainer explainer = {.runner = runner};
	const struct job *job = runner->job;
	/* The emulator's problem sizes. */
	const struct task_devices devices = {.info = NULL};
	size_t size_count = job->options->sizes.count;
	enum pmpp_status status = find_device(&explainer);

	if (status == PMPP_OK)
		status = find_emulator(&explainer);
	if (status == PMPP_OK)
		status = kernel_dir_check(job->options->kernel_dir, &job->targets,
			BACKEND_BIT(GPU_BACKEND_CUDA_EMU) |
				(explainer.device ? BACKEND_BIT(explainer.device->backend) : 0),
			runner->error);
	for (size_t t = 0; t < job->targets.count && status == PMPP_OK; t++)
		for (size_t s = 0; s < (size_count ? size_count : 1) && status == PMPP_OK; s++) {
			struct task_list tasks = {0};
			status = tasks_add_ladder(
				job, &devices, &job->targets.items[t], s, &tasks, runner->error);
			if (status == PMPP_OK)
				status = run_ladder(&explainer, &tasks);
			task_list_finish(&tasks);
		}
	suite_close(&explainer.tracer);
	suite_close(&explainer.meter);
	inventory_finish(&explainer.emulators);
	return status;
}
