#include "host/gpu/fake/internal.h"

#include "host/io/clock.h"

#include <stdlib.h>
#include <string.h>

void *fake_arg_buffer(const struct fake_launch *launch, size_t index)
{
	const struct gpu_launch *asked = launch->launch;
	const struct fake_buffer *buffer;

	if (index >= asked->arg_count || asked->args[index].kind != GPU_ARG_BUFFER)
		return NULL;
	buffer = (const struct fake_buffer *)asked->args[index].as.buffer;
	return buffer->memory + buffer->guard_bytes;
}

int64_t fake_macro_of(const struct gpu_macro *macros, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(macros[i].name, name) == 0)
			return macros[i].value;
	return 0;
}

int64_t fake_macro(const struct fake_launch *launch, const char *name)
{
	return fake_macro_of(launch->macros, launch->macro_count, name);
}

enum pmpp_status fake_launch_kernel(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	const struct fake_kernel *fake = (const struct fake_kernel *)kernel;
	struct fake_launch seen = {.launch = launch,
		.macros = fake->program->macros,
		.macro_count = fake->program->macro_count};
	enum pmpp_status status = fake_record_entry(FAKE_SLOT_launch, fake->row->entry, error);

	if (status != PMPP_OK)
		return status;
	if (fake_control.launched_threads &&
		launch->block[0] * launch->block[1] * launch->block[2] >
			fake_control.launched_threads)
		return pmpp_error_set_call(error, PMPP_LAUNCH, __FILE__, __LINE__, "fake_launch",
			-54, "FAKE_INVALID_BLOCK");
	if (launch->shared_bytes > 0) {
		seen.shared = malloc(launch->shared_bytes);
		if (!seen.shared)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory to share");
	}
	fake->row->run(&seen);
	free(seen.shared);
	fake->program->device->timed_commands++;
	return PMPP_OK;
}

enum pmpp_status fake_finish(struct gpu_device *device, struct pmpp_error *error)
{
	(void)device;
	return fake_record(FAKE_SLOT_finish, error);
}

/* ---- Timer --------------------------------------------------------------------------------- */

static double spent_ns; /* by kernels, in the interval */

void fake_spend_ns(double ns)
{
	spent_ns += ns;
}

enum pmpp_status fake_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = fake_record(FAKE_SLOT_timer_begin, error);

	if (status != PMPP_OK)
		return status;
	if (fake->base.no_timer)
		fake_note_misuse("timer_begin on a device without a timer");
	fake->timer = TIMER_OPEN;
	fake->timed_commands = 0;
	spent_ns = 0;
	fake->begin_ns = host_clock_ns();
	return PMPP_OK;
}

enum pmpp_status fake_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = fake_record(FAKE_SLOT_timer_end, error);

	if (status != PMPP_OK)
		return status;
	if (fake->timer != TIMER_OPEN)
		fake_note_misuse("timer_end without timer_begin");
	else if (fake->timed_commands == 0)
		fake_note_misuse("a timed interval without a launch or fill");
	fake->end_ns = spent_ns > 0 ? fake->begin_ns + spent_ns : host_clock_ns();
	fake->timer = TIMER_CLOSED;
	return PMPP_OK;
}

enum pmpp_status fake_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = fake_record(FAKE_SLOT_timer_read, error);

	if (status != PMPP_OK)
		return status;
	if (fake->timer != TIMER_CLOSED)
		fake_note_misuse("timer_read without timer_end");
	*ret_ns = fake_control.timer ? fake_control.timer(device, fake_control.timer_context)
		  : fake_control.timer_ns > 0
			  ? fake_control.timer_ns
			  : fake_control.timer_scale * (fake->end_ns - fake->begin_ns);
	return PMPP_OK;
}
