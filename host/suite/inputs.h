/*
 * Host arrays of a problem's inputs, by rows. Variants of a problem share them.
 */
#ifndef PMPP_HOST_SUITE_INPUTS_H
#define PMPP_HOST_SUITE_INPUTS_H

#include "common/family.h"
#include "common/status.h"

struct input_slot {
	void *values; /* owned */
	uint64_t bytes;
	struct problem problem; /* problem of the values; family NULL = none */
};

/* Zero-initialised: no arrays. */
struct inputs {
	/* INPUT_USER: one array per operand, in the order of family->operands; set by the owner;
	 * NULL = none; not owned. */
	const void *user[PMPP_MAX_OPERANDS];
	/* One array per operand and kind of data. */
	struct input_slot random[PMPP_MAX_OPERANDS];
	struct input_slot checks[PMPP_MAX_OPERANDS]; /* of the other sources */
};

/* Largest absolute value in the problem's INPUT_INTEGER inputs; 0: f32 would not be exact. */
int64_t inputs_integer_limit(const struct problem *problem);

/* Returns one host array per operand of the family (NULL for outputs), rounded as the problem
 * requires. The arrays are valid until the next call for another problem. PMPP_USAGE: INPUT_USER
 * without an array. PMPP_TOO_LARGE: INPUT_INTEGER, and inputs_integer_limit() is 0. */
enum pmpp_status inputs_get(struct inputs *inputs, const struct problem *problem,
	const void *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error);

/* Returns the host memory of the arrays, in bytes. */
uint64_t inputs_held_bytes(const struct inputs *inputs);

/* Frees the arrays, but keeps `user`. The next inputs_get() generates the inputs again. */
void inputs_release(struct inputs *inputs);

#endif
