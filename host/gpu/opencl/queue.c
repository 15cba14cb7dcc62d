/* What uses the queue: buffers, launches, the timer of both, and the end of the device. */
#include "host/gpu/arguments.h"
#include "host/gpu/opencl/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Timer --------------------------------------------------------------------------------- */

cl_event *opencl_timer_event(struct opencl_device *device)
{
	if (device->base.timer != GPU_TIMER_OPEN)
		return NULL;
	if (!device->timer.first)
		return &device->timer.first;
	if (device->timer.last)
		clReleaseEvent(device->timer.last);
	device->timer.last = NULL;
	return &device->timer.last;
}

/* Releases the events of the last interval. */
static void clear_timer(struct opencl_device *device)
{
	if (device->timer.first)
		clReleaseEvent(device->timer.first);
	if (device->timer.last)
		clReleaseEvent(device->timer.last);
	memset(&device->timer, 0, sizeof device->timer);
}

enum pmpp_status opencl_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	(void)error;
	clear_timer(opencl_device_of(device));
	return PMPP_OK;
}

enum pmpp_status opencl_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	/* The interval ends with its last command. A fill on Oclgrind has no event. */
	if (!opencl_device_of(device)->timer.first)
		return PMPP_FAIL(
			error, PMPP_INTERNAL, "no command of the timed interval has times");
	return PMPP_OK;
}

enum pmpp_status opencl_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	struct opencl_device *self = opencl_device_of(device);
	cl_event first = self->timer.first;
	cl_event last = self->timer.last ? self->timer.last : first;
	cl_ulong start_ns = 0, end_ns = 0;
	enum pmpp_status status = CL_CALL(error, PMPP_LAUNCH, clWaitForEvents, 1, &last);

	if (status == PMPP_OK)
		status = CL_CALL(error, PMPP_LAUNCH, clGetEventProfilingInfo, first,
			self->timer.first_is_marker ? CL_PROFILING_COMMAND_END
						    : CL_PROFILING_COMMAND_START,
			sizeof start_ns, &start_ns, NULL);
	if (status == PMPP_OK)
		status = CL_CALL(error, PMPP_LAUNCH, clGetEventProfilingInfo, last,
			CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL);
	if (status != PMPP_OK)
		return status;
	/* Signed: the suite detects a driver whose clock steps back, so it is not hidden here. */
	*ret_ns = (double)(int64_t)(end_ns - start_ns);
	return PMPP_OK;
}

/* ---- Buffers ------------------------------------------------------------------------------- */

/* Returns the buffer's address on the host. On most CPU devices kernels use the same address. */
static enum pmpp_status map_address(const struct opencl_device *device, cl_mem parent,
	uint64_t *ret_address, struct pmpp_error *error)
{
	cl_int code = CL_SUCCESS;
	void *address = clEnqueueMapBuffer(
		device->queue, parent, CL_TRUE, CL_MAP_READ, 0, 1, 0, NULL, NULL, &code);
	enum pmpp_status status = CL_CHECK(error, PMPP_LAUNCH, code, "clEnqueueMapBuffer");

	if (status != PMPP_OK)
		return status;
	*ret_address = (uintptr_t)address;
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueUnmapMemObject, device->queue, parent, address,
		0, NULL, NULL);
}

/* Returns the buffer's address in kernels. Mesa 25's rusticl maps a copy of the buffer, so there it
 * differs from the host's address. */
static enum pmpp_status kernel_address(const struct opencl_device *device, cl_mem parent,
	uint64_t *ret_address, struct pmpp_error *error)
{
	const size_t one = 1;
	enum pmpp_status status = CL_CALL(
		error, PMPP_LAUNCH, clSetKernelArg, device->address, 0, sizeof parent, &parent);

	if (status != PMPP_OK)
		return status;
	status = CL_CALL(error, PMPP_LAUNCH, clEnqueueNDRangeKernel, device->queue, device->address,
		1, NULL, &one, &one, 0, NULL, NULL);
	if (status != PMPP_OK)
		return status;
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueReadBuffer, device->queue, parent, CL_TRUE, 0,
		sizeof *ret_address, ret_address, 0, NULL, NULL);
}

/* Returns the bytes from the buffer's address up to the next multiple of KERNEL_ALIGN. */
static enum pmpp_status measure_padding(const struct opencl_device *device, cl_mem parent,
	uint64_t *ret_padding, struct pmpp_error *error)
{
	uint64_t address = 0;
	enum pmpp_status status = device->address ? kernel_address(device, parent, &address, error)
						  : map_address(device, parent, &address, error);

	if (status == PMPP_OK)
		*ret_padding = (KERNEL_ALIGN - address % KERNEL_ALIGN) % KERNEL_ALIGN;
	return status;
}

