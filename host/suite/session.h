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

/* Returns whether the primary median is shorter than a certain floor allows
 * (common/model/floor.h). If so, sets the status to SUSPECT, with the reason. Otherwise adds a
 * note if the rate is above the roof of the operations in a family without `certain`. */
bool derive_suspect(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer);

#endif
