#include "host/suite/inputs.h"

#include "common/data.h"
#include "host/suite/parallel.h"

#include <stdlib.h>
#include <string.h>

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
			generation->operand, limit, (double)family->chain(problem));
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
	int64_t left = generation->count - first;
	int64_t count = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS;
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
