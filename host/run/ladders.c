#include "host/run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/run/stop.h"
#include "host/run/targets.h"
#include "host/run/task.h"
#include "host/suite/device.h"
#include "host/suite/kernel_file.h"
#include "host/suite/outcome.h"
#include "host/suite/suite.h"

/* A device of the job, opened when the first task needs it. */
struct place {
	const struct gpu_device_info *info; /* NULL: there is no such device */
	struct suite *suite;
};

struct ladders {
	struct runner *runner;
	struct place device[2]; /* the second one: parity's CUDA side */
	bool same_device;       /* both are one physical device */
	bool others;            /* the job has other devices */
	bool passed;            /* the device is skipped: its tasks are counted, but not run */
	bool counting;          /* all tasks are only counted */
};

static enum pmpp_status open_places(struct ladders *ladders)
{
	struct runner *runner = ladders->runner;
	enum job_action action = runner->job->action;
	bool timed = action == JOB_RUN || action == JOB_ROOFLINE || ladders->same_device;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++)
		if (ladders->device[i].info && !ladders->device[i].suite)
			status = runner_open_suite(
				runner, ladders->device[i].info, timed, &ladders->device[i].suite);
	return status;
}

static void close_places(struct ladders *ladders)
{
	for (size_t i = 0; i < 2; i++)
		suite_close(&ladders->device[i].suite);
}

/* ---- Tasks --------------------------------------------------------------------------------- */

static enum pmpp_status write_output(struct ladders *ladders, const struct problem *problem)
{
	const struct family *family = problem->family;
	const struct operand *operand = &family->operands[family->operand_count - 1];
	int64_t extent[2];
	int64_t shape[2];
	int rank = 0;
	const void *data = suite_output(ladders->device[0].suite, &extent[0], &extent[1]);

	if (!data)
		return PMPP_OK;
	/* An extent without a dimension is printed only if it is larger than 1. */
	if (operand->rows_dim != DIM_ONE || extent[0] > 1)
		shape[rank++] = extent[0];
	if (operand->columns_dim != DIM_ONE || extent[1] > 1)
		shape[rank++] = extent[1];
	return npy_write(ladders->runner->job->output_path, operand_dtype(operand, problem), data,
		rank, shape, ladders->runner->error);
}

static enum pmpp_status run_variant(
	struct ladders *ladders, const struct task *task, int64_t number)
{
	struct runner *runner = ladders->runner;
	const struct job *job = runner->job;
	struct outcome outcome;
	bool timed = job->action == JOB_RUN;
	enum pmpp_status status = suite_run(ladders->device[0].suite, &task->config, &task->problem,
		timed ? SUITE_TIME : SUITE_VERIFY, &outcome, runner->error);
	bool reported = status == PMPP_OK && job->engine->judge &&
			job->engine->judge(job->engine_state, &outcome);
	bool ok = outcome.row.status == OUTCOME_OK;

	if (status == PMPP_OK) {
		struct event event = event_new(EVENT_RESULT, number, task->label);
		record_move(&result_row_type, &outcome.row, &event.row);
		/* Before the event: a row on the screen always has its output file. The output of a
		 * peer is not that of the variant. */
		if (job->output_path && ok && task->config.variant->peer == PEER_NONE)
			status = write_output(ladders, &task->problem);
		runner_emit(runner, &event);
	}
	outcome_finish(&outcome);
	if (status == PMPP_OK && reported && job->engine->renews)
		return PMPP_FAIL(runner->error, PMPP_UNAVAILABLE, "%s needs a new process",
			job->engine->name);
	return status;
}

static enum pmpp_status run_parity(struct ladders *ladders, const struct task *task, int64_t number)
{
	struct runner *runner = ladders->runner;
	struct parity_result result;
	struct event event = event_new(EVENT_PARITY, number, task->label);
	struct outcome *const sides[] = {&result.a, &result.b};
	enum pmpp_status status =
		suite_parity(ladders->device[0].suite, ladders->device[1].suite, &task->config,
			&task->problem, runner->job->options->tolerance, &result, runner->error);

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++) {
		struct result_row *row = record_list_add(&result_row_type, &event.rows);
		if (row)
			record_move(&result_row_type, &sides[i]->row, row);
		else
			status = PMPP_FAIL(
				runner->error, PMPP_OUT_OF_MEMORY, "no memory for the results");
	}
	if (status == PMPP_OK) {
		record_move(&parity_row_type, &result.row, &event.parity);
		runner_emit(runner, &event);
	}
	record_finish(&event_type, &event);
	parity_result_finish(&result);
	return status;
}

