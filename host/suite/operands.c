/*
 * The problem's operands on the device. Each buffer has guards on both sides, which a kernel must
 * not touch; the output is poisoned before a run; inputs are compared after it.
 */
#include "host/suite/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GUARD_BYTES 65536u /* a tile's rows past the end of most operands */
#define STAGING_BYTES (64u << 20)
#define TRANSPOSE_BLOCK 32
#define TRANSPOSE_ROWS 256 /* of a task */

/* ---- Memory -------------------------------------------------------------------------------- */

static uint64_t guard_bytes(const struct gpu_device_info *info)
{
	uint64_t align = info->limits.buffer_align_bytes ? info->limits.buffer_align_bytes : 1;

	return (GUARD_BYTES + align - 1) / align * align;
}

static const struct operand *output_operand(const struct family *family)
{
	return &family->operands[family->operand_count - 1];
}

/* Bytes the suite keeps on the host: inputs (twice where integers are checked too), the output
 * twice, the reference. In double: it may be far beyond any machine. */
static double host_bytes(const struct gpu_device_info *info, const struct problem *problem)
{
	const struct family *family = problem->family;
	bool sampled = reference_is_sampled(problem);
	double device = 0;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double operand = (double)operand_bytes(&family->operands[i], problem);
		bool made = problem->data != DATA_USER || sampled;
		device += operand;
		if (family->operands[i].role == OPERAND_OUT)
			bytes += 2 * operand;
		else if (made)
			bytes += sampled ? 2 * operand : operand;
	}
	/* There the device's memory is the host's too. */
	return info->type == GPU_TYPE_CPU || info->type == GPU_TYPE_EMULATED ? bytes + device
									     : bytes;
}

enum pmpp_status operands_check_memory(
	const struct gpu_device_info *info, const struct problem *problem, struct pmpp_error *error)
{
	const struct family *family = problem->family;
	double host_has = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
	double needed = 0;
	double largest = 0;
	const char *largest_name = "";
	char text[128];

	problem_text(problem, text, sizeof text);
	for (size_t i = 0; i < family->operand_count; i++) {
		/* Not operand_bytes(): the message tells sizes that overflow, too. */
		double bytes = (double)operand_rows(&family->operands[i], problem) *
			       (double)operand_columns(&family->operands[i], problem) *
			       sizeof(float);
		needed += bytes + 2 * (double)guard_bytes(info);
		if (bytes > largest) {
			largest = bytes;
			largest_name = family->operands[i].name;
		}
	}
	if (needed > (double)info->limits.global_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s %s needs %.1f GB of device memory; %s has %.1f GB", family->name, text,
			needed / 1e9, info->name, (double)info->limits.global_bytes / 1e9);
	if (largest + 2 * (double)guard_bytes(info) > (double)info->limits.max_buffer_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s %s needs %.1f GB for %s; %s allows %.1f GB in one buffer", family->name,
			text, largest / 1e9, largest_name, info->name,
			(double)info->limits.max_buffer_bytes / 1e9);
	double host_needed = host_bytes(info, problem);
	if (host_has > 0 && host_needed > host_has)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s %s needs %.1f GB of host memory; this machine has %.1f GB",
			family->name, text, host_needed / 1e9, host_has / 1e9);
	return PMPP_OK;
}

void operands_finish(struct operands *operands)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		gpu_buffer_destroy(&operands->buffers[i]);
	free(operands->staging[0]);
	free(operands->staging[1]);
	*operands = (struct operands){0};
}

void operands_forget(struct operands *operands)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		operands->content[i].known = false;
	operands->guards_known = false;
}

/* Staging holds a line (row or column) of every operand, and STAGING_BYTES where that is more than
 * an operand has. */
