#include "host/suite/session.h"

#include <math.h>
#include <stdio.h>

#include "common/model/figures.h"
#include "common/model/suspect.h"
#include "common/number_text.h"
#include "host/suite/roof_rows.h"
#include "host/suite/variant.h"

/* ---- Figures that follow from others -------------------------------------------------------- */

/* Figures of a timed outcome, and whether its time is possible. */

static void set_floor(const struct floors *floors, double ns, struct floor_record *floor)
{
	if (floors->largest < 0)
		return;
	floor->record.present = true;
	floor->resource = floors->largest;
	floor->ns = floors->ns[floors->largest];
	floor->share = floors_share(floors, ns);
}

/* Sets rates, metric, floor and limit of a timed outcome from the primary median. Unknown figures
 * are NAN; an unknown limit is LIMITED_BY_UNKNOWN. info: the device. */
static void derive_figures(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	struct result_row *row = &outcome->row;
	const struct metric *metric = &outcome->problem.family->metric;
	const struct floor_work work = config_traffic(&outcome->config, &outcome->problem);
	const struct floor_rates rates = floor_rates_of(
		info, roofs, timer, (enum timing_primary)row->timing.primary, row->timing.flags);
	const struct floors floors = floors_of(&work, &rates);
	const double ns = result_row_median_ns(row);

	if (!(ns > 0))
		return;
	double share;
	enum limited_by limit = limit_measured(&floors, ns, &share);
	row->derived.gflops = row->work.flops / ns;
	row->derived.gbps = row->work.bytes_compulsory / ns;
	/* The floors and the metric count the work of the project's kernel. */
	if (row->own_kernel)
		return;
	row->derived.pct_roof = 100 * share;
	row->derived.limited_by = (int)limit;
	outcome->floors = floors;
	set_floor(&floors, ns, &row->derived.floor);
	if (metric->count)
		row->derived.metric = figures_metric(metric->kind,
			metric->count(&outcome->config, &outcome->problem), ns,
			(double)info->limits.clock_mhz, (double)info->limits.compute_units);
}

#define DOUBTFUL (TIMING_THROTTLED | TIMING_NOISY | TIMING_HOST_CLOCK)

static void explain_suspect(struct outcome *outcome, int resource, double floor_ns, double ns)
{
	static const char *const why[FLOOR_COUNT] = {
		[FLOOR_LAUNCH] = "empty launches take",
		[FLOOR_MEMORY] = "the bytes that no cache can hold take",
		[FLOOR_COMPUTE] = "the operations of the problem take",
		[FLOOR_TENSOR] = "the operations of the problem take",
	};
	char time[32], least[32], text[160];

	format_ns(ns, time, sizeof time);
	format_ns(floor_ns, least, sizeof least);
	snprintf(text, sizeof text, "%s is too short: %s %s at the measured rate of the device",
		time, why[resource], least);
	outcome_refuse(outcome, OUTCOME_SUSPECT, text, "");
}

static void note_fast_operations(
	struct outcome *outcome, const struct roofs_record *roofs, double ns, double margin)
{
	const struct work_record *work = &outcome->row.work;
	double rate = roofs_rate(roofs, (enum operations)work->operations);
	char text[160];

	if (outcome->problem.family->certain || !(work->flops / ns > margin * rate))
		return;
	snprintf(text, sizeof text,
		"faster than the roof of %s operations allows: it may have another algorithm or "
		"precision",
		operations_words[work->operations]);
	outcome_note(outcome, text);
}

bool derive_suspect(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	const struct timing_record *timing = &outcome->row.timing;
	const double ns = result_row_median_ns(&outcome->row);
	const struct floor_work work = config_certain(&outcome->config, &outcome->problem);
	struct floor_rates rates = floor_rates_of(
		info, roofs, timer, (enum timing_primary)timing->primary, timing->flags);

	/* next_launch_ns is a slope: other programs can make it larger than the shortest launch. */
	rates.launch_ns = fmin(rates.launch_ns, timer->least_launch_ns);
	rates.next_launch_ns = fmin(rates.next_launch_ns, timer->least_launch_ns);
	const struct floors floors = suspect_floors(&work, &rates);
	double margin = suspect_margin(
		info->type == GPU_TYPE_GPU, (roofs->flags | timing->flags) & DOUBTFUL);

	if (!(ns > 0))
		return false;
	int resource = suspect_floor(&floors, ns, margin);
	if (resource >= 0)
		explain_suspect(outcome, resource, floors.ns[resource], ns);
	else
		note_fast_operations(outcome, roofs, ns, margin);
	return resource >= 0;
}

/* ---- The session ---------------------------------------------------------------------------- */

enum pmpp_status session_prepare_timing(struct suite *suite, const struct family *family,
	char *ret_untimed, size_t size, struct pmpp_error *error)
{
	enum pmpp_status status = bench_calibrate(&suite->bench, suite->options.math, error);

	if (status == PMPP_OK && !family->internal)
		status = device_roofs_get(&suite->roofs, &suite->bench, false, error);
	return variant_absorb_calibration(status, ret_untimed, size, error);
}

void session_derive(const struct suite *suite, struct outcome *outcome)
{
	const struct gpu_device_info *info = &suite->bench.device->info;
	const struct timer_record *timer = &suite->bench.calibrator.timer;

	if (!outcome->row.timing.record.present || outcome->row.status != OUTCOME_OK)
		return;
	if (derive_suspect(outcome, info, &suite->roofs.roofs, timer)) {
		bench_drop_times(outcome); /* only rows that passed have times */
		outcome_leave_untimed(outcome, "the time is too short");
		return;
	}
	derive_figures(outcome, info, &suite->roofs.roofs, timer);
}
