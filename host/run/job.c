#include "host/run/job_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/results/encode.h"

/* ---- Events -------------------------------------------------------------------------------- */

void job_emit(struct runner *runner, json_t *event)
{
	if (event)
		runner->sink->emit(runner->sink->context, event);
	json_decref(event);
}

void job_emit_note(struct runner *runner, const char *message)
{
	job_emit(runner, json_pack("{s:s, s:s}", "event", "note", "message", message));
}

void job_emit_progress(void *context, const char *text)
{
	job_emit(context, json_pack("{s:s, s:s}", "event", "progress", "text", text));
}

static void emit_device(struct runner *runner, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	char label[32];

	device_label(info, label, sizeof label);
	job_emit(runner, json_pack("{s:s, s:s, s:o}", "event", "device", "label", label, "device",
				 encode_device(info, roofs, timer)));
}

/* ---- Devices ------------------------------------------------------------------------------- */

static struct suite_options suite_options_of(struct runner *runner)
{
	const struct job *job = runner->job;
	const struct cli_options *options = job->options;
	struct suite_options suite = {
		.math = options->math,
		.kernel_dir = options->kernel_dir,
		.traced = job->action == JOB_VERIFY,
		.unguarded = job->oclgrind != NULL,
		.flush = options->flush == FLUSH_YES,
		.min_time_ms = options->min_time_ms,
		.min_samples = options->min_samples,
		.max_samples = options->max_samples,
		.progress = job_emit_progress,
		.progress_context = runner,
	};

	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		suite.user_inputs[i] = job->inputs[i].data;
	return suite;
}

/* Roofs and timer of a device on which something is timed. A device that cannot run the suite's own
 * kernels may still verify: that is a note. */
static enum pmpp_status tell_timed_device(
	struct runner *runner, struct suite *suite, const struct gpu_device_info *info)
{
	const struct roofs_record *roofs = NULL;
	const struct timer_record *timer = NULL;
	bool force = runner->job->action == JOB_ROOFLINE;
	char text[800];

	job_emit_progress(runner, "calibrating the timer, measuring roofs");
	enum pmpp_status status = suite_calibration(suite, &timer, runner->error);
	if (status == PMPP_OK)
		status = suite_roofs(suite, force, &roofs, runner->error);
	if (status == PMPP_OK) {
		emit_device(runner, info, roofs, timer);
		return PMPP_OK;
	}
	if (force || (status != PMPP_BUILD && status != PMPP_LAUNCH && status != PMPP_UNSUPPORTED))
		return status;
	snprintf(text, sizeof text, "%s: roofs unknown: %s", info->name, runner->error->message);
	pmpp_error_clear(runner->error);
	job_emit_note(runner, text);
	emit_device(runner, info, NULL, NULL);
	return PMPP_OK;
}

enum pmpp_status job_open_suite(struct runner *runner, const struct gpu_device_info *info,
	bool timed, struct suite **ret_suite)
{
	struct suite_options options = suite_options_of(runner);
	enum pmpp_status status = suite_open(info, &options, ret_suite, runner->error);

	if (status != PMPP_OK)
		return status;
	if (timed && info->type != GPU_TYPE_EMULATED)
		return tell_timed_device(runner, *ret_suite, info);
	emit_device(runner, info, NULL, NULL);
	return PMPP_OK;
}

static enum pmpp_status open_suites(struct runner *runner)
{
	enum job_action action = runner->job->action;
	bool timed = action == JOB_RUN || action == JOB_ROOFLINE || runner->same_device;
	enum pmpp_status status = PMPP_OK;

	if (!runner->suite)
		status = job_open_suite(runner, runner->info, timed, &runner->suite);
	if (status == PMPP_OK && runner->other_info && !runner->other)
		status = job_open_suite(runner, runner->other_info, timed, &runner->other);
	return status;
}

