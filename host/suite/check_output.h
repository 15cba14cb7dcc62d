/*
 * Compares the output of a run with the reference, or with the output of another run.
 */
#ifndef PMPP_HOST_SUITE_CHECK_OUTPUT_H
#define PMPP_HOST_SUITE_CHECK_OUTPUT_H

#include "host/record/measurement.h"
#include "host/suite/reference.h"

/* An output by rows, packed. */
struct output {
	const void *values; /* not owned */
	enum dtype dtype;
	int64_t rows, columns;
};

/*
 * The functions update *result. max_ratio is the largest of all comparisons. nan, mismatches and
 * first are from the first comparison that found a mismatch.
 */

/* Checks that every element is finite, and that the elements of the reference are within their
 * bounds. reference: prepared for the variant and the problem. PMPP_OUT_OF_MEMORY on the host. */
enum pmpp_status check_output_bound(const struct reference *reference, const struct config *config,
	const struct problem *problem, const void *const *inputs, const struct output *output,
	struct verify_record *result, struct pmpp_error *error);

/* Checks with the family's exact_check that every element is equal. problem: with integer inputs.
 * PMPP_OUT_OF_MEMORY on the host; *result is then unchanged. */
enum pmpp_status check_output_exact(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, struct verify_record *result,
	struct pmpp_error *error);

/* Returns true if all bits are equal. The two outputs have the same shape. */
bool check_output_bits(
	const struct output *first, const struct output *second, struct verify_record *result);

#endif
