#include "host/suite/verify.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <sha256.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/bound.h"
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/integers.h"
#include "common/symptoms.h"
#include "common/text.h"
#include "host/io/code_digest.h"
#include "host/io/parallel.h"
#include "host/suite/device.h"

/* ---- Pieces of an array --------------------------------------------------------------------- */

#define PIECE_BYTES ((uint64_t)1 << 20)

static uint64_t piece_count(uint64_t bytes)
{
	return (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

static uint64_t piece_bytes(uint64_t bytes, size_t index)
{
	uint64_t left = bytes - index * PIECE_BYTES;

	return left < PIECE_BYTES ? left : PIECE_BYTES;
}

struct bytes_comparison {
	const char *a, *b;
	uint64_t count;
	atomic_bool differ;
};

static void compare_piece(void *context, size_t index)
{
	struct bytes_comparison *comparison = context;
	uint64_t first = index * PIECE_BYTES;

	if (!atomic_load(&comparison->differ) &&
		memcmp(comparison->a + first, comparison->b + first,
			piece_bytes(comparison->count, index)) != 0)
		atomic_store(&comparison->differ, true);
}

/* memcmp() == 0 on all CPUs. */
static bool same_bytes(const void *a, const void *b, uint64_t count)
{
	struct bytes_comparison comparison = {.a = a, .b = b, .count = count};

	parallel_for(piece_count(count), compare_piece, &comparison);
	return !comparison.differ;
}

/* ---- Layouts -------------------------------------------------------------------------------- */

/* Layout of an operand on the device: lines (rows, or columns if the variant requests columns) at
 * the distance of a pitch. The element type may be narrower than on the host. */

#define MOVE_BLOCK 32  /* lines and elements of a block: source and target fit in the cache */
#define MOVE_LINES 256 /* lines per task */

static struct layout layout_of(
	const struct config *config, const struct problem *problem, size_t index)
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

static bool layout_equal(const struct layout *a, const struct layout *b)
{
	return a->rows == b->rows && a->columns == b->columns && a->by_columns == b->by_columns &&
	       a->pitch == b->pitch && a->host == b->host && a->device == b->device;
}

/* Bytes on the device; UINT64_MAX if the number overflows. */
static uint64_t layout_bytes(const struct layout *layout)
{
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)layout->lines, (uint64_t)layout->pitch, &bytes) ||
		__builtin_mul_overflow(bytes, dtype_info(layout->device)->bytes, &bytes))
		return UINT64_MAX;
	return bytes;
}

/* true: the bytes on the host and on the device are the same. */
static bool layout_is_direct(const struct layout *layout)
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
	else if (bytes == 8)
		COPY_WORDS(uint64_t);
	else if (bytes == 4)
		COPY_WORDS(uint32_t);
	else if (bytes == 2)
		COPY_WORDS(uint16_t);
	else
		COPY_WORDS(uint8_t);
}

/* true: each line is the same bytes on both sides. */
static bool copies_lines(const struct move *move)
{
	return move->target.dtype == move->source.dtype && move->target.element_stride == 1 &&
	       move->source.element_stride == 1;
}

