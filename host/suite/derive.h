/*
 * Figures of a timed outcome.
 */
#ifndef PMPP_HOST_SUITE_DERIVE_H
#define PMPP_HOST_SUITE_DERIVE_H

#include "host/suite/outcome.h"

/* Sets rates, fraction of the roof, metric and limit of a timed outcome, from the primary median;
 * NAN and LIMITED_BY_UNKNOWN where unknown. */
void derive_figures(struct outcome *outcome, const struct gpu_limits *limits,
	const struct roofs_record *roofs, const struct timer_record *timer);

#endif
