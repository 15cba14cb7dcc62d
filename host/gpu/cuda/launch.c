#include "host/gpu/cuda/internal.h"

#include "host/gpu/arguments.h"

#include <stdio.h>

/* ---- Launch -------------------------------------------------------------------------------- */

/* The addresses of the values, and integers of another size than their parameter. */
struct values {
	void *address[GPU_MAX_ARGS];
	int64_t room[GPU_MAX_ARGS];
};

/* bytes: of the parameter; 0: unknown. Returns NULL if the argument does not fit. */
static const void *value_of(const struct gpu_arg *arg, size_t bytes, int64_t *room)
{
	if (arg->kind == GPU_ARG_BUFFER)
		return bytes == 0 || bytes == sizeof(CUdeviceptr)
			       ? &((const struct cuda_buffer *)arg->as.buffer)->operand
			       : NULL;
	if (arg->kind == GPU_ARG_TILE_MAP)
		return bytes == 0 || bytes == sizeof(struct gpu_tile_map) ? arg->as.tile_map : NULL;
	return gpu_argument_value(arg, bytes, room);
}

/* The driver gets pointers and reads the bytes of the kernel's parameters. Number and sizes of the
 * arguments are therefore checked first, if the driver reports those of the kernel. */
static enum pmpp_status set_args(const struct cuda_kernel *kernel, const struct gpu_launch *launch,
	struct values *ret_values, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->base.program->device->info;
	bool known = kernel->arg_count >= 0;
	char found[64];

	if (known && launch->arg_count != (size_t)kernel->arg_count)
		return gpu_refuse_count(info, launch, (size_t)kernel->arg_count, error);
	for (size_t i = 0; i < launch->arg_count; i++) {
		const void *value = value_of(
			&launch->args[i], known ? kernel->arg_bytes[i] : 0, &ret_values->room[i]);

		if (!value) {
			snprintf(found, sizeof found, "the kernel has %zu bytes",
				kernel->arg_bytes[i]);
			return gpu_refuse_argument(info, launch, i, found, error);
		}
		ret_values->address[i] = (void *)value; /* the driver only reads it */
	}
	return PMPP_OK;
}

/* Dynamic shared memory above 48 KiB must be enabled for the kernel before the launch. */
static enum pmpp_status allow_shared(
	struct cuda_kernel *kernel, uint32_t shared_bytes, struct pmpp_error *error)
{
	enum pmpp_status status;

	if (shared_bytes <= kernel->dynamic_bytes)
		return PMPP_OK;
	status = CU_CALL(error, PMPP_UNSUPPORTED, cuFuncSetAttribute, kernel->function,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes);
	if (status == PMPP_OK)
		kernel->dynamic_bytes = shared_bytes;
	return status;
}

enum pmpp_status cuda_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(kernel->program->device);
	struct cuda_kernel *self = (struct cuda_kernel *)kernel;
	struct values values = {{NULL}, {0}};
	const uint32_t *block = launch->block;
	unsigned groups[3];
	enum pmpp_status status = set_args(self, launch, &values, error);

	if (status != PMPP_OK)
		return status;
	for (int i = 0; i < 3; i++)
		groups[i] = (unsigned)launch->groups[i];
	status = cuda_enter(device, error);
	if (status != PMPP_OK)
		return status;
	status = allow_shared(self, launch->shared_bytes, error);
	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuLaunchKernel, self->function, groups[0], groups[1],
		groups[2], block[0], block[1], block[2], launch->shared_bytes, device->stream,
		values.address, NULL);
}

enum pmpp_status cuda_finish(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);
	enum pmpp_status status = cuda_enter(self, error);

	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuStreamSynchronize, self->stream);
}

/* ---- Timer --------------------------------------------------------------------------------- */

enum pmpp_status cuda_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);

	return CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventRecord, self->begin, self->stream);
}

enum pmpp_status cuda_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);

	return CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventRecord, self->end, self->stream);
}

enum pmpp_status cuda_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);
	float ms = 0.0f;
	enum pmpp_status status =
		CU_CALL_IN(self, error, PMPP_LAUNCH, cuEventSynchronize, self->end);

	if (status == PMPP_OK)
		status = CU_CALL(
			error, PMPP_LAUNCH, cuEventElapsedTime, &ms, self->begin, self->end);
	if (status == PMPP_OK)
		*ret_ns = (double)ms * 1e6;
	return status;
}
