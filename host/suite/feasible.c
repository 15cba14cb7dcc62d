#include "host/suite/feasible.h"

#include <stdio.h>
#include <string.h>

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
	return true;
}

bool feasible_plan(struct outcome *outcome, const struct gpu_limits *limits)
{
	char text[160] = "";

	for (size_t s = 0; s < outcome->plan.step_count && !*text; s++) {
		const struct plan_launch *launch = plan_step_launch(&outcome->plan.steps[s]);
		if (!launch)
			continue;
		uint64_t threads = plan_launch_threads(launch);
		if (threads > limits->max_block_threads)
			snprintf(text, sizeof text,
				"a block has %llu threads; this device allows at most %u",
				(unsigned long long)threads, limits->max_block_threads);
		if (launch->shared_bytes > limits->shared_optin_bytes)
			snprintf(text, sizeof text,
				"%u bytes of dynamic shared memory per block; this device has %u",
				launch->shared_bytes, limits->shared_optin_bytes);
		for (int d = 0; d < 3 && !*text; d++)
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

bool feasible_resources(struct outcome *outcome, const struct gpu_limits *limits)
{
	const struct gpu_kernel_resources *resources = &outcome->resources;
	const struct plan_step *step = &outcome->plan.steps[feasible_main_launch(outcome)];
	uint64_t threads = plan_launch_threads(&step->as.launch);
	char text[160];

	if (resources->shared_bytes > (int64_t)limits->shared_bytes) {
		snprintf(text, sizeof text,
			"%lld bytes of static shared memory per block; this device has %u",
			(long long)resources->shared_bytes, limits->shared_bytes);
		return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
	}
	if (resources->max_block_threads > 0 && threads > (uint64_t)resources->max_block_threads) {
		snprintf(text, sizeof text,
			"a block has %llu threads; on this device the kernel allows at most %d",
			(unsigned long long)threads, resources->max_block_threads);
		return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
	}
	return true;
}
