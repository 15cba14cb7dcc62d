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
 * The functions update *result: the largest max_ratio of all comparisons; nan, mismatches and the
 * first mismatch are those of the first comparison with a mismatch.
 */

/* Every element must be finite, and those of the reference must be within their bounds. reference:
 * prepared for the variant and the problem. PMPP_OUT_OF_MEMORY on the host. */
enum pmpp_status check_output_bound(const struct reference *reference, const struct config *config,
	const struct problem *problem, const void *const *inputs, const struct output *output,
	struct verify_record *result, struct pmpp_error *error);

/* Every element must be equal, by the family's exact_check. problem: on integers.
 * PMPP_OUT_OF_MEMORY on the host; *result is then untouched. */
enum pmpp_status check_output_exact(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, struct verify_record *result,
	struct pmpp_error *error);

/* Every bit must be equal; returns true when it is. The two outputs have one shape. */
bool check_output_bits(
	const struct output *first, const struct output *second, struct verify_record *result);

#endif