static void close_suites(struct runner *runner)
{
	suite_close(&runner->suite);
	suite_close(&runner->other);
}

/* ---- Tasks --------------------------------------------------------------------------------- */

static enum pmpp_status write_output(struct runner *runner, const struct problem *problem)
{
	const struct family *family = problem->family;
	const struct operand *operand = &family->operands[family->operand_count - 1];
	int64_t extent[2];
	int64_t shape[2];
	int rank = 0;
	const void *data = suite_output(runner->suite, &extent[0], &extent[1]);

	if (!data)
		return PMPP_OK;
	/* An extent that is no dimension is written only where it is more than 1. */
	if (operand->rows_dim != DIM_ONE || extent[0] > 1)
		shape[rank++] = extent[0];
	if (operand->columns_dim != DIM_ONE || extent[1] > 1)
		shape[rank++] = extent[1];
	return npy_write(runner->job->output_path, operand_dtype(operand, problem), data, rank,
		shape, runner->error);
}

/* PMPP_TOO_LARGE: the problem does not fit on this device. */
static enum pmpp_status run_variant(struct runner *runner, const struct task *task, size_t number)
{
	struct outcome outcome;
	bool timed = runner->job->action == JOB_RUN;
	const struct oclgrind *oclgrind = runner->job->oclgrind;
	enum pmpp_status status = suite_run(runner->suite, &task->config, &task->problem,
		timed ? SUITE_TIME : SUITE_VERIFY, &outcome, runner->error);

	bool reported = status == PMPP_OK && oclgrind && oclgrind_judge(oclgrind, &outcome);
	if (status == PMPP_OK)
		job_emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "result", "task",
					 (json_int_t)number, "label", task->label, "row",
					 encode_record(&result_row_type, &outcome.row)));
	if (status == PMPP_OK && runner->job->output_path && outcome.row.status == OUTCOME_OK)
		status = write_output(runner, &task->problem);
	outcome_finish(&outcome);
	/* Its reports are limited by a count that goes on as long as the process. */
	if (status == PMPP_OK && reported)
		return PMPP_FAIL(runner->error, PMPP_UNAVAILABLE, "Oclgrind needs a new process");
	return status;
}

static enum pmpp_status run_parity(struct runner *runner, const struct task *task, size_t number)
{
	struct parity_result result;
	enum pmpp_status status = suite_parity(runner->suite, runner->other, &task->config,
		&task->problem, PARITY_TOLERANCE, &result, runner->error);

	if (status == PMPP_OK)
		job_emit(runner, json_pack("{s:s, s:I, s:s, s:[o,o], s:o}", "event", "parity",
					 "task", (json_int_t)number, "label", task->label, "rows",
					 encode_record(&result_row_type, &result.a.row),
					 encode_record(&result_row_type, &result.b.row), "parity",
					 encode_record(&parity_row_type, &result.row)));
	parity_result_finish(&result);
	return status;
}

static void emit_unsupported(struct runner *runner, const struct task *task, size_t number)
{
	json_t *row = encode_row_head(&task->config, &task->problem, runner->info);

	encode_row_ending(row, OUTCOME_UNSUPPORTED, task->reason);
	job_emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "result", "task",
				 (json_int_t)number, "label", task->label, "row", row));
}

static enum pmpp_status run_task(struct runner *runner, const struct task *task, size_t number)
{
	json_t *row;
	enum pmpp_status status;

	if (*runner->stop)
		return PMPP_FAIL(runner->error, PMPP_INTERRUPTED, "interrupted");
	job_emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "start", "task",
				 (json_int_t)number, "label", task->label, "row",
				 encode_row_head(&task->config, &task->problem, runner->info)));
	if (*task->reason) {
		emit_unsupported(runner, task, number);
		return PMPP_OK;
	}
	status = runner->other_info ? run_parity(runner, task, number)
				    : run_variant(runner, task, number);
	if (status != PMPP_TOO_LARGE)
		return status;
	row = encode_row_head(&task->config, &task->problem, runner->info);
	job_emit(
		runner, json_pack("{s:s, s:I, s:o, s:s}", "event", "misfit", "task",
				(json_int_t)number, "row", row, "message", runner->error->message));
	return status;
}

