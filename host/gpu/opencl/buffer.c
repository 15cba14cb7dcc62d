#include "host/gpu/opencl/internal.h"

#include <stdlib.h>
#include <unistd.h>

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

/* Without guards and padding, kernels get the whole buffer instead of a sub-buffer. A memory
 * checker can then detect accesses beyond its end. */
static enum pmpp_status make_operand(struct opencl_buffer *buffer, uint64_t bytes,
	uint64_t guard_bytes, bool padded, struct pmpp_error *error)
{
	cl_buffer_region region = {buffer->origin + guard_bytes, bytes};
	cl_int code = CL_SUCCESS;

	if (guard_bytes == 0 && !padded) {
		enum pmpp_status status =
			CL_CALL(error, PMPP_INTERNAL, clRetainMemObject, buffer->parent);

		if (status == PMPP_OK)
			buffer->operand = buffer->parent;
		return status;
	}
	buffer->operand = clCreateSubBuffer(
		buffer->parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	return CL_CHECK(error, PMPP_OUT_OF_MEMORY, code, "clCreateSubBuffer");
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

enum pmpp_status opencl_buffer_create(struct gpu_device *device, uint64_t bytes,
	uint64_t guard_bytes, struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	struct opencl_device *self = opencl_device_of(device);
	struct opencl_buffer *buffer = calloc(1, sizeof *buffer);
	uint64_t used = guard_bytes + bytes + guard_bytes;
	enum pmpp_status status;

	if (!buffer)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	buffer->base.device = device;
	status = device->fenced ? make_fenced(self, buffer, used, error)
				: make_parent(self, buffer, used, error);
	if (status == PMPP_OK)
		status = make_operand(buffer, bytes, guard_bytes, self->aligns_buffers, error);
	if (status == PMPP_OK)
		*ret_buffer = &buffer->base;
	else
		opencl_buffer_destroy(&buffer->base);
	return status;
}

bool opencl_fence_buffers(struct gpu_device *device)
{
	struct opencl_device *self = opencl_device_of(device);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct gpu_buffer *trial = NULL;

	if (device->info.type != GPU_TYPE_CPU || self->is_oclgrind ||
		!opencl_make_address_kernel(self))
		return false;
	device->fenced = true;
	bool works = opencl_buffer_create(device, 1, device->info.limits.buffer_align_bytes, &trial,
			     &ignored) == PMPP_OK;
	device->fenced = false;
	if (works)
		opencl_buffer_destroy(trial);
	pmpp_error_clear(&ignored);
	return works;
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
	free(self);
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
	cl_buffer_region region = {origin, position - origin + bytes};
	uint32_t words[WIDE_PATTERN_WORDS];
	bool is_cpu = device->base.info.type == GPU_TYPE_CPU;
	bool is_wide = is_cpu && position % sizeof words == 0 && bytes % sizeof words == 0;
	cl_mem piece = NULL;
	cl_event event = NULL;
	cl_int code = CL_SUCCESS;
	enum pmpp_status status;

	for (size_t i = 0; i < WIDE_PATTERN_WORDS; i++)
		words[i] = pattern;
	if (origin > 0) {
		piece = clCreateSubBuffer(
			parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
		status = CL_CHECK(error, PMPP_LAUNCH, code, "clCreateSubBuffer");
		if (status != PMPP_OK)
			return status;
	}
	status = CL_CALL(error, PMPP_LAUNCH, clEnqueueFillBuffer, device->queue,
		piece ? piece : parent, words, is_wide ? sizeof words : sizeof *words,
		position - origin, bytes, 0, NULL, opencl_timer_slot(device, &event));
	if (status == PMPP_OK)
		opencl_timer_note(device, event);
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
