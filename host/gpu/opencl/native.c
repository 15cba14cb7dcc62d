/* Native kernels: functions of the host that a CPU device executes. */
#include "host/gpu/opencl/internal.h"

/* Arguments of the native kernel. The driver writes addresses of buffers into this struct. They are
 * addresses of whole buffers, because PoCL 3.1 gives a part of a buffer the address of the whole. */
struct native {
	char *parent[PEER_MAX_BUFFERS];
	uint64_t offset[PEER_MAX_BUFFERS]; /* of the operand in its parent, in bytes */
	opencl_native_function *function;
	const struct gpu_library *library;
	struct peer_work work;
};

enum pmpp_status opencl_can_call_native(
	struct gpu_device *device, const char *title, struct pmpp_error *error)
{
	if (opencl_device_of(device)->runs_host_code)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_UNSUPPORTED,
		"%s cannot be used: the device executes no functions of the host", title);
}

static void CL_CALLBACK call_function(void *argument)
{
	const struct native *native = argument;
	void *operands[PEER_MAX_BUFFERS] = {NULL};

	for (size_t i = 0; i < PEER_MAX_BUFFERS && native->parent[i]; i++)
		operands[i] = native->parent[i] + native->offset[i];
	native->function(native->library, &native->work, operands);
}

enum pmpp_status opencl_native_call(struct gpu_library *library, const struct gpu_call *call,
	opencl_native_function *function, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(library->device);
	struct native native = {.function = function, .library = library, .work = call->work};
	const void *addresses[PEER_MAX_BUFFERS];
	cl_mem parents[PEER_MAX_BUFFERS];
	cl_uint count = 0;

	for (; count < PEER_MAX_BUFFERS && call->buffers[count]; count++) {
		const struct opencl_buffer *buffer =
			(const struct opencl_buffer *)call->buffers[count];

		parents[count] = buffer->parent;
		addresses[count] = &native.parent[count];
		native.offset[count] = buffer->origin + buffer->base.guard_bytes;
	}
	/* The driver copies the arguments. */
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueNativeKernel, device->queue, call_function,
		&native, sizeof native, count, parents, addresses, 0, NULL,
		opencl_timer_event(device));
}
