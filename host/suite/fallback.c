#include "host/suite/fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

/* ---- Limits -------------------------------------------------------------------------------- */

static void find_limit(const struct plan_launch *launch, const struct gpu_limits *limits,
	char *ret_text, size_t size)
{
	uint64_t threads = plan_launch_threads(launch);

	*ret_text = '\0';
	for (int d = 0; d < 3; d++)
		if (launch->block[d] > limits->max_block[d])
			snprintf(ret_text, size,
				"a block has %lu threads along %c; this device allows at most %lu",
				(unsigned long)launch->block[d], "xyz"[d],
				(unsigned long)limits -> max_block[d]);
	if (threads > limits->max_block_threads)
		snprintf(ret_text, size, "a block has %llu threads; this device allows at most %lu",
			(unsigned long long)threads, (unsigned long)limits->max_block_threads);
	if (launch->shared_bytes > limits->shared_optin_bytes)
		snprintf(ret_text, size,
			"%lu bytes of dynamic shared memory per block; this device has %lu",
			(unsigned long)launch->shared_bytes,
			(unsigned long)limits->shared_optin_bytes);
}

void fallback_block_limit(
	const struct plan *plan, const struct gpu_limits *limits, char *ret_text, size_t size)
{
	*ret_text = '\0';
	if (plan->other_threads > limits->max_block_threads)
		snprintf(ret_text, size,
			"a block of another kernel of the file has %llu threads; this device "
			"allows at most %lu",
			(unsigned long long)plan->other_threads,
			(unsigned long)limits->max_block_threads);
	for (size_t s = 0; s < plan->step_count && !*ret_text; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch)
			find_limit(launch, limits, ret_text, size);
	}
}

uint64_t fallback_block_threads(const struct plan *plan)
{
	uint64_t most = plan->other_threads;

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch && plan_launch_threads(launch) > most)
			most = plan_launch_threads(launch);
	}
	return most;
}

static uint32_t dynamic_shared(const struct plan *plan)
{
	uint32_t most = 0;

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch && launch->shared_bytes > most)
			most = launch->shared_bytes;
	}
	return most;
}

/* ---- Points -------------------------------------------------------------------------------- */

static size_t macro_count(const struct config *config)
{
	size_t count = 0;

	while (config->variant->macros[count].name)
		count++;
	return count;
}

/* Whether the macro can have the value in a fallback of the config. */
static bool may_have(const struct config *config, size_t macro, int value)
{
	const struct macro *row = &config->variant->macros[macro];

	return row->choices && row->value != MACRO_OF_LANES && !(config->chosen >> macro & 1) &&
	       value < config->value[macro];
}

/* The number of values that the macro can have, its own value included. */
static size_t value_count(const struct config *config, size_t macro)
{
	const int *choice = config->variant->macros[macro].choices;
	size_t count = 1;

	for (; choice && *choice; choice++)
		count += may_have(config, macro, *choice);
	return count;
}

/* The value number `index` of the macro; 0: its own. */
static int value_at(const struct config *config, size_t macro, size_t index)
{
	const int *choice = config->variant->macros[macro].choices;

	for (; index > 0 && choice && *choice; choice++)
		if (may_have(config, macro, *choice) && --index == 0)
			return *choice;
	return config->value[macro];
}

/* Macros without choices may be 0. */
static double product(const struct config *config)
{
	double value = 1;

	for (size_t i = 0; i < macro_count(config); i++)
		if (config->variant->macros[i].choices)
			value *= config->value[i];
	return value;
}

static int compare_points(const void *left, const void *right)
{
	const struct config *a = left, *b = right;
	double product_a = product(a), product_b = product(b);

	if (product_a > product_b || product_a < product_b)
		return product_a > product_b ? -1 : 1;
	for (size_t i = macro_count(a); i-- > 0;)
		if (a->value[i] != b->value[i])
			return a->value[i] > b->value[i] ? -1 : 1;
	return 0;
}

