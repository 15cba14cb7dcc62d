#include "host/suite/launch.h"

#include "host/io/clock.h"

#include <math.h>

static struct gpu_buffer *buffer_of(const struct plan_arg *arg, struct gpu_buffer *const *buffers)
{
	return buffers[arg->kind == PLAN_ARG_SCRATCH ? PMPP_MAX_OPERANDS + arg->value : arg->value];
}

static struct gpu_arg bind_arg(
	const struct plan_arg *arg, const struct family *family, struct gpu_buffer *const *buffers)
{
	static const char *const scratch_names[PMPP_MAX_SCRATCH] = {
		"scratch 1", "scratch 2", "scratch 3"};

	switch (arg->kind) {
	case PLAN_ARG_OPERAND:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER,
			.name = family->operands[arg->value].name,
			.input = (size_t)arg->value + 1 < family->operand_count,
			.as.buffer = buffer_of(arg, buffers)};
	case PLAN_ARG_SCRATCH:
		return (struct gpu_arg){.kind = GPU_ARG_BUFFER,
			.name = scratch_names[arg->value],
			.as.buffer = buffer_of(arg, buffers)};
	case PLAN_ARG_INT:
		return (struct gpu_arg){.kind = GPU_ARG_INT, .as.i = (int32_t)arg->value};
	case PLAN_ARG_TILE_MAP: /* bind_launch() */
	case PLAN_ARG_ULONG:
		break;
	}
	return (struct gpu_arg){.kind = GPU_ARG_ULONG, .as.ul = (uint64_t)arg->value};
}

static enum pmpp_status bind_tile_map(const struct plan_tile_map *planned,
	struct gpu_buffer *const *buffers, struct gpu_tile_map *ret_map, struct pmpp_error *error)
{
	const struct gpu_tile_map_desc desc = {.buffer = buffer_of(&planned->buffer, buffers),
		.element_bytes = (uint32_t)planned->element_bytes,
		.rows = (uint64_t)planned->rows,
		.columns = (uint64_t)planned->columns,
		.pitch_bytes = (uint64_t)planned->pitch * (uint64_t)planned->element_bytes,
		.tile_rows = (uint32_t)planned->tile_rows,
		.tile_columns = (uint32_t)planned->tile_columns,
		.swizzled = planned->swizzled};

	return gpu_tile_map_make(&desc, ret_map, error);
}

static enum pmpp_status bind_launch(struct program_entry *entry, const struct plan_launch *planned,
	struct gpu_buffer *const *buffers, struct bound_launch *ret_bound, struct pmpp_error *error)
{
	enum pmpp_status status = programs_kernel(entry, planned->entry, &ret_bound->kernel, error);

	if (status != PMPP_OK)
		return status;
	ret_bound->launch = (struct gpu_launch){.shared_bytes = planned->shared_bytes,
		.args = ret_bound->args,
		.arg_count = planned->arg_count};
	for (int d = 0; d < 3; d++) {
		ret_bound->launch.groups[d] = planned->groups[d];
		ret_bound->launch.block[d] = planned->block[d];
	}
	for (size_t i = 0; i < planned->arg_count && status == PMPP_OK; i++) {
		const struct plan_arg *arg = &planned->args[i];

		if (arg->kind != PLAN_ARG_TILE_MAP) {
			ret_bound->args[i] = bind_arg(arg, entry->family, buffers);
			continue;
		}
		struct gpu_tile_map *map = &ret_bound->tile_maps[arg->value];
		status = bind_tile_map(&planned->tile_maps[arg->value], buffers, map, error);
		ret_bound->args[i] = (struct gpu_arg){.kind = GPU_ARG_TILE_MAP, .as.tile_map = map};
	}
	return status;
}

static struct bound_fill bind_fill(
	const struct plan_fill *planned, struct gpu_buffer *const *buffers)
{
	return (struct bound_fill){
		.buffer = buffer_of(&planned->buffer, buffers), .pattern = planned->pattern};
}

enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; status == PMPP_OK && s < plan->step_count; s++) {
		const struct plan_step *step = &plan->steps[s];
		struct bound_step *bound = &ret_run->steps[s];

		bound->kind = step->kind;
		if (step->kind == PLAN_FILL)
			bound->as.fill = bind_fill(&step->as.fill, buffers);
		else
			status = bind_launch(
				entry, &step->as.launch, buffers, &bound->as.launch, error);
	}
	if (status == PMPP_OK)
		ret_run->step_count = plan->step_count;
	return status;
}

void launch_bind_library(struct gpu_library *library, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_product *planned = &plan->steps[s].as.product;

		ret_run->steps[s] = (struct bound_step){.kind = PLAN_PRODUCT,
			.as.product = {.library = library,
				.product = {.kind = planned->kind,
					.m = planned->m,
					.n = planned->n,
					.k = planned->k,
					.a = buffer_of(&planned->a, buffers),
					.b = buffer_of(&planned->b, buffers),
					.c = buffer_of(&planned->c, buffers)}}};
	}
	ret_run->step_count = plan->step_count;
}

static enum pmpp_status queue_launch(const struct bound_step *step, struct pmpp_error *error)
{
	return gpu_launch(step->as.launch.kernel, &step->as.launch.launch, error);
}

static enum pmpp_status queue_fill(const struct bound_step *step, struct pmpp_error *error)
{
	const struct bound_fill *fill = &step->as.fill;

	return gpu_buffer_fill(fill->buffer, 0, fill->buffer->bytes, fill->pattern, error);
}

static enum pmpp_status queue_product(const struct bound_step *step, struct pmpp_error *error)
{
	return gpu_multiply(step->as.product.library, &step->as.product.product, error);
}

enum pmpp_status launch_step(const struct bound_step *step, struct pmpp_error *error)
{
	static enum pmpp_status (*const queue[])(
		const struct bound_step *step, struct pmpp_error *error) = {
		[PLAN_LAUNCH] = queue_launch,
		[PLAN_FILL] = queue_fill,
		[PLAN_PRODUCT] = queue_product,
	};

	return queue[step->kind](step, error);
}

enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; status == PMPP_OK && s < run->step_count; s++)
		status = launch_step(&run->steps[s], error);
	return status;
}

/* The library of a run that consists of products, else NULL. */
static struct gpu_library *library_of(const struct bound_run *run)
{
	const struct bound_step *first = &run->steps[0];

	return first->kind == PLAN_PRODUCT ? first->as.product.library : NULL;
}

double launch_wake_up_ns(const struct bound_run *run)
{
	const struct gpu_library *library = library_of(run);

	return library ? library->wake_up_ns : 0;
}

enum pmpp_status launch_interval(struct gpu_device *device, const struct bound_run *run,
	const struct interval_request *request, struct interval *ret_interval,
	struct pmpp_error *error)
{
	bool device_timer = request->device_timer;
	bool settled = request->settled || !device_timer;
	struct interval interval = {.host_ns = NAN};
	struct gpu_library *library = library_of(run);
	enum pmpp_status status = PMPP_OK;

	if (library)
		status = gpu_library_wake_up(library, error);
	if (status == PMPP_OK && settled)
		status = gpu_finish(device, error);
	double start = host_clock_ns();
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_begin(device, error);
	for (size_t i = 0; status == PMPP_OK && i < request->batch; i++)
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
