#include "host/run/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/check_sizes.h"
#include "common/text.h"
#include "host/gpu/library.h"

/* ---- Lists --------------------------------------------------------------------------------- */

void task_list_finish(struct task_list *tasks)
{
	free(tasks->items);
	*tasks = (struct task_list){0};
}

/* About 500 MB in the worker. */
#define MAX_TASKS 1000000

static enum pmpp_status add_task(const struct tunable_list *tunables,
	const struct tuned_config *point, const struct problem *problem, struct task_list *tasks,
	struct pmpp_error *error)
{
	const struct variant *variant = point->config.variant;

	if (tasks->count == MAX_TASKS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"more than %d tasks: choose fewer variants, sizes or values of --set",
			MAX_TASKS);
	if (!array_reserve(&tasks->items, &tasks->capacity, tasks->count, sizeof *tasks->items))
		return PMPP_NO_MEMORY(error, "the tasks");
	struct task *task = &tasks->items[tasks->count++];
	*task = (struct task){
		.config = point->config, .problem = *problem, .group = tasks->group_count - 1};
	memcpy(task->reason, point->reason, sizeof task->reason);
	snprintf(task->label, sizeof task->label, "%s", variant->name);
	for (size_t i = 0; variant->macros[i].name; i++)
		for (size_t j = 0; j < tunables->count; j++)
			if (strcmp(tunables->items[j].name, variant->macros[i].name) == 0)
				text_append(task->label, sizeof task->label, " %s=%d",
					variant->macros[i].name, point->config.value[i]);
	return PMPP_OK;
}

/* ---- Problems ------------------------------------------------------------------------------ */

/* own: the kernel of the user that has the problem; NULL: none. */
static struct problem new_problem(
	const struct job *job, const struct family *family, const struct own_kernel *own)
{
	struct problem problem = problem_default(family);
	struct choices choices = job->options->choices;

	problem.seed = job->options->seed;
	if (own)
		choices_of_own(own, &choices);
	choices_set(&choices, &problem);
	if (job->inputs.given) {
		problem.source = INPUT_USER;
		problem.dtype = job->inputs.dtype;
	}
	return problem;
}

/* Two devices: uses the device class with the smaller default. */
static void set_default_size(const struct task_devices *devices, struct problem *problem)
{
	struct problem other = *problem;

	problem_default_size(
		problem, devices->info ? suite_device_class(devices->info) : DEVICE_CLASS_EMULATED);
	if (!devices->other)
		return;
	problem_default_size(&other, suite_device_class(devices->other));
	if (other.dim[0] < problem->dim[0])
		*problem = other;
}

/* Number of the problems of a family: those of --like, the sizes of --size, or the default size. */
static size_t problem_count(const struct job *job, const struct family *family)
{
	size_t sizes = job->options->sizes.count, count = 0;

	if (!job->options->like)
		return sizes ? sizes : 1;
	while (like_of(job->options->like, family, count))
		count++;
	return count;
}

/* The user's size number `index`, or the default size if the user gave none. */
static enum pmpp_status get_problem(const struct job *job, const struct task_devices *devices,
	const struct target *target, size_t index, struct problem *ret_problem,
	struct pmpp_error *error)
{
	const struct family *family = target->family;
	const struct own_kernel *own = target->variants[target->variant_count - 1]->own;
	const struct size_list *sizes = &job->options->sizes;
	struct problem problem = new_problem(job, family, own);
	enum pmpp_status status = PMPP_OK;

	if (job->options->like) {
		problem = *like_of(job->options->like, family, index);
		problem.seed = job->options->seed;
	} else if (job->inputs.given) {
		memcpy(problem.dim, job->inputs.dim, sizeof problem.dim);
	} else if (sizes->count)
		status = size_dims(&sizes->items[index], family, problem.dim, error);
	else
		set_default_size(devices, &problem);
	if (own && !sizes->count && !job->inputs.given)
		own_kernel_fit(own, problem.dim);
	if (status == PMPP_OK)
		*ret_problem = problem;
	return status;
}

/* ---- Peers --------------------------------------------------------------------------------- */

/* Returns whether a variant of the target can be compared with the peer on the device. */
static bool takes_peer(const struct job *job, const struct task_devices *devices,
	const struct target *target, const struct variant *peer)
{
	bool wanted = false;

	if (!job->options->peers || !devices->info || !gpu_takes_library(devices->info, peer->peer))
		return false;
	for (size_t v = 0; v < target->variant_count; v++)
		wanted |= peer_suits(peer, target->variants[v]);
	return wanted;
}

/* ---- Languages ------------------------------------------------------------------------------ */

/* Whether the variant is a kernel of the user that has a twin in the language of the device. Both sides of
 * `parity` have one task, for the language of the first device. */
