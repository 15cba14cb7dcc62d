#include "host/suite/internal.h"

#include "common/data.h"

#include <stdlib.h>

#define MOST_INTEGER 8 /* small: long sums stay exact, and products differ often enough */

int64_t inputs_integer_limit(const struct problem *problem)
{
	int64_t limit = problem->family->integer_limit(problem);

	return limit > MOST_INTEGER ? MOST_INTEGER : limit < 0 ? 0 : limit;
}

/* ---- Filling, an operand a task ------------------------------------------------------------ */

struct fill {
	struct input_slot *slots[PMPP_MAX_OPERANDS];
	uint64_t streams[PMPP_MAX_OPERANDS];
	size_t count;
};

static void fill_slot(void *context, size_t index)
{
	struct fill *fill = context;
	struct input_slot *slot = fill->slots[index];
	uint64_t stream = fill->streams[index];

	if (slot->limit)
		data_fill_integer(slot->values, slot->count, slot->seed, stream, slot->limit);
	else
		data_fill_random(slot->values, slot->count, slot->seed, stream);
}

/* Makes the slot fit; *ret_stale when it must be filled. */
static enum pmpp_status slot_prepare(struct input_slot *slot, int64_t count, uint64_t seed,
	int64_t limit, bool *ret_stale, struct pmpp_error *error)
{
	*ret_stale =
		!slot->values || slot->count != count || slot->seed != seed || slot->limit != limit;
	if (!*ret_stale)
		return PMPP_OK;
	if (!slot->values || slot->count != count) {
		free(slot->values);
		*slot = (struct input_slot){0};
		slot->values = malloc((size_t)count * sizeof *slot->values);
		if (!slot->values)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
				"no host memory for %.1f GB of input",
				(double)count * sizeof(float) / 1e9);
	}
	slot->count = count;
	slot->seed = seed;
	slot->limit = limit;
	return PMPP_OK;
}

static enum pmpp_status made_inputs(struct suite *suite, const struct problem *problem,
	const float *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error)
{
	const struct family *family = problem->family;
	bool integer = problem->data == DATA_INTEGER;
	struct input_slot *slots = integer ? suite->inputs.integer : suite->inputs.random;
	int64_t limit = integer ? inputs_integer_limit(problem) : 0;
	struct fill fill = {.count = 0};

	if (integer && !limit)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s has no integer data at this size: f32 would not be exact",
			family->name);
	for (size_t i = 0; i < family->operand_count; i++) {
		const struct operand *operand = &family->operands[i];
		bool stale;

		ret_arrays[i] = NULL;
		if (operand->role != OPERAND_IN)
			continue;
		int64_t count = operand_rows(operand, problem) * operand_columns(operand, problem);
		enum pmpp_status status =
			slot_prepare(&slots[i], count, problem->seed, limit, &stale, error);
		if (status != PMPP_OK)
			return status;
		if (stale) {
			fill.slots[fill.count] = &slots[i];
			fill.streams[fill.count++] = i;
		}
		ret_arrays[i] = slots[i].values;
	}
	parallel_for(fill.count, fill_slot, &fill);
	return PMPP_OK;
}

enum pmpp_status inputs_get(struct suite *suite, const struct problem *problem,
	const float *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error)
{
	const struct family *family = problem->family;

	if (problem->data != DATA_USER)
		return made_inputs(suite, problem, ret_arrays, error);
	for (size_t i = 0; i < family->operand_count; i++) {
		ret_arrays[i] = suite->options.user_inputs[i];
		if (family->operands[i].role == OPERAND_IN && !ret_arrays[i])
			return PMPP_FAIL(error, PMPP_USAGE, "no file for the operand %s",
				family->operands[i].name);
	}
	return PMPP_OK;
}

void inputs_finish(struct inputs *inputs)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++) {
		free(inputs->random[i].values);
		free(inputs->integer[i].values);
	}
	*inputs = (struct inputs){0};
}
