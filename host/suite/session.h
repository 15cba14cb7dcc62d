/*
 * Shared state of the suite's actions (run, parity, trace): a bench, the user's options and the
 * device's roofs.
 */
#ifndef PMPP_HOST_SUITE_SESSION_H
#define PMPP_HOST_SUITE_SESSION_H

#include "host/suite/roofs.h"

struct suite {
	struct bench bench;
	struct suite_options options;
	struct device_roofs roofs;
};

/* Calibrates, and measures the roofs unless the family is internal: timing needs both before the
 * problem takes the device's memory. A device that cannot run the suite's own kernels is not timed:
 * ret_untimed then has the reason, and is left alone otherwise. */
enum pmpp_status session_know_device(struct suite *suite, const struct family *family,
	char *ret_untimed, size_t size, struct pmpp_error *error);

/* Figures of a timed outcome, from the session's roofs and calibration. */
void session_derive(const struct suite *suite, struct outcome *outcome);

#endif
