/*
 * Figures of a timed outcome, and whether its time is possible.
 */
#ifndef PMPP_HOST_SUITE_DERIVE_H
#define PMPP_HOST_SUITE_DERIVE_H

#include "host/suite/outcome.h"

/* Sets rates, metric, floor and limit of a timed outcome from the primary median. Unknown figures
 * are NAN; an unknown limit is LIMITED_BY_UNKNOWN. info: the device. */
void derive_figures(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer);

/* Returns whether the primary median is shorter than a certain floor allows
 * (common/model/suspect.h). If so, sets the status to SUSPECT, with the reason. Otherwise adds a
 * note if the rate is above the roof of the operations in a family without `certain`. */
bool derive_suspect(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer);

#endif
