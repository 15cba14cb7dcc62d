#include "host/cli/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/choices.h"
#include "host/results/encode.h"

#define PARITY_TOLERANCE 0.03

struct task {
	struct config config;
	struct problem problem;
	char reason[160]; /* why this point of a sweep cannot be; "" = it can */
	char label[96];
};

struct task_list {
	struct task *items; /* owned */
	size_t count;
};

struct runner {
	const struct job *job;
	const struct event_sink *sink;
	const volatile sig_atomic_t *stop;
	struct pmpp_error *error;
	size_t skip;

	size_t task, group; /* the next ones' numbers */
	struct inventory inventory;
	const struct gpu_device_info *info, *other_info; /* other: parity's CUDA side */
	bool same_device;
	struct suite *suite, *other; /* opened when the first task needs them */
};

/* ---- Events -------------------------------------------------------------------------------- */

/* Takes the event. */
static void emit(struct runner *runner, json_t *event)
{
	if (event)
		runner->sink->emit(runner->sink->context, event);
	json_decref(event);
}

static void emit_note(struct runner *runner, const char *message)
{
	emit(runner, json_pack("{s:s, s:s}", "event", "note", "message", message));
}

static void emit_progress(void *context, const char *text)
{
	emit(context, json_pack("{s:s, s:s}", "event", "progress", "text", text));
}

static void emit_device(struct runner *runner, const struct gpu_device_info *info,
	const struct roofs *roofs, const struct calibration *calibration)
{
	char label[32];

	device_label(info, label, sizeof label);
	emit(runner, json_pack("{s:s, s:s, s:o}", "event", "device", "label", label, "device",
			     encode_device(info, roofs, calibration)));
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
		.flush = options->flush == FLUSH_YES,
		.min_time_ms = options->min_time_ms,
		.min_samples = options->min_samples,
		.max_samples = options->max_samples,
		.progress = emit_progress,
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
	struct roofs roofs;
	struct calibration calibration;
	bool force = runner->job->action == JOB_ROOFLINE;
	char text[800];

	emit_progress(runner, "calibrating the timer, measuring roofs");
	enum pmpp_status status = suite_calibration(suite, &calibration, runner->error);
	if (status == PMPP_OK)
		status = suite_roofs(suite, force, &roofs, runner->error);
	if (status == PMPP_OK) {
		emit_device(runner, info, &roofs, &calibration);
		return PMPP_OK;
	}
	if (force || (status != PMPP_BUILD && status != PMPP_LAUNCH && status != PMPP_UNSUPPORTED))
		return status;
	snprintf(text, sizeof text, "%s: roofs unknown: %s", info->name, runner->error->message);
	pmpp_error_clear(runner->error);
	emit_note(runner, text);
	emit_device(runner, info, NULL, NULL);
	return PMPP_OK;
}

static enum pmpp_status open_suite(struct runner *runner, const struct gpu_device_info *info,
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
		status = open_suite(runner, runner->info, timed, &runner->suite);
	if (status == PMPP_OK && runner->other_info && !runner->other)
		status = open_suite(runner, runner->other_info, timed, &runner->other);
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

/* PMPP_USAGE: the problem does not fit on this device. */
static enum pmpp_status run_variant(struct runner *runner, const struct task *task, size_t number)
{
	struct outcome outcome;
	bool timed = runner->job->action == JOB_RUN;
	enum pmpp_status status = suite_run(runner->suite, &task->config, &task->problem,
		timed ? SUITE_TIME : SUITE_VERIFY, &outcome, runner->error);

	if (status == PMPP_OK)
		emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "result", "task",
				     (json_int_t)number, "label", task->label, "row",
				     encode_outcome(&outcome, runner->info)));
	if (status == PMPP_OK && runner->job->output_path && outcome.status == OUTCOME_OK)
		status = write_output(runner, &task->problem);
	outcome_finish(&outcome);
	return status;
}

static enum pmpp_status run_parity(struct runner *runner, const struct task *task, size_t number)
{
	struct parity_result result;
	enum pmpp_status status = suite_parity(runner->suite, runner->other, &task->config,
		&task->problem, PARITY_TOLERANCE, &result, runner->error);

	if (status == PMPP_OK)
		emit(runner, json_pack("{s:s, s:I, s:s, s:[o,o], s:o}", "event", "parity", "task",
				     (json_int_t)number, "label", task->label, "rows",
				     encode_outcome(&result.a, runner->info),
				     encode_outcome(&result.b, runner->other_info), "parity",
				     encode_parity(&result, runner->info, runner->other_info,
					     runner->same_device)));
	parity_result_finish(&result);
	return status;
}

