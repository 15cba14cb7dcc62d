/*
 * Parity: one variant on two suites, results compared and times taken in turn.
 */
#ifndef PMPP_HOST_SUITE_PARITY_H
#define PMPP_HOST_SUITE_PARITY_H

#include "common/model/parity.h"
#include "host/suite/suite.h"

struct parity_result {
	bool timed;         /* false: no common device, or a side did not pass */
	double ratio;       /* median(a) / median(b); a is OpenCL, b CUDA */
	double interval[2]; /* bootstrap 95 % */
	enum parity_verdict verdict;
	bool bit_identical;
	size_t n;            /* samples a side */
	struct outcome a, b; /* finished by parity_result_finish */
};

void parity_result_finish(struct parity_result *result);

/* Verifies on both, compares the output bits, and, when the two are one physical device (UUID, else
 * PCI address), times them in turn, A B A B. Fails as suite_run. */
enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error);

#endif
