/* Several launches of a file, and the scratch buffers between them. */
#include "common/own/reader.h"

#include <string.h>

#define SAMPLE_SIZE 64 /* to see whether expressions have values */

/* ---- Scratch buffers --------------------------------------------------------------------------- */

/* Reads "partial[ceil(n / 256)] f32". */
static bool read_scratch(struct span text, struct own_scratch *ret_scratch)
{
	const char *open = memchr(text.begin, '[', (size_t)(text.end - text.begin));
	const char *close = open ? closing_bracket(open) : NULL;
	char type[OWN_NAME_BYTES];

	if (!close || close >= text.end)
		return false;
	span_copy((struct span){text.begin, open}, ret_scratch->name, OWN_NAME_BYTES);
	span_copy((struct span){open + 1, close}, ret_scratch->elements, OWN_TEXT_BYTES);
	span_copy((struct span){close + 1, text.end}, type, sizeof type);
	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		if (strcmp(dtype_info(dtype)->name, type) == 0) {
			ret_scratch->dtype = dtype;
			return true;
		}
	return false;
}

enum pmpp_status own_read_scratch(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	struct problem sample = problem_default(kernel->family);
	char value[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES];
	struct span part;
	int64_t elements;

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		sample.dim[d] = SAMPLE_SIZE;
	if (!own_comment(reader, "scratch", value))
		return PMPP_OK;
	for (struct span rest = {value, value + strlen(value)}; span_take_part(&rest, &part);) {
		if (kernel->scratch_count == PMPP_MAX_SCRATCH)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: more than %d scratch buffers", reader->path, PMPP_MAX_SCRATCH);
		struct own_scratch *scratch = &kernel->scratch[kernel->scratch_count++];
		if (!read_scratch(part, scratch))
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: '//pmpp: scratch = %s': write NAME[ELEMENTS] TYPE, such as "
				"partial[ceil(n / 256)] f32",
				reader->path, value);
		if (!problem_value(&sample, scratch->elements, &elements, reason))
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: the scratch buffer '%s': %s: use the sizes of the problem",
				reader->path, scratch->name, reason);
	}
	return PMPP_OK;
}

void own_scratch_bytes(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	const struct own_kernel *kernel = config->variant->own;
	char reason[EXPRESSION_PROBLEM_BYTES];

	for (size_t i = 0; i < kernel->scratch_count; i++) {
		int64_t elements = 1;
		problem_value(problem, kernel->scratch[i].elements, &elements, reason);
		double bytes = (double)(elements > 1 ? elements : 1) *
			       (double)dtype_info(kernel->scratch[i].dtype)->bytes;
		/* More than any device has: the memory check reports it. */
		ret_bytes[i] = bytes < 0x1p60 ? ((uint64_t)bytes + 3) / 4 * 4 : (uint64_t)1 << 60;
	}
}

/* ---- All kernels -------------------------------------------------------------------------------- */

/* Whether one of the kernels has the operand as a parameter. */
static bool binds_operand(const struct own_kernel *first, size_t operand)
{
	for (const struct own_kernel *kernel = first; kernel; kernel = kernel->next)
		for (size_t i = 0; i < kernel->param_count; i++)
			if (kernel->params[i].role == OWN_OPERAND &&
				kernel->params[i].index == operand)
				return true;
	return false;
}

enum pmpp_status own_check_launches(const struct own_reader *reader, struct own_kernel *first)
{
	const struct family *family = first->family;
	size_t steps = 0, index = 0;
	unsigned cleared = 0, cleared_scratch = 0;
	struct span launch;

	for (struct own_kernel *kernel = first; kernel; kernel = kernel->next) {
		first->unbound &= kernel->unbound;
		cleared |= kernel->cleared;
		cleared_scratch |= kernel->cleared_scratch;
		steps++;
		enum pmpp_status status = own_find_launch(first->text, index++, &launch)
						  ? own_check_launch(reader, kernel, launch)
						  : PMPP_OK;
		if (status == PMPP_OK && kernel->template_count && first->next)
			status = PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: %s is a template: a file with several launches has no templates",
				reader->path, kernel->entry);
		if (status != PMPP_OK)
			return status;
	}
	first->cleared = cleared;
	first->cleared_scratch = cleared_scratch;
	for (size_t i = 0; i < family->operand_count; i++) {
		steps += (cleared >> i & 1) + family->operands[i].in_place;
		if (!family->operands[i].in_place && !binds_operand(first, i))
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"%s: no parameter of a launch is %s of %s (%s)", reader->path,
				family->operands[i].name, family->name, family->title);
	}
	for (size_t i = 0; i < PMPP_MAX_SCRATCH; i++)
		steps += cleared_scratch >> i & 1;
	return steps <= PMPP_MAX_STEPS ? PMPP_OK
				       : PMPP_FAIL(reader->error, PMPP_USAGE,
						 "%s: more than %d launches and cleared buffers",
						 reader->path, PMPP_MAX_STEPS);
}
