/*
 * The throttle probe: the FMA roof's kernel at a fixed size, on operands of its own. The same work
 * takes the same time, unless the device has slowed down or somebody else is using it.
 */
#include "host/suite/internal.h"

#include <math.h>

#define SLOW_BEYOND 1.10 /* x the best of the session */
#define TRIES 2          /* the better one counts: a single hiccup is no throttling */
#define ONE_BITS 0x3f800000u

void probe_finish(struct probe *probe)
{
	gpu_buffer_destroy(&probe->buffers[0]);
	gpu_buffer_destroy(&probe->buffers[1]);
	*probe = (struct probe){0};
}

enum pmpp_status probe_prepare(struct suite *suite, struct pmpp_error *error)
{
	struct probe *probe = &suite->probe;
	const struct variant *variant;
	struct program_entry *entry;
	struct problem problem;
	struct plan plan;
	enum pmpp_status status = PMPP_OK;

	if (probe->ready)
		return PMPP_OK;
	if (!roofs_problem(&suite->device->info, "fma", &variant, &problem))
		return PMPP_FAIL(error, PMPP_INTERNAL, "no FMA row for this device");
	struct config config = config_default(variant);
	config_plan(&config, &problem, &plan);
	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(suite->device,
			operand_bytes(&problem.family->operands[i], &problem), 0,
			&probe->buffers[i], error);
	if (status == PMPP_OK)
		status = gpu_buffer_fill(
			probe->buffers[0], 0, probe->buffers[0]->bytes, ONE_BITS, error);
	if (status == PMPP_OK)
		status = programs_get(suite, &config, &problem, false, &entry, error);
	if (status == PMPP_OK)
		status = launch_bind(entry, &plan, probe->buffers, &probe->run, error);
	if (status != PMPP_OK) {
		probe_finish(probe);
		return status;
	}
	probe->best_ns = INFINITY;
	probe->ready = true;
	return PMPP_OK;
}

enum pmpp_status probe_run(struct suite *suite, bool *ret_slow, struct pmpp_error *error)
{
	struct probe *probe = &suite->probe;
	double best_ns = INFINITY;
	enum pmpp_status status = probe_prepare(suite, error);

	for (int i = 0; status == PMPP_OK && i < TRIES; i++) {
		struct interval interval;
		status = launch_interval(suite, &probe->run, 1, true, &interval, error);
		if (status == PMPP_OK)
			best_ns = fmin(best_ns, interval.device_ns);
	}
	if (status != PMPP_OK)
		return status;
	*ret_slow = best_ns > SLOW_BEYOND * probe->best_ns;
	probe->best_ns = fmin(probe->best_ns, best_ns);
	return PMPP_OK;
}
