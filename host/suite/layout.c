#include "host/suite/layout.h"

#include "common/integers.h"
#include "host/suite/parallel.h"

#include <string.h>

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
