/* Buffers: validates free memory, ranges and alignment. */
#include "host/gpu/gpu.h"

#include "host/gpu/backend.h"
#include "host/io/host_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Free memory is not queried for buffers up to this size: the query takes longer than the
 * allocation. */
#define SMALL_BYTES ((uint64_t)1 << 20)

/* Writes a number of bytes in decimal units, "12.88 GB". Returns text. */
static const char *bytes_text(uint64_t bytes, char text[GPU_TEXT_BYTES])
{
	static const struct {
		double unit;
		const char *name;
	} units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if ((double)bytes >= units[i].unit) {
			snprintf(text, GPU_TEXT_BYTES, "%.2f %s", (double)bytes / units[i].unit,
				units[i].name);
			return text;
		}
	}
	snprintf(text, GPU_TEXT_BYTES, "%llu B", (unsigned long long)bytes);
	return text;
}

/* Writes two sizes that a message compares: in bytes if rounding would make them equal. */
static void compared_bytes_text(uint64_t needed, uint64_t limit, char needed_text[GPU_TEXT_BYTES],
	char limit_text[GPU_TEXT_BYTES])
{
	bytes_text(needed, needed_text);
	bytes_text(limit, limit_text);
	if (strcmp(needed_text, limit_text) == 0) {
		snprintf(needed_text, GPU_TEXT_BYTES, "%llu B", (unsigned long long)needed);
		snprintf(limit_text, GPU_TEXT_BYTES, "%llu B", (unsigned long long)limit);
	}
}

static uint64_t bytes_within_limit(const struct gpu_device *device)
{
	uint64_t max = device->info.limits.global_bytes;

	return max > device->allocated_bytes ? max - device->allocated_bytes : 0;
}

bool gpu_shares_host_memory(const struct gpu_device_info *info)
{
	return info->type == GPU_TYPE_CPU || info->type == GPU_TYPE_EMULATED;
}

uint64_t gpu_free_bytes(struct gpu_device *device)
{
	uint64_t left = bytes_within_limit(device);
	uint64_t free_bytes = UINT64_MAX;

	if (gpu_shares_host_memory(&device->info)) {
		struct host_memory host;

		host_memory_read(&host);
		free_bytes = host.available_bytes;
	} else if (device->backend->free_bytes) {
		free_bytes = device->backend->free_bytes(device);
	}
	return free_bytes < left ? free_bytes : left;
}

/* Checks that a buffer of `total` bytes, including its guards, fits in memory. */
static enum pmpp_status check_fits(
	struct gpu_device *device, uint64_t total, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &device->info.limits;
	uint64_t left = total > SMALL_BYTES ? gpu_free_bytes(device) : bytes_within_limit(device);
	char name[GPU_TEXT_BYTES], needed[GPU_TEXT_BYTES], limit[GPU_TEXT_BYTES],
		all[GPU_TEXT_BYTES];

	gpu_device_text(&device->info, name);
	if (total > limits->max_buffer_bytes) {
		compared_bytes_text(total, limits->max_buffer_bytes, needed, limit);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"a buffer of %s is needed, but the largest that %s allows is %s", needed,
			name, limit);
	}
	if (total > left) {
		compared_bytes_text(total, left, needed, limit);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"a buffer of %s is needed, but %s has %s left of %s", needed, name, limit,
			bytes_text(limits->global_bytes, all));
	}
	return PMPP_OK;
}

enum pmpp_status gpu_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error)
{
	uint64_t align = device->info.limits.buffer_align_bytes;
	uint64_t total;
	char name[GPU_TEXT_BYTES], needed[GPU_TEXT_BYTES], held[GPU_TEXT_BYTES],
		all[GPU_TEXT_BYTES];
	enum pmpp_status status;

	if (bytes == 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "a buffer of 0 bytes was requested");
	if (align > 1 && guard_bytes % align != 0)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"guards of %llu bytes: not a multiple of %llu",
			(unsigned long long)guard_bytes, (unsigned long long)align);
	if (__builtin_mul_overflow(guard_bytes, 2, &total) ||
		__builtin_add_overflow(total, bytes, &total))
		total = UINT64_MAX;
	status = check_fits(device, total, error);
	if (status != PMPP_OK)
		return status;

	struct gpu_buffer *buffer = calloc(1, device->backend->bytes->buffer);
	if (!buffer)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	*buffer = (struct gpu_buffer){device, bytes, guard_bytes};
	status = device->backend->buffer_create(buffer, error);
	if (status != PMPP_OK)
		pmpp_error_prefix(error, "a buffer of %s on %s, where buffers use %s of %s",
			bytes_text(total, needed), gpu_device_text(&device->info, name),
			bytes_text(device->allocated_bytes, held),
			bytes_text(device->info.limits.global_bytes, all));
	device->allocated_bytes += total;
	if (status != PMPP_OK) {
		gpu_buffer_destroy(&buffer);
		return status;
	}
	*ret_buffer = buffer;
	return PMPP_OK;
}

