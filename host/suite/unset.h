/*
 * Finds wrong results that are caused by uninitialised local variables.
 */
#ifndef PMPP_HOST_SUITE_UNSET_H
#define PMPP_HOST_SUITE_UNSET_H

#include "host/suite/verify.h"

/*
 * Call it after a failed verification: the outcome's status is FAILED, or `status` is PMPP_LAUNCH
 * with its error. If the device can fill local variables (gpu_can_fill), the function runs the
 * kernel again, twice with a pattern and twice with zeros. The result depends on an uninitialised
 * variable if the two runs of each fill are equal, but the fills differ. The outcome's reason, or
 * the error's message, then begins with "uninitialised local variable". Otherwise both are
 * unchanged. A long run (more than 2^19 threads, or more work than suite_work_budget()) is not
 * repeated.
 *
 * run: the verified run. Returns `status`, or an error of the host, for example lack of
 * memory. Afterwards the contents of the buffers are unknown (operands_forget).
 */
enum pmpp_status unset_find(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error);

#endif
