#include "host/suite/operands.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 65536u /* covers the rows of a tile past the end of most operands */
#define STAGING_BYTES (64u << 20)

#define GUARD_INPUT 0x7fc0cafeu /* another NaN: a load out of bounds makes the result a NaN */
/* About 1.2, not a NaN: if a kernel loads a guard, adds to it and stores the sum there, a NaN would
 * not change, and the store would not be detected. */
#define GUARD_OUTPUT 0x3f9dcafeu

/* ---- Memory -------------------------------------------------------------------------------- */

uint64_t operands_guard_bytes(const struct gpu_device_info *info)
{
	uint64_t align = info->limits.buffer_align_bytes ? info->limits.buffer_align_bytes : 1;

	return (GUARD_BYTES + align - 1) / align * align;
}

static size_t output_index(const struct operands *operands)
{
	return operands->family->operand_count - 1;
}

void operands_scratch_bytes(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	memset(ret_bytes, 0, PMPP_MAX_SCRATCH * sizeof *ret_bytes);
	if (config->variant->scratch)
		config->variant->scratch(config, problem, ret_bytes);
}

static bool is_own(const struct operands *operands, size_t index)
{
	return index >= PMPP_MAX_OPERANDS || !operands->borrowed[index];
}

void operands_release(struct operands *operands)
{
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		if (is_own(operands, i))
			gpu_buffer_destroy(&operands->buffers[i]);
	free(operands->staging[0]);
	free(operands->staging[1]);
	*operands = (struct operands){.device = operands->device, .inputs = operands->inputs};
}

void operands_forget(struct operands *operands)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		operands->content[i].known = false;
	operands->guards_known = false;
}

static uint64_t line_bytes(const struct layout *layout)
{
	return (uint64_t)layout->pitch * dtype_info(layout->device)->bytes;
}

/* Bytes of one staging buffer: the largest operand, but at most STAGING_BYTES. At least one line of
 * each packed operand. */
static uint64_t staging_of(const struct layout *layouts, size_t count)
{
	uint64_t max = 0;

	for (size_t i = 0; i < count; i++) {
		const struct layout *layout = &layouts[i];
		uint64_t whole = layout_bytes(layout);
		uint64_t wanted = whole < STAGING_BYTES ? whole : STAGING_BYTES;
		if (!layout_is_direct(layout) && wanted < line_bytes(layout))
			wanted = line_bytes(layout);
		max = wanted > max ? wanted : max;
	}
	return max;
}

uint64_t operands_staging_bytes(const struct config *config, const struct problem *problem)
{
	struct layout layouts[PMPP_MAX_OPERANDS];
	size_t count = problem->family->operand_count;

	for (size_t i = 0; i < count; i++)
		layouts[i] = layout_of(config, problem, i);
	return 2 * staging_of(layouts, count);
}

static enum pmpp_status make_staging(struct operands *operands, struct pmpp_error *error)
{
	uint64_t max = staging_of(operands->layouts, operands->family->operand_count);

	if (operands->staging_bytes >= max)
		return PMPP_OK;
	operands->staging_bytes = 0;
	for (size_t i = 0; i < 2; i++) {
		free(operands->staging[i]);
		operands->staging[i] = malloc(max);
		if (!operands->staging[i])
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"no host memory for %.1f GB of staging buffers", (double)max / 1e9);
	}
	operands->staging_bytes = max;
	return PMPP_OK;
}

static void set_wanted_bytes(
	struct operands *operands, const struct config *config, const struct problem *problem)
{
	memset(operands->wanted_bytes, 0, sizeof operands->wanted_bytes);
	for (size_t i = 0; i < operands->family->operand_count; i++)
		operands->wanted_bytes[i] = layout_bytes(&operands->layouts[i]);
	operands_scratch_bytes(config, problem, operands->wanted_bytes + PMPP_MAX_OPERANDS);
}

/* Destroys buffers that do not have the planned size. Returns the bytes of the missing buffers. */
static uint64_t drop_other_sizes(struct operands *operands)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < MAX_BUFFERS; i++) {
		uint64_t wanted = operands->wanted_bytes[i];
		if (operands->buffers[i] && operands->buffers[i]->bytes == wanted)
			continue;
		gpu_buffer_destroy(&operands->buffers[i]);
		if (i < PMPP_MAX_OPERANDS)
			operands->content[i].known = false;
		operands->guards_known = false;
		missing += wanted ? wanted + 2 * operands->guard_bytes : 0;
	}
	return missing;
}