static void emit_unsupported(struct runner *runner, const struct task *task, size_t number)
{
	json_t *row = encode_row_head(&task->config, &task->problem, runner->info);

	encode_row_ending(row, OUTCOME_UNSUPPORTED, task->reason);
	emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "result", "task",
			     (json_int_t)number, "label", task->label, "row", row));
}

static enum pmpp_status run_task(struct runner *runner, const struct task *task, size_t number)
{
	json_t *row;
	enum pmpp_status status;

	if (*runner->stop)
		return PMPP_FAIL(runner->error, PMPP_INTERRUPTED, "interrupted");
	emit(runner, json_pack("{s:s, s:I, s:s, s:o}", "event", "start", "task", (json_int_t)number,
			     "label", task->label, "row",
			     encode_row_head(&task->config, &task->problem, runner->info)));
	if (*task->reason) {
		emit_unsupported(runner, task, number);
		return PMPP_OK;
	}
	status = runner->other_info ? run_parity(runner, task, number)
				    : run_variant(runner, task, number);
	if (status != PMPP_USAGE)
		return status;
	row = encode_row_head(&task->config, &task->problem, runner->info);
	emit(runner, json_pack("{s:s, s:I, s:o, s:s}", "event", "misfit", "task",
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
	emit(runner,
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

/* Runs the group's tasks from number skip on; takes the list. */
static enum pmpp_status run_group(struct runner *runner, struct task_list *tasks)
{
	const struct cli_options *options = runner->job->options;
	size_t first = runner->task;
	size_t end = first + tasks->count;
	size_t group = runner->group++;
	bool mine = group % options->shard_count + 1 == options->shard_index;
	enum pmpp_status status = PMPP_OK;

	runner->task = end;
	if (!mine || end <= runner->skip || tasks->count == 0)
		goto out;
	status = open_suites(runner);
	if (status != PMPP_OK)
		goto out;
	emit_group(runner, group, tasks);
	for (size_t i = 0; i < tasks->count && status == PMPP_OK; i++) {
		if (first + i < runner->skip)
			continue;
		status = run_task(runner, &tasks->items[i], first + i);
		/* A verification's tasks differ in size: the next may fit. A ladder's do not. */
		if (status == PMPP_USAGE && runner->job->action == JOB_VERIFY)
			status = PMPP_OK;
	}
	if (status == PMPP_USAGE)
		status = PMPP_OK;
out:
	free(tasks->items);
	*tasks = (struct task_list){0};
	return status;
}

static enum pmpp_status add_task(struct runner *runner, struct task_list *tasks,
	const struct tuned_config *point, const struct problem *problem)
{
	const struct variant *variant = point->config.variant;
	const struct tunable_list *tunables = &runner->job->options->tunables;
	struct task *items = realloc(tasks->items, (tasks->count + 1) * sizeof *items);

	if (!items)
		return PMPP_FAIL(runner->error, PMPP_OUT_OF_MEMORY, "no memory for the tasks");
	tasks->items = items;
	struct task *task = &items[tasks->count++];
	*task = (struct task){.config = point->config, .problem = *problem};
	memcpy(task->reason, point->reason, sizeof task->reason);
	size_t used = (size_t)snprintf(task->label, sizeof task->label, "%s", variant->name);
	for (size_t i = 0; variant->macros[i].name; i++)
		for (size_t j = 0; j < tunables->count && used < sizeof task->label; j++)
			if (strcmp(tunables->items[j].name, variant->macros[i].name) == 0)
				used += (size_t)snprintf(task->label + used,
					sizeof task->label - used, " %s=%d",
					variant->macros[i].name, point->config.value[i]);
	return PMPP_OK;
}

/* ---- Problems ------------------------------------------------------------------------------ */

static struct problem new_problem(const struct runner *runner, const struct family *family)
{
	const struct job *job = runner->job;
	struct problem problem = problem_default(family);

	problem.seed = job->options->seed;
	choices_set(job->options, &problem);
	if (job->user_data) {
		problem.data = DATA_USER;
		problem.dtype = job->user_dtype;
	}
	return problem;
}

/* Where two devices take part, the class with the smaller problems. */
static void set_default_size(const struct runner *runner, struct problem *problem)
{
	struct problem other = *problem;

	problem_default_size(problem, suite_device_class(runner->info));
	if (!runner->other_info)
		return;
	problem_default_size(&other, suite_device_class(runner->other_info));
	if (other.dim[0] < problem->dim[0])
		*problem = other;
}

/* The index-th size asked for; the default where none is. */
static enum pmpp_status get_problem(const struct runner *runner, const struct family *family,
	size_t index, struct problem *ret_problem)
{
	const struct size_list *sizes = &runner->job->options->sizes;
	struct problem problem = new_problem(runner, family);
	enum pmpp_status status = PMPP_OK;

	if (runner->job->user_data)
		memcpy(problem.dim, runner->job->user_dim, sizeof problem.dim);
	else if (sizes->count)
		status = size_dims(&sizes->items[index], family, problem.dim, runner->error);
	else
		set_default_size(runner, &problem);
	*ret_problem = problem;
	return status;
}

/* run, parity: the ladder of a target at each size. */
static enum pmpp_status run_ladders(struct runner *runner, const struct target *target)
{
	const struct cli_options *options = runner->job->options;
	size_t size_count = options->sizes.count ? options->sizes.count : 1;
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; s < size_count && status == PMPP_OK; s++) {
		struct task_list tasks = {0};
		struct problem problem;
		status = get_problem(runner, target->family, s, &problem);
		for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
			struct tuned_config *points = NULL;
			size_t count = 0;
			status = tunables_expand(&options->tunables, target->variants[v], &points,
				&count, runner->error);
			for (size_t p = 0; p < count && status == PMPP_OK; p++)
				status = add_task(runner, &tasks, &points[p], &problem);
			free(points);
		}
		if (status == PMPP_OK)
			status = run_group(runner, &tasks);
		free(tasks.items);
	}
	return status;
}

/* The sizes of one choice of type, operation and data: those asked for, or the family's. */
static enum pmpp_status add_checks(struct runner *runner, const struct tuned_config *point,
	const struct problem *like, struct task_list *tasks)
{
	const struct size_list *asked = &runner->job->options->sizes;
	const struct family *family = like->family;
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	enum pmpp_status status = PMPP_OK;
	size_t count = asked->count;

	if (count == 0)
		count = family->check_sizes(
			&point->config, like, suite_work_budget(runner->info, false), sizes);
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		struct problem problem = *like;
		if (asked->count)
			status = size_dims(&asked->items[i], family, problem.dim, runner->error);
		else
			memcpy(problem.dim, sizes[i], sizeof problem.dim);
		if (status == PMPP_OK && (!family->invalid || !family->invalid(&problem)))
			status = add_task(runner, tasks, point, &problem);
	}
	return status;
}

/* verify: one variant at every size to be checked, with every choice. */
static enum pmpp_status verify_point(
	struct runner *runner, const struct family *family, const struct tuned_config *point)
{
	struct problem problem = new_problem(runner, family);
	struct task_list tasks = {0};
	enum pmpp_status status = PMPP_OK;

