/*
 * One variant on a bench: checks, builds, verifies and times it.
 */
#ifndef PMPP_HOST_SUITE_VARIANT_H
#define PMPP_HOST_SUITE_VARIANT_H

#include "host/suite/bench.h"

/* Everything before timing. *ret_run is bound when the row's status is OUTCOME_OK. A failure of
 * the variant itself becomes part of the outcome, with PMPP_OK. */
enum pmpp_status variant_verify(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error);

/* Verifies the variant. If `untimed` is "", also times it; the bench must then be calibrated. Else
 * `untimed` is the reason of the missing times. */
enum pmpp_status variant_run(struct bench *bench, const struct suite_options *options,
	const char *untimed, struct outcome *outcome, struct pmpp_error *error);

/* A device that cannot run the suite's own kernels can still be verified on: a failure of that kind
 * becomes PMPP_OK and a reason in ret_untimed. Other values of status are returned, and ret_untimed
 * is left alone. */
enum pmpp_status variant_absorb_calibration(
	enum pmpp_status status, char *ret_untimed, size_t size, struct pmpp_error *error);

#endif
