#include "host/suite/internal.h"

#include <math.h>
#include <time.h>

double host_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct gpu_arg bind_arg(const struct plan_arg *arg, struct gpu_buffer *const *buffers)
{
	switch (arg->kind) {
	case PLAN_ARG_OPERAND:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER, .as.buffer = buffers[arg->value]};
	case PLAN_ARG_SCRATCH:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER,
			.as.buffer = buffers[PMPP_MAX_OPERANDS + arg->value]};
	case PLAN_ARG_INT:
		return (struct gpu_arg){.kind = GPU_ARG_INT, .as.i = (int32_t)arg->value};
	case PLAN_ARG_ULONG:
		break;
	}
	return (struct gpu_arg){.kind = GPU_ARG_ULONG, .as.ul = (uint64_t)arg->value};
}

enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_step *step = &plan->steps[s];
		struct gpu_launch *launch = &ret_run->launches[s];
		enum pmpp_status status = PMPP_OK;

		ret_run->kernels[s] = NULL;
		ret_run->patterns[s] = step->pattern;
		if (step->entry)
			status = programs_kernel(entry, step->entry, &ret_run->kernels[s], error);
		if (status != PMPP_OK)
			return status;
		*launch = (struct gpu_launch){.shared_bytes = step->shared_bytes,
			.args = ret_run->args[s],
			.arg_count = step->arg_count};
		for (int d = 0; d < 3; d++) {
			launch->groups[d] = step->groups[d];
			launch->block[d] = step->block[d];
		}
		for (size_t i = 0; i < step->arg_count; i++)
			ret_run->args[s][i] = bind_arg(&step->args[i], buffers);
	}
	ret_run->step_count = plan->step_count;
	return PMPP_OK;
}

static enum pmpp_status run_fill(
	struct gpu_buffer *buffer, uint32_t pattern, struct pmpp_error *error)
{
	return gpu_buffer_fill(buffer, 0, buffer->bytes, pattern, error);
}

enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error)
{
	for (size_t s = 0; s < run->step_count; s++) {
		enum pmpp_status status =
			run->kernels[s]
				? gpu_launch(run->kernels[s], &run->launches[s], error)
				: run_fill(run->args[s][0].as.buffer, run->patterns[s], error);
		if (status != PMPP_OK)
			return status;
	}
	return PMPP_OK;
}

enum pmpp_status launch_interval(struct suite *suite, const struct bound_run *run, size_t batch,
	bool settled, struct interval *ret_interval, struct pmpp_error *error)
{
	bool device_timer = !suite->calibrated || suite->calibration.device_timer_ok;
	struct gpu_device *device = suite->device;
	struct interval interval = {.host_ns = NAN};
	enum pmpp_status status = PMPP_OK;

	settled = settled || !device_timer;
	if (settled)
		status = gpu_finish(device, error);
	double start = host_clock_ns();
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_begin(device, error);
	for (size_t i = 0; status == PMPP_OK && i < batch; i++)
		status = launch_run(run, error);
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_end(device, error);
	if (status == PMPP_OK)
		status = gpu_finish(device, error);
	if (settled)
		interval.host_ns = host_clock_ns() - start;
	interval.device_ns = interval.host_ns;
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_read(device, &interval.device_ns, error);
	if (status == PMPP_OK)
		*ret_interval = interval;
	return status;
}