/* ---- Groups -------------------------------------------------------------------------------- */

static const char *const action_names[] = {[JOB_RUN] = "run",
	[JOB_VERIFY] = "verify",
	[JOB_PARITY] = "parity",
	[JOB_ROOFLINE] = "roofline"};

/* Operations a byte up to which a table shows GB/s: every device has the arithmetic for so few. */
#define BANDWIDTH_INTENSITY 4

/* Whether memory is what a family is about, at the size it is meant for. */
static bool is_bandwidth_family(const struct family *family)
{
	struct problem problem = problem_default(family);

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	return family->flops(&problem) < BANDWIDTH_INTENSITY * problem_bytes_compulsory(&problem);
}

static void emit_group(struct runner *runner, size_t number, const struct task_list *tasks)
{
	const struct task *first = &tasks->items[0];
	const struct family *family = first->problem.family;
	const struct problem *problem = &first->problem;
	json_t *rows = json_array();
	char label[32];
	char other[32] = "";
	char text[96];
	char choices[48];

	device_label(runner->info, label, sizeof label);
	problem_choices_text(problem, choices, sizeof choices);
	if (runner->other_info)
		device_label(runner->other_info, other, sizeof other);
	problem_text(problem, text, sizeof text);
	for (size_t i = 0; i < tasks->count; i++)
		json_array_append_new(
			rows, json_pack("{s:s, s:s}", "label", tasks->items[i].label, "technique",
				      tasks->items[i].config.variant->technique));
	job_emit(runner,
		json_pack(
			"{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:b, s:o}",
			"event", "group", "group", (json_int_t)number, "action",
			action_names[runner->job->action], "family", family->name, "title",
			family->title, "problem", text, "device", label, "device_name",
			runner->info->name, "driver", runner->info->driver, "other", other,
			"choices", choices, "metric",
			is_bandwidth_family(family) ? "gbps" : "gflops", "metric_name",
			family->metric.name, "gpu", runner->info->type == GPU_TYPE_GPU, "rows",
			rows));
}

enum pmpp_status job_run_group(struct runner *runner, struct task_list *tasks)
{
	const struct cli_options *options = runner->job->options;
	size_t first = runner->task;
	size_t end = first + tasks->count;
	size_t group = runner->group++;
	bool mine = group % options->shard_count + 1 == options->shard_index;
	char note[300];
	enum pmpp_status status = PMPP_OK;

	runner->task = end;
	if (!mine || end <= runner->skip || tasks->count == 0)
		goto out;
	if (runner->job->oclgrind) {
		close_suites(runner);
		oclgrind_set_checks(tasks->items[0].config.variant, note, sizeof note);
		if (*note)
			job_emit_note(runner, note);
	}
	status = open_suites(runner);
	if (status != PMPP_OK)
		goto out;
	emit_group(runner, group, tasks);
	for (size_t i = 0; i < tasks->count && status == PMPP_OK; i++) {
		if (first + i < runner->skip)
			continue;
		status = run_task(runner, &tasks->items[i], first + i);
		/* A verification's tasks differ in size: the next may fit. A ladder's do not. */
		if (status == PMPP_TOO_LARGE && runner->job->action == JOB_VERIFY)
			status = PMPP_OK;
	}
	if (status == PMPP_TOO_LARGE)
		status = PMPP_OK;
out:
	free(tasks->items);
	*tasks = (struct task_list){0};
	return status;
}

/* ---- Jobs ---------------------------------------------------------------------------------- */

static enum pmpp_status run_targets(struct runner *runner)
{
	const struct target_list *targets = &runner->job->targets;
	enum pmpp_status status = PMPP_OK;

