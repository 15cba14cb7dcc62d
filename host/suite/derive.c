#include "host/suite/derive.h"

#include "common/model/figures.h"

void derive_figures(struct outcome *outcome, const struct gpu_limits *limits,
	const struct roofs *roofs, const struct calibration *calibration)
{
	const struct metric *metric = &outcome->problem.family->metric;
	const struct figures_run run = {
		.ns = timing_primary(&outcome->timing)->stats.median,
		.flops = outcome->flops,
		.bytes_compulsory = outcome->bytes_compulsory,
		.bytes_issued = outcome->bytes_issued,
	};
	const struct figures_device device = {
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		.fma_gflops = roofs->fma_gflops,
		.empty_launch_ns = calibration->empty_launch_ns,
	};

	if (!outcome->timing.done || !(run.ns > 0))
		return;
	const struct figures figures = figures_of(&run, &device);
	outcome->gflops = figures.gflops;
	outcome->gbps = figures.gbps;
	outcome->fraction_of_roof = figures.fraction_of_roof;
	outcome->limited_by = figures.limited_by;
	if (metric->count)
		outcome->metric = figures_metric(metric->kind,
			metric->count(&outcome->config, &outcome->problem), run.ns,
			(double)limits->clock_mhz, (double)limits->compute_units);
}
