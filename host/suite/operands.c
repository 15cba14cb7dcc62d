#include "host/suite/operands.h"

#include <stdlib.h>
#include <string.h>

#include "common/data.h"
#include "common/integers.h"
#include "host/suite/parallel.h"

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Layout of an operand on the device: lines (rows, or columns if the variant requests columns) at
 * the distance of a pitch. The element type may be narrower than on the host. */

#define MOVE_BLOCK 32  /* lines and elements of a block: source and target fit in the cache */
#define MOVE_LINES 256 /* lines per task */

struct layout layout_of(const struct config *config, const struct problem *problem, size_t index)
{
	const struct variant *variant = config->variant;
	const struct operand *operand = &problem->family->operands[index];
	struct layout layout = {.rows = operand_rows(operand, problem),
		.columns = operand_columns(operand, problem),
		.host = operand_dtype(operand, problem),
		.by_columns = variant->by_columns >> index & 1};

	layout.device = operand_stored_dtype(operand, problem, problem->rounding);
	layout.lines = layout.by_columns ? layout.columns : layout.rows;
	layout.line = layout.by_columns ? layout.rows : layout.columns;
	layout.pitch = variant->pitch ? variant->pitch(config, problem, index) : layout.line;
	return layout;
}

bool layout_equal(const struct layout *a, const struct layout *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->by_columns == b->by_columns &&
	       a->pitch == b->pitch && a->host == b->host && a->device == b->device;
}

uint64_t layout_bytes(const struct layout *layout)
{
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)layout->lines, (uint64_t)layout->pitch, &bytes) ||
		__builtin_mul_overflow(bytes, dtype_info(layout->device)->bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

bool layout_is_direct(const struct layout *layout)
{
	return !layout->by_columns && layout->pitch == layout->line &&
	       layout->host == layout->device;
}

/* ---- Moving -------------------------------------------------------------------------------- */

/* One side of a move: element e of line l is array[l * line_stride + e * element_stride]. */
struct side {
	char *array;
	enum dtype dtype;
	int64_t line_stride, element_stride;
};

struct move {
	struct side target, source;
	int64_t lines, elements;
};

static char *at(const struct side *side, int64_t line, int64_t element)
{
	return side->array + (line * side->line_stride + element * side->element_stride) *
				     (int64_t)dtype_info(side->dtype)->bytes;
}

#define COPY_WORDS(type)                                \
	for (int64_t e = 0; e < count; e++)             \
	((type *)to)[e * move->target.element_stride] = \
		((const type *)from)[e * move->source.element_stride]

/* A few neighbouring elements of one line. */
static void move_run(const struct move *move, int64_t line, int64_t first, int64_t count)
{
	size_t bytes = dtype_info(move->source.dtype)->bytes;
	void *to = at(&move->target, line, first);
	const void *from = at(&move->source, line, first);

	if (move->target.dtype != move->source.dtype)
		for (int64_t e = 0; e < count; e++)
			dtype_store(move->target.dtype, to, e * move->target.element_stride,
				dtype_load(
					move->source.dtype, from, e * move->source.element_stride));
	else if (bytes == 4)
		COPY_WORDS(uint32_t);
	else if (bytes == 2)
		COPY_WORDS(uint16_t);
	else
		COPY_WORDS(uint8_t);
}

static void move_lines(void *context, size_t index)
{
	const struct move *move = context;
	int64_t first = (int64_t)index * MOVE_LINES;
	int64_t end = min(first + MOVE_LINES, move->lines);

	for (int64_t l0 = first; l0 < end; l0 += MOVE_BLOCK)
		for (int64_t e0 = 0; e0 < move->elements; e0 += MOVE_BLOCK)
			for (int64_t l = l0; l < min(l0 + MOVE_BLOCK, end); l++)
				move_run(move, l, e0, min(MOVE_BLOCK, move->elements - e0));
}

/* The two sides of some lines. */
static struct side host_side(const struct layout *layout, const void *array, int64_t first_line)
{
	struct side side = {.array = (char *)(uintptr_t)array,
		.dtype = layout->host,
		.line_stride = layout->by_columns ? 1 : layout->columns,
		.element_stride = layout->by_columns ? layout->columns : 1};

	side.array = at(&side, first_line, 0);
	return side;
}

static struct side device_side(const struct layout *layout, const void *staging)
{
	return (struct side){.array = (char *)(uintptr_t)staging,
		.dtype = layout->device,
		.line_stride = layout->pitch,
		.element_stride = 1};
}

static void run_move(const struct move *move)
{
	parallel_for((size_t)((move->lines + MOVE_LINES - 1) / MOVE_LINES), move_lines,
		(void *)(uintptr_t)move);
}

void layout_pack(const struct layout *layout, const void *array, int64_t first_line, int64_t lines,
	void *ret_staging)
{
	run_move(&(struct move){.target = device_side(layout, ret_staging),
		.source = host_side(layout, array, first_line),
		.lines = lines,
		.elements = layout->line});
}

void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
	int64_t lines, void *ret_array)
{
	run_move(&(struct move){.target = host_side(layout, ret_array, first_line),
		.source = device_side(layout, staging),
		.lines = lines,
		.elements = layout->line});
}

