#include "host/run/runner.h"

#include <stdlib.h>
#include <string.h>

#include "host/run/stop.h"
#include "host/run/targets.h"
#include "host/run/task.h"
#include "host/suite/device.h"
#include "host/suite/kernel_file.h"
#include "host/suite/outcome.h"
#include "host/suite/problem_reference.h"
#include "host/suite/suite.h"

/* Whether the device's buffers lie between unmapped pages. */
static bool suite_is_fenced(const struct suite *suite)
{
	return suite->bench.device->fenced;
}

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
	bool passed;            /* the device is skipped */
	size_t end;             /* number of the task after the last one of the device */
};

/* Tasks that have one table: of one device and problem, or of one variant. */
struct group {
	struct task *items;  /* not owned */
	size_t count;        /* 1 or more */
	int64_t first;       /* number of the first task */
	size_t family_count; /* number of tasks of the same family from the first one on */
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
			status = PMPP_NO_MEMORY(runner->error, "the results");
	}
	if (status == PMPP_OK) {
		record_move(&parity_row_type, &result.row, &event.parity);
		runner_emit(runner, &event);
	}
	record_finish(&event_type, &event);
	parity_result_finish(&result);
	return status;
}

static struct event row_event(const struct ladders *ladders, enum event_kind kind,
	const struct task *task, int64_t number, enum outcome_status outcome, const char *reason)
{
	return runner_row_event(
		ladders->runner, ladders->device[0].info, kind, task, number, outcome, reason);
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

/* Why a task does not run; NULL: it runs. */
static const char *reason_not_to_run(const struct ladders *ladders, const struct task *task,
	const struct result_row *row, enum outcome_status *ret_outcome)
{
	char name[RUNNER_NAME_BYTES];

	*ret_outcome = OUTCOME_UNSUPPORTED;
	if (*task->reason)
		return task->reason;
	*ret_outcome = OUTCOME_SKIPPED;
	runner_kernel_name(row, name);
	return task->config.variant->own && text_list_has(&ladders->runner->progress->hung, name)
		       ? "not started, because the kernel did not end at another size"
		       : NULL;
}

static enum pmpp_status run_task(struct ladders *ladders, const struct task *task, int64_t number)
{
	struct runner *runner = ladders->runner;
	char needs[SUITE_MEMORY_BYTES];
	enum outcome_status outcome;
	const char *reason;
	enum pmpp_status status = stop_check(runner->error);

	if (status != PMPP_OK)
		return status;
	struct event start =
		row_event(ladders, EVENT_START, task, number, OUTCOME_UNVERIFIED, NULL);
	suite_memory_text(ladders->device[0].suite, &task->config, &task->problem, needs);
	text_set(&start.text, needs);
	start.fenced = suite_is_fenced(ladders->device[0].suite);
	start.position = runner->total ? number + 1 : 0;
	start.total = (int64_t)runner->total;
	reason = reason_not_to_run(ladders, task, &start.row, &outcome);
	runner_emit(runner, &start);
	problem_reference_begin_row(task->problem.family->own);
	if (reason) {
		struct event event =
			row_event(ladders, EVENT_RESULT, task, number, outcome, reason);
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

static void emit_group(struct ladders *ladders, const struct group *tasks)
{
	const struct gpu_device_info *info = ladders->device[0].info;
	const struct problem *problem = &tasks->items[0].problem;
	struct event event = event_new(EVENT_GROUP, -1, NULL);
	struct group_record *group = &event.group;
	char text[96];

	group->record.present = true;
	group->number = (int64_t)tasks->items[0].group;
	group->action = group_actions[ladders->runner->job->action];
	group->gpu = info->type == GPU_TYPE_GPU;
	group->sweep = group->action == GROUP_RUN && tasks->count == 1 &&
		       ladders->runner->job->options->sizes.count > 1;
	group->peers = tasks->items[0].config.variant->peer != PEER_NONE;
	text_set(&group->family, problem->family->name);
	problem_text(problem, text, sizeof text);
	text_set(&group->problem, text);
	problem_choices_text(problem, text, sizeof text);
	text_set(&group->choices, text);
	text_set(&group->device, device_label(info).text);
	text_set(&group->device_name, info->name);
	text_set_known(&group->platform, info->platform);
	text_set(&group->driver, info->driver);
	if (ladders->device[1].info) {
		text_format(&group->other, "%s %s", device_label(ladders->device[1].info).text,
			ladders->device[1].info->name);
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
static void note_no_peers(struct ladders *ladders, const struct group *tasks)
{
	const struct variant *first = tasks->items[0].config.variant;

	if (!ladders->runner->job->options->peers || first->peer != PEER_NONE ||
		tasks->items[0].problem.family->peer_count == 0)
		return;
	runner_emit_note(ladders->runner,
		"--peers: no library can be compared with these variants on %s",
		device_label(ladders->device[0].info).text);
}

static enum pmpp_status begin_group(struct ladders *ladders, const struct group *tasks)
{
	const struct job *job = ladders->runner->job;
	char note[300] = "";

	if (job->engine->reopens)
		close_places(ladders);
	if (job->engine->begin_group)
		job->engine->begin_group(tasks->items[0].config.variant, note, sizeof note);
	if (*note)
		runner_emit_note(ladders->runner, "%s", note);
	note_no_peers(ladders, tasks);
	return open_places(ladders);
}

/* Whether the task belongs to this process. */
static bool is_of_shard(const struct ladders *ladders, const struct task *task)
{
	const struct job_options *options = ladders->runner->job->options;

	return task->group % options->shard_count + 1 == options->shard_index;
}

/* Builds the programs of the tasks of a family at the same time. A group that runs a part of a family builds the
 * programs of the others too: `verify` has one group for each variant. */
static void build_early(struct ladders *ladders, const struct group *tasks)
{
	struct program_request *requests = calloc(tasks->family_count, sizeof *requests);
	size_t count = 0;

	for (size_t i = 0; requests && i < tasks->family_count; i++) {
		const struct task *task = &tasks->items[i];
		if (!*task->reason && is_of_shard(ladders, task))
			requests[count++] = (struct program_request){
				.config = &task->config, .problem = &task->problem};
	}
	for (size_t i = 0; requests && i < 2; i++)
		if (ladders->device[i].suite)
			suite_build_early(ladders->device[i].suite, requests, count);
	free(requests);
}

/* Reduces default sizes only; sizes from the user never change. The tasks of a ladder have one
 * size. Returns true if a size changed. */
static bool fit_tasks(struct ladders *ladders, const struct group *tasks)
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
static void lose_group(struct ladders *ladders, const struct group *tasks, size_t next)
{
	struct runner *runner = ladders->runner;

	close_places(ladders);
	for (size_t i = next; i < tasks->count; i++)
		lose_task(ladders, &tasks->items[i], tasks->first + (int64_t)i, runner->error);
	pmpp_error_clear(runner->error);
}

/* Whether tasks of the group are not done yet, and belong to this process. */
static bool has_work(const struct ladders *ladders, const struct group *tasks)
{
	return is_of_shard(ladders, &tasks->items[0]) && !ladders->passed &&
	       (size_t)tasks->first + tasks->count > ladders->runner->progress->skip;
}

/* Runs the group's tasks that are not done yet. */
static enum pmpp_status run_group(struct ladders *ladders, const struct group *tasks)
{
	struct runner *runner = ladders->runner;
	size_t skip = runner->progress->skip, first = (size_t)tasks->first;
	size_t next = skip > first ? skip - first : 0;

	emit_group(ladders, tasks);
	struct event prepare = row_event(ladders, EVENT_PREPARE, &tasks->items[next],
		(int64_t)(first + next), OUTCOME_UNVERIFIED, NULL);
	runner_emit(runner, &prepare);
	enum pmpp_status status = begin_group(ladders, tasks);
	if (status == PMPP_OUT_OF_MEMORY || can_lose_device(ladders, status)) {
		lose_group(ladders, tasks, next);
		return PMPP_OK;
	}
	/* If a compiler may have ended an earlier worker, the programs are built one after the other. */
	if (status == PMPP_OK && !runner->progress->again)
		build_early(ladders, tasks);
	if (status == PMPP_OK && fit_tasks(ladders, tasks))
		emit_group(ladders, tasks);
	for (size_t i = next; i < tasks->count && status == PMPP_OK; i++)
		status = run_task(ladders, &tasks->items[i], (int64_t)(first + i));
	return status;
}

/* `roofline` has no tasks: a device is measured when it is opened. */
static enum pmpp_status measure_roofs(struct ladders *ladders)
{
	struct runner *runner = ladders->runner;
	const struct gpu_device_info *info = ladders->device[0].info;
	enum pmpp_status status = ladders->passed ? PMPP_OK : open_places(ladders);

	if (!can_lose_device(ladders, status))
		return status;
	struct event event = event_new(EVENT_LOST, -1, device_label(info).text);
	event_set_lost(&event, info->name, runner->error->message);
	runner_emit(runner, &event);
	pmpp_error_clear(runner->error);
	return PMPP_OK;
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* Notes for unavailable backends that the user did not name. */
static void note_unavailable(struct runner *runner)
{
	const struct device_query *query = &runner->job->query;

	if (!device_word_is_all(query->backend) &&
		(query->backend || query->device || query->rule != DEVICE_RULE_EACH_BACKEND))
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

/* The devices of the job's query. *ret_all has one place for each of them; the caller frees it. */
static enum pmpp_status find_devices(
	struct runner *runner, struct ladders **ret_all, size_t *ret_count)
{
	const struct job *job = runner->job;
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;
	enum pmpp_status status = device_select(
		&job->query, false, &runner->inventory, &devices, &count, runner->error);

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
		status = PMPP_NO_MEMORY(runner->error, "the devices");
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		all[i] = (struct ladders){.runner = runner,
			.device[0].info = devices[i],
			.others = count > 1,
			.passed = text_list_has(
				&runner->progress->passed, device_label(devices[i]).text)};
	free(devices);
	*ret_all = all;
	*ret_count = count;
	return status;
}

/* The two devices of `parity`, as find_devices(). */
static enum pmpp_status find_pair(
	struct runner *runner, struct ladders **ret_all, size_t *ret_count)
{
	struct device_pair pair;
	struct ladders *all = calloc(1, sizeof *all);
	enum pmpp_status status =
		device_select_pair(&runner->job->query, &runner->inventory, &pair, runner->error);

	*ret_all = all;
	if (status == PMPP_OK && !all)
		status = PMPP_NO_MEMORY(runner->error, "the devices");
	if (status != PMPP_OK)
		return status;
	*all = (struct ladders){.runner = runner,
		.device = {{.info = pair.opencl}, {.info = pair.cuda}},
		.same_device = pair.same};
	*ret_count = 1;
	if (!pair.same)
		runner_emit_note(runner, "the two backends have no device in common: results are "
					 "compared, times are not");
	return PMPP_OK;
}

/* Makes the tasks of all devices. Both sides of parity have one config: that of the first device. */
static enum pmpp_status make_tasks(
	struct runner *runner, struct ladders *all, size_t count, struct task_list *tasks)
{
	const struct job *job = runner->job;
	unsigned backends = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t d = 0; d < 2; d++)
			if (all[i].device[d].info)
				backends |= BACKEND_BIT(all[i].device[d].info->backend);
	const char *root = job->options->suite.kernel_dir;
	/* Parity needs both languages. */
	unsigned lacks =
		job->action == JOB_PARITY ? 0 : kernel_dir_lacks(root, &job->targets, backends);
	enum pmpp_status status =
		kernel_dir_check(root, &job->targets, backends & ~lacks, runner->error);
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		const struct gpu_device_info *info = all[i].device[0].info;
		all[i].end = tasks->count;
		if (lacks & BACKEND_BIT(info->backend)) {
			runner_emit_note(runner,
				"%s is skipped: --kernel-dir has no file for it in %s",
				gpu_backend_name(info->backend),
				gpu_backend_kernel_folder(info->backend));
			continue;
		}
		const struct task_devices devices = {
			info, all[i].device[1].info, suite_kernel_shape(info, job->model)};
		status = tasks_add(job, &devices, tasks, runner->error);
		all[i].end = tasks->count;
	}
	/* The progress line of `verify` has no number of tasks. */
	runner->total = job->action == JOB_VERIFY ? 0 : tasks->count;
	return status;
}

/* Number of tasks of the family of the task `first`, from this task to `end`. */
static size_t count_family(const struct task_list *tasks, size_t first, size_t end)
{
	size_t count = 0;

	while (first + count < end &&
		tasks->items[first + count].problem.family == tasks->items[first].problem.family)
		count++;
	return count;
}

/* Number of the task after the group of the task `first`. */
static size_t group_end(const struct task_list *tasks, size_t first)
{
	size_t end = first;

	while (end < tasks->count && tasks->items[end].group == tasks->items[first].group)
		end++;
	return end;
}

enum pmpp_status ladders_job(struct runner *runner)
{
	enum job_action action = runner->job->action;
	struct ladders *all = NULL;
	struct task_list tasks = {0};
	size_t count = 0, first = 0;
	enum pmpp_status status =
		(action == JOB_PARITY ? find_pair : find_devices)(runner, &all, &count);

	if (status == PMPP_OK)
		status = make_tasks(runner, all, count, &tasks);
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		if (action == JOB_ROOFLINE)
			status = measure_roofs(&all[i]);
		while (first < all[i].end && status == PMPP_OK) {
			size_t end = group_end(&tasks, first);
			const struct group group = {&tasks.items[first], end - first,
				(int64_t)first, count_family(&tasks, first, all[i].end)};
			if (has_work(&all[i], &group))
				status = run_group(&all[i], &group);
			first = end;
		}
		close_places(&all[i]);
	}
	task_list_finish(&tasks);
	free(all);
	return status;
}
