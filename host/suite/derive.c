#include "host/suite/derive.h"

#include "common/model/figures.h"
#include "host/suite/roof_figures.h"

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
	double type_gflops = roofs_rate(roofs, (enum operations)row->work.operations);
	const struct figures_device device = {
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		/* No rate of integers is measured: that of f32 is of the same order. */
		.fma_gflops = row->work.operations == OPERATIONS_INTEGER ? roofs->fma_gflops.f32
									 : type_gflops,
		.empty_launch_ns = timer->empty_launch_ns,
		.type_gflops = type_gflops,
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
