#include "host/suite/derive.h"

#include "common/model/figures.h"
#include "host/suite/floor_rates.h"

static void set_floor(const struct floors *floors, double ns, struct floor_record *floor)
{
	if (floors->largest < 0)
		return;
	floor->record.present = true;
	floor->resource = floors->largest;
	floor->ns = floors->ns[floors->largest];
	floor->share = floors_share(floors, ns);
}

void derive_figures(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	struct result_row *row = &outcome->row;
	const struct metric *metric = &outcome->problem.family->metric;
	const struct floor_work work = config_traffic(&outcome->config, &outcome->problem);
	const struct floor_rates rates = floor_rates_of(
		info, roofs, timer, (enum timing_primary)row->timing.primary, row->timing.flags);
	const struct figures_run run = {
		.ns = result_row_median_ns(row),
		.flops = row->work.flops,
		.bytes_compulsory = row->work.bytes_compulsory,
		.floors = floors_of(&work, &rates),
	};

	if (!(run.ns > 0))
		return;
	const struct figures figures = figures_of(&run);
	row->derived.gflops = figures.gflops;
	row->derived.gbps = figures.gbps;
	/* The floors and the metric count the work of the project's kernel. */
	if (row->own_kernel)
		return;
	row->derived.pct_roof = 100 * figures.finding.share;
	row->derived.limited_by = (int)figures.finding.limit;
	outcome->floors = run.floors;
	set_floor(&run.floors, run.ns, &row->derived.floor);
	if (metric->count)
		row->derived.metric = figures_metric(metric->kind,
			metric->count(&outcome->config, &outcome->problem), run.ns,
			(double)info->limits.clock_mhz, (double)info->limits.compute_units);
}