bool fallback_points_make(const struct config *config, struct fallback_points *ret_points)
{
	const struct variant *variant = config->variant;
	size_t macros = macro_count(config);
	size_t total = 1;

	*ret_points = (struct fallback_points){0};
	for (size_t i = 0; i < macros; i++)
		total *= value_count(config, i);
	struct config *items = calloc(total, sizeof *items);
	if (!items)
		return false;
	for (size_t point = 1; point < total; point++) { /* point 0 is the config */
		struct config *item = &items[ret_points->count];
		size_t rest = point;

		*item = *config;
		for (size_t i = 0; i < macros; i++) {
			item->value[i] = value_at(config, i, rest % value_count(config, i));
			rest /= value_count(config, i);
		}
		ret_points->count += !variant->infeasible || !variant->infeasible(item);
	}
	qsort(items, ret_points->count, sizeof *items, compare_points);
	ret_points->items = items;
	return true;
}

void fallback_points_finish(struct fallback_points *points)
{
	free(points->items);
	*points = (struct fallback_points){0};
}

void fallback_values_text(
	const struct config *config, const struct config *instead_of, char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; i < macro_count(config); i++)
		if (config->value[i] != instead_of->value[i])
			text_append(ret_text, size, "%s%s=%d instead of %d", *ret_text ? ", " : "",
				config->variant->macros[i].name, config->value[i],
				instead_of->value[i]);
}

static bool plan_fits(
	const struct config *config, const struct problem *problem, const struct gpu_limits *limits)
{
	struct plan plan;
	char text[160];

	config_plan(config, problem, &plan);
	fallback_block_limit(&plan, limits, text, sizeof text);
	return !*text;
}

void fallback_points_drop(struct fallback_points *points, const struct problem *problem,
	const struct gpu_limits *limits)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->count; i++)
		if (plan_fits(&points->items[i], problem, limits))
			points->items[kept++] = points->items[i];
	points->count = kept;
}

void fallback_fit(
	struct config *config, const struct problem *problem, const struct gpu_limits *limits)
{
	struct fallback_points points;

	if (plan_fits(config, problem, limits) || !fallback_points_make(config, &points))
		return;
	fallback_points_drop(&points, problem, limits);
	if (points.count)
		*config = points.items[0];
	fallback_points_finish(&points);
}

/* ---- Known results -------------------------------------------------------------------------- */

/* The blocks of a config depend on its macros. Few plans have blocks that also depend on the sizes
 * of the problem. */
static struct fallback key_of(const struct config *config, const struct problem *problem)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	return (struct fallback){.from = *config,
		.threads = (unsigned)fallback_block_threads(&plan),
		.shared = dynamic_shared(&plan),
		.dtype = problem->dtype,
		.op = problem->op};
}

static bool same_config(const struct config *a, const struct config *b)
{
	return a->variant == b->variant && a->chosen == b->chosen &&
	       memcmp(a->value, b->value, macro_count(a) * sizeof *a->value) == 0;
}

const struct fallback *fallbacks_find(const struct fallbacks *fallbacks,
	const struct config *config, const struct problem *problem)
{
	for (size_t i = 0; i < fallbacks->count; i++) {
		const struct fallback *item = &fallbacks->items[i];
		if (!same_config(&item->from, config))
			continue;
		const struct fallback key = key_of(config, problem);
		if (item->threads == key.threads && item->shared == key.shared &&
			item->dtype == key.dtype && item->op == key.op)
			return item;
	}
	return NULL;
}

void fallbacks_add(struct fallbacks *fallbacks, const struct config *from, const struct config *to,
	const struct problem *problem, const char *text)
{
	struct fallback *items =
		realloc(fallbacks->items, (fallbacks->count + 1) * sizeof *fallbacks->items);

	if (!items)
		return;
	fallbacks->items = items;
	struct fallback *item = &items[fallbacks->count++];
	*item = key_of(from, problem);
	item->fits = to != NULL;
	if (to)
		item->to = *to;
	snprintf(item->text, sizeof item->text, "%s", text);
}

void fallbacks_finish(struct fallbacks *fallbacks)
{
	free(fallbacks->items);
	*fallbacks = (struct fallbacks){0};
}

/* ---- What can run --------------------------------------------------------------------------- */

/* Checks that a variant can run on a device. If it cannot, the functions return false and set the
 * outcome's status and reason. */

/* Whether the device executes warps of LANES, if the kernel requires them. CPUs and emulators whose
 * compiler has no such option have no widths. */