/* An event with the fields of the row that are known before the variant runs, an outcome and a
 * reason. */
static struct event row_event(const struct ladders *ladders, enum event_kind kind,
	const struct task *task, int64_t number, enum outcome_status outcome, const char *reason)
{
	struct event event = event_new(kind, number, task->label);

	fill_row_head(&task->config, &task->problem, ladders->device[0].info,
		ladders->runner->job->options->suite.kernel_dir, &event.row);
	result_row_end(&event.row, outcome, reason);
	return event;
}

/* Reports the row of a task for which memory ran out outside of the suite. */
static void lose_task(struct ladders *ladders, const struct task *task, int64_t number,
	const struct pmpp_error *error)
{
	struct event event = row_event(
		ladders, EVENT_RESULT, task, number, OUTCOME_LAUNCH_ERROR, error->message);

	error_record_set(&event.row.error, error);
	runner_emit(ladders->runner, &event);
}

/* position: number of the task in this process's share of the job, from 1 */
static enum pmpp_status run_task(
	struct ladders *ladders, const struct task *task, int64_t number, size_t position)
{
	struct runner *runner = ladders->runner;
	char needs[SUITE_MEMORY_BYTES];
	enum pmpp_status status = stop_check(runner->error);

	if (status != PMPP_OK)
		return status;
	struct event start =
		row_event(ladders, EVENT_START, task, number, OUTCOME_UNVERIFIED, NULL);
	suite_memory_text(ladders->device[0].suite, &task->config, &task->problem, needs);
	text_set(&start.text, needs);
	start.fenced = suite_is_fenced(ladders->device[0].suite);
	start.position = runner->total ? (int64_t)position : 0;
	start.total = (int64_t)runner->total;
	runner_emit(runner, &start);
	if (*task->reason) {
		struct event event = row_event(
			ladders, EVENT_RESULT, task, number, OUTCOME_UNSUPPORTED, task->reason);
		runner_emit(runner, &event);
		return PMPP_OK;
	}
	status = ladders->device[1].info ? run_parity(ladders, task, number)
					 : run_variant(ladders, task, number);
	if (status != PMPP_OUT_OF_MEMORY)
		return status;
	lose_task(ladders, task, number, runner->error);
	pmpp_error_clear(runner->error);
	return PMPP_OK;
}

/* ---- Groups -------------------------------------------------------------------------------- */

static const enum group_action group_actions[] = {
	[JOB_RUN] = GROUP_RUN,
	[JOB_VERIFY] = GROUP_VERIFY,
	[JOB_PARITY] = GROUP_PARITY,
};

static const char *technique_of(const struct ladders *ladders, const struct variant *variant)
{
	const char *kernel_dir = ladders->runner->job->options->suite.kernel_dir;

	return kernel_file_is_own(variant, ladders->device[0].info->backend, kernel_dir)
		       ? OWN_KERNEL_TECHNIQUE
		       : variant->technique;
}

