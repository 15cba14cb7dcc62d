#include "host/gpu/cuda/internal.h"

#include <stdlib.h>
#include <string.h>

uint64_t cuda_free_bytes(struct gpu_device *device)
{
	size_t free_bytes = 0;
	size_t total_bytes = 0;

	if (cuda.cuCtxSetCurrent(cuda_device_of(device)->context) != CUDA_SUCCESS ||
		cuda.cuMemGetInfo(&free_bytes, &total_bytes) != CUDA_SUCCESS)
		return UINT64_MAX;
	return free_bytes;
}

enum pmpp_status cuda_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	struct cuda_device *self = cuda_device_of(device);
	struct cuda_buffer *buffer = calloc(1, sizeof *buffer);
	uint64_t total = guard_bytes + bytes + guard_bytes;
	enum pmpp_status status;

	if (!buffer)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = cuda_enter(self, error);
	if (status != PMPP_OK)
		goto out;
	/* Aligned to at least 256 bytes (CUDA C++ programming guide, device memory accesses).
	 * Guards are multiples of 256 bytes, so the operand has the same alignment. */
	status = CU_CALL(error, PMPP_LAUNCH, cuMemAlloc, &buffer->parent, total);
	if (status != PMPP_OK)
		goto out;
	buffer->operand = buffer->parent + guard_bytes;
	*ret_buffer = &buffer->base;
	return PMPP_OK;

out:
	free(buffer);
	return status;
}

void cuda_buffer_destroy(struct gpu_buffer *buffer)
{
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;

	cuda.cuCtxSetCurrent(cuda_device_of(buffer->device)->context);
	cuda.cuMemFree(self->parent);
	free(self);
}

enum pmpp_status cuda_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;
	enum pmpp_status status = cuda_enter(device, error);

	if (status != PMPP_OK)
		return status;
	status = CU_CALL(error, PMPP_LAUNCH, cuMemcpyHtoDAsync, self->parent + start, source, bytes,
		device->stream);
	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuStreamSynchronize, device->stream);
}

enum pmpp_status cuda_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;
	enum pmpp_status status = cuda_enter(device, error);

	if (status != PMPP_OK)
		return status;
	status = CU_CALL(error, PMPP_LAUNCH, cuMemcpyDtoHAsync, target, self->parent + start, bytes,
		device->stream);
	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuStreamSynchronize, device->stream);
}

enum pmpp_status cuda_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(buffer->device);
	struct cuda_buffer *self = (struct cuda_buffer *)buffer;
	enum pmpp_status status = cuda_enter(device, error);

	if (status != PMPP_OK)
		return status;
	return CU_CALL(error, PMPP_LAUNCH, cuMemsetD32Async, self->parent + start, pattern,
		bytes / 4, device->stream);
}

/* ---- Tile maps ----------------------------------------------------------------------------- */

_Static_assert(sizeof(struct gpu_tile_map) == sizeof(CUtensorMap), "a tile map is a tensor map");

/* The driver counts extents from the fastest one: columns, then rows. */
enum pmpp_status cuda_tile_map(const struct gpu_tile_map_desc *desc, struct gpu_tile_map *ret_map,
	struct pmpp_error *error)
{
	const struct cuda_buffer *buffer = (const struct cuda_buffer *)desc->buffer;
	const uint64_t extents[] = {desc->columns, desc->rows};
	const uint64_t strides[] = {desc->pitch_bytes};
	const uint32_t box[] = {desc->tile_columns, desc->tile_rows};
	const uint32_t every_element[] = {1, 1};
	CUtensorMap map;
	enum pmpp_status status = cuda_enter(cuda_device_of(desc->buffer->device), error);

	if (status != PMPP_OK)
		return status;
	status = CU_CALL(error, PMPP_LAUNCH, cuTensorMapEncodeTiled, &map,
		desc->element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
					 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
		2, (void *)(uintptr_t)buffer->operand, extents, strides, box, every_element,
		CU_TENSOR_MAP_INTERLEAVE_NONE,
		desc->swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
		CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (status == PMPP_OK)
		memcpy(ret_map, &map, sizeof *ret_map);
	return status;
}