static bool has_better_twin(const struct task_devices *devices, const struct variant *variant)
{
	const struct own_kernel *own = variant->own;

	return own && own->twin && devices->info &&
	       own->cuda !=
		       (gpu_backend_row(devices->info->backend)->language == GPU_LANGUAGE_CUDA_C);
}

/* ---- Ladders ------------------------------------------------------------------------------- */

/* Appends the peers of a target, then each variant and each point of a sweep. index: number of the
 * problem. */
static enum pmpp_status add_ladder(const struct job *job, const struct task_devices *devices,
	const struct target *target, size_t index, struct task_list *tasks,
	struct pmpp_error *error)
{
	const struct tunable_list *tunables = &job->options->tunables;
	struct problem problem;
	enum pmpp_status status = get_problem(job, devices, target, index, &problem, error);

	tasks->group_count++;
	for (size_t p = 0; p < target->family->peer_count && status == PMPP_OK; p++) {
		const struct variant *peer = &target->family->peers[p];
		const struct tuned_config point = {.config = config_for(peer, &devices->shape)};
		if (takes_peer(job, devices, target, peer))
			status = add_task(tunables, &point, &problem, tasks, error);
	}
	for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
		struct tuned_config *points = NULL;
		size_t count = 0;
		if (has_better_twin(devices, target->variants[v]))
			continue;
		status = tunables_expand(
			tunables, target->variants[v], &devices->shape, &points, &count, error);
		for (size_t p = 0; p < count && status == PMPP_OK; p++)
			status = add_task(tunables, &points[p], &problem, tasks, error);
		free(points);
	}
	return status;
}

/* ---- Checks -------------------------------------------------------------------------------- */

/* Adds sizes to those of a family, for kernels of the user, whose tiles are unknown. Equal dimensions of matrices show
 * whether a kernel is wrong only if the dimensions differ. Powers of two show whether it is wrong only if they are no
 * multiples of a block, and in a vector the last element is that of the last thread. Returns the number of sizes. */
static size_t add_own_sizes(const struct family *family,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count)
{
	static const int64_t extents[] = {45, 64}, vector[] = {1024};
	bool matrix = family_has_matrix(family);
	size_t more = matrix ? sizeof extents / sizeof *extents : 1;

	for (size_t i = 0; i < more && count > 0 && count < PMPP_MAX_CHECK_SIZES; i++, count++) {
		memcpy(sizes[count], sizes[0], sizeof sizes[0]);
		for (size_t d = 0; d < (matrix ? family->dim_count : 1); d++)
			sizes[count][d] = matrix ? extents[i] : vector[i];
	}
	return count;
}

/* An emulator runs this work in about a second. */
#define EMULATED_WORK 0x1p20
#define LONG_EXTENT 1024        /* more than a few tiles */
#define MANY_ELEMENTS (1 << 15) /* indices of 16 bits overflow */

/* Halves long extents until an emulator runs the size in about a second, including the idle threads at the edges. */
static void shorten(
	const struct config *config, const struct problem *like, int64_t dim[PMPP_MAX_DIMS])
{
	const int window = family_window_dim(like->family);
	struct problem problem = *like;
	int64_t *longest = dim, elements;

	for (;;) {
		elements = 1;
		for (int d = 0; d < (int)like->family->dim_count; d++) {
			longest = dim[d] > *longest ? &dim[d] : longest;
			elements *= d == window ? 1 : dim[d];
		}
		memcpy(problem.dim, dim, sizeof problem.dim);
		if (*longest <= LONG_EXTENT || elements / 2 <= MANY_ELEMENTS ||
			check_whole_work(config, &problem) <= EMULATED_WORK)
			return;
		*longest = *longest / 2 | 1;
	}
}

/* Changes check sizes to those that the kernel of the user can take, each once. The size number i is that of
 * dimension i modulo their number, so that primes and edges of tiles of all dimensions remain. Returns the
 * number of sizes. */
static size_t fit_sizes(const struct config *config, const struct problem *like, bool emulated,
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS], size_t count)
{
	const struct own_kernel *own = config->variant->own;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t dim[PMPP_MAX_DIMS];
		bool known = false;
		memcpy(dim, sizes[i], sizeof dim);
		if (own->square)
			dim[0] = dim[i % own->family->dim_count];
		/* The file of a problem declares its sizes, which may depend on each other. */
		if (emulated && !like->family->own)
			shorten(config, like, dim);
		own_kernel_fit(own, dim);
		for (size_t k = 0; k < kept; k++)
			known |= memcmp(sizes[k], dim, sizeof dim) == 0;
		if (!known)
			memcpy(sizes[kept++], dim, sizeof dim);
	}
	return kept;
}

