/*
 * Figures of a timed outcome, from the primary median. What limits it, in this order:
 *   latency  the run takes less than 3 empty launches
 *   cache    compulsory bytes move faster than memory can: they come from a cache
 *   memory, compute
 *            by intensity (flops a compulsory byte) against the roofs' ridge; but where neither
 * roof is reached to 5 %, by what the kernel asks for: memory when its loads and stores amount to
 * half the memory roof, latency when they do not
 */
#include "host/suite/internal.h"

#include <math.h>

#define SHORT_RUN 3.0      /* x the empty launch */
#define FAR_FROM_ROOF 0.05 /* of either roof */
#define BUSY_MEMORY 0.5    /* issued bandwidth / memory roof */

static const char *limit_of(const struct outcome *outcome, double ns, const struct roofs *roofs,
	const struct calibration *calibration)
{
	double memory_roof = fmax(roofs->copy_gbps, roofs->read_gbps);
	double compute = outcome->gflops / roofs->fma_gflops;
	double issued_gbps = outcome->bytes_issued / ns;

	if (ns < SHORT_RUN * calibration->empty_launch_ns)
		return "latency";
	if (isnan(roofs->copy_gbps) || isnan(compute))
		return NULL;
	if (outcome->gbps > memory_roof)
		return "cache";
	if (compute < FAR_FROM_ROOF && outcome->gbps < FAR_FROM_ROOF * memory_roof)
		return issued_gbps >= BUSY_MEMORY * memory_roof ? "memory" : "latency";
	return outcome->intensity >= roofs->fma_gflops / roofs->copy_gbps ? "compute" : "memory";
}

/* The family's own figure; NAN where it has none or the device does not tell its clock. */
static double metric_of(const struct outcome *outcome, double ns, const struct gpu_limits *limits)
{
	const struct metric *metric = &outcome->problem.family->metric;
	double count = metric->count ? metric->count(&outcome->config, &outcome->problem) : 0;
	double cycles = ns * 1e-3 * limits->clock_mhz * limits->compute_units;

	if (!(count > 0))
		return NAN;
	if (metric->kind == METRIC_NS_EACH)
		return ns / count;
	return cycles > 0 ? count / cycles : NAN;
}

void derive_figures(struct outcome *outcome, const struct suite *suite)
{
	const struct roofs *roofs = &suite->roofs;
	double ns = timing_primary(&outcome->timing)->stats.median;

	if (!outcome->timing.done || !(ns > 0))
		return;
	outcome->gflops = outcome->flops / ns;
	outcome->gbps = outcome->bytes_compulsory / ns;
	/* fmax() ignores a roof that is not known. */
	outcome->fraction_of_roof =
		fmax(outcome->gflops / roofs->fma_gflops, outcome->gbps / roofs->copy_gbps);
	outcome->limited_by = limit_of(outcome, ns, roofs, &suite->calibration);
	outcome->metric = metric_of(outcome, ns, &suite->device->info.limits);
}
