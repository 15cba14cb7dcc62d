/*
 * Parity: runs one variant on two suites, compares the results, and times both in turn.
 */
#ifndef PMPP_HOST_SUITE_PARITY_H
#define PMPP_HOST_SUITE_PARITY_H

#include "host/suite/suite.h"

/* Owned by the caller, who calls parity_result_finish(). */
struct parity_result {
	struct outcome a, b;   /* OpenCL, CUDA */
	struct parity_row row; /* the ratios are time of a / time of b */
};

void parity_result_finish(struct parity_result *result);

/* Verifies the variant on both suites and compares the output bits. If both suites use the same
 * physical device (suite_same_device()), it times them in turn: A B, B A, A B. tolerance: for the
 * verdict; NAN: calculated from the noise of the samples (parity_tolerance()). If the verdict is
 * not SAME, the row has the PTX instructions of both kernels, or the reason why they are unknown.
 * Fails like suite_run(). */
enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error);

#endif