	if (runner->job->action == JOB_ROOFLINE)
		status = open_suites(runner);
	for (size_t t = 0; t < targets->count && status == PMPP_OK; t++)
		status = runner->job->action == JOB_VERIFY
				 ? job_verify_target(runner, &targets->items[t])
				 : job_run_ladders(runner, &targets->items[t]);
	close_suites(runner);
	return status;
}

/* What was left out without having been named. */
static void note_absent(struct runner *runner)
{
	const struct device_query *query = &runner->job->query;
	bool all = query->backend && strcmp(query->backend, "all") == 0;
	char text[400];

	if (!all && (query->backend || query->device || query->rule != DEVICE_RULE_EACH_BACKEND))
		return;
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		const struct gpu_backend_state *state = &runner->inventory.states[i];
		if (!(runner->inventory.looked & BACKEND_BIT(i)) || state->usable)
			continue;
		snprintf(text, sizeof text, "%s is left out: %s",
			gpu_backend_name((enum gpu_backend_id)i), state->reason);
		job_emit_note(runner, text);
	}
}

static enum pmpp_status run_on_devices(struct runner *runner)
{
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;
	enum pmpp_status status = device_select(
		&runner->job->query, &runner->inventory, &devices, &count, runner->error);

	if (status == PMPP_OK)
		note_absent(runner);
	if (runner->job->oclgrind && (status == PMPP_OK || status == PMPP_UNAVAILABLE))
		status = oclgrind_check_device(
			runner->job->oclgrind, count ? devices[0] : NULL, runner->error);
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		runner->info = devices[i];
		status = run_targets(runner);
	}
	free(devices);
	return status;
}

static enum pmpp_status run_on_pair(struct runner *runner)
{
	struct device_pair pair;
	enum pmpp_status status =
		device_select_pair(&runner->job->query, &runner->inventory, &pair, runner->error);

	if (status != PMPP_OK)
		return status;
	runner->info = pair.opencl;
	runner->other_info = pair.cuda;
	runner->same_device = pair.same;
	if (!pair.same)
		job_emit_note(runner, "the two backends have no device in common: results are "
				      "compared, times are not");
	return run_targets(runner);
}

/* Before the first driver call: PoCL reads these when its devices are made. */
static void set_environment(const struct job *job)
{
	if (job->options->shard_count > 1) {
		setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
		setenv("POCL_AFFINITY", "0", 0);
	}
	if (job->oclgrind)
		oclgrind_set_environment(job->oclgrind, job->options->shard_count > 1);
	suite_set_environment();
}

static enum pmpp_status (*const run_where[])(struct runner *runner) = {
	[JOB_RUN] = run_on_devices,
	[JOB_VERIFY] = run_on_devices,
	[JOB_PARITY] = run_on_pair,
	[JOB_ROOFLINE] = run_on_devices,
	[JOB_EXPLAIN] = job_explain,
};

enum pmpp_status job_execute(const struct job *job, size_t skip, const struct event_sink *sink,
	const volatile sig_atomic_t *stop, struct pmpp_error *error)
{
	struct runner runner = {
		.job = job, .sink = sink, .stop = stop, .error = error, .skip = skip};
	unsigned backends = 0;
	enum pmpp_status status;

	set_environment(job);
	job_emit_progress(&runner, "looking for devices");
	status = device_query_backends(&job->query, &backends, error);
	if (job->action == JOB_PARITY) /* --backend names one side of it */
		backends = EVERY_BACKEND;
	if (status == PMPP_OK)
		status = inventory_take(backends, &runner.inventory, error);
	if (status == PMPP_OK)
		status = run_where[job->action](&runner);
	close_suites(&runner);
	inventory_finish(&runner.inventory);
	if (status == PMPP_OK)
		job_emit(&runner, json_pack("{s:s}", "event", "done"));
	return status;
}
