/*
 * Wrong results that come from local variables that a kernel never sets.
 */
#ifndef PMPP_HOST_SUITE_UNSET_H
#define PMPP_HOST_SUITE_UNSET_H

#include "host/suite/verify.h"

/*
 * After a verification that failed: the outcome's status is FAILED, or `status` is PMPP_LAUNCH with
 * its error. On a device that fills local variables (gpu_can_fill) the kernel runs again, filled
 * with the pattern and with zeros, twice each. If the two runs of each fill are equal, but the
 * fills differ, the result depends on a variable that was never set: the outcome's reason, or the
 * error's message, then begins with "uninitialised local variable". Anything else leaves both as
 * they are.
 *
 * run: the run that was verified. Returns `status`; or an error of the host, such as lack of
 * memory. The inputs on the device are those of the outcome's problem afterwards; after PMPP_LAUNCH
 * the contents of the buffers are unknown.
 */
enum pmpp_status unset_blame(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error);

#endif