static void move_lines(void *context, size_t index)
{
	const struct move *move = context;
	int64_t first = (int64_t)index * MOVE_LINES;
	int64_t end = min(first + MOVE_LINES, move->lines);
	size_t bytes = (size_t)move->elements * dtype_info(move->source.dtype)->bytes;

	for (int64_t l = first; copies_lines(move) && l < end; l++)
		memcpy(at(&move->target, l, 0), at(&move->source, l, 0), bytes);
	if (copies_lines(move))
		return;
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

/* Copy `lines` lines between the host's array and a staging buffer in device layout. The staging
 * buffer has lines * pitch elements. */
static void layout_pack(const struct layout *layout, const void *array, int64_t first_line,
	int64_t lines, void *ret_staging)
{
	run_move(&(struct move){.target = device_side(layout, ret_staging),
		.source = host_side(layout, array, first_line),
		.lines = lines,
		.elements = layout->line});
}

static void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
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

/* Largest absolute value in the problem's INPUT_INTEGER inputs; 0: f32 would not be exact. */
static int64_t inputs_integer_limit(const struct problem *problem)
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

#define LARGE_LIMIT 0x1p50 /* of CASE_LARGE in f32 (common/data.h) */

/* The elements of CASE_LARGE become so large that a sum of all terms of a result just does not overflow. A
 * sum of `chain` roundings has chain + 1 terms. */
static void enlarge(const struct problem *problem, int64_t count, float *elements)
{
	double terms = (double)problem_chain(problem) + 1;
	double factor = (double)FLT_MAX / fmax(terms, 2) / LARGE_LIMIT;

	for (int64_t i = 0; i < count; i++)
		elements[i] = (float)((double)elements[i] * factor);
}

static void generate_case(
	const struct generation *generation, int64_t first, int64_t count, char *target)
{
	const struct problem *problem = generation->problem;
	bool is_f16 = problem->rounding == ROUND_F16;

	data_fill_case(generation->dtype, is_f16 ? DTYPE_F16 : generation->dtype, target, first,
		count, generation->count, problem->seed, generation->operand, problem->data_case);
	if (problem->data_case == CASE_LARGE && generation->dtype == DTYPE_F32 &&
		problem->rounding == ROUND_NONE && !problem->family->multiplies)
		enlarge(problem, count, (float *)(void *)target);
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
		generate_case(generation, first, count, target);
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

#define KEPT_INPUT_BYTES ((uint64_t)256 << 20) /* of each of the two lists */

static void slot_release(struct input_slots *slots, struct input_slot *slot)
{
	free(slot->values);
	slots->bytes -= slot->bytes;
	*slot = (struct input_slot){0};
}

/* Returns an empty slot, or one whose array has the wanted size. To stay within KEPT_INPUT_BYTES, frees the
 * arrays of other problems, beginning with the one whose last use is the longest ago. */
static struct input_slot *slot_choose(
	struct input_slots *slots, const struct problem *problem, uint64_t bytes)
{
	for (;;) {
		struct input_slot *empty = NULL, *oldest = NULL;

		for (size_t i = 0; i < INPUT_SLOTS; i++) {
			struct input_slot *slot = &slots->items[i];
			if (!slot->values)
				empty = slot;
			else if (!problem_equal(&slot->problem, problem) &&
				 (!oldest || slot->last_use < oldest->last_use))
				oldest = slot;
		}
		/* A problem has fewer inputs than there are slots. */
		if (empty && (!oldest || slots->bytes + bytes <= KEPT_INPUT_BYTES))
			return empty;
		if (oldest->bytes == bytes)
			return oldest;
		slot_release(slots, oldest);
	}
}

static struct input_slot *slot_find(
	struct input_slots *slots, const struct problem *problem, size_t index)
{
	for (size_t i = 0; i < INPUT_SLOTS; i++) {
		struct input_slot *slot = &slots->items[i];
		if (slot->values && slot->operand == index &&
			problem_equal(&slot->problem, problem)) {
			slot->last_use = ++slots->uses;
			return slot;
		}
	}
	return NULL;
}

/* Returns the kept array, or generates it. */
static enum pmpp_status slot_get(struct input_slots *slots, const struct problem *problem,
	size_t index, const void *user, const void **ret_array, struct pmpp_error *error)
{
	const struct operand *operand = &problem->family->operands[index];
	uint64_t bytes = operand_bytes(operand, problem);
	struct generation generation = {.problem = problem,
		.operand = index,
		.dtype = operand_dtype(operand, problem),
		.count = operand_rows(operand, problem) * operand_columns(operand, problem),
		.user = user};
	struct input_slot *slot = slot_find(slots, problem, index);

	if (slot) {
		*ret_array = slot->values;
		return PMPP_OK;
	}
	slot = slot_choose(slots, problem, bytes);
	if (!slot->values) {
		slot->values = malloc(bytes);
		if (!slot->values)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"no host memory for %.1f GB of input", (double)bytes / 1e9);
		slot->bytes = bytes;
		slots->bytes += bytes;
	}
	generation.target = slot->values;
	parallel_for((size_t)((generation.count + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS),
		generate_piece, &generation);
	slot->problem = *problem;
	slot->operand = index;
	slot->last_use = ++slots->uses;
	*ret_array = slot->values;
	return PMPP_OK;
}

/* ---- Inputs of a problem -------------------------------------------------------------------------------- */

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

/* Returns one host array per operand of the family (NULL for outputs), rounded as the problem
 * requires. The arrays are valid until the next call for another problem. PMPP_USAGE: INPUT_USER
 * without an array. PMPP_TOO_LARGE: INPUT_INTEGER, and inputs_integer_limit() is 0. */
static enum pmpp_status inputs_get(struct inputs *inputs, const struct problem *problem,
	const void *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error)
{
	const struct family *family = problem->family;
	bool kept = problem->source == INPUT_RANDOM || problem->source == INPUT_USER;
	struct input_slots *slots = kept ? &inputs->random : &inputs->checks;

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
			status = slot_get(slots, problem, i, user, &ret_arrays[i], error);
		if (status != PMPP_OK)
			return status;
	}
	return PMPP_OK;
}

static uint64_t inputs_held_bytes(const struct inputs *inputs)
{
	return inputs->random.bytes + inputs->checks.bytes;
}

static void inputs_release(struct inputs *inputs)
{
	for (size_t i = 0; i < INPUT_SLOTS; i++) {
		slot_release(&inputs->random, &inputs->random.items[i]);
		slot_release(&inputs->checks, &inputs->checks.items[i]);
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

/* Bytes of the guard on one side of each buffer. */
static uint64_t operands_guard_bytes(const struct gpu_device_info *info)
{
	uint64_t align = info->limits.buffer_align_bytes ? info->limits.buffer_align_bytes : 1;

	return (GUARD_BYTES + align - 1) / align * align;
}

static size_t output_index(const struct operands *operands)
{
	return operands->family->operand_count - 1;
}

/* Bytes of the variant's scratch buffers; 0 for an unused buffer. */
static void operands_scratch_bytes(const struct config *config, const struct problem *problem,
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

/* Sets whole words, and then the rest. */
static void set_pattern(void *array, uint64_t bytes, uint32_t pattern)
{
	uint8_t *target = array;
	uint8_t word[4];

	for (int i = 0; i < 4; i++)
		word[i] = pattern_byte(pattern, i);
	for (uint64_t i = 0; i + sizeof word <= bytes; i += sizeof word)
		memcpy(target + i, word, sizeof word);
	memcpy(target + bytes / sizeof word * sizeof word, word, bytes % sizeof word);
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
		set_pattern(operands->staging[0], chunk_bytes(layout, chunk), GUARD_INPUT);
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

#define REPEATED_BYTES ((uint64_t)4 << 20)

/* Writes the first elements of an input, again and again. */
static enum pmpp_status repeat_input(struct operands *operands, const struct problem *problem,
	size_t index, struct pmpp_error *error)
{
	const struct operand *operand = &problem->family->operands[index];
	struct gpu_buffer *buffer = operands->buffers[index];
	struct generation part = {.problem = problem,
		.operand = index,
		.dtype = operand_dtype(operand, problem),
		.count = operand_rows(operand, problem) * operand_columns(operand, problem),
		.target = malloc(REPEATED_BYTES)};

	if (!part.target)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for an input");
	part.count = min(part.count, (int64_t)(REPEATED_BYTES / dtype_info(part.dtype)->bytes));
	for (int64_t piece = 0; piece * PIECE_ELEMENTS < part.count; piece++)
		generate_piece(&part, (size_t)piece);
	enum pmpp_status status =
		buffer->bytes > REPEATED_BYTES
			? gpu_buffer_repeat(buffer, part.target, REPEATED_BYTES, error)
			: gpu_buffer_write(buffer, 0, part.target, buffer->bytes, error);
	free(part.target);
	return status;
}

enum pmpp_status operands_upload_repeated(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	operands_forget(operands);
	for (size_t i = 0; i < problem->family->operand_count && status == PMPP_OK; i++) {
		bool input = problem->family->operands[i].role == OPERAND_IN;
		if (input && !layout_is_direct(&operands->layouts[i]))
			return operands_upload(operands, problem, error);
		if (input)
			status = repeat_input(operands, problem, i, error);
	}
	return status == PMPP_OK ? write_guards(operands, error) : status;
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
		[DTYPE_F64] = {0x7ff8dead, 0xffeffffe, 0x7feffffe},
	};

	return patterns[dtype][poison];
}

enum pmpp_status operands_poison(
	struct operands *operands, enum poison poison, struct pmpp_error *error)
{
	size_t output = output_index(operands);
	uint32_t pattern = poison_pattern(operands->layouts[output].device, poison);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = output; i < MAX_BUFFERS && status == PMPP_OK; i++) {
		struct gpu_buffer *buffer = operands->buffers[i];

		if (!buffer)
			continue;
		status = fill(buffer, 0, buffer->bytes, pattern, error);
		buffer->unset = poison != POISON_ZERO;
	}
	return status;
}

/* Reads the output, by rows. */
static enum pmpp_status operands_read_output(
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

/* *ret_intact: the guards of every buffer that is not borrowed hold their pattern. */
static enum pmpp_status operands_check_guards(
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
		return PMPP_NO_MEMORY(error, "the guards");
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
		intact = same_bytes(expected, operands->staging[1], bytes);
	}
	*ret_intact = intact;
	return PMPP_OK;
}

/* *ret_intact: the inputs on the device, without borrowed ones, are those of the last upload. */
static enum pmpp_status operands_check_inputs(struct operands *operands,
	const struct problem *problem, bool *ret_intact, struct pmpp_error *error)
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

/* ---- The reference --------------------------------------------------------------------------- */

/*
 * The reference in double precision. There are three methods, by the size of the problem:
 *   kept      every element, computed once for all variants, as long as there is room
 *   streamed  every element, computed again in each comparison. For large outputs that take little
 *             work, for example vectors: a kept reference would take four times their memory.
 *   sampled   a few random rows and columns, always including the last ones. For problems where
 *             every element would take too long.
 */

/* Up to this work the reference is computed for every element. */
#define FULL_REFERENCE_WORK 0x1p28

#define SAMPLED_LINES 8
#define SAMPLE_STREAM 0x5a3d
#define KEPT_ELEMENTS ((int64_t)1 << 24)
#define PART_ELEMENTS ((int64_t)1 << 15)
#define PARTS_PER_THREAD 4 /* more than 1, because parts take different times */
#define PART_WORK 0x1p15   /* less than this takes as long as the start of a thread */

static bool reference_is_sampled(const struct problem *problem)
{
	return problem->family->exact_check && problem_work(problem) > FULL_REFERENCE_WORK;
}

/* Returns the bytes that reference_prepare() and the comparisons allocate for a problem. The type
 * is double because the amount may overflow integers. */
static double reference_bytes(const struct problem *problem)
{
	const struct operand *output = problem_output(problem);
	double rows = (double)operand_rows(output, problem);
	double columns = (double)operand_columns(output, problem);
	double parts = rows * columns / (double)PART_ELEMENTS;
	double elements = rows * columns;

	if (reference_is_sampled(problem))
		elements = SAMPLED_LINES * (rows + columns);
	else if (elements > (double)KEPT_ELEMENTS)
		elements = (double)PART_ELEMENTS * (double)parallel_threads();
	return elements * (double)sizeof(struct expected) +
	       parts * (double)sizeof(struct reference_part);
}

/* Returns the bytes that the reference has allocated. */
static double reference_held_bytes(const struct reference *reference)
{
	double bytes = (double)reference->part_count * (double)sizeof *reference->parts;

	for (size_t i = 0; i < reference->part_count; i++) {
		const struct reference_part *part = &reference->parts[i];
		double elements = (double)part->region.rows * (double)part->region.columns;
		if (part->expected)
			bytes += elements * (double)sizeof *part->expected;
	}
	return bytes;
}

/* Frees the reference; *reference is then empty. */
static void reference_finish(struct reference *reference)
{
	for (size_t i = 0; i < reference->part_count; i++)
		free(reference->parts[i].expected);
	free(reference->parts);
	*reference = (struct reference){0};
}

/* Computes a region of the reference, with the variant's own function if it has one, else with the
 * family's. */
static void reference_region(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	if (variant->reference)
		variant->reference(variant, problem, inputs, region, ret_expected);
	else
		problem->family->reference(problem, inputs, region, ret_expected);
}

static double reference_element(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, int64_t row, int64_t column)
{
	struct region region = {.row = row, .rows = 1, .column = column, .columns = 1};
	struct expected expected = {.value = NAN};

	reference_region(variant, problem, inputs, region, &expected);
	return expected.value;
}

/* Variants without a reference of their own share one. */
static bool is_kept(const struct reference *reference, const struct variant *variant,
	const struct problem *problem)
{
	return problem_equal(&reference->problem, problem) &&
	       (reference->variant == variant ||
		       (!reference->variant->reference && !variant->reference));
}

/* ---- Parts --------------------------------------------------------------------------------- */

static bool add_part(struct reference *reference, struct region region)
{
	struct reference_part *parts =
		realloc(reference->parts, (reference->part_count + 1) * sizeof *parts);

	if (!parts)
		return false;
	reference->parts = parts;
	parts[reference->part_count++] = (struct reference_part){.region = region};
	return true;
}

/* Divides a region into parts of at most `max` elements, whole rows if possible. */
static bool add_region(struct reference *reference, struct region whole, int64_t max)
{
	int64_t columns = min(whole.columns, max);
	int64_t rows = min(whole.rows, max / columns > 0 ? max / columns : 1);

	for (int64_t r = 0; r < whole.rows; r += rows)
		for (int64_t c = 0; c < whole.columns; c += columns) {
			struct region part = {.row = whole.row + r,
				.rows = min(rows, whole.rows - r),
				.column = whole.column + c,
				.columns = min(columns, whole.columns - c)};
			if (!add_part(reference, part))
				return false;
		}
	return true;
}

/* Chooses up to SAMPLED_LINES different lines, including the last one. */
static size_t choose_lines(
	int64_t lines, uint64_t seed, uint64_t stream, int64_t ret_lines[SAMPLED_LINES])
{
	size_t wanted = (size_t)min(lines, SAMPLED_LINES);
	size_t count = 0;

	ret_lines[count++] = lines - 1;
	for (uint64_t i = 0; count < wanted; i++) {
		int64_t line = (int64_t)(data_bits(seed, stream, i) % (uint64_t)lines);
		bool known = false;
		for (size_t j = 0; j < count; j++)
			known = known || ret_lines[j] == line;
		if (!known)
			ret_lines[count++] = line;
	}
	return count;
}

static bool make_sampled_parts(struct reference *reference, int64_t rows, int64_t columns)
{
	uint64_t seed = reference->problem.seed;
	int64_t lines[SAMPLED_LINES];
	int64_t share = (int64_t)parallel_threads();
	bool ok = true;

	size_t count = choose_lines(rows, seed, SAMPLE_STREAM, lines);
	for (size_t i = 0; ok && i < count; i++)
		ok = add_region(
			reference, (struct region){lines[i], 1, 0, columns}, columns / share + 1);
	count = choose_lines(columns, seed, SAMPLE_STREAM + 1, lines);
	for (size_t i = 0; ok && i < count; i++)
		ok = add_region(reference, (struct region){0, rows, lines[i], 1}, rows / share + 1);
	return ok;
}

/* ---- Computing ----------------------------------------------------------------------------- */

struct computation {
	struct reference *reference;
	const void *const *inputs;
};

static void compute_part(void *context, size_t index)
{
	struct computation *computation = context;
	struct reference_part *part = &computation->reference->parts[index];
	const struct problem *problem = &computation->reference->problem;
	size_t count = (size_t)(part->region.rows * part->region.columns);

	part->expected = malloc(count * sizeof *part->expected);
	if (part->expected)
		reference_region(computation->reference->variant, problem, computation->inputs,
			part->region, part->expected);
}

static int64_t parts_wanted(const struct problem *problem)
{
	if (problem->family->whole_reference)
		return 1;
	double useful = problem_work(problem) / PART_WORK;
	double most = (double)(PARTS_PER_THREAD * parallel_threads());

	return useful < 1 ? 1 : (int64_t)fmin(useful, most);
}

static enum pmpp_status reference_compute(
	struct reference *reference, const void *const *inputs, struct pmpp_error *error)
{
	const struct problem *problem = &reference->problem;
	const struct operand *output = problem_output(problem);
	int64_t rows = operand_rows(output, problem);
	int64_t columns = operand_columns(output, problem);
	bool kept = rows * columns <= KEPT_ELEMENTS;
	bool ok;

	reference->sampled = reference_is_sampled(problem);
	if (reference->sampled) {
		ok = make_sampled_parts(reference, rows, columns);
	} else {
		int64_t share = rows * columns / parts_wanted(problem);
		/* Whole rows: each part then reads the inputs of its rows only once. */
		share = (share + columns - 1) / columns * columns;
		ok = add_region(reference, (struct region){0, rows, 0, columns},
			share < 1 ? 1 : min(share, PART_ELEMENTS));
	}
	if (ok && (kept || reference->sampled)) {
		struct computation computation = {.reference = reference, .inputs = inputs};

		parallel_for(reference->part_count, compute_part, &computation);
		for (size_t i = 0; i < reference->part_count; i++)
			ok = ok && reference->parts[i].expected;
	}
	return ok ? PMPP_OK
		  : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
}

#define KEPT_REFERENCE_BYTES 0x1p27 /* of each of the two lists */

static double references_held_bytes(const struct references *references)
{
	double bytes = 0;

	for (size_t i = 0; i < REFERENCES; i++)
		bytes += reference_held_bytes(&references->items[i]);
	return bytes;
}

static void references_finish(struct references *references)
{
	for (size_t i = 0; i < REFERENCES; i++)
		reference_finish(&references->items[i]);
}

/* Returns an empty reference. To stay within KEPT_REFERENCE_BYTES with `bytes` more, frees the references whose
 * last use is the longest ago. */
static struct reference *reference_choose(struct references *references, double bytes)
{
	for (;;) {
		struct reference *empty = NULL, *oldest = NULL;

		for (size_t i = 0; i < REFERENCES; i++) {
			struct reference *item = &references->items[i];
			if (!item->problem.family)
				empty = item;
			else if (!oldest || item->last_use < oldest->last_use)
				oldest = item;
		}
		if (empty && (!oldest || references_held_bytes(references) + bytes <=
						 KEPT_REFERENCE_BYTES))
			return empty;
		reference_finish(oldest);
	}
}

/* Returns the reference for the variant and the problem: a kept one, or a new one. */
static enum pmpp_status reference_prepare(struct references *references,
	const struct variant *variant, const struct problem *problem, const void *const *inputs,
	struct reference **ret_reference, struct pmpp_error *error)
{
	struct reference *reference = NULL;
	enum pmpp_status status = PMPP_OK;

	/* Also for a kept reference: reference_element() is called later. */
	if (problem->family->prepare_reference)
		status = problem->family->prepare_reference(problem, inputs, error);
	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < REFERENCES && !reference; i++)
		if (references->items[i].problem.family &&
			is_kept(&references->items[i], variant, problem))
			reference = &references->items[i];
	if (!reference) {
		reference = reference_choose(references, reference_bytes(problem));
		reference->problem = *problem;
		reference->variant = variant;
		status = reference_compute(reference, inputs, error);
	}
	reference->last_use = ++references->uses;
	if (status != PMPP_OK)
		reference_finish(reference);
	*ret_reference = reference;
	return status;
}

/* ---- Judging an output ---------------------------------------------------------------------- */

/* Compares the output of a run with the reference, or with the output of another run. */

#define SCAN_ELEMENTS ((int64_t)1 << 20)

/* ---- The reference and the bound ----------------------------------------------------------- */

struct tally {
	double max_ratio, max_ulps;
	uint64_t nan, mismatches;
	int64_t first; /* element number by rows; -1 = none */
	bool out_of_memory;
};

/* Shared by the tasks of one comparison. The lock protects the total. */
struct output_check {
	const struct problem *problem;
	const void *const *inputs;
	const struct reference *reference;
	const struct output *output;
	double gamma;

	pthread_mutex_t lock;
	struct tally total;
};

static void tally_mismatch(struct tally *tally, int64_t element)
{
	tally->mismatches++;
	if (tally->first < 0 || element < tally->first)
		tally->first = element;
}

static void tally_add(struct output_check *check, const struct tally *tally)
{
	struct tally *total = &check->total;

	pthread_mutex_lock(&check->lock);
	total->max_ratio = fmax(total->max_ratio, tally->max_ratio);
	total->max_ulps = fmax(total->max_ulps, tally->max_ulps);
	total->nan += tally->nan;
	total->mismatches += tally->mismatches;
	if (tally->first >= 0 && (total->first < 0 || tally->first < total->first))
		total->first = tally->first;
	total->out_of_memory |= tally->out_of_memory;
	pthread_mutex_unlock(&check->lock);
}

/* Counts elements that are not finite; unwritten elements are among them. All elements are checked,
 * even if the reference is sampled. */
static void scan_part(void *context, size_t index)
{
	struct output_check *check = context;
	struct tally tally = {.first = -1};
	int64_t begin = (int64_t)index * SCAN_ELEMENTS;
	int64_t end = begin + SCAN_ELEMENTS;
	int64_t total = check->output->rows * check->output->columns;

	for (int64_t i = begin; i < (end < total ? end : total); i++)
		if (!dtype_is_finite(check->output->dtype, check->output->values, i)) {
			tally.nan++;
			tally_mismatch(&tally, i);
		}
	if (tally.nan)
		tally.max_ratio = INFINITY;
	tally_add(check, &tally);
}

static void compare_region(const struct output_check *check, const struct region *region,
	const struct expected *expected, struct tally *tally)
{
	const struct output *output = check->output;
	bool in_ulps = check->problem->family->shows_ulps && output->dtype == DTYPE_F32;

	for (int64_t r = 0; r < region->rows; r++)
		for (int64_t c = 0; c < region->columns; c++) {
			int64_t element = (region->row + r) * output->columns + region->column + c;
			double got = dtype_load(output->dtype, output->values, element);
			if (!dtype_is_finite(output->dtype, output->values, element))
				continue; /* counted by scan_part */
			double ratio = bound_ratio(output->dtype, got,
				&expected[r * region->columns + c], check->gamma);
			tally->max_ratio = fmax(tally->max_ratio, ratio);
			if (in_ulps)
				tally->max_ulps = fmax(tally->max_ulps,
					bound_ulps(got, expected[r * region->columns + c].value));
			if (!(ratio <= 1))
				tally_mismatch(tally, element);
		}
}

static void compare_part(void *context, size_t index)
{
	struct output_check *check = context;
	const struct reference_part *part = &check->reference->parts[index];
	size_t count = (size_t)(part->region.rows * part->region.columns);
	struct tally tally = {.first = -1};
	struct expected *streamed = part->expected ? NULL : malloc(count * sizeof *streamed);

	if (part->expected) {
		compare_region(check, &part->region, part->expected, &tally);
	} else if (streamed) {
		reference_region(check->reference->variant, check->problem, check->inputs,
			part->region, streamed);
		compare_region(check, &part->region, streamed, &tally);
	} else {
		tally.out_of_memory = true;
	}
	free(streamed);
	tally_add(check, &tally);
}

/* Only the first comparison with a mismatch sets the counts and the first mismatch, because later
 * comparisons judge the same elements again. */
static void add_to_result(
	struct verify_record *result, const struct output_check *check, double want)
{
	const struct output *output = check->output;
	const struct tally *total = &check->total;

	result->max_ratio = fmax(result->max_ratio, total->max_ratio);
	if (check->problem && check->problem->family->shows_ulps && output->dtype == DTYPE_F32)
		result->max_ulps = fmax(result->max_ulps, total->max_ulps);
	if (total->first < 0 || result->first.record.present)
		return;
	result->nan = (int64_t)total->nan;
	result->mismatches = (int64_t)total->mismatches;
	result->first.record.present = true;
	result->first.row = total->first / output->columns;
	result->first.column = total->first % output->columns;
	result->first.got = dtype_load(output->dtype, output->values, total->first);
	result->first.want = want;
}

static bool is_finite_as(enum dtype dtype, double value)
{
	uint64_t stored = 0;

	dtype_store(dtype, &stored, 0, value);
	return dtype_is_finite(dtype, &stored, 0);
}

/* Fails if an input is not finite after the rounding of the problem. The output, the last operand,
 * has no array: inputs[] is NULL there. */
static enum pmpp_status refuse_rounded_input(
	const struct problem *problem, const void *const *inputs, struct pmpp_error *error)
{
	for (size_t k = 0; problem->rounding != ROUND_NONE && inputs[k]; k++) {
		const struct operand *operand = &problem->family->operands[k];
		enum dtype dtype = operand_dtype(operand, problem);
		int64_t columns = operand_columns(operand, problem);
		int64_t count = operand_rows(operand, problem) * columns;

		for (int64_t i = 0; i < count; i++)
			if (!dtype_is_finite(dtype, inputs[k], i))
				return PMPP_FAIL(error, PMPP_UNSUPPORTED,
					"%s[%lld,%lld] of --in is too large for %s", operand->name,
					(long long)(i / columns), (long long)(i % columns),
					problem->rounding == ROUND_TF32 ? "TF32" : "f16");
	}
	return PMPP_OK;
}

/* Fails if the right answer of a mismatch is not finite, or if partial sums may not be finite: then
 * the data are wrong, not the kernel. */
static enum pmpp_status refuse_overflow(
	const struct output_check *check, struct region element, struct pmpp_error *error)
{
	const enum dtype dtype = check->output->dtype;
	struct expected want;

	reference_region(check->reference->variant, check->problem, check->inputs, element, &want);
	bool fits = is_finite_as(dtype, want.value);
	/* A finite value that is wrong did not overflow. */
	if (fits && (is_finite_as(DTYPE_F32, want.terms) ||
			    dtype_is_finite(dtype, check->output->values, check->total.first)))
		return PMPP_OK;
	enum pmpp_status status = refuse_rounded_input(check->problem, check->inputs, error);
	return status != PMPP_OK
		       ? status
		       : PMPP_FAIL(error, PMPP_USAGE,
				 "--in: %s[%lld,%lld] overflows %s: %s %.6g: use smaller numbers",
				 problem_output(check->problem)->name, (long long)element.row,
				 (long long)element.column,
				 dtype_info(fits ? DTYPE_F32 : dtype)->name,
				 fits ? "the magnitudes of its terms add up to"
				      : "the right value is",
				 fits ? want.terms : want.value);
}

/* Checks that every element is finite, and that the elements of the reference are within their
 * bounds. reference: prepared for the variant and the problem. PMPP_OUT_OF_MEMORY on the host. */
static enum pmpp_status check_output_bound(const struct reference *reference,
	const struct config *config, const struct problem *problem, const void *const *inputs,
	const struct output *output, struct verify_record *result, struct pmpp_error *error)
{
	struct output_check check = {.problem = problem,
		.inputs = inputs,
		.reference = reference,
		.output = output,
		.gamma = config_bound(config, problem),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.total = {.first = -1}};
	int64_t total = output->rows * output->columns;
	double want = NAN;
	enum pmpp_status status = PMPP_OK;

	parallel_for((size_t)((total + SCAN_ELEMENTS - 1) / SCAN_ELEMENTS), scan_part, &check);
	parallel_for(reference->part_count, compare_part, &check);
	if (check.total.out_of_memory)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
	if (check.total.first >= 0) {
		int64_t row = check.total.first / output->columns,
			column = check.total.first % output->columns;
		want = reference_element(config->variant, problem, inputs, row, column);
		if (problem->source == INPUT_USER && dtype_info(output->dtype)->is_float)
			status = refuse_overflow(&check, (struct region){row, 1, column, 1}, error);
	}
	if (status == PMPP_OK)
		add_to_result(result, &check, want);
	return status;
}

/* ---- Integers: every element, exactly ------------------------------------------------------ */

/* Sets *column to the first wrong column of the row, because the family's check may find only the
 * row. If the reference finds no wrong element in the row, *column is unchanged. Returns false if
 * memory runs out. */
static bool find_wrong_column(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, int64_t row, int64_t *column)
{
	int64_t columns = output->columns;
	struct expected *expected = malloc((size_t)columns * sizeof *expected);

	if (!expected)
		return false;
	reference_region(variant, problem, inputs, (struct region){row, 1, 0, columns}, expected);
	for (int64_t c = columns - 1; c >= 0; c--)
		if (!(dtype_load(output->dtype, output->values, row * columns + c) ==
			    expected[c].value))
			*column = c;
	free(expected);
	return true;
}

/* Checks with the family's exact_check that every element is equal. problem: with integer inputs.
 * PMPP_OUT_OF_MEMORY on the host; *result is then unchanged. */
static enum pmpp_status check_output_exact(const struct variant *variant,
	const struct problem *problem, const void *const *inputs, const struct output *output,
	struct verify_record *result, struct pmpp_error *error)
{
	struct output_check check = {.output = output, .total = {.first = -1}};
	int64_t row = 0;
	int64_t column = 0;
	enum exact_result found =
		problem->family->exact_check(problem, inputs, output->values, &row, &column);

	if (found == EXACT_EQUAL)
		return PMPP_OK;
	if (found == EXACT_NO_MEMORY ||
		!find_wrong_column(variant, problem, inputs, output, row, &column))
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no host memory for the check on integers");
	check.total.first = row * output->columns + column;
	check.total.mismatches = 1; /* at least: the check stops at the first */
	check.total.max_ratio = INFINITY;
	add_to_result(result, &check, reference_element(variant, problem, inputs, row, column));
	return PMPP_OK;
}

/* ---- Bits ---------------------------------------------------------------------------------- */

/* Returns true if all bits are equal. The two outputs have the same shape. */
static bool check_output_bits(
	const struct output *first, const struct output *second, struct verify_record *result)
{
	struct output_check check = {.output = second, .total = {.first = -1}};
	size_t bytes = dtype_info(first->dtype)->bytes;
	int64_t total = first->rows * first->columns;
	const char *a = first->values;
	const char *b = second->values;

	if (same_bytes(a, b, (uint64_t)total * bytes))
		return true;
	for (int64_t i = total - 1; i >= 0; i--)
		if (memcmp(b + i * (int64_t)bytes, a + i * (int64_t)bytes, bytes) != 0) {
			check.total.first = i;
			check.total.mismatches++;
		}
	add_to_result(result, &check, dtype_load(first->dtype, first->values, check.total.first));
	return false;
}

/*
 * Every pass starts with a poisoned output and ends with the same checks: every element is finite
 * and within its bound, the guards are unchanged, the inputs are unchanged.
 */

#define ORDER_SEED 1

/* ---- Passes -------------------------------------------------------------------------------- */

struct pass {
	enum input_source source; /* INPUT_RANDOM: that of the problem */
	enum data_case data_case;
	bool traced;
	bool zeros;      /* local variables begin with 0 */
	bool reversed;   /* run the last blocks and threads first */
	bool carried;    /* the program's variables keep what an earlier run left */
	bool small_grid; /* the grid for a device of one unit */
	enum poison poison;
};

#define MAX_PASSES (7 + CASE_COUNT)

/* After the other passes, if they have changed the program's variables. A program launches its kernels more
 * than once, and does not set them between two launches. */
static const struct pass carried_pass = {.carried = true, .poison = POISON_BELOW};

/* Operands of at most this size are also checked on other data after the timing. Larger data would
 * take too long to generate and copy for each row. */
#define OTHER_DATA_BYTES 0x1p29

/* A problem of at most this work has at least two passes, because one poison may hide a mistake. */
#define TWO_POISONS_WORK 0x1p22

/* Blocks of a small grid count more than 65535 elements: a counter of 16 bits is wrong. */
#define SMALL_GRID_WORK 0x1p16

/* Sums of floats are excluded: another grid gives other bits. */
static bool has_small_grid(const struct config *config, const struct problem *problem)
{
	double work = config_work(config, problem);

	return config->variant->reads & KERNEL_SHAPE_UNITS && work > SMALL_GRID_WORK &&
	       work <= TWO_POISONS_WORK &&
	       !dtype_info(operand_dtype(problem_output(problem), problem))->is_float;
}

/* The bound of a sum of h terms grows as h * (h u); the sum of signed terms grows as sqrt(h). The
 * ratio of both is sqrt(h) * (h u). Above WEAK_BOUND the bound may hide a missing term, so integers
 * are checked too. A row of reduced precision uses its own chain length and unit roundoff in (h u).
 *
 * A kernel with full precision must not round its inputs to 11 bits. This rounding changes a sum by
 * about 2^-12.5 of its standard deviation. The largest error of many elements is at least four
 * times as large. */
#define WEAK_BOUND 0x1p-8
#define WEAK_FOR_INPUTS 0x1p-13
#define MANY_ELEMENTS 4096
#define MANY_WEAK_FOR_INPUTS 0x1p-11

static double weak_bound(const struct problem *problem)
{
	const struct operand *output = problem_output(problem);

	if (problem->dtype != DTYPE_F32 || problem->rounding != ROUND_NONE)
		return WEAK_BOUND;
	return operand_rows(output, problem) * operand_columns(output, problem) < MANY_ELEMENTS
		       ? WEAK_FOR_INPUTS
		       : MANY_WEAK_FOR_INPUTS;
}

static bool is_weak(const struct config *config, const struct problem *problem)
{
	const struct variant *variant = config->variant;
	double terms = (double)problem_chain(problem);
	double own_chain = variant->chain ? (double)variant->chain(config, problem) : terms;
	double hu = fmax(terms * F32_UNIT_ROUNDOFF, own_chain * variant->unit_roundoff);

	return !problem->family->internal && sqrt(terms) * hu > weak_bound(problem);
}

/* true: random data check only a small part of the output, or nothing. */
static bool depends_on_integers(const struct config *config, const struct problem *problem)
{
	return reference_is_sampled(problem) || config_bound(config, problem) >= BLIND_BOUND;
}

/* true: the verification has a pass with small integers as inputs. */
static bool verify_checks_integers(const struct config *config, const struct problem *problem)
{
	return (is_weak(config, problem) || depends_on_integers(config, problem)) &&
	       inputs_integer_limit(problem) > 0;
}

bool verify_is_possible(const struct config *config, const struct problem *problem)
{
	return !depends_on_integers(config, problem) || inputs_integer_limit(problem) > 0;
}

/* Adds the cases of the problem, and another seed. Their poisons differ. */
static size_t add_cases(const struct config *config, const struct problem *problem, size_t count,
	struct pass ret_passes[MAX_PASSES])
{
	unsigned cases = problem->source == INPUT_RANDOM ? check_cases(config, problem) : 0;

	for (unsigned c = 0; c <= CASE_COUNT; c++) {
		if (!(cases & CASE_BIT(c)))
			continue;
		ret_passes[count] =
			(struct pass){.source = c == CASE_COUNT ? INPUT_SEED : INPUT_CASE,
				.data_case = c == CASE_COUNT ? 0 : (enum data_case)c,
				.poison = (enum poison)(count % POISON_COUNT)};
		count++;
	}
	return count;
}

/* The poison of a large problem that has only one pass. Other check sizes, and the timed runs, have
 * other poisons (TIMED_POISON is none of these). 0, the least value of an unsigned type, would hide an
 * element that is added to. */
static enum poison only_poison(const struct problem *problem)
{
	const struct operand *output = problem_output(problem);
	enum dtype dtype = operand_dtype(output, problem);
	int64_t sum = 0;

	if (dtype == DTYPE_U8 || dtype == DTYPE_U32)
		return POISON_NAN;
	for (size_t d = 0; d < problem->family->dim_count; d++)
		sum += problem->dim[d];
	return sum % 2 ? POISON_BELOW : POISON_NAN;
}

/* The output of the first pass is kept. Passes on other data are last, because their inputs replace
 * those of the problem on the device. */
static size_t choose_passes(const struct gpu_device *device, const struct config *config,
	const struct problem *problem, bool traced, struct pass ret_passes[MAX_PASSES])
{
	size_t count = 0;

	ret_passes[count++] = (struct pass){0};
	if (gpu_is_emulator(device))
		ret_passes[count++] = (struct pass){.reversed = true, .poison = POISON_BELOW};
	if (traced && gpu_is_emulator(device) &&
		config_work(config, problem) <= suite_work_budget(&device->info, true))
		ret_passes[count++] = (struct pass){.traced = true, .poison = POISON_ABOVE};
	if (has_small_grid(config, problem))
		ret_passes[count++] = (struct pass){.small_grid = true, .poison = POISON_BELOW};
	if (verify_checks_integers(config, problem))
		ret_passes[count++] =
			(struct pass){.source = INPUT_INTEGER, .poison = POISON_BELOW};
	count = add_cases(config, problem, count, ret_passes);
	if (count == 1 && config_work(config, problem) <= TWO_POISONS_WORK)
		ret_passes[count++] = (struct pass){.poison = POISON_BELOW};
	else if (count == 1)
		ret_passes[0].poison = only_poison(problem);
	return count;
}

static void set_coverage(struct outcome *outcome)
{
	struct verify_record *result = &outcome->row.verify;
	const struct problem *problem = &outcome->problem;
	const struct operand *output = problem_output(problem);

	if (!reference_is_sampled(problem))
		text_format(&result->coverage, "all elements%s",
			verify_checks_integers(&outcome->config, &outcome->problem)
				? "; all on integers"
				: "");
	else
		text_format(&result->coverage, "%lld rows and %lld columns; all on integers",
			(long long)min(operand_rows(output, problem), SAMPLED_LINES),
			(long long)min(operand_columns(output, problem), SAMPLED_LINES));
}

/* Uploads the inputs, poisons the output, executes the run, and reads the output, by rows. Call
 * launch_reset() before it, unless the run continues an earlier one. Fails like the functions of gpu.h. */
static enum pmpp_status verify_output(struct operands *operands, const struct bound_run *run,
	const struct problem *problem, enum poison poison, void *ret_output,
	struct pmpp_error *error)
{
	enum pmpp_status status = operands_upload(operands, problem, error);

	if (status == PMPP_OK && poison != POISON_KEEP)
		status = operands_poison(operands, poison, error);
	if (status == PMPP_OK)
		status = launch_run(run, error);
	if (status == PMPP_OK)
		status = gpu_finish(operands->device, error);
	if (status == PMPP_OK)
		status = operands_read_output(operands, ret_output, error);
	return status;
}

static enum pmpp_status check_surroundings(struct operands *operands, const struct problem *problem,
	struct verify_record *result, struct pmpp_error *error)
{
	bool canary_ok = false;
	bool inputs_intact = false;
	enum pmpp_status status = operands_check_guards(operands, &canary_ok, error);

	if (status == PMPP_OK)
		status = operands_check_inputs(operands, problem, &inputs_intact, error);
	if (status != PMPP_OK) /* nothing was checked: keep the earlier results */
		return status;
	result->canary_ok = result->canary_ok && canary_ok;
	result->inputs_intact = result->inputs_intact && inputs_intact;
	return PMPP_OK;
}

static struct output output_of(const struct verifier *verifier, const void *values)
{
	return (struct output){.values = values,
		.dtype = verifier->dtype,
		.rows = verifier->rows,
		.columns = verifier->columns};
}

/* ---- Hashes --------------------------------------------------------------------------------- */

struct pieces {
	const uint8_t *bytes;
	uint64_t count;
	uint8_t (*digests)[BYTES_DIGEST_BYTES];
};

static void hash_piece(void *context, size_t index)
{
	const struct pieces *pieces = context;

	bytes_digest(pieces->bytes + index * PIECE_BYTES, piece_bytes(pieces->count, index),
		pieces->digests[index]);
}

/* Hashes the hashes of the pieces (struct verify_record), so that all cores share the work. */
static enum pmpp_status hash_output(const struct verifier *verifier, const void *values,
	char ret_hash[OUTPUT_HASH_BYTES], struct pmpp_error *error)
{
	size_t count = piece_count(verifier->bytes);
	struct pieces pieces = {values, verifier->bytes, NULL};

	pieces.digests = malloc(count * sizeof *pieces.digests);
	if (!pieces.digests)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the output's hash");
	parallel_for(count, hash_piece, &pieces);
	SHA256Data((const uint8_t *)pieces.digests, count * sizeof *pieces.digests, ret_hash);
	free(pieces.digests);
	return PMPP_OK;
}

/* ---- Outputs that are right ----------------------------------------------------------------- */

/* Many variants of a problem have the same bits. An output with the hash of a right output of the same problem
 * and bound is right, with the same largest error. */
struct right_output {
	struct problem problem;
	const struct variant *variant; /* NULL: the reference is that of the family */
	bool exact;
	double gamma;
	char hash[OUTPUT_HASH_BYTES];
	double max_ratio, max_ulps;
};

static const struct right_output *right_output_find(
	const struct right_outputs *outputs, const struct right_output *output)
{
	for (size_t i = outputs->count; i > 0; i--) {
		const struct right_output *item = &outputs->items[i - 1];
		if (strcmp(item->hash, output->hash) == 0 && item->variant == output->variant &&
			item->exact == output->exact && item->gamma == output->gamma &&
			problem_equal(&item->problem, &output->problem))
			return item;
	}
	return NULL;
}

/* Keeps outputs of one family. Without memory the output is not kept. */
static void right_output_add(struct right_outputs *outputs, const struct right_output *output)
{
	if (outputs->count && outputs->items[0].problem.family != output->problem.family)
		outputs->count = 0;
	struct right_output *item = array_add(outputs, sizeof *item);
	if (item)
		*item = *output;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Compares with the reference within the bound, or exactly. */
static enum pmpp_status compare_values(struct verifier *verifier, const struct problem *problem,
	bool exact, const void *values, struct outcome *outcome, struct pmpp_error *error)
{
	struct references *references = problem_equal(problem, &outcome->problem)
						? &verifier->references
						: &verifier->others;
	struct reference *reference;
	const struct variant *variant = outcome->config.variant;
	const struct output output = output_of(verifier, values);
	const void *inputs[PMPP_MAX_OPERANDS];
	enum pmpp_status status = inputs_get(verifier->operands->inputs, problem, inputs, error);

	if (status != PMPP_OK)
		return status;
	if (exact)
		return check_output_exact(
			variant, problem, inputs, &output, &outcome->row.verify, error);
	status = reference_prepare(references, variant, problem, inputs, &reference, error);
	if (status != PMPP_OK)
		return status;
	return check_output_bound(
		reference, &outcome->config, problem, inputs, &output, &outcome->row.verify, error);
}

/* Compares the output as above, unless an equal output of the problem was right. Sets verifier->hash if the values are
 * those of the first run. */
static enum pmpp_status compare(struct verifier *verifier, const struct problem *problem,
	bool exact, const void *values, struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_record *result = &outcome->row.verify;
	const struct variant *variant = outcome->config.variant;
	const double max_ratio = result->max_ratio, max_ulps = result->max_ulps;
	struct right_output output = {.problem = *problem,
		.variant = variant->reference ? variant : NULL,
		.exact = exact,
		.gamma = config_bound(&outcome->config, problem),
		.max_ulps = NAN};
	const struct right_output *known;

	/* The rows of internal families are not in result files. */
	if (problem->family->internal)
		return compare_values(verifier, problem, exact, values, outcome, error);
	enum pmpp_status status = hash_output(verifier, values, output.hash, error);
	if (status != PMPP_OK)
		return status;
	if (values == verifier->values)
		memcpy(verifier->hash, output.hash, sizeof verifier->hash);
	known = right_output_find(&verifier->right, &output);
	if (!known) {
		result->max_ratio = 0;
		result->max_ulps = NAN;
		status = compare_values(verifier, problem, exact, values, outcome, error);
		output.max_ratio = result->max_ratio;
		output.max_ulps = result->max_ulps;
		if (status == PMPP_OK && !result->first.record.present)
			right_output_add(&verifier->right, &output);
	}
	result->max_ratio = fmax(max_ratio, known ? known->max_ratio : output.max_ratio);
	result->max_ulps = fmax(max_ulps, known ? known->max_ulps : output.max_ulps);
	return status;
}

/* If a row promises the same bits in all runs on one engine, but two runs differ, the kernel has a
 * race. */
static void compare_runs(
	const struct verifier *verifier, const void *values, struct outcome *outcome)
{
	const struct output first = output_of(verifier, verifier->values);
	const struct output second = output_of(verifier, values);

	if (outcome->promises_bits && !check_output_bits(&first, &second, &outcome->row.verify))
		text_set(&outcome->row.reason, "two runs differ: ");
	else if (outcome->row.own_kernel && outcome->config.variant->repro != REPRO_BOUND &&
		 !same_bytes(values, verifier->values, verifier->bytes))
		outcome_note(outcome, "the bits differ between runs");
}

enum pmpp_status verify_bind(struct programs *programs, const struct operands *operands,
	const struct outcome *outcome, bool traced, enum gpu_fill fill, struct bound_run *ret_run,
	struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = outcome->math,
		.traced = traced,
		.fill = fill};

	return launch_build(programs, &request, &outcome->plan, operands->buffers, ret_run, error);
}

/* Binds the run with the grid for a device of one unit that holds one block. */
static enum pmpp_status bind_small_grid(const struct verifier *verifier,
	const struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = outcome->math,
		.fill = GPU_FILL_PATTERN};
	struct config config = outcome->config;
	struct plan plan;

	config.shape.units = config.shape.unit_threads = 1;
	config_plan(&config, &outcome->problem, &plan);
	return launch_build(
		verifier->programs, &request, &plan, verifier->operands->buffers, ret_run, error);
}

/* Returns the output that this poison sets before a run. */
static enum pmpp_status read_poison(
	struct operands *operands, enum poison poison, void *ret_output, struct pmpp_error *error)
{
	enum pmpp_status status = operands_poison(operands, poison, error);

	return status == PMPP_OK ? operands_read_output(operands, ret_output, error) : status;
}

/* The number of elements that keep two different poisons, or are not finite. */
static int64_t count_unset(
	const struct verifier *verifier, const void *const values[2], const void *const poisons[2])
{
	size_t bytes = dtype_info(verifier->dtype)->bytes;
	int64_t count = 0;

	for (size_t at = 0; at < verifier->bytes; at += bytes) {
		bool kept = true;
		for (int i = 0; i < 2; i++)
			kept = kept && memcmp((const char *)values[i] + at,
					       (const char *)poisons[i] + at, bytes) == 0;
		count +=
			kept || !dtype_is_finite(verifier->dtype, values[0], (int64_t)(at / bytes));
	}
	return count;
}

/* Runs the pass again with another poison. */
static enum pmpp_status repeat_output(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, enum poison poison,
	void *values, struct pmpp_error *error)
{
	if (!pass->carried)
		launch_reset(run);
	return verify_output(verifier->operands, run, problem, poison, values, error);
}

/* Counts the unwritten elements after a pass with a wrong output. A kernel may write the value of
 * one poison, so the run is repeated with another poison. */
static enum pmpp_status find_unwritten(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, const void *values,
	struct verify_record *result, struct pmpp_error *error)
{
	enum poison other = (enum poison)((pass->poison + 1) % POISON_COUNT);
	struct operands *operands = verifier->operands;
	void *again[3] = {
		malloc(verifier->bytes), malloc(verifier->bytes), malloc(verifier->bytes)};
	enum pmpp_status status = PMPP_OK;

	if (again[0] && again[1] && again[2]) {
		status = repeat_output(verifier, pass, run, problem, other, again[0], error);
		if (status == PMPP_OK)
			status = read_poison(operands, pass->poison, again[1], error);
		if (status == PMPP_OK)
			status = read_poison(operands, other, again[2], error);
		if (status == PMPP_OK)
			result->nan =
				count_unset(verifier, (const void *const[2]){values, again[0]},
					(const void *const[2]){again[1], again[2]});
	}
	for (int i = 0; i < 3; i++)
		free(again[i]);
	return status;
}

/* Initialises the record as passed. Each pass adds its findings. */
static void begin(struct verify_record *result)
{
	result->record.present = result->canary_ok = result->inputs_intact = true;
	result->max_ratio = 0;
	result->max_ulps = NAN;
	result->nan = result->mismatches = 0;
	result->first.record.present = false;
}

static bool pass_is_exact(const struct pass *pass, const struct problem *problem)
{
	return pass->source == INPUT_INTEGER && problem->family->exact_check;
}

#define READS_OUTPUT                                                                         \
	"reads its output before writing it: the result is right if the output is 0 before " \
	"the run"

/* Whether an element has the same wrong value in two runs with one poison, and another value, which is not 0,
 * if the output begins with zeros. An element that is not written keeps the 0. */
static bool follows_output(
	const struct verifier *verifier, const char *values, const char *repeated, const char *zero)
{
	size_t bytes = dtype_info(verifier->dtype)->bytes;

	for (size_t at = 0; at < verifier->bytes; at += bytes)
		if (memcmp(values + at, repeated + at, bytes) == 0 &&
			memcmp(values + at, zero + at, bytes) != 0 &&
			dtype_load(verifier->dtype, zero, (int64_t)(at / bytes)) != 0)
			return true;
	return false;
}

static void add_sign(struct outcome *outcome, enum mistake_sign sign)
{
	if (!outcome->row.own_kernel)
		return;
	outcome->row.symptoms.record.present = true;
	outcome->row.symptoms.signs |= 1u << sign;
}

/* Finds whether the pass is wrong because the kernel reads its output. Long runs are not repeated. */
static enum pmpp_status find_read_output(struct verifier *verifier, const struct pass *pass,
	const struct bound_run *run, const struct problem *problem, const void *values,
	struct outcome *outcome, struct pmpp_error *error)
{
	const struct verify_record saved = outcome->row.verify;
	void *repeated = malloc(verifier->bytes), *zero = malloc(verifier->bytes);
	enum pmpp_status status = PMPP_OK;

	if (repeated && zero && config_work(&outcome->config, problem) <= TWO_POISONS_WORK) {
		status = repeat_output(verifier, pass, run, problem, pass->poison, repeated, error);
		if (status == PMPP_OK)
			status = repeat_output(
				verifier, pass, run, problem, POISON_ZERO, zero, error);
		if (status == PMPP_OK && follows_output(verifier, values, repeated, zero)) {
			begin(&outcome->row.verify);
			status = compare(verifier, problem, pass_is_exact(pass, problem), zero,
				outcome, error);
			if (status == PMPP_OK && verify_record_passed(&outcome->row.verify)) {
				outcome->suspicion = READS_OUTPUT;
				add_sign(outcome, MISTAKE_OLD_OUTPUT_SIGN);
			}
			outcome->row.verify = saved;
		}
	}
	free(repeated);
	free(zero);
	return status;
}

/* Records how the first wrong output of a kernel of the user is wrong. */
static enum pmpp_status find_symptoms(struct verifier *verifier, const struct pass *pass,
	const struct problem *problem, const void *values, struct outcome *outcome,
	struct pmpp_error *error)
{
	struct symptoms_record *record = &outcome->row.symptoms;
	const void *inputs[PMPP_MAX_OPERANDS];
	struct symptoms symptoms = {0};
	size_t step = 0;
	const struct plan_launch *launch = plan_launch_from(&outcome->plan, &step);
	struct symptoms_input input = {.problem = problem,
		.inputs = inputs,
		.values = values,
		.poison = poison_pattern(verifier->dtype, pass->poison),
		.gamma = config_bound(&outcome->config, problem),
		.block = {launch ? launch->block[0] : 1, launch ? launch->block[1] : 1},
		.threads = launch ? launch->block[0] * (int64_t)launch->groups[0] : 1};
	enum pmpp_status status = inputs_get(verifier->operands->inputs, problem, inputs, error);

	if (status != PMPP_OK)
		return status;
	if (!symptoms_find(&input, &symptoms))
		return PMPP_NO_MEMORY(error, "the signs of a mistake");
	record->record.present = true;
	record->signs |= symptoms.signs;
	record->from_row = symptoms.from_row;
	record->from_column = symptoms.from_column;
	if (pass->source == INPUT_CASE)
		text_set(&record->data, data_case_name(pass->data_case));
	if (pass->reversed)
		add_sign(outcome, MISTAKE_ORDER_SIGN);
	return PMPP_OK;
}

/* Records the defect that ended a launch of an emulator. */
static void record_defect(const struct gpu_device *device, struct outcome *outcome)
{
	struct defect_record *record = &outcome->row.symptoms.defect;
	const struct trace_defect *defect = &device->defect;

	if (!outcome->row.own_kernel || defect->kind == TRACE_NO_DEFECT)
		return;
	outcome->row.symptoms.record.present = record->record.present = true;
	record->kind = (int)defect->kind;
	record->line = defect->line;
	record->other_line = defect->other_line;
	text_set(&record->text, defect->text);
}

/* Begins the row's reason with the data of the failed pass. */
static void name_data(const struct pass *pass, struct outcome *outcome)
{
	if (pass->source == INPUT_CASE)
		text_format(
			&outcome->row.reason, "data case '%s': ", data_case_name(pass->data_case));
	else if (pass->source == INPUT_INTEGER)
		text_set(&outcome->row.reason, "integers: ");
	else if (pass->source == INPUT_SEED)
		text_set(&outcome->row.reason, "another seed: ");
	else if (pass->small_grid)
		text_set(&outcome->row.reason, "a grid for one unit: ");
	else if (pass->carried)
		text_set(&outcome->row.reason,
			"the second run, with the variables of the file as the first run left them: ");
}

static enum pmpp_status run_pass(struct verifier *verifier, const struct pass *pass, bool first,
	const struct bound_run *run, struct outcome *outcome, struct pmpp_error *error)
{
	struct operands *operands = verifier->operands;
	struct problem problem = outcome->problem;
	struct bound_run changed;
	struct verify_record *result = &outcome->row.verify;
	double max_ratio = result->max_ratio, max_ulps = result->max_ulps;
	bool passed = verify_record_passed(result); /* all passes before this one */
	void *values = first ? verifier->values : verifier->again;
	enum pmpp_status status = PMPP_OK;

	bool other_data = pass->source != INPUT_RANDOM;

	if (other_data)
		problem.source = pass->source;
	problem.data_case = pass->data_case;
	if (pass->traced || pass->zeros) {
		status = verify_bind(verifier->programs, operands, outcome, pass->traced,
			pass->zeros ? GPU_FILL_ZERO : GPU_FILL_PATTERN, &changed, error);
		run = &changed;
	} else if (pass->small_grid) {
		status = bind_small_grid(verifier, outcome, &changed, error);
		run = &changed;
	}
	if (status == PMPP_OK && !pass->carried)
		launch_reset(run);
	if (pass->reversed)
		gpu_set_order(operands->device, GPU_ORDER_REVERSED, ORDER_SEED);
	if (status == PMPP_OK)
		status = verify_output(operands, run, &problem, pass->poison, values, error);
	if (pass->reversed)
		gpu_set_order(operands->device, GPU_ORDER_FORWARD, ORDER_SEED);
	/* If the bits are equal, the output is right: it needs no second comparison. */
	bool same = status == PMPP_OK && !first && !other_data && passed &&
		    same_bytes(values, verifier->values, verifier->bytes);
	if (status == PMPP_OK && !same)
		status = compare(
			verifier, &problem, pass_is_exact(pass, &problem), values, outcome, error);
	if (passed && !verify_record_passed(result))
		name_data(pass, outcome);
	if (status == PMPP_OK && passed && result->mismatches > 0 && outcome->config.variant->own)
		status = find_symptoms(verifier, pass, &problem, values, outcome, error);
	if (status == PMPP_OK && passed && result->mismatches > 0)
		status = find_unwritten(verifier, pass, run, &problem, values, result, error);
	if (status == PMPP_OK && passed && result->mismatches > 0)
		status = find_read_output(verifier, pass, run, &problem, values, outcome, error);
	/* The row has the largest error of the problem's own data. */
	if ((pass->source == INPUT_CASE || pass->source == INPUT_SEED) &&
		verify_record_passed(result)) {
		result->max_ratio = max_ratio;
		result->max_ulps = max_ulps;
	}
	if (status == PMPP_OK && !first && !other_data && verify_record_passed(result))
		compare_runs(verifier, values, outcome);
	if (status == PMPP_OK)
		status = check_surroundings(operands, &problem, &outcome->row.verify, error);
	return status;
}

/* Moves what the device has noted to the outcome. */
static void take_note(struct gpu_device *device, struct outcome *outcome)
{
	if (*device->note)
		outcome_note(outcome, device->note);
	*device->note = '\0';
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* Appends the findings to the row's reason. */
static void explain_failure(struct outcome *outcome)
{
	const struct verify_record *result = &outcome->row.verify;
	const struct problem *problem = &outcome->problem;
	enum dtype dtype = operand_dtype(problem_output(problem), problem);
	int digits = dtype_info(dtype)->is_float ? FLT_DECIMAL_DIG : DBL_DIG;
	char text[400];

	snprintf(text, sizeof text, "%.100s", text_or_empty(outcome->row.reason));
	if (result->mismatches && result->first.record.present)
		text_append(text, sizeof text,
			"%lld wrong (%lld unwritten or not finite), the first %s[%lld,%lld] = %.*g, "
			"not %.*g",
			(long long)result->mismatches, (long long)result->nan,
			problem_output(problem)->name, (long long)result->first.row,
			(long long)result->first.column, digits, result->first.got, digits,
			result->first.want);
	if (!result->canary_ok)
		add_sign(outcome, MISTAKE_OUTSIDE_SIGN);
	if (!result->canary_ok)
		text_append(text, sizeof text, "%swrites outside its operands",
			result->mismatches ? "; " : "");
	if (!result->inputs_intact)
		text_append(text, sizeof text, "%schanges its inputs",
			result->mismatches || !result->canary_ok ? "; " : "");
	outcome->row.status = OUTCOME_FAILED;
	text_set(&outcome->row.reason, text);
}

static enum pmpp_status prepare_output(
	struct verifier *verifier, const struct problem *problem, struct pmpp_error *error)
{
	const struct operand *operand = problem_output(problem);
	uint64_t bytes = operand_bytes(operand, problem);

	if (bytes != verifier->bytes) {
		free(verifier->values);
		free(verifier->again);
		verifier->bytes = 0;
		verifier->values = malloc(bytes);
		verifier->again = malloc(bytes);
		if (!verifier->values || !verifier->again)
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no host memory for the output");
		verifier->bytes = bytes;
	}
	verifier->dtype = operand_dtype(operand, problem);
	verifier->rows = operand_rows(operand, problem);
	verifier->columns = operand_columns(operand, problem);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static bool has_changed(const struct bound_run *run)
{
	struct gpu_variables variables = launch_variables(run);

	return variables.bytes && memcmp(variables.now, variables.initial, variables.bytes) != 0;
}

/* Repeats the passes with other data, with 0 in local variables. With the usual pattern a maximum without a first value
 * is right by chance, because the pattern is less than all data. */
static enum pmpp_status run_zeros(struct verifier *verifier, const struct bound_run *run,
	const struct pass *passes, size_t count, enum pmpp_status status, struct outcome *outcome,
	struct pmpp_error *error)
{
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		struct pass pass = passes[i];
		if (pass.source != INPUT_CASE || !verify_record_passed(&outcome->row.verify))
			continue;
		pass.zeros = true;
		status = run_pass(verifier, &pass, false, run, outcome, error);
		if (status == PMPP_OK && !verify_record_passed(&outcome->row.verify))
			add_sign(outcome, MISTAKE_UNSET_SIGN);
	}
	return status;
}

static enum pmpp_status run_passes(struct verifier *verifier, const struct bound_run *run,
	bool traced, struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_record *result = &outcome->row.verify;
	const struct problem *problem = &outcome->problem;
	struct pass passes[MAX_PASSES];
	size_t count = choose_passes(
		verifier->operands->device, &outcome->config, problem, traced, passes);
	enum pmpp_status status = prepare_output(verifier, problem, error);

	begin(result);
	for (size_t i = 0; status == PMPP_OK && i < count; i++)
		status = run_pass(verifier, &passes[i], i == 0, run, outcome, error);
	if (outcome->row.own_kernel && outcome->suspicion &&
		gpu_can_fill(verifier->operands->device, GPU_FILL_ZERO))
		status = run_zeros(verifier, run, passes, count, status, outcome, error);
	if (status == PMPP_OK && verify_record_passed(result) && has_changed(run))
		status = run_pass(verifier, &carried_pass, false, run, outcome, error);
	take_note(verifier->operands->device, outcome);
	if (status == PMPP_OK)
		status = operands_upload(verifier->operands, problem, error);
	if (status != PMPP_OK && verify_record_passed(result)) {
		record_finish(&verify_type, result);
		result->record.present = false;
		return status;
	}
	if (status != PMPP_OK) { /* a pass failed, and a later pass ended with an error */
		text_set(&result->coverage, "ended by an error");
		explain_failure(outcome);
		return status;
	}
	set_coverage(outcome);
	if (!problem->family->internal)
		text_set(&result->output_sha256, verifier->hash);
	if (!problem->family->internal && !result->output_sha256)
		/* without a hash, parity would report different bits */
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no host memory for the output's hash");
	if (!verify_record_passed(result))
		explain_failure(outcome);
	return status;
}

/* ---- Uninitialised variables ---------------------------------------------------------------- */

/* Finds wrong results that are caused by uninitialised local variables. */

#define REASON "uninitialised local variable"
#define MAX_THREADS 0x1p19 /* threads of a run: about a second on the emulator */

/* A run with one fill: its output, or the error of its launch. */
struct trial {
	bool failed;
	void *output; /* verifier->bytes long */
};

static enum pmpp_status try_run(const struct verifier *verifier, const struct bound_run *run,
	const struct outcome *outcome, struct trial *trial, struct pmpp_error *error)
{
	launch_reset(run);
	enum pmpp_status status = verify_output(
		verifier->operands, run, &outcome->problem, POISON_NAN, trial->output, error);

	operands_forget(verifier->operands); /* the kernel may have changed its inputs */
	trial->failed = status == PMPP_LAUNCH;
	if (!trial->failed)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

static bool same_trials(const struct trial *a, const struct trial *b, size_t bytes)
{
	return a->failed == b->failed && (a->failed || memcmp(a->output, b->output, bytes) == 0);
}

/* Whether the outputs differ only as sums in another order do: blocks that add to one element run in any order. */
static bool near_trials(
	const struct trial *a, const struct trial *b, enum dtype dtype, size_t bytes)
{
	const int64_t count = (int64_t)(bytes / dtype_info(dtype)->bytes);

	if (same_trials(a, b, bytes) || !dtype_info(dtype)->is_float)
		return same_trials(a, b, bytes);
	for (int64_t i = 0; i < count && !a->failed && !b->failed; i++) {
		const double x = dtype_load(dtype, a->output, i),
			     y = dtype_load(dtype, b->output, i);
		const bool near = isfinite(x) && isfinite(y)
					  ? fabs(x - y) <= 1e-3 * (fabs(x) + fabs(y))
					  : x == y || (isnan(x) && isnan(y));
		if (!near)
			return false;
	}
	return !a->failed && !b->failed;
}

/* Runs twice with each fill. If the two runs of a fill differ, the kernel has a race, and the fills
 * cannot be compared. */
static enum pmpp_status depends_on_fill(const struct verifier *verifier,
	const struct bound_run *run, const struct outcome *outcome, bool *ret_depends,
	struct pmpp_error *error)
{
	struct trial trials[4] = {{0}}; /* two with the pattern, two with zeros */
	struct bound_run zero_run;
	bool stable = true;
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 4; i++) {
		trials[i].output = malloc(verifier->bytes);
		if (!trials[i].output)
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no host memory for the output");
	}
	for (int i = 0; i < 4 && status == PMPP_OK && stable; i++) {
		if (i == 2)
			status = verify_bind(verifier->programs, verifier->operands, outcome, false,
				GPU_FILL_ZERO, &zero_run, error);
		if (status == PMPP_OK)
			status = try_run(
				verifier, i < 2 ? run : &zero_run, outcome, &trials[i], error);
		if (status == PMPP_OK && i % 2)
			stable = same_trials(&trials[i - 1], &trials[i], verifier->bytes);
	}
	if (status == PMPP_OK)
		*ret_depends = stable && !near_trials(&trials[1], &trials[3],
						 operand_dtype(problem_output(&outcome->problem),
							 &outcome->problem),
						 verifier->bytes);
	for (int i = 0; i < 4; i++)
		free(trials[i].output);
	return status;
}

/* The failure is reported after the trials. It would be lost if --timeout ended the row during a
 * long trial. */
static bool is_quick_run(const struct gpu_device *device, const struct outcome *outcome)
{
	const struct problem *problem = &outcome->problem;
	const struct plan_launch *launch;
	double threads = 0;

	for (size_t s = 0; (launch = plan_launch_from(&outcome->plan, &s)); s++)
		threads += (double)plan_launch_groups(launch) * (double)plan_launch_threads(launch);
	return threads <= MAX_THREADS &&
	       config_work(&outcome->config, problem) <= suite_work_budget(&device->info, false);
}

/*
 * Call it after a failed verification: the outcome's status is FAILED, or `status` is PMPP_LAUNCH
 * with its error. If the device can fill local variables (gpu_can_fill), the function runs the
 * kernel again, twice with a pattern and twice with zeros. The result depends on an uninitialised
 * variable if the two runs of each fill are equal, but the fills differ. The outcome's reason, or
 * the error's message, then begins with "uninitialised local variable". Otherwise both are
 * unchanged. A long run (more than 2^19 threads, or more work than suite_work_budget()) is not
 * repeated.
 *
 * run: the verified run. Returns `status`, or an error of the host, for example lack of
 * memory. Afterwards the contents of the buffers are unknown (operands_forget).
 */
static enum pmpp_status unset_find(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error)
{
	const struct gpu_device *device = verifier->operands->device;
	struct pmpp_error own = PMPP_ERROR_INIT;
	bool depends = false;

	if (!gpu_can_fill(device, GPU_FILL_PATTERN) || !gpu_can_fill(device, GPU_FILL_ZERO) ||
		!is_quick_run(device, outcome))
		return status;
	operands_forget(verifier->operands);
	enum pmpp_status trial = depends_on_fill(verifier, run, outcome, &depends, &own);
	/* Other errors concern only the trial, not the host. */
	if (trial != PMPP_OK && trial != PMPP_BUILD && trial != PMPP_UNSUPPORTED &&
		trial != PMPP_TIMEOUT) {
		pmpp_error_clear(error);
		*error = own;
		return trial;
	}
	pmpp_error_clear(&own);
	if (!depends)
		return status;
	add_sign(outcome, MISTAKE_UNSET_SIGN);
	if (status == PMPP_LAUNCH)
		pmpp_error_prefix(error, REASON);
	else
		text_format(
			&outcome->row.reason, REASON ": %s", text_or_empty(outcome->row.reason));
	return status;
}

/* Adds an uninitialised variable to the reason if one is proved or suspected. */
static enum pmpp_status find_cause(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error)
{
	enum pmpp_status after = unset_find(verifier, run, outcome, status, error);

	if (after != status || !outcome->suspicion)
		return after;
	if (status == PMPP_LAUNCH)
		pmpp_error_append(error, "; %s", outcome->suspicion);
	else
		text_format(&outcome->row.reason, "%s; %s", text_or_empty(outcome->row.reason),
			outcome->suspicion);
	return after;
}

enum pmpp_status verify_run(struct verifier *verifier, const struct bound_run *run, bool traced,
	struct outcome *outcome, struct pmpp_error *error)
{
	enum pmpp_status status = run_passes(verifier, run, traced, outcome, error);
	bool failed = status == PMPP_OK ? !verify_record_passed(&outcome->row.verify)
					: status == PMPP_LAUNCH;

	record_defect(verifier->operands->device, outcome);
	return failed ? find_cause(verifier, run, outcome, status, error) : status;
}

enum pmpp_status verify_again(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	const struct problem *problem = &outcome->problem;
	struct verify_record *result = &outcome->row.verify;
	enum pmpp_status status = operands_read_output(verifier->operands, verifier->again, error);

	if (status != PMPP_OK)
		return status;
	/* If the bits are equal, the output is right: it needs no second comparison. */
	if (!same_bytes(verifier->again, verifier->values, verifier->bytes)) {
		status = compare(verifier, problem, false, verifier->again, outcome, error);
		if (status == PMPP_OK && verify_record_passed(result))
			compare_runs(verifier, verifier->again, outcome);
	}
	if (status == PMPP_OK)
		status = check_surroundings(verifier->operands, problem, result, error);
	if (status == PMPP_OK && result->mismatches > 0)
		status = find_unwritten(verifier,
			&(const struct pass){.poison = TIMED_POISON, .carried = true}, run, problem,
			verifier->again, result, error);
	if (result->mismatches > 0)
		operands_forget(verifier->operands); /* that run may have changed its inputs */
	if (!verify_record_passed(result)) {
		if (!outcome->row.reason)
			text_set(&outcome->row.reason, "after timing: ");
		explain_failure(outcome);
	}
	return status;
}

/* true: verify_other_data() checks this problem. */
static bool verify_has_other_data(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return problem->source == INPUT_RANDOM && bytes <= OTHER_DATA_BYTES;
}

enum pmpp_status verify_other_data(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct verify_record *result = &outcome->row.verify;
	struct problem problem = outcome->problem;
	double max_ratio = result->max_ratio, max_ulps = result->max_ulps;
	bool exact = verify_checks_integers(&outcome->config, &problem);
	enum pmpp_status status;

	if (!verify_has_other_data(&problem))
		return PMPP_OK;
	problem.source = exact ? INPUT_INTEGER : INPUT_SEED;
	status = verify_output(
		verifier->operands, run, &problem, POISON_KEEP, verifier->again, error);
	if (status == PMPP_OK)
		status = compare(verifier, &problem, exact && problem.family->exact_check,
			verifier->again, outcome, error);
	if (status == PMPP_OK)
		status = check_surroundings(verifier->operands, &problem, result, error);
	if (verify_record_passed(result)) {
		result->max_ratio = max_ratio;
		result->max_ulps = max_ulps;
	} else {
		text_set(&outcome->row.reason, "after timing, on other data: ");
		explain_failure(outcome);
	}
	return status;
}

/* Call it if the bits differ from those of the verified output, or if that output is unknown. */
static enum pmpp_status compare_companion(
	struct verifier *verifier, struct outcome *companion, struct pmpp_error *error)
{
	struct verify_record *result = &companion->row.verify;
	bool known = *text_or_empty(result->output_sha256);
	enum pmpp_status status =
		compare(verifier, &companion->problem, false, verifier->again, companion, error);

	if (status == PMPP_OK && verify_record_passed(result) && known &&
		companion->promises_bits) {
		result->mismatches = 1; /* unknown, at least 1: the verified output is not kept */
		text_set(&companion->row.reason, "two runs differ: ");
	}
	return status;
}

enum pmpp_status verify_companion(struct verifier *verifier, struct operands *operands,
	struct outcome *companion, struct pmpp_error *error)
{
	struct verify_record *result = &companion->row.verify;
	char hash[OUTPUT_HASH_BYTES];
	enum pmpp_status status = operands_read_output(operands, verifier->again, error);

	begin(result);
	if (status == PMPP_OK)
		status = hash_output(verifier, verifier->again, hash, error);
	if (status == PMPP_OK && !text_equal(hash, result->output_sha256))
		status = compare_companion(verifier, companion, error);
	if (status == PMPP_OK)
		status = check_surroundings(operands, &companion->problem, result, error);
	if (status == PMPP_OK && !verify_record_passed(result))
		explain_failure(companion);
	return status;
}

void verifier_forget_output(struct verifier *verifier)
{
	verifier->rows = verifier->columns = 0;
}

/* Host memory that a verification needs, in bytes: the inputs for each kind of data, the outputs of
 * two runs, the references and the staging buffers. The type is double because the amount may overflow
 * integers. */
static double verify_needed_bytes(const struct config *config, const struct problem *problem)
{
	const struct family *family = problem->family;
	bool others = verify_checks_integers(config, problem) || verify_has_other_data(problem);
	bool made = problem->source != INPUT_USER || problem->rounding != ROUND_NONE;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double operand = (double)operand_bytes(&family->operands[i], problem);
		if (family->operands[i].role == OPERAND_OUT)
			bytes += 2 * operand;
		else
			bytes += operand * (made + others);
	}
	return bytes + (1 + others) * reference_bytes(problem) +
	       (double)operands_staging_bytes(config, problem);
}

static void add_buffer(struct memory_needs *needs, double bytes, double guards, const char *name)
{
	needs->device += bytes + guards;
	if (bytes + guards <= needs->largest)
		return;
	needs->largest = bytes + guards;
	needs->largest_name = name;
}

struct memory_needs verify_needs(const struct gpu_device_info *info, const struct config *config,
	const struct problem *problem, bool keeps_copy)
{
	const struct family *family = problem->family;
	double guards = 2 * (double)operands_guard_bytes(info);
	struct memory_needs needs = {.largest_name = ""};
	uint64_t scratch[PMPP_MAX_SCRATCH];

	operands_scratch_bytes(config, problem, scratch);
	for (size_t i = 0; i < family->operand_count; i++) {
		struct layout layout = layout_of(config, problem, i);
		/* Not layout_bytes(), which overflows: the message must show any size. */
		double bytes = (double)layout.lines * (double)layout.pitch *
			       (double)dtype_info(layout.device)->bytes;
		add_buffer(&needs, bytes, guards, family->operands[i].name);
	}
	for (size_t i = 0; i < PMPP_MAX_SCRATCH; i++)
		if (scratch[i])
			add_buffer(&needs, (double)scratch[i], guards, "scratch");
	needs.host = verify_needed_bytes(config, problem) + (keeps_copy ? needs.device : 0);
	if (gpu_shares_host_memory(info))
		needs.host += needs.device;
	return needs;
}

double verifier_held_bytes(const struct verifier *verifier)
{
	const struct operands *operands = verifier->operands;

	return (double)inputs_held_bytes(operands->inputs) + 2 * (double)operands->staging_bytes +
	       2 * (double)verifier->bytes + references_held_bytes(&verifier->references) +
	       references_held_bytes(&verifier->others);
}

void verifier_release(struct verifier *verifier)
{
	operands_release(verifier->operands);
	inputs_release(verifier->operands->inputs);
	references_finish(&verifier->references);
	references_finish(&verifier->others);
	free(verifier->right.items);
	verifier->right = (struct right_outputs){0};
	free(verifier->values);
	free(verifier->again);
	verifier->values = verifier->again = NULL;
	verifier->bytes = 0;
	verifier_forget_output(verifier);
}