uint64_t operands_plan(struct operands *operands, const struct config *config,
	const struct problem *problem, bool unguarded)
{
	if (operands->family != problem->family)
		operands_release(operands);
	operands->family = problem->family;
	operands->guard_bytes = unguarded ? 0 : operands_guard_bytes(&operands->device->info);
	for (size_t i = 0; i < problem->family->operand_count; i++)
		operands->layouts[i] = layout_of(config, problem, i);
	set_wanted_bytes(operands, config, problem);
	return drop_other_sizes(operands);
}

uint64_t operands_borrow(
	struct operands *operands, const struct operands *lender, const struct problem *problem)
{
	for (size_t i = 0; i < problem->family->operand_count; i++) {
		const struct operand_content *content = &lender->content[i];
		if (problem->family->operands[i].role != OPERAND_IN || !content->known ||
			!problem_equal(&content->problem, problem) ||
			!layout_equal(&content->layout, &operands->layouts[i]))
			continue;
		operands->buffers[i] = lender->buffers[i];
		operands->content[i] = *content;
		operands->borrowed[i] = true;
	}
	return drop_other_sizes(operands);
}

uint64_t operands_held_bytes(const struct operands *operands)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < MAX_BUFFERS; i++)
		if (operands->buffers[i])
			bytes +=
				operands->buffers[i]->bytes + 2 * operands->buffers[i]->guard_bytes;
	return bytes;
}

enum pmpp_status operands_create(struct operands *operands, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < MAX_BUFFERS; i++)
		if (operands->wanted_bytes[i] && !operands->buffers[i])
			status = gpu_buffer_create(operands->device, operands->wanted_bytes[i],
				operands->guard_bytes, &operands->buffers[i], error);
	if (status == PMPP_OK)
		status = make_staging(operands, error);
	if (status != PMPP_OK)
		operands_release(operands);
	return status;
}

/* ---- Patterns ------------------------------------------------------------------------------ */

/* Byte b of a buffer holds byte b modulo 4 of the pattern. */
static uint8_t pattern_byte(uint32_t pattern, int64_t offset)
{
	return (uint8_t)(pattern >> 8 * (offset & 3));
}

/* gpu_buffer_fill() for any range: writes the bytes at both ends that are not a whole word. */
static enum pmpp_status fill(struct gpu_buffer *buffer, int64_t offset, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	int64_t end = offset + (int64_t)bytes;
	int64_t first = (offset + 3) & ~(int64_t)3;
	int64_t last = end & ~(int64_t)3;
	uint8_t ends[2][4];
	enum pmpp_status status = PMPP_OK;

	for (int64_t i = 0; i < 4; i++) {
		ends[0][i] = pattern_byte(pattern, offset + i);
		ends[1][i] = pattern_byte(pattern, last + i);
	}
	if (first >= last) /* no whole word: write only the ends */
		first = last = offset > last ? offset : last;
	if (offset < first)
		status = gpu_buffer_write(
			buffer, offset, ends[0], (uint64_t)(first - offset), error);
	if (status == PMPP_OK && first < last)
		status = gpu_buffer_fill(buffer, first, (uint64_t)(last - first), pattern, error);
	if (status == PMPP_OK && last < end && last >= offset)
		status = gpu_buffer_write(buffer, last, ends[1], (uint64_t)(end - last), error);
	return status;
}

/* ---- Chunks -------------------------------------------------------------------------------- */

/* A part of an operand in device layout, in lines; in elements if the layout is direct. */
struct chunk {
	int64_t first, count;
};

/* Advances *chunk, which is zero at first, to the next chunk. Returns false at the end. */
static bool next_chunk(
	const struct operands *operands, const struct layout *layout, struct chunk *chunk)
{
	bool direct = layout_is_direct(layout);
	int64_t total = direct ? layout->lines * layout->pitch : layout->lines;
	uint64_t bytes = direct ? dtype_info(layout->device)->bytes : line_bytes(layout);
	int64_t fit = (int64_t)(operands->staging_bytes / bytes);

	chunk->first += chunk->count;
	if (chunk->first == total)
		return false;
	chunk->count = fit < total - chunk->first ? fit : total - chunk->first;
	return true;
}

