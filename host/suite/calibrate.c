#include "host/suite/calibrate.h"

#include "common/stats.h"
#include "host/suite/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EMPTY_LAUNCHES 40
#define SANE_NS 2e6       /* the batch that both clocks measure */
#define SANE_SLACK_NS 2e4 /* the host's own cost around it */
#define SANE_MOST 1.02    /* device / host: an interval is not longer than the one around it */
#define SANE_LEAST 0.5    /* and not far shorter */
#define MOST_BATCH 1000

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Smallest positive difference of two intervals; what the driver says where there is none. */
static double smallest_step(const double *intervals, size_t count, double driver_says)
{
	double sorted[EMPTY_LAUNCHES];
	double step = INFINITY;

	for (size_t i = 0; i < count; i++)
		sorted[i] = intervals[i];
	qsort(sorted, count, sizeof *sorted, compare_doubles);
	for (size_t i = 1; i < count; i++)
		if (sorted[i] > sorted[i - 1])
			step = fmin(step, sorted[i] - sorted[i - 1]);
	return isinf(step) ? driver_says : step;
}

/* One settled run by both clocks. */
static const struct interval_request single = {.batch = 1, .settled = true, .device_timer = true};

/* The empty kernel alone: the first step of that row. */
static enum pmpp_status bind_empty(const struct probe *probe, struct programs *programs,
	enum gpu_math math, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct variant *variant = variant_find(family_find("roof"), "empty");
	struct config config = config_default(variant);
	struct problem problem = problem_default(variant_family(variant));
	struct program_entry *entry;
	struct plan plan;

	problem.dim[0] = problem.dim[1] = problem.dim[2] = 1;
	config_plan(&config, &problem, &plan);
	plan.step_count = 1;
	const struct program_request request = {
		.config = &config, .problem = &problem, .math = math};
	enum pmpp_status status = programs_get(programs, &request, &entry, error);
	return status == PMPP_OK
		       ? launch_bind(entry, &plan, probe->parts[PROBE_FMA].buffers, ret_run, error)
		       : status;
}

static enum pmpp_status measure_empty(struct gpu_device *device, const struct bound_run *run,
	struct timer_record *timer, struct pmpp_error *error)
{
	double device_ns[EMPTY_LAUNCHES];
	double host_ns[EMPTY_LAUNCHES];
	double scratch[EMPTY_LAUNCHES];
	struct interval interval;
	/* The first launch includes what the driver does once. */
	enum pmpp_status status = launch_interval(device, run, &single, &interval, error);

	for (size_t i = 0; status == PMPP_OK && i < EMPTY_LAUNCHES; i++) {
		status = launch_interval(device, run, &single, &interval, error);
		device_ns[i] = interval.device_ns;
		double start = host_clock_ns();
		if (status == PMPP_OK)
			status = launch_run(run, error);
		if (status == PMPP_OK)
			status = gpu_finish(device, error);
		host_ns[i] = host_clock_ns() - start;
	}
	if (status != PMPP_OK)
		return status;
	timer->empty_launch_ns = stats_of(device_ns, EMPTY_LAUNCHES, scratch).median;
	timer->host_launch_ns = stats_of(host_ns, EMPTY_LAUNCHES, scratch).median;
	timer->timer_resolution_ns =
		smallest_step(device_ns, EMPTY_LAUNCHES, device->info.limits.timer_resolution_ns);
	return PMPP_OK;
}

/* Known work of about SANE_NS by both clocks. */
static enum pmpp_status compare_clocks(
	const struct probe *probe, struct timer_record *timer, struct pmpp_error *error)
{
	struct interval_request request = single;
	struct interval interval;
	enum pmpp_status status;

	/* Twice with one run: the first may include what the driver does once. */
	for (int i = 0; i < 3; i++) {
		status = launch_interval(
			probe->device, &probe->parts[PROBE_FMA].run, &request, &interval, error);
		if (status != PMPP_OK)
			return status;
		if (i == 1 && interval.host_ns < SANE_NS)
			request.batch = (size_t)fmin(SANE_NS / interval.host_ns + 1, MOST_BATCH);
	}
	double least = SANE_LEAST * interval.host_ns;
	double most = SANE_MOST * interval.host_ns + SANE_SLACK_NS;
	timer->device_timer_ok = interval.device_ns >= least && interval.device_ns <= most;
	if (!timer->device_timer_ok)
		text_format(&timer->reason,
			"the device's timer says %.3f ms where the host's clock says %.3f ms: all "
			"times are from the host's clock",
			interval.device_ns / 1e6, interval.host_ns / 1e6);
	return PMPP_OK;
}

static enum pmpp_status measure(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct timer_record *timer, struct pmpp_error *error)
{
	struct bound_run empty;
	enum pmpp_status status = probe_prepare(probe, programs, math, error);

	if (status == PMPP_OK)
		status = compare_clocks(probe, timer, error);
	if (status == PMPP_OK)
		status = bind_empty(probe, programs, math, &empty, error);
	if (status == PMPP_OK)
		status = measure_empty(programs->device, &empty, timer, error);
	if (status == PMPP_OK && !timer->device_timer_ok)
		timer->empty_launch_ns = timer->host_launch_ns;
	return status;
}

enum pmpp_status calibrator_measure(struct calibrator *calibrator, struct probe *probe,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error)
{
	struct timer_record timer;
	enum pmpp_status status = PMPP_OK;

	if (calibrator->known)
		return PMPP_OK;
	record_init(&timer_type, &timer);
	if (suite_is_emulated(&programs->device->info))
		text_set(&timer.reason, "emulated: times are not performance");
	else
		status = measure(probe, programs, math, &timer, error);
	if (status == PMPP_OK)
		*calibrator = (struct calibrator){.known = true, .timer = timer};
	else
		record_finish(&timer_type, &timer);
	return status;
}

void calibrator_finish(struct calibrator *calibrator)
{
	record_finish(&timer_type, &calibrator->timer);
	*calibrator = (struct calibrator){0};
}

bool calibrator_device_timer(const struct calibrator *calibrator)
{
	return !calibrator->known || calibrator->timer.device_timer_ok;
}
