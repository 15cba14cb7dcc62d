#include "host/suite/feasible.h"

#include "host/suite/fallback.h"

#include <stdio.h>
#include <string.h>

/* Whether the device executes warps of LANES, if the kernel requires them. CPUs and emulators whose
 * compiler has no such option have no widths. */
static bool feasible_lanes(struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct device_shape *shape = &info->shape;
	int lanes = config_lanes(&outcome->config);
	char text[160] = "this device has warps of";
	size_t used = strlen(text);
	bool known = !outcome->config.variant->sub_groups || shape->width_count == 0 ||
		     info->type == GPU_TYPE_EMULATED || info->capabilities & PMPP_CAP_NVIDIA_PTX ||
		     gpu_backend_row(info->backend)->language != GPU_LANGUAGE_OPENCL_C;

	for (size_t i = 0; i < shape->width_count && !known; i++) {
		known = shape->widths[i] == (uint32_t)lanes;
		if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s %u",
				i ? "," : "", shape->widths[i]);
	}
	if (!known && used < sizeof text)
		snprintf(text + used, sizeof text - used, " threads, not of LANES=%d", lanes);
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