	if (*point->reason) { /* one row says why */
		set_default_size(runner, &problem);
		status = add_task(runner, &tasks, point, &problem);
	}
	for (size_t c = 0; !*point->reason && c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (status == PMPP_OK && choices_allow(runner->job->options, &problem))
			status = add_checks(runner, point, &problem, &tasks);
	}
	if (status == PMPP_OK)
		status = run_group(runner, &tasks);
	free(tasks.items);
	return status;
}

static enum pmpp_status verify_target(struct runner *runner, const struct target *target)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
		struct tuned_config *points = NULL;
		size_t count = 0;
		status = tunables_expand(&runner->job->options->tunables, target->variants[v],
			&points, &count, runner->error);
		for (size_t p = 0; p < count && status == PMPP_OK; p++)
			status = verify_point(runner, target->family, &points[p]);
		free(points);
	}
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
				 ? verify_target(runner, &targets->items[t])
				 : run_ladders(runner, &targets->items[t]);
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
		emit_note(runner, text);
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
		emit_note(runner, "the two backends have no device in common: results are "
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
	suite_set_environment();
}

enum pmpp_status job_execute(const struct job *job, size_t skip, const struct event_sink *sink,
	const volatile sig_atomic_t *stop, struct pmpp_error *error)
{
	struct runner runner = {
		.job = job, .sink = sink, .stop = stop, .error = error, .skip = skip};
	unsigned backends = 0;
	bool pair = job->action == JOB_PARITY;
	enum pmpp_status status;

	set_environment(job);
	emit_progress(&runner, "looking for devices");
	status = device_query_backends(&job->query, &backends, error);
	if (status == PMPP_OK)
		status = inventory_take(pair ? EVERY_BACKEND : backends, &runner.inventory, error);
	if (status == PMPP_OK)
		status = pair ? run_on_pair(&runner) : run_on_devices(&runner);
	close_suites(&runner);
	inventory_finish(&runner.inventory);
	if (status == PMPP_OK)
		emit(&runner, json_pack("{s:s}", "event", "done"));
	return status;
}