void gpu_buffer_destroy(struct gpu_buffer **buffer)
{
	struct gpu_device *device;

	if (!buffer || !*buffer)
		return;
	device = (*buffer)->device;
	device->allocated_bytes -= (*buffer)->bytes + 2 * (*buffer)->guard_bytes;
	device->backend->buffer_destroy(*buffer);
	free(*buffer);
	*buffer = NULL;
}

/* *ret_start: offset in bytes from the first byte of the leading guard. */
static enum pmpp_status check_range(const struct gpu_buffer *buffer, const char *what,
	int64_t offset, uint64_t bytes, uint64_t *ret_start, struct pmpp_error *error)
{
	uint64_t total = buffer->bytes + 2 * buffer->guard_bytes;
	/* Unsigned arithmetic: an offset before the leading guard wraps to a huge start. */
	uint64_t start = buffer->guard_bytes + (uint64_t)offset;

	if (start > total || bytes > total - start)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"%s of %llu bytes at offset %lld: the buffer has %llu bytes and guards of "
			"%llu",
			what, (unsigned long long)bytes, (long long)offset,
			(unsigned long long)buffer->bytes, (unsigned long long)buffer->guard_bytes);
	*ret_start = start;
	return PMPP_OK;
}

enum pmpp_status gpu_buffer_write(struct gpu_buffer *buffer, int64_t offset, const void *source,
	uint64_t bytes, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a write", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	return buffer->device->backend->buffer_write(buffer, start, source, bytes, error);
}

enum pmpp_status gpu_buffer_read(struct gpu_buffer *buffer, int64_t offset, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a read", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	return buffer->device->backend->buffer_read(buffer, start, target, bytes, error);
}

enum pmpp_status gpu_buffer_fill(struct gpu_buffer *buffer, int64_t offset, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	uint64_t start = 0;
	enum pmpp_status status = check_range(buffer, "a fill", offset, bytes, &start, error);

	if (status != PMPP_OK || bytes == 0)
		return status;
	if (offset % 4 != 0 || bytes % 4 != 0)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"a fill of %llu bytes at offset %lld: both must be multiples of 4",
			(unsigned long long)bytes, (long long)offset);
	status = buffer->device->backend->buffer_fill(buffer, start, bytes, pattern, error);
	buffer->device->timed_commands += status == PMPP_OK;
	buffer->unset = false;
	return status;
}

enum pmpp_status gpu_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error)
{
	assert(target->device == source->device && target->bytes == source->bytes);
	enum pmpp_status status = target->device->backend->buffer_copy(target, source, error);

	target->device->timed_commands += status == PMPP_OK;
	target->unset = false;
	return status;
}

enum pmpp_status gpu_buffer_repeat(
	struct gpu_buffer *buffer, const void *source, uint64_t bytes, struct pmpp_error *error)
{
	assert(bytes > 0 && bytes % GPU_REPEAT_UNIT == 0);
	return buffer->device->backend->buffer_repeat(buffer, source, bytes, error);
}

enum pmpp_status gpu_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	assert(gpu_can_evict(buffer->device));
	return buffer->device->backend->buffer_evict(buffer, error);
}

/* ---- Tile maps ----------------------------------------------------------------------------- */

#define MAX_TILE_EXTENT 256
#define TILE_UNIT_BYTES 16
#define SWIZZLE_BYTES 128 /* largest line, by the mode of the swizzle */

static bool is_tile_valid(const struct gpu_tile_map_desc *desc)
{
	uint64_t line = (uint64_t)desc->tile_columns * desc->element_bytes;

	return (desc->element_bytes == 2 || desc->element_bytes == 4) && desc->tile_rows >= 1 &&
	       desc->tile_rows <= MAX_TILE_EXTENT && desc->tile_columns >= 1 &&
	       desc->tile_columns <= MAX_TILE_EXTENT && line % TILE_UNIT_BYTES == 0 &&
	       (!desc->swizzled || line <= SWIZZLE_BYTES);
}

static bool is_matrix_valid(const struct gpu_tile_map_desc *desc)
{
	uint64_t bytes;

	return desc->rows >= 1 && desc->columns >= 1 && desc->pitch_bytes % TILE_UNIT_BYTES == 0 &&
	       desc->columns <= desc->pitch_bytes / desc->element_bytes &&
	       !__builtin_mul_overflow(desc->rows, desc->pitch_bytes, &bytes) &&
	       bytes <= desc->buffer->bytes;
}

enum pmpp_status gpu_tile_map_make(const struct gpu_tile_map_desc *desc,
	struct gpu_tile_map *ret_map, struct pmpp_error *error)
{
	const struct gpu_device *device = desc->buffer->device;
	char name[GPU_TEXT_BYTES];

	if (!gpu_can_map_tiles(device))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s has no tile maps",
			gpu_device_text(&device->info, name));
	if (!is_tile_valid(desc) || !is_matrix_valid(desc))
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"no tile map of %u x %u elements of %u bytes in a matrix of %llu x %llu "
			"with %llu bytes per row",
			desc->tile_rows, desc->tile_columns, desc->element_bytes,
			(unsigned long long)desc->rows, (unsigned long long)desc->columns,
			(unsigned long long)desc->pitch_bytes);
	return device->backend->tile_map(desc, ret_map, error);
}