/* ---- Inputs --------------------------------------------------------------------------------- */

/* Host arrays of a problem's inputs, by rows. Variants of a problem share them. */

#define MAX_INTEGER 8 /* small, so that long sums are exact; large enough for different products */
#define PIECE_ELEMENTS ((int64_t)1 << 18)

int64_t inputs_integer_limit(const struct problem *problem)
{
	int64_t (*integer_limit)(const struct problem *) = problem->family->integer_limit;
	int64_t limit = integer_limit ? integer_limit(problem) : 0;

	return limit > MAX_INTEGER ? MAX_INTEGER : limit < 0 ? 0 : limit;
}

/* ---- Generating ---------------------------------------------------------------------------- */

/* The generation of one input. Each task generates one piece. */
struct generation {
	const struct problem *problem;
	size_t operand;
	enum dtype dtype;
	int64_t count;
	const void *user; /* of INPUT_USER: copied and rounded */
	char *target;
};

/* Rows that round their inputs have only small integers. So have the roofs, because they add each
 * element many times. */
static bool has_wide_integers(const struct generation *generation)
{
	const struct problem *problem = generation->problem;

	return generation->dtype == DTYPE_F32 && problem->rounding == ROUND_NONE &&
	       !problem->family->internal;
}

static void generate_integers(
	const struct generation *generation, int64_t first, int64_t count, char *target)
{
	const struct problem *problem = generation->problem;
	const struct family *family = problem->family;
	int64_t limit = inputs_integer_limit(problem);

	if (!has_wide_integers(generation))
		data_fill_integer(generation->dtype, target, first, count, problem->seed,
			generation->operand, limit);
	else if (family->fill_wide)
		family->fill_wide(
			problem, generation->operand, first, count, limit, (float *)(void *)target);
	else
		data_fill_wide((float *)(void *)target, first, count, problem->seed,
			generation->operand, limit, (double)problem_chain(problem));
}

#define OTHER_SEED_STREAM 0x736565

/* The fill of a family, also for its cases. */
static void generate_random(
	const struct generation *generation, int64_t first, int64_t count, char *target)
{
	struct problem problem = *generation->problem;

	if (problem.source == INPUT_SEED)
		problem.seed = data_bits(problem.seed, OTHER_SEED_STREAM, 0);
	if (problem.family->fill)
		problem.family->fill(&problem, generation->operand, first, count, target);
	else
		data_fill_random(
			generation->dtype, target, first, count, problem.seed, generation->operand);
}

static void generate_elements(const struct generation *generation, int64_t first, int64_t count)
{
	const struct problem *problem = generation->problem;
	size_t bytes = dtype_info(generation->dtype)->bytes;
	char *target = generation->target + first * (int64_t)bytes;

	if (problem->source == INPUT_USER)
		memcpy(target, (const char *)generation->user + first * (int64_t)bytes,
			(size_t)count * bytes);
	else if (problem->source == INPUT_INTEGER)
		generate_integers(generation, first, count, target);
	else if (problem->source == INPUT_CASE && !problem->family->fill)
		data_fill_case(generation->dtype,
			problem->rounding == ROUND_F16 ? DTYPE_F16 : generation->dtype, target,
			first, count, generation->count, problem->seed, generation->operand,
			problem->data_case);
	else
		generate_random(generation, first, count, target);
}

static void generate_piece(void *context, size_t index)
{
	const struct generation *generation = context;
	int64_t first = (int64_t)index * PIECE_ELEMENTS;
	int64_t count = min(generation->count - first, PIECE_ELEMENTS);
	float *floats = (float *)(void *)generation->target + first;
	enum input_rounding rounding = generation->problem->rounding;

	generate_elements(generation, first, count);
	if (generation->dtype != DTYPE_F32 || rounding == ROUND_NONE)
		return;
	for (int64_t i = 0; i < count; i++)
		floats[i] = rounding == ROUND_TF32
				    ? tf32_round(floats[i])
				    : f16_to_float(f16_from_double((double)floats[i]));
}