/* The sizes of one choice of type, operation and data: the user's, or the family's. */
static enum pmpp_status add_sizes(const struct job *job, const struct task_devices *devices,
	const struct tuned_config *point, const struct problem *like, struct task_list *tasks,
	struct pmpp_error *error)
{
	const struct size_list *given = &job->options->sizes;
	const struct family *family = like->family;
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS] = {{0}};
	enum pmpp_status status = PMPP_OK;
	size_t count = given->count;

	if (count == 0) {
		double budget = suite_work_budget(devices->info, false);
		const bool own = point->config.variant->own && !family->own;
		count = check_sizes_make(&point->config, like, budget, sizes);
		if (job->engine->choose_sizes)
			count = job->engine->choose_sizes(&point->config, like, sizes, count);
		if (own)
			count = add_own_sizes(family, sizes, count);
		if (point->config.variant->own)
			count = fit_sizes(&point->config, like, suite_is_emulated(devices->info),
				sizes, count);
	}
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		struct problem problem = *like;
		if (given->count)
			status = size_dims(&given->items[i], family, problem.dim, error);
		else
			memcpy(problem.dim, sizes[i], sizeof problem.dim);
		if (status == PMPP_OK && (!family->invalid || !family->invalid(&problem)))
			status = add_task(&job->options->tunables, point, &problem, tasks, error);
	}
	return status;
}

static enum pmpp_status add_checks(const struct job *job, const struct task_devices *devices,
	const struct tuned_config *point, struct task_list *tasks, struct pmpp_error *error)
{
	const struct own_kernel *own = point->config.variant->own;
	const struct family *family = variant_family(point->config.variant);
	struct problem problem = new_problem(job, family, own);
	struct choices choices = job->options->choices;
	enum pmpp_status status = PMPP_OK;

	tasks->group_count++;
	if (*point->reason) {
		set_default_size(devices, &problem);
		return add_task(&job->options->tunables, point, &problem, tasks, error);
	}
	if (job->inputs.given) {
		memcpy(problem.dim, job->inputs.dim, sizeof problem.dim);
		return add_task(&job->options->tunables, point, &problem, tasks, error);
	}
	if (own)
		choices_of_own(own, &choices);
	for (size_t c = 0; c < family_choice_count(family) && status == PMPP_OK; c++) {
		problem_choose(&problem, c);
		if (choices_allow(&choices, &problem))
			status = add_sizes(job, devices, point, &problem, tasks, error);
	}
	return status;
}

/* The groups of a target of `verify`. */
static enum pmpp_status add_target_checks(const struct job *job, const struct task_devices *devices,
	const struct target *target, struct task_list *tasks, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t v = 0; v < target->variant_count && status == PMPP_OK; v++) {
		struct tuned_config *points = NULL;
		size_t count = 0;
		if (has_better_twin(devices, target->variants[v]))
			continue;
		status = tunables_expand(&job->options->tunables, target->variants[v],
			&devices->shape, &points, &count, error);
		for (size_t p = 0; p < count && status == PMPP_OK; p++)
			status = add_checks(job, devices, &points[p], tasks, error);
		free(points);
	}
	return status;
}

enum pmpp_status tasks_add(const struct job *job, const struct task_devices *devices,
	struct task_list *tasks, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t t = 0; t < job->targets.count && status == PMPP_OK; t++) {
		const struct target *target = &job->targets.items[t];
		size_t count = job->action == JOB_VERIFY ? 0 : problem_count(job, target->family);
		if (job->action == JOB_VERIFY)
			status = add_target_checks(job, devices, target, tasks, error);
		for (size_t i = 0; i < count && status == PMPP_OK; i++)
			status = add_ladder(job, devices, target, i, tasks, error);
	}
	return status;
}

/* ---- Default sizes that fit in memory ------------------------------------------------------- */

/* Reduces default sizes until they fit in the free memory. */

static bool all_fit(const struct suite *const suites[2], const struct task *tasks, size_t count,
	const struct problem *problem)
{
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < 2; s++)
			if (suites[s] && !suite_fits_well(suites[s], &tasks[i].config, problem))
				return false;
	return true;
}

bool fit_problem(const struct suite *const suites[2], const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES])
{
	struct problem smaller = *problem;
	char before[80], after[80];

	if (all_fit(suites, tasks, count, problem))
		return false;
	do {
		if (!problem_halve(&smaller))
			return false;
	} while (!all_fit(suites, tasks, count, &smaller));
	problem_text(problem, before, sizeof before);
	problem_text(&smaller, after, sizeof after);
	snprintf(ret_note, FIT_NOTE_BYTES,
		"%s: default size reduced from %s to %s to fit in free memory",
		problem->family->name, before, after);
	*problem = smaller;
	return true;
}
