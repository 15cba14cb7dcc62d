/*
 * The reference in double precision. There are three methods, by the size of the problem:
 *   kept      every element, computed once for all variants
 *   streamed  every element, computed again in each comparison. For large outputs that take little
 *             work, for example vectors: a kept reference would take four times their memory.
 *   sampled   a few random rows and columns, always including the last ones. For problems where
 *             every element would take too long.
 */
#include "host/suite/reference.h"

#include "common/data.h"
#include "common/integers.h"
#include "host/suite/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLED_LINES 8
#define SAMPLE_STREAM 0x5a3d
#define KEPT_ELEMENTS ((int64_t)1 << 24)
#define PART_ELEMENTS ((int64_t)1 << 15)
#define PARTS_PER_THREAD 4 /* more than 1, because parts take different times */
#define PART_WORK 0x1p15   /* less than this takes as long as the start of a thread */

bool reference_is_sampled(const struct problem *problem)
{
	return problem->family->exact_check && problem_work(problem) > FULL_REFERENCE_WORK;
}

double reference_bytes(const struct problem *problem)
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

double reference_held_bytes(const struct reference *reference)
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

void reference_finish(struct reference *reference)
{
	for (size_t i = 0; i < reference->part_count; i++)
		free(reference->parts[i].expected);
	free(reference->parts);
	*reference = (struct reference){0};
}

void reference_region(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected)
{
	if (variant->reference)
		variant->reference(variant, problem, inputs, region, ret_expected);
	else
		problem->family->reference(problem, inputs, region, ret_expected);
}

double reference_element(const struct variant *variant, const struct problem *problem,
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

	reference->row_count = choose_lines(rows, seed, SAMPLE_STREAM, lines);
	for (size_t i = 0; ok && i < reference->row_count; i++)
		ok = add_region(
			reference, (struct region){lines[i], 1, 0, columns}, columns / share + 1);
	reference->column_count = choose_lines(columns, seed, SAMPLE_STREAM + 1, lines);
	for (size_t i = 0; ok && i < reference->column_count; i++)
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
	double useful = problem_work(problem) / PART_WORK;
	double most = (double)(PARTS_PER_THREAD * parallel_threads());

	return useful < 1 ? 1 : (int64_t)fmin(useful, most);
}

enum pmpp_status reference_prepare(struct reference *reference, const struct variant *variant,
	const struct problem *problem, const void *const *inputs, struct pmpp_error *error)
{
	const struct operand *output = problem_output(problem);
	int64_t rows = operand_rows(output, problem);
	int64_t columns = operand_columns(output, problem);
	bool kept = rows * columns <= KEPT_ELEMENTS;
	bool ok;

	if (is_kept(reference, variant, problem))
		return PMPP_OK;
	reference_finish(reference);
	reference->problem = *problem;
	reference->variant = variant;
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
	if (ok)
		return PMPP_OK;
	reference_finish(reference);
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the reference");
}