/* Returns the slot's array, or generates it. */
static enum pmpp_status slot_get(struct input_slot *slot, const struct problem *problem,
	size_t index, const void *user, const void **ret_array, struct pmpp_error *error)
{
	const struct operand *operand = &problem->family->operands[index];
	uint64_t bytes = operand_bytes(operand, problem);
	struct generation generation = {.problem = problem,
		.operand = index,
		.dtype = operand_dtype(operand, problem),
		.count = operand_rows(operand, problem) * operand_columns(operand, problem),
		.user = user};

	if (slot->values && problem_equal(&slot->problem, problem)) {
		*ret_array = slot->values;
		return PMPP_OK;
	}
	slot->problem.family = NULL;
	if (slot->bytes != bytes) {
		free(slot->values);
		slot->bytes = 0;
		slot->values = malloc(bytes);
		if (!slot->values)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"no host memory for %.1f GB of input", (double)bytes / 1e9);
		slot->bytes = bytes;
	}
	generation.target = slot->values;
	parallel_for((size_t)((generation.count + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS),
		generate_piece, &generation);
	slot->problem = *problem;
	*ret_array = slot->values;
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static enum pmpp_status check_request(
	const struct problem *problem, size_t index, const void *user, struct pmpp_error *error)
{
	if (problem->source == INPUT_USER && !user)
		return PMPP_FAIL(error, PMPP_USAGE, "no file for the operand %s",
			problem->family->operands[index].name);
	if (problem->source == INPUT_INTEGER && !inputs_integer_limit(problem))
		return PMPP_FAIL(error, PMPP_TOO_LARGE,
			"%s has no integer data at this size: f32 would not be exact",
			problem->family->name);
	return PMPP_OK;
}

enum pmpp_status inputs_get(struct inputs *inputs, const struct problem *problem,
	const void *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error)
{
	const struct family *family = problem->family;
	bool kept = problem->source == INPUT_RANDOM || problem->source == INPUT_USER;
	struct input_slot *slots = kept ? inputs->random : inputs->checks;

	for (size_t i = 0; i < family->operand_count; i++) {
		const void *user = inputs->user[i];
		enum pmpp_status status = PMPP_OK;

		ret_arrays[i] = NULL;
		if (family->operands[i].role != OPERAND_IN)
			continue;
		status = check_request(problem, i, user, error);
		if (problem->source == INPUT_USER && problem->rounding == ROUND_NONE)
			ret_arrays[i] = user;
		else if (status == PMPP_OK)
			status = slot_get(&slots[i], problem, i, user, &ret_arrays[i], error);
		if (status != PMPP_OK)
			return status;
	}
	return PMPP_OK;
}

uint64_t inputs_held_bytes(const struct inputs *inputs)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		bytes += inputs->random[i].bytes + inputs->checks[i].bytes;
	return bytes;
}

void inputs_release(struct inputs *inputs)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++) {
		free(inputs->random[i].values);
		free(inputs->checks[i].values);
		inputs->random[i] = inputs->checks[i] = (struct input_slot){0};
	}
}

/* ---- Operands on the device ----------------------------------------------------------------- */

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
	memset(operands->wanted_bytes, 0, sizeof operands->wanted_bytes);
	for (size_t i = 0; i < problem->family->operand_count; i++) {
		operands->layouts[i] = layout_of(config, problem, i);
		operands->wanted_bytes[i] = layout_bytes(&operands->layouts[i]);
	}
	operands_scratch_bytes(config, problem, operands->wanted_bytes + PMPP_MAX_OPERANDS);
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

/* Bytes of a unit of a chunk, with the gap after a line. */
static uint64_t unit_bytes(const struct layout *layout)
{
	return layout_is_direct(layout) ? dtype_info(layout->device)->bytes : line_bytes(layout);
}

/* Advances *chunk, which is zero at first, to the next chunk. Returns false at the end. */
static bool next_chunk(
	const struct operands *operands, const struct layout *layout, struct chunk *chunk)
{
	int64_t total = layout->lines * (layout_is_direct(layout) ? layout->pitch : 1);
	int64_t fit = (int64_t)(operands->staging_bytes / unit_bytes(layout));

	chunk->first += chunk->count;
	if (chunk->first == total)
		return false;
	chunk->count = min(fit, total - chunk->first);
	return true;
}

static int64_t chunk_offset(const struct layout *layout, const struct chunk *chunk)
{
	return chunk->first * (int64_t)unit_bytes(layout);
}

/* Includes the gap after each line. layout_bytes() also includes the last gap. */
static uint64_t chunk_bytes(const struct layout *layout, const struct chunk *chunk)
{
	return (uint64_t)chunk->count * unit_bytes(layout);
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
	/* POISON_ZERO is 0 in all types. */
	static const uint32_t patterns[DTYPE_COUNT][POISON_COUNT + 1] = {
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