static void emit_group(struct ladders *ladders, size_t number, const struct task_list *tasks)
{
	const struct gpu_device_info *info = ladders->device[0].info;
	const struct problem *problem = &tasks->items[0].problem;
	struct event event = event_new(EVENT_GROUP, -1, NULL);
	struct group_record *group = &event.group;
	char text[96];

	group->record.present = true;
	group->number = (int64_t)number;
	group->action = group_actions[ladders->runner->job->action];
	group->gpu = info->type == GPU_TYPE_GPU;
	group->peers = tasks->items[0].config.variant->peer != PEER_NONE;
	text_set(&group->family, problem->family->name);
	problem_text(problem, text, sizeof text);
	text_set(&group->problem, text);
	problem_choices_text(problem, text, sizeof text);
	text_set(&group->choices, text);
	device_label(info, text, sizeof text);
	text_set(&group->device, text);
	text_set(&group->device_name, info->name);
	text_set_known(&group->platform, info->platform);
	text_set(&group->driver, info->driver);
	if (ladders->device[1].info) {
		device_label(ladders->device[1].info, text, sizeof text);
		text_format(&group->other, "%s %s", text, ladders->device[1].info->name);
		group->results_only = !ladders->same_device;
	}
	for (size_t i = 0; i < tasks->count; i++) {
		struct group_row *row = record_list_add(&group_row_type, &group->rows);
		if (!row)
			break; /* the table's columns are then narrower */
		text_set(&row->label, tasks->items[i].label);
		text_set(&row->technique, technique_of(ladders, tasks->items[i].config.variant));
	}
	runner_emit(ladders->runner, &event);
}

/* Notes that --peers added no peer: no library suits the device and the precision of the variants. */
static void note_no_peers(struct ladders *ladders, const struct task_list *tasks)
{
	const struct variant *first = tasks->items[0].config.variant;
	char device[96];

	if (!ladders->runner->job->options->peers || first->peer != PEER_NONE ||
		tasks->items[0].problem.family->peer_count == 0)
		return;
	device_label(ladders->device[0].info, device, sizeof device);
	runner_emit_note(ladders->runner,
		"--peers: no library can be compared with these variants on %s", device);
}

static enum pmpp_status begin_group(struct ladders *ladders, const struct task_list *tasks)
{
	const struct job *job = ladders->runner->job;
	char note[300] = "";

	if (job->engine->reopens)
		close_places(ladders);
	if (job->engine->begin_group)
		job->engine->begin_group(
			job->engine_state, tasks->items[0].config.variant, note, sizeof note);
	if (*note)
		runner_emit_note(ladders->runner, "%s", note);
	note_no_peers(ladders, tasks);
	return open_places(ladders);
}

/* Reduces default sizes only; sizes from the user never change. The tasks of a ladder have one
 * size. Returns true if a size changed. */
static bool fit_tasks(struct ladders *ladders, struct task_list *tasks)
{
	struct runner *runner = ladders->runner;
	const struct job *job = runner->job;
	const struct suite *const suites[] = {ladders->device[0].suite, ladders->device[1].suite};
	bool single = job->action == JOB_VERIFY;
	bool changed = false;

	if (job->options->sizes.count || job->options->like || job->inputs.given)
		return false;
	for (size_t i = 0; i < (single ? tasks->count : 1); i++) {
		struct task *task = &tasks->items[i];
		char note[FIT_NOTE_BYTES];
		if (!fit_problem(suites, task, single ? 1 : tasks->count, &task->problem, note))
			continue;
		runner_emit_note(runner, "%s", note);
		changed = true;
	}
	for (size_t i = 1; !single && i < tasks->count; i++)
		tasks->items[i].problem = tasks->items[0].problem;
	return changed;
}

/* Whether the job continues with its other devices after one could not be opened. */
static bool can_lose_device(const struct ladders *ladders, enum pmpp_status status)
{
	return ladders->others && status != PMPP_OK && status != PMPP_INTERRUPTED &&
	       status != PMPP_USAGE;
}

/* If a device cannot be opened, the rows of its group are lost. The next group may have another
 * device. */
static void lose_group(struct ladders *ladders, const struct task_list *tasks, size_t next)
{
	struct runner *runner = ladders->runner;
	size_t first = runner->task - tasks->count;

	close_places(ladders);
	for (size_t i = next; i < tasks->count; i++)
		lose_task(ladders, &tasks->items[i], (int64_t)(first + i), runner->error);
	pmpp_error_clear(runner->error);
}

/* The variants of the group are timed in turn with the peers that an earlier process has timed. */
static void resume_peers(struct ladders *ladders, const struct task_list *tasks, size_t first)
{
	const struct job_progress *progress = ladders->runner->progress;

	for (size_t i = 0; i < progress->peer_count; i++) {
		size_t number = progress->peers[i];
		if (number >= first && number < first + tasks->count)
			suite_resume_peer(ladders->device[0].suite,
				&tasks->items[number - first].config,
				&tasks->items[number - first].problem);
	}
}