static enum pmpp_status make_staging(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error)
{
	uint64_t most = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++) {
		const struct operand *operand = &problem->family->operands[i];
		uint64_t rows = (uint64_t)operand_rows(operand, problem) * sizeof(float);
		uint64_t whole = operand_bytes(operand, problem);
		uint64_t wanted = whole < STAGING_BYTES ? whole : STAGING_BYTES;
		most = wanted > most ? wanted : most;
		most = rows > most ? rows : most;
	}
	operands->staging_bytes = most;
	for (size_t i = 0; i < 2; i++) {
		operands->staging[i] = malloc(most);
		if (!operands->staging[i])
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"no host memory for %.1f GB of staging", (double)most / 1e9);
	}
	return PMPP_OK;
}

enum pmpp_status operands_create(
	struct suite *suite, const struct problem *problem, struct pmpp_error *error)
{
	const struct family *family = problem->family;
	const struct gpu_device_info *info = &suite->device->info;
	struct operands *operands = &suite->operands;
	size_t dims = family->dim_count * sizeof *problem->dim;
	enum pmpp_status status;

	if (operands->family == family && memcmp(operands->dim, problem->dim, dims) == 0)
		return PMPP_OK;
	status = operands_check_memory(info, problem, error);
	if (status != PMPP_OK)
		return status;
	operands_finish(operands);
	suite->output_rows = suite->output_columns = 0;
	operands->guard_bytes = guard_bytes(info);
	/* The problem comes before the flush buffer, which cold samples can do without. */
	uint64_t needed = 0;
	for (size_t i = 0; i < family->operand_count; i++)
		needed += operand_bytes(&family->operands[i], problem) + 2 * operands->guard_bytes;
	if (suite->device->allocated_bytes + needed > info->limits.global_bytes / 10 * 9)
		gpu_buffer_destroy(&suite->flush);
	for (size_t i = 0; i < family->operand_count; i++) {
		status = gpu_buffer_create(suite->device,
			operand_bytes(&family->operands[i], problem), operands->guard_bytes,
			&operands->buffers[i], error);
		if (status != PMPP_OK)
			goto failed;
	}
	status = make_staging(operands, problem, error);
	if (status != PMPP_OK)
		goto failed;
	operands->family = family;
	memcpy(operands->dim, problem->dim, dims);
	return PMPP_OK;
failed:
	operands_finish(operands);
	return status;
}

/* ---- Layout -------------------------------------------------------------------------------- */

/* target[column * target_stride + row] = source[row * source_stride + column] */
struct transposition {
	const float *source;
	int64_t source_stride;
	float *target;
	int64_t target_stride;
	int64_t rows, columns;
};

static void transpose_rows(void *context, size_t index)
{
	const struct transposition *t = context;
	int64_t first = (int64_t)index * TRANSPOSE_ROWS;
	int64_t end = first + TRANSPOSE_ROWS < t->rows ? first + TRANSPOSE_ROWS : t->rows;

	/* Blocks, so that the lines of both sides stay in the cache while they are used. */
	for (int64_t r0 = first; r0 < end; r0 += TRANSPOSE_BLOCK)
		for (int64_t c0 = 0; c0 < t->columns; c0 += TRANSPOSE_BLOCK)
			for (int64_t r = r0; r < end && r < r0 + TRANSPOSE_BLOCK; r++)
				for (int64_t c = c0; c < t->columns && c < c0 + TRANSPOSE_BLOCK;
					c++)
					t->target[c * t->target_stride + r] =
						t->source[r * t->source_stride + c];
}

static void transpose(const struct transposition *t)
{
	parallel_for((size_t)((t->rows + TRANSPOSE_ROWS - 1) / TRANSPOSE_ROWS), transpose_rows,
		(void *)t);
}

/* A stretch of an operand as it lies on the device: whole columns, or elements by rows. */
struct chunk {
	int64_t offset; /* in elements, on the device */
	int64_t count;
	int64_t column, columns; /* by columns only */
};

