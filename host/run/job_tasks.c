#include "host/run/job_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check_sizes.h"
#include "host/run/choices.h"

/* ---- Lists --------------------------------------------------------------------------------- */

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

	problem_default_size(
		problem, runner->info ? suite_device_class(runner->info) : DEVICE_CLASS_EMULATED);
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

enum pmpp_status job_ladder_tasks(
	struct runner *runner, const struct target *target, size_t index, struct task_list *tasks)
{
	const struct tunable_list *tunables = &runner->job->options->tunables;
	struct problem problem;
	enum pmpp_status status = get_problem(runner, target->family, index, &problem);

	for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
		struct tuned_config *points = NULL;
		size_t count = 0;
		status = tunables_expand(
			tunables, target->variants[v], &points, &count, runner->error);
		for (size_t p = 0; p < count && status == PMPP_OK; p++)
			status = add_task(runner, tasks, &points[p], &problem);
		free(points);
	}
	return status;
}

enum pmpp_status job_run_ladders(struct runner *runner, const struct target *target)
{
	const struct size_list *sizes = &runner->job->options->sizes;
	size_t size_count = sizes->count ? sizes->count : 1;
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; s < size_count && status == PMPP_OK; s++) {
		struct task_list tasks = {0};
		status = job_ladder_tasks(runner, target, s, &tasks);
		if (status == PMPP_OK)
			status = job_run_group(runner, &tasks);
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
		count = check_sizes_make(
			&point->config, like, suite_work_budget(runner->info, false), sizes);
	if (asked->count == 0 && runner->job->oclgrind)
		count = oclgrind_choose_sizes(&point->config, like, sizes, count);
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
		status = job_run_group(runner, &tasks);
	free(tasks.items);
	return status;
}

enum pmpp_status job_verify_target(struct runner *runner, const struct target *target)
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