static bool feasible_lanes(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct device_shape *shape = &info->shape;
	int lanes = config_lanes(&outcome->config);
	char text[160] = "this device has warps of";
	bool known = !outcome->config.variant->sub_groups || shape->width_count == 0 ||
		     info->type == GPU_TYPE_EMULATED || info->capabilities & PMPP_CAP_NVIDIA_PTX ||
		     gpu_backend_row(info->backend)->language != GPU_LANGUAGE_OPENCL_C;

	for (size_t i = 0; i < shape->width_count && !known; i++) {
		known = shape->widths[i] == (uint32_t)lanes;
		text_append(text, sizeof text, "%s %u", i ? "," : "", shape->widths[i]);
	}
	if (!known)
		text_append(text, sizeof text, " threads, not of LANES=%d", lanes);
	return known || outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
}

bool feasible_here(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct variant *variant = outcome->config.variant;
	unsigned missing = variant->needs & ~info->capabilities;
	const char *reason = variant->infeasible ? variant->infeasible(&outcome->config) : NULL;
	const char *outside =
		variant->domain ? variant->domain(&outcome->config, &outcome->problem) : NULL;

	if (missing)
		return outcome_refuse(
			outcome, OUTCOME_SKIPPED, "needs ", pmpp_capability_text(missing));
	if (variant->one_sided && gpu_backend_row(info->backend)->language != GPU_LANGUAGE_OPENCL_C)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "has no CUDA twin: needs ",
			pmpp_capability_text(variant->needs));
	if (variant->cuda_only && gpu_backend_row(info->backend)->language != GPU_LANGUAGE_CUDA_C)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "has no OpenCL twin: needs ",
			pmpp_capability_text(variant->needs));
	if (reason)
		return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", reason);
	if (outside)
		return outcome_refuse(outcome, OUTCOME_SKIPPED, "out of its domain: ", outside);
	return feasible_lanes(outcome, info);
}

/* Rejects a config because of a limit for blocks: a smaller block may fit. */
static bool refuse_block(struct outcome *outcome, const char *text)
{
	outcome->block_limit = true;
	return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
}

bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits)
{
	char text[160];

	fallback_block_limit(&outcome->plan, limits, text, sizeof text);
	if (*text)
		return refuse_block(outcome, text);
	for (size_t s = 0; s < outcome->plan.step_count && !*text; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);

		for (int d = 0; launch && d < 3 && !*text; d++)
			if (launch->groups[d] > limits->max_groups[d])
				snprintf(text, sizeof text,
					"%llu blocks along %c; this device allows at most %llu",
					(unsigned long long)launch->groups[d], "xyz"[d],
					(unsigned long long)limits -> max_groups[d]);
	}
	return *text ? outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text) : true;
}

size_t feasible_main_launch(const struct outcome *outcome)
{
	const struct plan *plan = &outcome->plan;

	for (size_t step = 0; step < plan->step_count; step++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[step]);

		if (launch && strcmp(launch->entry, outcome->config.variant->entry) == 0)
			return step;
	}
	return plan->step_count - 1;
}

void feasible_kernel_limit(const struct gpu_kernel_resources *resources, uint64_t threads,
	const struct gpu_limits *limits, char *ret_text, size_t size)
{
	*ret_text = '\0';
	if (resources->shared_bytes > (int64_t)limits->shared_bytes)
		snprintf(ret_text, size,
			"%lld bytes of static shared memory per block; this device has %lu",
			(long long)resources->shared_bytes, (unsigned long)limits->shared_bytes);
	else if (resources->max_block_threads > 0 &&
		 threads > (uint64_t)resources->max_block_threads)
		snprintf(ret_text, size,
			"a block has %llu threads; on this device the kernel allows at most %d",
			(unsigned long long)threads, resources->max_block_threads);
}

bool feasible_resources(struct outcome *outcome, const struct gpu_limits *limits)
{
	char text[160];

	for (size_t s = 0; s < outcome->plan.step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);
		if (!launch)
			continue;
		feasible_kernel_limit(&outcome->step_resources[s], plan_launch_threads(launch),
			limits, text, sizeof text);
		if (*text)
			return refuse_block(outcome, text);
	}
	return true;
}

enum pmpp_status feasible_build_failure(
	const struct plan *plan, const struct gpu_limits *limits, struct pmpp_error *error)
{
	uint64_t threads = fallback_block_threads(plan);

	if (limits->reported_block_threads == 0 || threads <= limits->reported_block_threads)
		return PMPP_BUILD;
	pmpp_error_append(error, "; a block has %llu threads, and the device reports at most %lu",
		(unsigned long long)threads, (unsigned long)limits->reported_block_threads);
	return pmpp_error_set_block_limit(error);
}