/* Runs the group's tasks that are not done yet. */
static enum pmpp_status run_group(struct ladders *ladders, struct task_list *tasks)
{
	struct runner *runner = ladders->runner;
	const struct job_options *options = runner->job->options;
	size_t first = runner->task;
	size_t end = first + tasks->count;
	size_t group = runner->group++;
	size_t skip = runner->progress->skip;
	bool mine = group % options->shard_count + 1 == options->shard_index;

	size_t position = runner->position;
	runner->task = end;
	runner->position += mine ? tasks->count : 0;
	if (ladders->counting || !mine || end <= skip || tasks->count == 0 || ladders->passed)
		return PMPP_OK;
	size_t next = skip > first ? skip - first : 0;
	emit_group(ladders, group, tasks);
	struct event prepare = row_event(ladders, EVENT_PREPARE, &tasks->items[next],
		(int64_t)(first + next), OUTCOME_UNVERIFIED, NULL);
	runner_emit(runner, &prepare);
	enum pmpp_status status = begin_group(ladders, tasks);
	if (status == PMPP_OUT_OF_MEMORY || can_lose_device(ladders, status)) {
		lose_group(ladders, tasks, next);
		return PMPP_OK;
	}
	if (status == PMPP_OK && fit_tasks(ladders, tasks))
		emit_group(ladders, group, tasks);
	if (status == PMPP_OK)
		resume_peers(ladders, tasks, first);
	for (size_t i = next; i < tasks->count && status == PMPP_OK; i++)
		status =
			run_task(ladders, &tasks->items[i], (int64_t)(first + i), position + i + 1);
	return status;
}

/* ---- Targets ------------------------------------------------------------------------------- */

/* Both sides of parity have one config: that of the first device. */
static struct task_devices task_devices(const struct ladders *ladders)
{
	const struct gpu_device_info *info = ladders->device[0].info;

	return (struct task_devices){info, ladders->device[1].info,
		suite_kernel_shape(info, ladders->runner->job->model)};
}

/* The ladder of a target at each size. */
static enum pmpp_status run_target(struct ladders *ladders, const struct target *target)
{
	struct runner *runner = ladders->runner;
	const struct task_devices devices = task_devices(ladders);
	size_t count = tasks_problem_count(runner->job, target->family);
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; s < count && status == PMPP_OK; s++) {
		struct task_list tasks = {0};
		status = tasks_add_ladder(runner->job, &devices, target, s, &tasks, runner->error);
		if (status == PMPP_OK)
			status = run_group(ladders, &tasks);
		task_list_finish(&tasks);
	}
	return status;
}

/* Each variant of a target at each of its check sizes. */
static enum pmpp_status verify_target(struct ladders *ladders, const struct target *target)
{
	struct runner *runner = ladders->runner;
	const struct task_devices devices = task_devices(ladders);
	enum pmpp_status status = PMPP_OK;

	for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
		struct tuned_config *points = NULL;
		size_t count = 0;
		status = tunables_expand(&runner->job->options->tunables, target->variants[v],
			&devices.shape, &points, &count, runner->error);
		for (size_t p = 0; p < count && status == PMPP_OK; p++) {
			struct task_list tasks = {0};
			status = tasks_add_checks(runner->job, &devices, target->family, &points[p],
				&tasks, runner->error);
			if (status == PMPP_OK)
				status = run_group(ladders, &tasks);
			task_list_finish(&tasks);
		}
		free(points);
	}
	return status;
}

/* `roofline` has no tasks: a device is measured when it is opened. */
static enum pmpp_status measure_roofs(struct ladders *ladders)
{
	struct runner *runner = ladders->runner;
	enum pmpp_status status = ladders->passed ? PMPP_OK : open_places(ladders);

	if (!can_lose_device(ladders, status))
		return status;
	runner_emit_lost(runner, ladders->device[0].info, runner->error->message);
	pmpp_error_clear(runner->error);
	return PMPP_OK;
}

static enum pmpp_status run_targets(struct ladders *ladders)
{
	const struct job *job = ladders->runner->job;
	enum pmpp_status status = PMPP_OK;

