#include "host/run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/access_model.h"
#include "host/explain/explain.h"
#include "host/run/stop.h"
#include "host/run/targets.h"
#include "host/run/task.h"

/* ---- Devices ------------------------------------------------------------------------------- */

/* An emulator, which traces the kernels of one language. */
struct tracer {
	enum gpu_backend_id backend;
	struct inventory found;
	const struct gpu_device_info *info; /* NULL: `missing` has the reason */
	const char *missing;
	struct suite *suite; /* opened by the first task */
};

/* In the order of the pages of twins. */
enum {
	TRACER_CUDA,
	TRACER_OPENCL,
	TRACER_COUNT
};

static const enum gpu_language tracer_languages[TRACER_COUNT] = {
	[TRACER_CUDA] = GPU_LANGUAGE_CUDA_C,
	[TRACER_OPENCL] = GPU_LANGUAGE_OPENCL_C,
};

struct explainer {
	struct runner *runner;
	struct tracer tracers[TRACER_COUNT];
	size_t preferred; /* the tracer of variants with both kernels, if there is only one page */
	bool named;       /* --backend names an emulator: only that one traces */
	const struct gpu_device_info *device; /* measures; NULL: no_measurement has the reason */
	char no_measurement[200];
	struct suite *meter; /* on the device; opened by the first task */
	bool opened;
};

static size_t other_tracer(size_t index)
{
	return index == TRACER_CUDA ? TRACER_OPENCL : TRACER_CUDA;
}

/* Whether the targets have a variant without a CUDA kernel. */
static bool has_one_sided(const struct target_list *targets)
{
	for (size_t t = 0; t < targets->count; t++)
		for (size_t v = 0; v < targets->items[t].variant_count; v++)
			if (targets->items[t].variants[v]->one_sided)
				return true;
	return false;
}

static enum pmpp_status find_tracer(struct explainer *explainer, size_t index)
{
	struct tracer *tracer = &explainer->tracers[index];
	enum pmpp_status status = inventory_take(
		BACKEND_BIT(tracer->backend), &tracer->found, explainer->runner->error);

	if (status != PMPP_OK)
		return status;
	if (tracer->found.count)
		tracer->info = &tracer->found.devices[0].info;
	else
		tracer->missing = tracer->found.states[tracer->backend].reason;
	return PMPP_OK;
}

/* The preferred emulator has no compiler: the other emulator traces the variants that have both
 * kernels. */
static void prefer_other(struct explainer *explainer)
{
	const struct tracer *tracer = &explainer->tracers[explainer->preferred];
	const struct tracer *other = &explainer->tracers[other_tracer(explainer->preferred)];
	bool opencl = gpu_backend_row(other->backend)->language == GPU_LANGUAGE_OPENCL_C;

	runner_emit_note(
		explainer->runner, "%s: %s", gpu_backend_name(tracer->backend), tracer->missing);
	runner_emit_note(explainer->runner, "%s traces the %s kernels instead",
		gpu_backend_name(other->backend), opencl ? "OpenCL" : "CUDA");
	explainer->preferred = other_tracer(explainer->preferred);
}

/*
 * Whether the emulator that is not preferred traces too. A search for its compiler takes time.
 *
 *   twins                                                       yes: both trace
 *   --backend names the preferred emulator                      no
 *   the preferred emulator has no compiler                      yes: the other one replaces it
 *   CUDA is preferred, and a variant has only an OpenCL kernel  yes: for these variants
 */
static bool needs_other(const struct explainer *explainer)
{
	const struct job *job = explainer->runner->job;

	if (job->options->twins)
		return true;
	if (explainer->named)
		return false;
	return !explainer->tracers[explainer->preferred].info ||
	       (explainer->preferred == TRACER_CUDA && has_one_sided(&job->targets));
}

/* A folder with kernels of one language needs the emulator of this language. */
static void follow_kernel_dir(struct explainer *explainer)
{
	const struct job *job = explainer->runner->job;
	unsigned both = 0;

	for (size_t i = 0; i < TRACER_COUNT; i++)
		both |= BACKEND_BIT(explainer->tracers[i].backend);
	unsigned lacks = kernel_dir_lacks(job->options->suite.kernel_dir, &job->targets, both);
	if (!explainer->named && !explainer->device && !job->options->twins &&
		(lacks & BACKEND_BIT(explainer->tracers[explainer->preferred].backend)))
		explainer->preferred = other_tracer(explainer->preferred);
}

