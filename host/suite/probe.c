#include "host/suite/probe.h"

#include "host/suite/roof_rows.h"

#include <math.h>

#define SLOW_BEYOND 1.10 /* x the best of the session */
#define TRIES 2          /* the faster one counts: one slow run alone is not throttling */
#define ONE_BITS 0x3f800000u

void probe_finish(struct probe *probe)
{
	gpu_buffer_destroy(&probe->buffers[0]);
	gpu_buffer_destroy(&probe->buffers[1]);
	*probe = (struct probe){0};
}

enum pmpp_status probe_prepare(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct pmpp_error *error)
{
	struct gpu_device *device = programs->device;
	struct program_entry *entry;
	struct roof_row row;
	struct plan plan;
	enum pmpp_status status = PMPP_OK;

	if (probe->ready)
		return PMPP_OK;
	if (!roof_row_of(&device->info, ROOF_FMA, &row))
		return PMPP_FAIL(error, PMPP_INTERNAL, "no FMA row for this device");
	config_plan(&row.config, &row.problem, &plan);
	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(device,
			operand_bytes(&row.problem.family->operands[i], &row.problem), 0,
			&probe->buffers[i], error);
	if (status == PMPP_OK)
		status = gpu_buffer_fill(
			probe->buffers[0], 0, probe->buffers[0]->bytes, ONE_BITS, error);
	if (status == PMPP_OK)
		status = programs_get(programs,
			&(struct program_request){
				.config = &row.config, .problem = &row.problem, .math = math},
			&entry, error);
	if (status == PMPP_OK)
		status = launch_bind(entry, &plan, probe->buffers, &probe->run, error);
	if (status != PMPP_OK) {
		probe_finish(probe);
		return status;
	}
	probe->device = device;
	probe->best_ns = INFINITY;
	probe->ready = true;
	return PMPP_OK;
}

enum pmpp_status probe_run(
	struct probe *probe, bool device_timer, bool *ret_slow, struct pmpp_error *error)
{
	const struct interval_request request = {
		.batch = 1, .settled = true, .device_timer = device_timer};
	double best_ns = INFINITY;
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; status == PMPP_OK && i < TRIES; i++) {
		struct interval interval;
		status = launch_interval(probe->device, &probe->run, &request, &interval, error);
		if (status == PMPP_OK)
			best_ns = fmin(best_ns, interval.device_ns);
	}
	if (status != PMPP_OK)
		return status;
	*ret_slow = best_ns > SLOW_BEYOND * probe->best_ns;
	probe->best_ns = fmin(probe->best_ns, best_ns);
	return PMPP_OK;
}