/* Drivers allocate a buffer at its first use. This first use makes the driver report a lack of
 * memory here, not in a launch. */
static enum pmpp_status touch(
	const struct opencl_device *device, cl_mem parent, struct pmpp_error *error)
{
	static const cl_uchar zero = 0;
	enum pmpp_status status = CL_CALL(error, PMPP_OUT_OF_MEMORY, clEnqueueFillBuffer,
		device->queue, parent, &zero, sizeof zero, 0, 1, 0, NULL, NULL);

	if (status != PMPP_OK)
		return status;
	return CL_CALL(error, PMPP_OUT_OF_MEMORY, clFinish, device->queue);
}

static enum pmpp_status make_part(cl_mem parent, uint64_t origin, uint64_t bytes,
	enum pmpp_status fallback, cl_mem *ret_part, struct pmpp_error *error)
{
	cl_buffer_region region = {origin, bytes};
	cl_int code = CL_SUCCESS;

	*ret_part = clCreateSubBuffer(
		parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	return CL_CHECK(error, fallback, code, "clCreateSubBuffer");
}

/* Without guards and padding, kernels get the whole buffer instead of a sub-buffer. A memory
 * checker can then detect accesses beyond its end. */
static enum pmpp_status make_operand(
	struct opencl_buffer *buffer, bool padded, struct pmpp_error *error)
{
	if (buffer->base.guard_bytes == 0 && !padded) {
		enum pmpp_status status =
			CL_CALL(error, PMPP_INTERNAL, clRetainMemObject, buffer->parent);

		if (status == PMPP_OK)
			buffer->operand = buffer->parent;
		return status;
	}
	return make_part(buffer->parent, buffer->origin + buffer->base.guard_bytes,
		buffer->base.bytes, PMPP_OUT_OF_MEMORY, &buffer->operand, error);
}

static uint64_t whole_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Makes the parent in memory between unmapped pages. The trailing guard ends less than 256 bytes
 * before these pages, because stores past the end are more common than stores before the start.
 * PMPP_UNSUPPORTED: kernels use a copy of the memory. */
static enum pmpp_status make_fenced(const struct opencl_device *device,
	struct opencl_buffer *buffer, uint64_t used, struct pmpp_error *error)
{
	const uint64_t align = device->base.info.limits.buffer_align_bytes > KERNEL_ALIGN
				       ? device->base.info.limits.buffer_align_bytes
				       : KERNEL_ALIGN;
	uint64_t total = whole_pages(used);
	uint64_t address = 0;
	cl_int code = CL_SUCCESS;

	if (!fenced_memory_create(&buffer->memory, total))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	buffer->origin = (total - used) / align * align;
	buffer->parent = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
		total, buffer->memory.bytes, &code);
	enum pmpp_status status = CL_CHECK(error, PMPP_OUT_OF_MEMORY, code, "clCreateBuffer");
	if (status == PMPP_OK)
		status = kernel_address(device, buffer->parent, &address, error);
	if (status == PMPP_OK && address != (uintptr_t)buffer->memory.bytes)
		status = PMPP_FAIL(error, PMPP_UNSUPPORTED, "the device copies memory of the host");
	return status;
}

/* Makes the parent in memory of the driver. */
static enum pmpp_status make_parent(const struct opencl_device *device,
	struct opencl_buffer *buffer, uint64_t used, struct pmpp_error *error)
{
	uint64_t total = used + (device->aligns_buffers ? KERNEL_ALIGN : 0);
	cl_int code = CL_SUCCESS;

	buffer->parent = clCreateBuffer(device->context, CL_MEM_READ_WRITE, total, NULL, &code);
	enum pmpp_status status = CL_CHECK(error, PMPP_OUT_OF_MEMORY, code, "clCreateBuffer");
	if (status == PMPP_OK)
		status = touch(device, buffer->parent, error);
	if (status == PMPP_OK && device->aligns_buffers)
		status = measure_padding(device, buffer->parent, &buffer->origin, error);
	return status;
}

enum pmpp_status opencl_buffer_create(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(buffer->device);
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;
	uint64_t used = buffer->bytes + 2 * buffer->guard_bytes;
	enum pmpp_status status = device->base.fenced ? make_fenced(device, self, used, error)
						      : make_parent(device, self, used, error);

	return status == PMPP_OK ? make_operand(self, device->aligns_buffers, error) : status;
}