static int64_t chunk_offset(const struct layout *layout, const struct chunk *chunk)
{
	size_t bytes = dtype_info(layout->device)->bytes;

	return chunk->first * (int64_t)(layout_is_direct(layout) ? bytes : line_bytes(layout));
}

/* Includes the gap after each line. layout_bytes() also includes the last gap. */
static uint64_t chunk_bytes(const struct layout *layout, const struct chunk *chunk)
{
	size_t bytes = dtype_info(layout->device)->bytes;

	return (uint64_t)chunk->count * (layout_is_direct(layout) ? bytes : line_bytes(layout));
}

/* The chunk's elements in device order: in place, or packed into staging 0. */
static const void *chunk_elements(struct operands *operands, const struct layout *layout,
	const void *array, const struct chunk *chunk)
{
	if (layout_is_direct(layout))
		return (const char *)array + chunk_offset(layout, chunk);
	if (layout->pitch != layout->line)
		for (uint64_t i = 0; i < chunk_bytes(layout, chunk); i++)
			((uint8_t *)operands->staging[0])[i] =
				pattern_byte(GUARD_INPUT, (int64_t)i);
	layout_pack(layout, array, chunk->first, chunk->count, operands->staging[0]);
	return operands->staging[0];
}

/* ---- Uploads ------------------------------------------------------------------------------- */

static enum pmpp_status upload(
	struct operands *operands, size_t index, const void *array, struct pmpp_error *error)
{
	const struct layout *layout = &operands->layouts[index];
	struct chunk chunk = {0};

	while (next_chunk(operands, layout, &chunk)) {
		enum pmpp_status status =
			gpu_buffer_write(operands->buffers[index], chunk_offset(layout, &chunk),
				chunk_elements(operands, layout, array, &chunk),
				chunk_bytes(layout, &chunk), error);
		if (status != PMPP_OK)
			return status;
	}
	return PMPP_OK;
}

/* Offset of the guard before (side 0) or after (side 1) the buffer. */
static int64_t guard_offset(const struct gpu_buffer *buffer, int side)
{
	return side ? (int64_t)buffer->bytes : -(int64_t)buffer->guard_bytes;
}

static uint32_t guard_pattern(const struct operands *operands, size_t index)
{
	bool input = index < operands->family->operand_count &&
		     operands->family->operands[index].role == OPERAND_IN;

	return input ? GUARD_INPUT : GUARD_OUTPUT;
}

static bool has_own_guards(const struct operands *operands, size_t index)
{
	return operands->buffers[index] && is_own(operands, index);
}

static enum pmpp_status write_guards(struct operands *operands, struct pmpp_error *error)
{
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		for (int side = 0; side < 2 && has_own_guards(operands, i); side++) {
			struct gpu_buffer *buffer = operands->buffers[i];
			enum pmpp_status status = fill(buffer, guard_offset(buffer, side),
				buffer->guard_bytes, guard_pattern(operands, i), error);
			if (status != PMPP_OK)
				return status;
		}
	operands->guards_known = true;
	return PMPP_OK;
}

enum pmpp_status operands_upload(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error)
{
	const void *arrays[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(operands->inputs, problem, arrays, error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < problem->family->operand_count; i++) {
		struct operand_content *content = &operands->content[i];
		bool same = content->known && problem_equal(&content->problem, problem) &&
			    layout_equal(&content->layout, &operands->layouts[i]);
		if (!arrays[i] || same || !is_own(operands, i))
			continue;
		content->known = false;
		status = upload(operands, i, arrays[i], error);
		if (status != PMPP_OK)
			return status;
		*content = (struct operand_content){
			.known = true, .problem = *problem, .layout = operands->layouts[i]};
	}
	return operands->guards_known ? PMPP_OK : write_guards(operands, error);
}

/* ---- Before and after a run ---------------------------------------------------------------- */

/* Four bytes of the poison: as many equal elements as they hold. */
static uint32_t poison_pattern(enum dtype dtype, enum poison poison)
{
	static const uint32_t patterns[DTYPE_COUNT][POISON_COUNT] = {
		[DTYPE_F32] = {0x7fc0dead, 0xff7ffffe, 0x7f7ffffe},
		[DTYPE_F16] = {0x7e5a7e5a, 0xfbfefbfe, 0x7bfd7bfd},
		[DTYPE_I32] = {0x00c0dead, 0x80000001, 0x7ffffffe},
		[DTYPE_U32] = {0x7fc0dead, 0x00000000, 0xffffffff},
		[DTYPE_U8] = {0xa5a5a5a5, 0x00000000, 0xffffffff},
	};

	return patterns[dtype][poison];
}

enum pmpp_status operands_poison(
	struct operands *operands, enum poison poison, struct pmpp_error *error)
{
	size_t output = output_index(operands);
	uint32_t pattern = poison_pattern(operands->layouts[output].device, poison);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = output; i < MAX_BUFFERS && status == PMPP_OK; i++)
		if (operands->buffers[i])
			status = fill(operands->buffers[i], 0, operands->buffers[i]->bytes, pattern,
				error);
	return status;
}

