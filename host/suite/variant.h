/*
 * One variant on a bench: checks, builds, verifies and times it.
 */
#ifndef PMPP_HOST_SUITE_VARIANT_H
#define PMPP_HOST_SUITE_VARIANT_H

#include "host/suite/session.h"

/* Checks, builds and verifies the variant. If its blocks do not fit the device, the largest declared
 * config whose blocks fit replaces the outcome's config, and the row's `fallback` has the replaced
 * values and the limit. Values that the user chose stay. *ret_run is bound if the row's status is
 * OUTCOME_OK. After a failure of the variant itself, the outcome has the reason and the function
 * returns PMPP_OK. */
enum pmpp_status variant_verify(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error);

/* Times a variant after variant_verify(), if it passed. untimed: the reason why it is not timed. If it
 * is "", the bench must be calibrated. */
enum pmpp_status variant_time(struct bench *bench, const struct bound_run *run, const char *untimed,
	struct outcome *outcome, struct pmpp_error *error);

/* Adds a timed outcome, or a peer that another process has timed, after removing the rows of other
 * problems. Removes all rows if there is no memory. Ignores rows of internal families. */
void earlier_rows_add(struct earlier_rows *rows, const struct outcome *outcome);

/* Variants can be verified, but not timed, on a device that cannot run the suite's own kernels. For
 * such a failure the function returns PMPP_OK, and ret_untimed has the reason. Otherwise it returns
 * `status`, and ret_untimed is unchanged. */
enum pmpp_status variant_absorb_calibration(
	enum pmpp_status status, char *ret_untimed, size_t size, struct pmpp_error *error);

#endif
