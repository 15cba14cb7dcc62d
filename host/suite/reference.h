/*
 * The reference result in double precision, shared by the variants of a problem.
 */
#ifndef PMPP_HOST_SUITE_REFERENCE_H
#define PMPP_HOST_SUITE_REFERENCE_H

#include "common/family.h"
#include "common/status.h"

/* Up to this work the reference is computed for every element. */
#define FULL_REFERENCE_WORK 0x1p28

/* A region and its reference, by rows; NULL if it is computed during each comparison. */
struct reference_part {
	struct region region;
	struct expected *expected;
};

/* Zero-initialised: none. */
struct reference {
	struct problem problem;        /* family NULL = none */
	const struct variant *variant; /* variant of the reference */
	bool sampled;
	size_t row_count, column_count; /* if sampled */
	struct reference_part *parts;
	size_t part_count;
};

/* Computes the reference for the variant and the problem, unless *reference already contains it.
 * After PMPP_OUT_OF_MEMORY *reference is empty. */
enum pmpp_status reference_prepare(struct reference *reference, const struct variant *variant,
	const struct problem *problem, const void *const *inputs, struct pmpp_error *error);
void reference_finish(struct reference *reference);

/* Returns the bytes that reference_prepare() and the comparisons allocate for a problem. The type
 * is double because the amount may overflow integers. */
double reference_bytes(const struct problem *problem);

/* Returns the bytes that the reference has allocated. */
double reference_held_bytes(const struct reference *reference);

/* true: the problem's reference covers sampled rows and columns only. */
bool reference_is_sampled(const struct problem *problem);

/* Compute one region or one element of the reference, with the variant's own function if it has
 * one, else with the family's. */
void reference_region(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected);
double reference_element(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, int64_t row, int64_t column);

#endif
