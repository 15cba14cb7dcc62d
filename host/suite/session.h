/*
 * Shared state of the suite's actions (run, parity, trace): a bench, the user's options and the
 * device's roofs.
 */
#ifndef PMPP_HOST_SUITE_SESSION_H
#define PMPP_HOST_SUITE_SESSION_H

#include "host/suite/outcome.h"
#include "host/suite/roofs.h"

struct suite {
	struct bench bench;
	struct suite_options options;
	struct device_roofs roofs;
};

/* Prepares timing: calibrates the timer, and measures the roofs unless the family is internal. Call
 * it before the problem's operands use the device's memory. If the device cannot run the suite's
 * own kernels, nothing is timed on it: ret_untimed is set to the reason. Otherwise ret_untimed is
 * unchanged. */
enum pmpp_status session_prepare_timing(struct suite *suite, const struct family *family,
	char *ret_untimed, size_t size, struct pmpp_error *error);

/* Judges a timed outcome by the session's roofs and calibration. Sets its figures, or the status
 * SUSPECT without times (derive_suspect()). */
void session_derive(const struct suite *suite, struct outcome *outcome);

/* Returns whether the primary median is shorter than a certain floor allows
 * (common/model/suspect.h). If so, sets the status to SUSPECT, with the reason. Otherwise adds a
 * note if the rate is above the roof of the operations in a family without `certain`. */
bool derive_suspect(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer);

#endif
