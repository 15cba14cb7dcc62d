#include "host/suite/derive.h"

#include "common/model/figures.h"

void derive_figures(struct outcome *outcome, const struct gpu_limits *limits,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	struct result_row *row = &outcome->row;
	const struct metric *metric = &outcome->problem.family->metric;
	const struct figures_run run = {
		.ns = result_row_median_ns(row),
		.flops = row->work.flops,
		.bytes_compulsory = row->work.bytes_compulsory,
		.bytes_issued = row->work.bytes_issued,
	};
	const struct figures_device device = {
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		.fma_gflops = roofs->fma_gflops.f32,
		.empty_launch_ns = timer->empty_launch_ns,
	};

	if (!(run.ns > 0))
		return;
	const struct figures figures = figures_of(&run, &device);
	row->derived.gflops = figures.gflops;
	row->derived.gbps = figures.gbps;
	row->derived.pct_roof = 100 * figures.fraction_of_roof;
	row->derived.limited_by = (int)figures.limited_by;
	if (metric->count)
		row->derived.metric = figures_metric(metric->kind,
			metric->count(&outcome->config, &outcome->problem), run.ns,
			(double)limits->clock_mhz, (double)limits->compute_units);
}