static enum pmpp_status find_tracers(struct explainer *explainer)
{
	bool twins = explainer->runner->job->options->twins;
	struct tracer *tracers = explainer->tracers;

	for (size_t i = 0; i < TRACER_COUNT; i++)
		gpu_backend_emulator(tracer_languages[i], &tracers[i].backend);
	follow_kernel_dir(explainer);
	size_t preferred = explainer->preferred;
	size_t other = other_tracer(preferred);
	enum pmpp_status status = find_tracer(explainer, preferred);

	if (status == PMPP_OK && needs_other(explainer))
		status = find_tracer(explainer, other);
	for (size_t i = 0; i < TRACER_COUNT && status == PMPP_OK && twins; i++)
		if (!tracers[i].info)
			status = PMPP_FAIL(explainer->runner->error, PMPP_UNAVAILABLE,
				"--twins needs both emulators: %s: %s",
				gpu_backend_name(tracers[i].backend), tracers[i].missing);
	if (status == PMPP_OK && !tracers[preferred].info && tracers[other].info)
		prefer_other(explainer);
	return status;
}

/* Whether the OpenCL kernel of a task can be read: --kernel-dir may have CUDA kernels only. */
static bool has_opencl_kernel(const struct explainer *explainer, const struct task *task)
{
	const struct variant *variants[] = {task->config.variant};
	struct target target = {variant_family(variants[0]), variants, 1};
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum pmpp_status status =
		kernel_dir_check(explainer->runner->job->options->suite.kernel_dir,
			&(struct target_list){&target, 1},
			BACKEND_BIT(explainer->tracers[TRACER_OPENCL].backend), &error);

	pmpp_error_clear(&error);
	return status == PMPP_OK;
}

/* The emulator that traces a task, for commands with one page for each variant. */
static struct tracer *tracer_of(struct explainer *explainer, const struct task *task)
{
	bool opencl_only = task->config.variant->one_sided && !explainer->named &&
			   has_opencl_kernel(explainer, task);

	return &explainer->tracers[opencl_only ? TRACER_OPENCL : explainer->preferred];
}

/* The backends whose kernels are read. */
static unsigned traced_backends(const struct explainer *explainer)
{
	unsigned backends = 0;

	for (size_t i = 0; i < TRACER_COUNT; i++)
		if (i == explainer->preferred || explainer->runner->job->options->twins)
			backends |= BACKEND_BIT(explainer->tracers[i].backend);
	return backends;
}

static bool has_cpu(const struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->count; i++)
		if (inventory->devices[i].info.type == GPU_TYPE_CPU)
			return true;
	return false;
}

/* A device that the user named must exist. Without a name, a GPU is used if there is one. The
 * kernel that the device runs is traced; without a device, the CUDA kernel. */
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
		device_select(&query, false, &runner->inventory, &devices, &count, runner->error);
	if (status == PMPP_UNAVAILABLE && !named) {
		pmpp_error_clear(runner->error);
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"no GPU on this machine%s",
			has_cpu(&runner->inventory) ? "; --device=cpu measures on the CPU" : "");
		return PMPP_OK;
	}
	if (status != PMPP_OK)
		return status;
	explainer->preferred = gpu_backend_row(devices[0]->backend)->language == GPU_LANGUAGE_CUDA_C
				       ? TRACER_CUDA
				       : TRACER_OPENCL;
	explainer->named = devices[0]->type == GPU_TYPE_EMULATED;
	if (explainer->named)
		snprintf(explainer->no_measurement, sizeof explainer->no_measurement,
			"%s only traces: its times do not show performance",
			gpu_backend_name(devices[0]->backend));
	else
		explainer->device = devices[0];
	free(devices);
	return PMPP_OK;
}

/* The emulators trace with the lanes, sectors and banks of the measuring GPU. All GPUs of NVIDIA have
 * those of the default model. */