enum pmpp_status operands_read_output(
	struct operands *operands, void *ret_output, struct pmpp_error *error)
{
	size_t index = output_index(operands);
	const struct layout *layout = &operands->layouts[index];
	bool direct = layout_is_direct(layout);
	struct chunk chunk = {0};

	while (next_chunk(operands, layout, &chunk)) {
		void *target = direct ? (char *)ret_output + chunk_offset(layout, &chunk)
				      : operands->staging[0];
		enum pmpp_status status = gpu_buffer_read(operands->buffers[index],
			chunk_offset(layout, &chunk), target, chunk_bytes(layout, &chunk), error);
		if (status != PMPP_OK)
			return status;
		if (!direct)
			layout_unpack(layout, target, chunk.first, chunk.count, ret_output);
	}
	return PMPP_OK;
}

static bool holds_pattern(const uint8_t *bytes, uint64_t count, int64_t offset, uint32_t pattern)
{
	bool holds = true;

	for (uint64_t i = 0; i < count && i < sizeof pattern; i++)
		holds = holds && bytes[i] == pattern_byte(pattern, offset + (int64_t)i);
	if (count <= sizeof pattern)
		return holds;
	/* The other bytes repeat the first four. */
	return holds && memcmp(bytes, bytes + sizeof pattern, count - sizeof pattern) == 0;
}

enum pmpp_status operands_check_guards(
	struct operands *operands, bool *ret_intact, struct pmpp_error *error)
{
	uint8_t *bytes;
	enum pmpp_status status = PMPP_OK;
	bool intact = true;

	if (operands->guard_bytes == 0) {
		*ret_intact = true;
		return PMPP_OK;
	}
	bytes = malloc(operands->guard_bytes);
	if (!bytes)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the guards");
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		for (int side = 0; side < 2 && has_own_guards(operands, i); side++) {
			struct gpu_buffer *buffer = operands->buffers[i];
			int64_t offset = guard_offset(buffer, side);
			status = gpu_buffer_read(buffer, offset, bytes, buffer->guard_bytes, error);
			if (status != PMPP_OK)
				goto out;
			intact = intact && holds_pattern(bytes, buffer->guard_bytes, offset,
						   guard_pattern(operands, i));
		}
	operands->guards_known = intact;
	*ret_intact = intact;
out:
	free(bytes);
	return status;
}

static enum pmpp_status check_input(struct operands *operands, size_t index, const void *array,
	bool *ret_intact, struct pmpp_error *error)
{
	const struct layout *layout = &operands->content[index].layout;
	struct chunk chunk = {0};
	bool intact = true;

	while (intact && next_chunk(operands, layout, &chunk)) {
		const void *expected = chunk_elements(operands, layout, array, &chunk);
		uint64_t bytes = chunk_bytes(layout, &chunk);
		enum pmpp_status status = gpu_buffer_read(operands->buffers[index],
			chunk_offset(layout, &chunk), operands->staging[1], bytes, error);
		if (status != PMPP_OK)
			return status;
		intact = memcmp(expected, operands->staging[1], bytes) == 0;
	}
	*ret_intact = intact;
	return PMPP_OK;
}

enum pmpp_status operands_check_inputs(struct operands *operands, const struct problem *problem,
	bool *ret_intact, struct pmpp_error *error)
{
	const void *arrays[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(operands->inputs, problem, arrays, error);
	bool all = true;

	for (size_t i = 0; status == PMPP_OK && i < problem->family->operand_count; i++) {
		bool intact = true;
		if (!arrays[i] || !is_own(operands, i))
			continue;
		status = check_input(operands, i, arrays[i], &intact, error);
		operands->content[i].known = intact;
		all = all && intact;
	}
	if (status == PMPP_OK)
		*ret_intact = all;
	return status;
}
