#include "host/gpu/emu/internal.h"

#include <stdlib.h>
#include <string.h>

enum pmpp_status emu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	struct emu_device *emulator = (struct emu_device *)device;
	struct emu_buffer *buffer = calloc(1, sizeof *buffer);
	uint64_t all = 2 * guard_bytes + bytes;

	if (!buffer || !fenced_memory_create(&buffer->memory, all)) {
		free(buffer);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
			(unsigned long long)all);
	}
	buffer->data = buffer->memory.bytes + guard_bytes;
	buffer->base.device = device;
	buffer->next = emulator->buffers;
	emulator->buffers = buffer;
	*ret_buffer = &buffer->base;
	return PMPP_OK;
}

void emu_buffer_destroy(struct gpu_buffer *base)
{
	struct emu_buffer *buffer = (struct emu_buffer *)base;
	struct emu_buffer **link = &((struct emu_device *)base->device)->buffers;

	while (*link != buffer)
		link = &(*link)->next;
	*link = buffer->next;
	fenced_memory_destroy(&buffer->memory);
	free(buffer);
}

enum pmpp_status emu_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	(void)error;
	memcpy(((struct emu_buffer *)buffer)->memory.bytes + start, source, bytes);
	return PMPP_OK;
}

enum pmpp_status emu_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	(void)error;
	memcpy(target, ((struct emu_buffer *)buffer)->memory.bytes + start, bytes);
	return PMPP_OK;
}

enum pmpp_status emu_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	char *target = ((struct emu_buffer *)buffer)->memory.bytes + start;

	(void)error;
	for (uint64_t i = 0; i < bytes; i += sizeof pattern)
		memcpy(target + i, &pattern, sizeof pattern);
	return PMPP_OK;
}