void opencl_buffer_destroy(struct gpu_buffer *buffer)
{
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;

	if (self->operand)
		clReleaseMemObject(self->operand);
	if (self->parent)
		clReleaseMemObject(self->parent);
	/* A queued command may still use the memory. */
	if (self->memory.map)
		clFinish(opencl_device_of(buffer->device)->queue);
	fenced_memory_destroy(&self->memory);
}

enum pmpp_status opencl_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(buffer->device);
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;

	return CL_CALL(error, PMPP_LAUNCH, clEnqueueWriteBuffer, device->queue, self->parent,
		CL_TRUE, self->origin + start, bytes, source, 0, NULL, NULL);
}

enum pmpp_status opencl_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(buffer->device);
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;

	return CL_CALL(error, PMPP_LAUNCH, clEnqueueReadBuffer, device->queue, self->parent,
		CL_TRUE, self->origin + start, bytes, target, 0, NULL, NULL);
}

/* Bytes of one piece of a fill. NVIDIA's driver (580) uses 31 bits for the elements of a fill plus
 * its offset; a larger fill makes the queue unusable. Each piece has a sub-buffer of its own. */
#define FILL_BYTES ((uint64_t)1 << 30)

/* PoCL copies the pattern in a loop: a longer pattern is several times faster. */
#define WIDE_PATTERN_WORDS 16

/* Fills a range within one piece: position / FILL_BYTES is the same for all of its bytes. */
static enum pmpp_status fill_piece(struct opencl_device *device, cl_mem parent, uint64_t position,
	uint64_t bytes, uint32_t pattern, struct pmpp_error *error)
{
	uint64_t origin = position / FILL_BYTES * FILL_BYTES;
	uint32_t words[WIDE_PATTERN_WORDS];
	bool is_cpu = device->base.info.type == GPU_TYPE_CPU;
	bool is_wide = is_cpu && position % sizeof words == 0 && bytes % sizeof words == 0;
	cl_mem piece = NULL;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < WIDE_PATTERN_WORDS; i++)
		words[i] = pattern;
	if (origin > 0)
		status = make_part(
			parent, origin, position - origin + bytes, PMPP_LAUNCH, &piece, error);
	if (status != PMPP_OK)
		return status;
	status = CL_CALL(error, PMPP_LAUNCH, clEnqueueFillBuffer, device->queue,
		piece ? piece : parent, words, is_wide ? sizeof words : sizeof *words,
		position - origin, bytes, 0, NULL, opencl_timer_event(device));
	/* The queued command keeps a reference to the sub-buffer. */
	if (piece)
		clReleaseMemObject(piece);
	return status;
}

/* A write instead of a fill: Oclgrind treats filled memory as uninitialised. */
static enum pmpp_status fill_by_write(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	uint64_t words = bytes / sizeof pattern;
	uint32_t *copy = malloc(bytes);

	if (!copy)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	for (uint64_t i = 0; i < words; i++)
		copy[i] = pattern;
	enum pmpp_status status = opencl_buffer_write(buffer, start, copy, bytes, error);
	free(copy);
	return status;
}

enum pmpp_status opencl_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(buffer->device);
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;
	uint64_t position = self->origin + start;
	uint64_t end = position + bytes;
	enum pmpp_status status = PMPP_OK;

	if (device->is_oclgrind)
		return fill_by_write(buffer, start, bytes, pattern, error);
	while (status == PMPP_OK && position < end) {
		uint64_t next = (position / FILL_BYTES + 1) * FILL_BYTES;
		uint64_t piece = (next < end ? next : end) - position;

		status = fill_piece(device, self->parent, position, piece, pattern, error);
		position += piece;
	}
	return status;
}

enum pmpp_status opencl_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(target->device);

	return CL_CALL(error, PMPP_LAUNCH, clEnqueueCopyBuffer, device->queue,
		((const struct opencl_buffer *)source)->operand,
		((struct opencl_buffer *)target)->operand, 0, 0, target->bytes, 0, NULL,
		opencl_timer_event(device));
}

/* ---- Launch -------------------------------------------------------------------------------- */

static const size_t arg_bytes[] = {
	[GPU_ARG_BUFFER] = sizeof(cl_mem),
	[GPU_ARG_INT] = sizeof(cl_int),
	[GPU_ARG_UINT] = sizeof(cl_uint),
	[GPU_ARG_ULONG] = sizeof(cl_ulong),
	[GPU_ARG_FLOAT] = sizeof(cl_float),
};