static void choose_model(struct explainer *explainer)
{
	struct runner *runner = explainer->runner;
	const struct gpu_device_info *info = explainer->device;
	const struct access_model *standard = access_model_default(), *model = NULL;

	if (runner->job->model || !info || suite_device_class(info) != DEVICE_CLASS_GPU ||
		strncmp(info->arch, "sm_", 3) == 0)
		return;
	if (info->shape.model)
		model = access_model_find(info->shape.model);
	if (model) {
		int64_t lanes = shape_value_or(&info->shape, SHAPE_LANES, model->lanes);
		const struct access_model *own = access_model_with_lanes(model, (uint32_t)lanes);
		model = own ? own : model; /* the 128 lanes of Adreno are not emulated */
	}
	runner->model = model;
	if (!model)
		runner_emit_note(runner,
			"no access model of %.80s: lanes, sectors and banks are counted for %s; "
			"--model names another GPU",
			info->name, standard->name);
}

static enum pmpp_status open_tracer(struct explainer *explainer, struct tracer *tracer)
{
	if (!tracer->info || tracer->suite)
		return PMPP_OK;
	return runner_open_suite(explainer->runner, tracer->info, false, &tracer->suite);
}

static enum pmpp_status open_devices(struct explainer *explainer)
{
	struct runner *runner = explainer->runner;
	enum pmpp_status status = PMPP_OK;

	if (explainer->opened)
		return PMPP_OK;
	for (size_t i = 0; i < TRACER_COUNT && status == PMPP_OK; i++)
		if (traced_backends(explainer) & BACKEND_BIT(explainer->tracers[i].backend))
			status = open_tracer(explainer, &explainer->tracers[i]);
	if (status == PMPP_OK && explainer->device)
		status = runner_open_suite(runner, explainer->device, true, &explainer->meter);
	explainer->opened = status == PMPP_OK;
	return status;
}

/* ---- Tasks --------------------------------------------------------------------------------- */

/* Whether a file of the task is the user's. */
static bool is_own(const struct runner *runner, const struct task *task)
{
	const char *kernel_dir = runner->job->options->suite.kernel_dir;

	return kernel_file_is_own(task->config.variant, GPU_BACKEND_CUDA, kernel_dir) ||
	       kernel_file_is_own(task->config.variant, GPU_BACKEND_OPENCL, kernel_dir);
}

/* An event with one explanation and its fields known before the variant runs. NULL: no memory. */
static struct explanation_record *add_head(
	const struct runner *runner, struct event *event, const struct task *task)
{
	struct explanation_record *record =
		record_list_add(&explanation_type, &event->explanations);

	if (record)
		explain_fill_head(
			&task->config, &task->problem, task->label, is_own(runner, task), record);
	return record;
}

static void emit_head(
	struct runner *runner, enum event_kind kind, const struct task *task, int64_t number)
{
	char label[240];

	snprintf(label, sizeof label, "%s/%s", task->problem.family->name, task->label);
	struct event event = event_new(kind, number, label);
	add_head(runner, &event, task);
	runner_emit(runner, &event);
}

/* Emits an explanation with an outcome and a reason instead of figures. error: NULL if the reason
 * is not an error. */
static void emit_failure(struct runner *runner, const struct task *task, int64_t number,
	enum outcome_status outcome, const char *reason, const struct pmpp_error *error)
{
	struct event event = event_new(EVENT_EXPLANATION, number, task->label);
	struct explanation_record *record = add_head(runner, &event, task);

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
	struct event misfit = event_new(EVENT_MISFIT, number, task->label);
	add_head(runner, &misfit, task);
	text_set(&misfit.text, error->message);
	error_record_set(&misfit.error, error);
	runner_emit(runner, &misfit);
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* The device's default size, or a smaller one that fits. */
static void choose_measured_size(
	const struct explainer *explainer, const struct task *task, struct problem *measured)
{
	const struct suite *const suites[2] = {explainer->meter};
	char note[FIT_NOTE_BYTES];

	problem_default_size(measured, suite_device_class(explainer->device));
	if (fit_problem(suites, task, 1, measured, note))
		runner_emit_note(explainer->runner, "%s", note);
}

/* Reports notes of the trace that are not defects. */
static void note_findings(
	struct runner *runner, const struct task *task, const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		int line = trace->guess_line;
		if (trace->exit_line)
			runner_emit_note(
				runner, "%s, " TRACE_EXIT_NOTE, task->label, trace->exit_line);
		if (line)
			runner_emit_note(runner,
				"%s, line %d: a plain load of an address that other threads change "
				"by atomic operations. The compare-and-swap after it checks the "
				"value, so it is not a race",
				task->label, line);
	}
}