/* The next chunk after *chunk (all zero to begin with); false at the end. */
static bool next_chunk(const struct operands *operands, int64_t rows, int64_t columns,
	bool by_columns, struct chunk *chunk)
{
	int64_t fit = (int64_t)(operands->staging_bytes / sizeof(float));
	int64_t total = rows * columns;

	chunk->offset += chunk->count;
	chunk->column += chunk->columns;
	if (chunk->offset == total)
		return false;
	if (by_columns) {
		chunk->columns = fit / rows;
		if (chunk->columns > columns - chunk->column)
			chunk->columns = columns - chunk->column;
		chunk->count = chunk->columns * rows;
	} else {
		chunk->count = fit < total - chunk->offset ? fit : total - chunk->offset;
	}
	return true;
}

/* The chunk's elements in device order: in place, or turned into staging 0. */
static const float *chunk_elements(struct operands *operands, const float *array, int64_t rows,
	int64_t columns, bool by_columns, const struct chunk *chunk)
{
	if (!by_columns)
		return array + chunk->offset;
	transpose(&(struct transposition){.source = array + chunk->column,
		.source_stride = columns,
		.target = operands->staging[0],
		.target_stride = rows,
		.rows = rows,
		.columns = chunk->columns});
	return operands->staging[0];
}

/* ---- Uploads ------------------------------------------------------------------------------- */

static enum pmpp_status upload(struct suite *suite, const struct problem *problem, size_t index,
	const float *array, bool by_columns, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	const struct operand *operand = &problem->family->operands[index];
	int64_t rows = operand_rows(operand, problem);
	int64_t columns = operand_columns(operand, problem);
	struct chunk chunk = {0};

	while (next_chunk(operands, rows, columns, by_columns, &chunk)) {
		const float *elements =
			chunk_elements(operands, array, rows, columns, by_columns, &chunk);
		enum pmpp_status status = gpu_buffer_write(operands->buffers[index],
			chunk.offset * (int64_t)sizeof(float), elements,
			(uint64_t)chunk.count * sizeof(float), error);
		if (status != PMPP_OK)
			return status;
	}
	return PMPP_OK;
}

/* Where the two guards of a buffer begin. */
static int64_t guard_offset(const struct gpu_buffer *buffer, int side)
{
	return side ? (int64_t)buffer->bytes : -(int64_t)buffer->guard_bytes;
}

static uint32_t guard_pattern(const struct operand *operand)
{
	return operand->role == OPERAND_OUT ? GUARD_OUTPUT : GUARD_INPUT;
}

static enum pmpp_status write_guards(struct suite *suite, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;

	for (size_t i = 0; i < operands->family->operand_count; i++)
		for (int side = 0; side < 2; side++) {
			struct gpu_buffer *buffer = operands->buffers[i];
			enum pmpp_status status = gpu_buffer_fill(buffer,
				guard_offset(buffer, side), buffer->guard_bytes,
				guard_pattern(&operands->family->operands[i]), error);
			if (status != PMPP_OK)
				return status;
		}
	operands->guards_known = true;
	return PMPP_OK;
}