	if (job->action == JOB_ROOFLINE)
		status = measure_roofs(ladders);
	for (size_t t = 0; t < job->targets.count && status == PMPP_OK; t++)
		status = job->action == JOB_VERIFY ? verify_target(ladders, &job->targets.items[t])
						   : run_target(ladders, &job->targets.items[t]);
	close_places(ladders);
	return status;
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* Notes for unavailable backends that the user did not name. */
static void note_unavailable(struct runner *runner)
{
	const struct device_query *query = &runner->job->query;
	bool all = query->backend && strcmp(query->backend, "all") == 0;

	if (!all && (query->backend || query->device || query->rule != DEVICE_RULE_EACH_BACKEND))
		return;
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		const struct gpu_backend_state *state = &runner->inventory.states[i];
		if ((runner->inventory.looked & BACKEND_BIT(i)) && !state->usable)
			runner_emit_note(runner, "%s is skipped: %s",
				gpu_backend_name((enum gpu_backend_id)i), state->reason);
	}
}

/* Only an emulator has an access model of the user's choice. */
static enum pmpp_status check_model(const struct job *job,
	const struct gpu_device_info *const *devices, size_t count, struct pmpp_error *error)
{
	char name[GPU_TEXT_BYTES];

	for (size_t i = 0; job->model && i < count; i++)
		if (devices[i]->type != GPU_TYPE_EMULATED)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--width and --model are for emulated devices, and %s is not emulated: "
				"add --backend=cuda-emu or --backend=opencl-emu",
				gpu_device_text(devices[i], name));
	return PMPP_OK;
}

/* Runs the targets on each device, or pair of devices. First counts the tasks, for the progress line. */
static enum pmpp_status run_all(struct runner *runner, struct ladders *all, size_t count)
{
	const struct job *job = runner->job;
	unsigned backends = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t d = 0; d < 2; d++)
			if (all[i].device[d].info)
				backends |= BACKEND_BIT(all[i].device[d].info->backend);
	enum pmpp_status status = kernel_dir_check(
		job->options->suite.kernel_dir, &job->targets, backends, runner->error);

	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		struct ladders counted = all[i];
		counted.counting = true;
		if (job->action == JOB_RUN || job->action == JOB_PARITY)
			status = run_targets(&counted);
	}
	runner->total = runner->position;
	runner->task = runner->group = runner->position = 0;
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = run_targets(&all[i]);
	return status;
}

enum pmpp_status ladders_on_devices(struct runner *runner)
{
	const struct job *job = runner->job;
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;
	enum pmpp_status status =
		device_select(&job->query, &runner->inventory, &devices, &count, runner->error);

	if (status == PMPP_OK)
		note_unavailable(runner);
	/* The engine has a better message than `no device`. */
	if (job->engine->check_device && (status == PMPP_OK || status == PMPP_UNAVAILABLE))
		status = job->engine->check_device(
			job->engine_state, count ? devices[0] : NULL, runner->error);
	if (status == PMPP_OK)
		status = check_model(job, devices, count, runner->error);
	struct ladders *all = calloc(count + 1, sizeof *all);
	if (status == PMPP_OK && !all)
		status = PMPP_FAIL(runner->error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		all[i] = (struct ladders){.runner = runner,
			.device[0].info = devices[i],
			.others = count > 1,
			.passed = runner_has_passed(runner, devices[i])};
	if (status == PMPP_OK)
		status = run_all(runner, all, count);
	free(all);
	free(devices);
	return status;
}

enum pmpp_status ladders_on_pair(struct runner *runner)
{
	struct device_pair pair;
	enum pmpp_status status =
		device_select_pair(&runner->job->query, &runner->inventory, &pair, runner->error);

	if (status != PMPP_OK)
		return status;
	struct ladders ladders = {.runner = runner,
		.device = {{.info = pair.opencl}, {.info = pair.cuda}},
		.same_device = pair.same};
	if (!pair.same)
		runner_emit_note(runner, "the two backends have no device in common: results are "
					 "compared, times are not");
	return run_all(runner, &ladders, 1);
}
