/*
 * Parity: one variant on two suites, results compared and times taken in turn.
 */
#ifndef PMPP_HOST_SUITE_PARITY_H
#define PMPP_HOST_SUITE_PARITY_H

#include "host/suite/suite.h"

/* Owned, as the row is; finished by parity_result_finish(). */
struct parity_result {
	struct outcome a, b;   /* OpenCL, CUDA */
	struct parity_row row; /* the ratios are a's time over b's */
};

void parity_result_finish(struct parity_result *result);

/* Verifies on both, compares the output bits, and, when the two are one physical device (UUID, else
 * PCI address), times them in turn, A B, B A, A B. tolerance: for the verdict; NAN: calculated from
 * the noise of the samples (parity_tolerance()). If the times are not SAME, the row has the PTX
 * instructions of both kernels, or the reason why they are unknown. Fails like suite_run(). */
enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error);

#endif