enum pmpp_status operands_upload(struct suite *suite, const struct problem *problem,
	unsigned by_columns, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	const float *arrays[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(suite, problem, arrays, error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < problem->family->operand_count; i++) {
		struct operand_content *content = &operands->content[i];
		struct operand_content wanted = {.known = true,
			.data = problem->data,
			.seed = problem->seed,
			.by_columns = by_columns >> i & 1};
		bool same = content->known && content->data == wanted.data &&
			    content->seed == wanted.seed &&
			    content->by_columns == wanted.by_columns;
		if (!arrays[i] || same)
			continue;
		content->known = false;
		status = upload(suite, problem, i, arrays[i], wanted.by_columns, error);
		if (status != PMPP_OK)
			return status;
		*content = wanted;
	}
	return operands->guards_known ? PMPP_OK : write_guards(suite, error);
}

/* ---- Before and after a run ---------------------------------------------------------------- */

enum pmpp_status operands_poison(struct suite *suite, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	struct gpu_buffer *output = operands->buffers[operands->family->operand_count - 1];

	return gpu_buffer_fill(output, 0, output->bytes, OUTPUT_POISON, error);
}

enum pmpp_status operands_read_output(struct suite *suite, const struct problem *problem,
	unsigned by_columns, float *ret_output, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	const struct operand *operand = output_operand(problem->family);
	size_t index = problem->family->operand_count - 1;
	int64_t rows = operand_rows(operand, problem);
	int64_t columns = operand_columns(operand, problem);
	bool turned = by_columns >> index & 1;
	struct chunk chunk = {0};

	while (next_chunk(operands, rows, columns, turned, &chunk)) {
		float *target = turned ? operands->staging[0] : ret_output + chunk.offset;
		enum pmpp_status status = gpu_buffer_read(operands->buffers[index],
			chunk.offset * (int64_t)sizeof(float), target,
			(uint64_t)chunk.count * sizeof(float), error);
		if (status != PMPP_OK)
			return status;
		if (turned)
			transpose(&(struct transposition){.source = target,
				.source_stride = rows,
				.target = ret_output + chunk.column,
				.target_stride = columns,
				.rows = chunk.columns,
				.columns = rows});
	}
	return PMPP_OK;
}

enum pmpp_status operands_check_guards(
	struct suite *suite, bool *ret_intact, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	uint32_t *words = malloc(operands->guard_bytes);
	enum pmpp_status status = PMPP_OK;
	bool intact = true;

	if (!words)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the guards");
	for (size_t i = 0; i < operands->family->operand_count; i++)
		for (int side = 0; side < 2; side++) {
			struct gpu_buffer *buffer = operands->buffers[i];
			status = gpu_buffer_read(buffer, guard_offset(buffer, side), words,
				buffer->guard_bytes, error);
			if (status != PMPP_OK)
				goto out;
			uint32_t pattern = guard_pattern(&operands->family->operands[i]);
			for (size_t w = 0; w < buffer->guard_bytes / sizeof *words; w++)
				intact = intact && words[w] == pattern;
		}
	operands->guards_known = intact;
	*ret_intact = intact;
out:
	free(words);
	return status;
}

static enum pmpp_status check_input(struct suite *suite, const struct problem *problem,
	size_t index, const float *array, bool *ret_intact, struct pmpp_error *error)
{
	struct operands *operands = &suite->operands;
	const struct operand *operand = &problem->family->operands[index];
	bool by_columns = operands->content[index].by_columns;
	int64_t rows = operand_rows(operand, problem);
	int64_t columns = operand_columns(operand, problem);
	struct chunk chunk = {0};
	bool intact = true;

	while (intact && next_chunk(operands, rows, columns, by_columns, &chunk)) {
		const float *expected =
			chunk_elements(operands, array, rows, columns, by_columns, &chunk);
		uint64_t bytes = (uint64_t)chunk.count * sizeof(float);
		enum pmpp_status status = gpu_buffer_read(operands->buffers[index],
			chunk.offset * (int64_t)sizeof(float), operands->staging[1], bytes, error);
		if (status != PMPP_OK)
			return status;
		intact = memcmp(expected, operands->staging[1], bytes) == 0;
	}
	*ret_intact = intact;
	return PMPP_OK;
}

enum pmpp_status operands_check_inputs(struct suite *suite, const struct problem *problem,
	bool *ret_intact, struct pmpp_error *error)
{
	const float *arrays[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(suite, problem, arrays, error);
	bool all = true;

	for (size_t i = 0; status == PMPP_OK && i < problem->family->operand_count; i++) {
		bool intact = true;
		if (!arrays[i])
			continue;
		status = check_input(suite, problem, i, arrays[i], &intact, error);
		suite->operands.content[i].known = intact;
		all = all && intact;
	}
	if (status == PMPP_OK)
		*ret_intact = all;
	return status;
}
