#include "host/gpu/fake/internal.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN_BYTES 256

uint64_t fake_free_bytes(struct gpu_device *device)
{
	uint64_t all = fake_control.free_bytes;

	if (all == 0)
		return UINT64_MAX;
	return all > device->allocated_bytes ? all - device->allocated_bytes : 0;
}

enum pmpp_status fake_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	uint64_t total = bytes + 2 * guard_bytes;
	struct fake_buffer *buffer;
	enum pmpp_status status = fake_record(FAKE_SLOT_buffer_create, error);

	if (status != PMPP_OK)
		return status;
	buffer = calloc(1, sizeof *buffer);
	if (!buffer)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a buffer");
	buffer->memory =
		aligned_alloc(ALIGN_BYTES, (total + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES);
	if (!buffer->memory) {
		free(buffer);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
			(unsigned long long)total);
	}
	/* New device memory has undefined contents. */
	memset(buffer->memory, 0xcd, total);
	buffer->device = fake;
	buffer->total = total;
	buffer->guard_bytes = guard_bytes;
	fake->live++;
	fake_count_live(1);
	*ret_buffer = &buffer->base;
	return PMPP_OK;
}

void fake_buffer_destroy(struct gpu_buffer *buffer)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;

	fake->device->live--;
	fake_count_live(-1);
	free(fake->memory);
	free(fake);
}

/* The front checks ranges: a range outside the buffer is a bug of the front. */
static enum pmpp_status check_inside(
	const struct fake_buffer *buffer, uint64_t start, uint64_t bytes, struct pmpp_error *error)
{
	if (start <= buffer->total && bytes <= buffer->total - start)
		return PMPP_OK;
	fake_note_misuse("%llu bytes at %llu of a buffer of %llu", (unsigned long long)bytes,
		(unsigned long long)start, (unsigned long long)buffer->total);
	return PMPP_FAIL(error, PMPP_INTERNAL, "a range outside its buffer reached the backend");
}

enum pmpp_status fake_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = fake_record_bytes(FAKE_SLOT_buffer_write, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status == PMPP_OK)
		memcpy(fake->memory + start, source, bytes);
	return status;
}

enum pmpp_status fake_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = fake_record_bytes(FAKE_SLOT_buffer_read, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status == PMPP_OK)
		memcpy(target, fake->memory + start, bytes);
	return status;
}

enum pmpp_status fake_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = fake_record_bytes(FAKE_SLOT_buffer_fill, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status != PMPP_OK)
		return status;
	if (start % 4 != 0 || bytes % 4 != 0)
		fake_note_misuse("a fill of %llu bytes at %llu", (unsigned long long)bytes,
			(unsigned long long)start);
	for (uint64_t i = 0; i < bytes; i += sizeof pattern)
		memcpy(fake->memory + start + i, &pattern, sizeof pattern);
	fake->device->timed_commands++;
	return PMPP_OK;
}

bool fake_can_evict(const struct gpu_device *device)
{
	(void)device;
	return fake_control.evicts;
}

enum pmpp_status fake_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	const struct fake_buffer *fake = (const struct fake_buffer *)buffer;

	if (fake->device->timer == TIMER_OPEN)
		fake_note_misuse("an eviction in a timed interval");
	return fake_record_bytes(FAKE_SLOT_buffer_evict, fake->total, error);
}
