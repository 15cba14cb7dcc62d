#include "host/suite/fit_search.h"

#include "host/suite/feasible.h"

#include <stdio.h>

#define MAX_BUILDS 8
#define BUILDS_IN_ORDER 3 /* a step or two below the default fit most devices */

/* Sets ret_limit to "" if the kernels of the plan fit the device. */
static enum pmpp_status check_kernels(struct program_entry *entry, const struct plan *plan,
	const struct gpu_limits *limits, char ret_limit[FALLBACK_TEXT_BYTES],
	struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	*ret_limit = '\0';
	for (size_t s = 0; s < plan->step_count && status == PMPP_OK && !*ret_limit; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		struct gpu_kernel_resources resources;
		struct gpu_kernel *kernel;

		if (!launch)
			continue;
		status = programs_kernel(entry, launch->entry, &kernel, error);
		if (status == PMPP_OK)
			status = gpu_kernel_resources(kernel, &resources, error);
		if (status == PMPP_OK)
			feasible_kernel_limit(&resources, plan_launch_threads(launch), limits,
				ret_limit, FALLBACK_TEXT_BYTES);
	}
	return status;
}

/* Sets ret_limit to "" if the point fits the device. */
static enum pmpp_status check_point(const struct fit_request *request, const struct config *point,
	char ret_limit[FALLBACK_TEXT_BYTES], struct pmpp_error *error)
{
	const struct gpu_limits *limits = &request->programs->device->info.limits;
	const struct program_request program = {
		.config = point, .problem = request->problem, .math = request->math};
	struct program_entry *entry;
	struct plan plan;

	config_plan(point, request->problem, &plan);
	fallback_block_limit(&plan, limits, ret_limit, FALLBACK_TEXT_BYTES);
	if (*ret_limit)
		return PMPP_OK;
	enum pmpp_status status = programs_get(request->programs, &program, &entry, error);
	if (status == PMPP_BUILD)
		status = feasible_build_failure(&plan, limits, error);
	if (status == PMPP_OK)
		status = check_kernels(entry, &plan, limits, ret_limit, error);
	if (status != PMPP_BUILD && !(status == PMPP_UNSUPPORTED && error->block_limit))
		return status;
	if (status == PMPP_UNSUPPORTED)
		snprintf(ret_limit, FALLBACK_TEXT_BYTES, "%.500s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}

enum pmpp_status fit_search(const struct fit_request *request, size_t *ret_index,
	char ret_limit[FALLBACK_TEXT_BYTES], struct pmpp_error *error)
{
	size_t count = request->points->count;
	size_t low = 0;      /* no point before it fits */
	size_t high = count; /* it fits, or it is the end of the list */

	for (size_t builds = 0; builds < MAX_BUILDS && low < high; builds++) {
		size_t left = MAX_BUILDS - builds;
		bool in_order = builds < BUILDS_IN_ORDER || high - low <= left;
		size_t point = in_order ? low : low + (high - low) / 2;
		char limit[FALLBACK_TEXT_BYTES];

		if (left == 1 && high == count)
			point = count - 1; /* the smallest */
		enum pmpp_status status =
			check_point(request, &request->points->items[point], limit, error);
		if (status != PMPP_OK)
			return status;
		if (*limit) {
			low = point + 1;
			snprintf(ret_limit, FALLBACK_TEXT_BYTES, "%s", limit);
		} else {
			high = point;
		}
	}
	*ret_index = high;
	return PMPP_OK;
}