static enum pmpp_status check_kind(const struct opencl_kernel *kernel,
	const struct gpu_launch *launch, size_t index, struct pmpp_error *error)
{
	bool pointer = index >= launch->arg_count || launch->args[index].kind == GPU_ARG_BUFFER;

	if (!kernel->pointers_known || kernel->pointer[index] == pointer)
		return PMPP_OK;
	return gpu_refuse_argument(&kernel->base.program->device->info, launch, index,
		pointer ? "the kernel has a value" : "the kernel has a pointer", error);
}

/* A driver does not report the sizes of parameters: tries the other size of an integer. If the driver
 * rejects it too, the error stays. */
static enum pmpp_status set_other_size(const struct opencl_kernel *kernel,
	const struct gpu_arg *arg, size_t index, enum pmpp_status status, struct pmpp_error *error)
{
	const size_t bytes = arg->kind == GPU_ARG_ULONG ? sizeof(cl_int) : sizeof(cl_ulong);
	int64_t room;
	const void *value = arg->kind == GPU_ARG_BUFFER || arg->kind == GPU_ARG_FLOAT
				    ? NULL
				    : gpu_argument_value(arg, bytes, &room);

	if (!value || clSetKernelArg(kernel->kernel, (cl_uint)index, bytes, value) != CL_SUCCESS)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* Error codes caused by the kernel's parameter list become a message about the parameter. */
static enum pmpp_status set_arg(const struct opencl_kernel *kernel, const struct gpu_launch *launch,
	size_t index, size_t bytes, const void *value, struct pmpp_error *error)
{
	static const cl_int refusals[] = {CL_INVALID_ARG_SIZE, CL_INVALID_ARG_VALUE,
		CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER};
	enum pmpp_status status = check_kind(kernel, launch, index, error);
	char found[sizeof error->message];

	if (status != PMPP_OK)
		return status;
	status = CL_CALL(
		error, PMPP_LAUNCH, clSetKernelArg, kernel->kernel, (cl_uint)index, bytes, value);
	if (status != PMPP_OK && error->code == CL_INVALID_ARG_SIZE && index < launch->arg_count)
		status = set_other_size(kernel, &launch->args[index], index, status, error);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals && status != PMPP_OK; i++)
		if (error->code == refusals[i]) {
			snprintf(found, sizeof found, "%s", error->message);
			return gpu_refuse_argument(
				&kernel->base.program->device->info, launch, index, found, error);
		}
	return status;
}

static enum pmpp_status set_args(
	struct opencl_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->base.program->device->info;
	enum pmpp_status status = PMPP_OK;

	if (gpu_argument_count(info, launch) != kernel->arg_count)
		return gpu_refuse_count(info, launch, kernel->arg_count, error);
	for (size_t i = 0; i < launch->arg_count && status == PMPP_OK; i++) {
		const struct gpu_arg *arg = &launch->args[i];
		const void *value = &arg->as;

		if (arg->kind == GPU_ARG_BUFFER)
			value = &((const struct opencl_buffer *)arg->as.buffer)->operand;
		status = set_arg(kernel, launch, i, arg_bytes[arg->kind], value, error);
	}
	if (status == PMPP_OK && launch->shared_bytes > 0)
		status = set_arg(
			kernel, launch, launch->arg_count, launch->shared_bytes, NULL, error);
	return status;
}

enum pmpp_status opencl_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(kernel->program->device);
	struct opencl_kernel *self = (struct opencl_kernel *)kernel;
	size_t global[3], local[3];
	enum pmpp_status status = set_args(self, launch, error);

	if (status != PMPP_OK)
		return status;
	for (int i = 0; i < 3; i++) {
		local[i] = launch->block[i];
		global[i] = launch->groups[i] * local[i];
	}
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueNDRangeKernel, device->queue, self->kernel, 3,
		NULL, global, local, 0, NULL, opencl_timer_event(device));
}

enum pmpp_status opencl_finish(struct gpu_device *device, struct pmpp_error *error)
{
	return CL_CALL(error, PMPP_LAUNCH, clFinish, opencl_device_of(device)->queue);
}

void opencl_close(struct gpu_device *device)
{
	struct opencl_device *self = opencl_device_of(device);

	clear_timer(self);
	if (self->queue) {
		clFinish(self->queue);
		clReleaseCommandQueue(self->queue);
	}
	if (self->address)
		clReleaseKernel(self->address);
	if (self->context)
		clReleaseContext(self->context);
}
