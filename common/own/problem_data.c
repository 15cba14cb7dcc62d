#include "common/own/problem_data.h"

#include <math.h>

#include "common/data.h"

#define LARGEST_OF_CASES 64 /* of floats in the cases with outliers */
#define SMALL_INTEGER 8     /* sums of products of such integers are exact */

/* The part of a problem's input that is filled. */
struct part {
	const struct problem *problem;
	enum dtype dtype;
	int64_t first, count, total, bound;
	uint64_t stream;
	void *target;
};

static bool is_case(const struct part *part)
{
	return part->problem->source == INPUT_CASE;
}

/* Floats are at most 1, so that the tolerance applies to sums whose large terms cancel. */
static void scale_outliers(const struct part *part)
{
	enum data_case data_case = part->problem->data_case;

	if (!dtype_info(part->dtype)->is_float ||
		(data_case != CASE_ENDS && data_case != CASE_SWAPPED && data_case != CASE_MIDDLE))
		return;
	for (int64_t i = 0; i < part->count; i++)
		dtype_store(part->dtype, part->target, i,
			dtype_load(part->dtype, part->target, i) / LARGEST_OF_CASES);
}

static void fill_any(const struct part *part)
{
	if (is_case(part)) {
		data_fill_case(part->dtype, part->dtype, part->target, part->first, part->count,
			part->total, part->problem->seed, part->stream, part->problem->data_case);
		scale_outliers(part);
	} else {
		data_fill_random(part->dtype, part->target, part->first, part->count,
			part->problem->seed, part->stream);
	}
}

static void fill_positive(const struct part *part)
{
	data_fill_case(part->dtype, part->dtype, part->target, part->first, part->count,
		part->total, part->problem->seed, part->stream, CASE_POSITIVE);
}

static void fill_below(const struct part *part)
{
	uint64_t bound = (uint64_t)part->bound;

	if (is_case(part)) {
		data_fill_case_below(part->dtype, bound, part->target, part->first, part->count,
			part->total, part->problem->seed, part->stream, part->problem->data_case);
		return;
	}
	for (int64_t i = 0; i < part->count; i++)
		dtype_store(part->dtype, part->target, i,
			(double)(data_bits(part->problem->seed, part->stream,
					 (uint64_t)(part->first + i)) %
				 bound));
}

static void fill_integers(const struct part *part)
{
	bool is_unsigned = part->dtype == DTYPE_U32 || part->dtype == DTYPE_U8;
	struct part small = *part;

	small.bound = SMALL_INTEGER + 1;
	if (is_unsigned)
		fill_below(&small);
	else
		data_fill_integer(part->dtype, part->target, part->first, part->count,
			part->problem->seed, part->stream, SMALL_INTEGER);
}

/* The share of the bound, from 0 to 1, at an index that is neither the first nor the last. Cases have one row with all
 * elements, or empty rows. */
static double ascending_share(const struct part *part, int64_t index)
{
	double steps = (double)(part->total - 1);
	uint64_t bits = data_bits(part->problem->seed, part->stream, (uint64_t)index);

	if (is_case(part) && part->problem->data_case == CASE_ENDS)
		return 1;
	if (is_case(part) && part->problem->data_case == CASE_SWAPPED)
		return 0;
	if (is_case(part) && part->problem->data_case == CASE_MIDDLE)
		return index > part->total / 2;
	if (is_case(part) && part->problem->data_case == CASE_ZEROS)
		return (double)(index / 2 * 2) / steps;
	return ((double)index + (double)(bits >> 40) * 0x1p-24 - 0.5) / steps;
}

static void fill_ascending(const struct part *part)
{
	for (int64_t i = 0; i < part->count; i++) {
		int64_t index = part->first + i;
		double share = index == 0                 ? 0
			       : index + 1 == part->total ? 1
							  : ascending_share(part, index);
		dtype_store(part->dtype, part->target, i, floor(share * (double)part->bound));
	}
}

void own_problem_fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	static void (*const fill[OWN_DATA_COUNT])(const struct part *part) = {
		[OWN_DATA_ANY] = fill_any,
		[OWN_DATA_POSITIVE] = fill_positive,
		[OWN_DATA_INTEGERS] = fill_integers,
		[OWN_DATA_BELOW] = fill_below,
		[OWN_DATA_ASCENDING] = fill_ascending};
	const struct own_data *data = &problem->family->own->data[operand];
	const struct operand *declared = &problem->family->operands[operand];
	char reason[EXPRESSION_PROBLEM_BYTES];
	struct part part = {.problem = problem,
		.dtype = declared->dtype,
		.first = first,
		.count = count,
		.total = operand_rows(declared, problem) * operand_columns(declared, problem),
		.bound = 1,
		.stream = operand,
		.target = target};

	/* The sizes are valid (family.invalid), so the expression has a value. */
	if (data->bound)
		problem_value(problem, data->bound, &part.bound, reason);
	fill[data->kind](&part);
}

double own_problem_slack(const struct own_problem *problem, double want, double largest)
{
	return problem->tolerance * fmax(fmin(1, largest), fabs(want));
}