static enum pmpp_status explain_task(struct explainer *explainer, const struct tracer *tracer,
	const struct task *task, int64_t number)
{
	struct runner *runner = explainer->runner;
	const struct job_options *options = runner->job->options;
	struct problem measured = task->problem;
	struct explanation explanation = {0};
	struct explain_options explain = {.trace = {options->blocks.which, options->blocks.numbers,
						  options->blocks.count, options->step_limit},
		.sm = options->cc ? occupancy_unit_of_cc(options->cc) : NULL,
		.traced = tracer->backend,
		.model = runner->job->model ? runner->job->model : runner->model,
		.no_emulator = tracer->info ? NULL : tracer->missing,
		.no_device = explainer->device ? NULL : explainer->no_measurement,
		.kernel_dir = options->suite.kernel_dir,
		.math = options->suite.math};

	if (explainer->device && options->sizes.count == 0)
		choose_measured_size(explainer, task, &measured);
	enum pmpp_status status = explain_variant(tracer->suite, explainer->meter, &task->config,
		&task->problem, &measured, &explain, &explanation, runner->error);
	struct event event = event_new(EVENT_EXPLANATION, number, task->label);
	if (status == PMPP_OK)
		status = explain_fill(&explanation, &event.explanations, runner->error);
	if (status == PMPP_OK) {
		runner_emit(runner, &event);
		note_findings(runner, task, &explanation);
	}
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
	if (!runner->job->options->twins) {
		struct tracer *tracer = tracer_of(explainer, task);
		status = open_tracer(explainer, tracer);
		return status == PMPP_OK ? explain_task(explainer, tracer, task, number) : status;
	}
	for (size_t i = 0; i < TRACER_COUNT && status == PMPP_OK; i++)
		status = explain_task(explainer, &explainer->tracers[i], task, number);
	return status;
}

static enum pmpp_status run_tasks(struct explainer *explainer, const struct task_list *tasks)
{
	struct runner *runner = explainer->runner;
	const struct job_options *options = runner->job->options;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = runner->progress->skip; i < tasks->count && status == PMPP_OK; i++) {
		if (i % options->shard_count + 1 != options->shard_index)
			continue;
		if (!explainer->opened)
			emit_head(runner, EVENT_PREPARE, &tasks->items[i], (int64_t)i);
		status = open_devices(explainer);
		if (status == PMPP_OK)
			status = run_task(explainer, &tasks->items[i], (int64_t)i);
	}
	return status;
}

/* ---- The job ------------------------------------------------------------------------------- */

enum pmpp_status explain_job(struct runner *runner)
{
	const struct job *job = runner->job;
	struct explainer explainer = {.runner = runner};
	struct task_devices devices = {.info = NULL}; /* the emulator's problem sizes */
	struct task_list tasks = {0};
	enum pmpp_status status = find_device(&explainer);

	if (status == PMPP_OK)
		choose_model(&explainer);
	if (status == PMPP_OK)
		status = find_tracers(&explainer);
	if (status == PMPP_OK)
		status = kernel_dir_check(job->options->suite.kernel_dir, &job->targets,
			traced_backends(&explainer) |
				(explainer.device ? BACKEND_BIT(explainer.device->backend) : 0),
			runner->error);
	devices.shape = suite_kernel_shape(explainer.device, job->model);
	if (status == PMPP_OK)
		status = tasks_add(job, &devices, &tasks, runner->error);
	if (status == PMPP_OK)
		status = run_tasks(&explainer, &tasks);
	task_list_finish(&tasks);
	for (size_t i = 0; i < TRACER_COUNT; i++) {
		suite_close(&explainer.tracers[i].suite);
		inventory_finish(&explainer.tracers[i].found);
	}
	suite_close(&explainer.meter);
	return status;
}
