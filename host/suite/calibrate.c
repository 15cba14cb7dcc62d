#include "host/suite/calibrate.h"

#include "common/model/timer_check.h"
#include "common/number_text.h"
#include "common/stats.h"
#include "host/io/clock.h"
#include "host/suite/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EMPTY_LAUNCHES 40
#define QUEUED_REPEATS 10
#define QUEUED_BUDGET_NS 3e7 /* limit of the probe's work before queued launches of one kind */
/* Minimum length of a batch: the overhead of the host is then at most 1 % of the batch. */
#define BATCH_NS 2e7
#define BATCH_LAUNCHES 100 /* minimum length of a batch, in empty launches */
#define BUDGET_NS 9e7      /* limit of all batches, unless one run takes longer */
#define MAX_BATCH 1000

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Smallest positive difference of two intervals; driver_ns (the driver's figure) if all intervals
 * are equal. */
static double smallest_step(const double *intervals, size_t count, double driver_ns)
{
	double sorted[EMPTY_LAUNCHES];
	double step = INFINITY;

	for (size_t i = 0; i < count; i++)
		sorted[i] = intervals[i];
	qsort(sorted, count, sizeof *sorted, compare_doubles);
	for (size_t i = 1; i < count; i++)
		if (sorted[i] > sorted[i - 1])
			step = fmin(step, sorted[i] - sorted[i - 1]);
	return isinf(step) ? driver_ns : step;
}

/* One settled run, measured with both clocks, or with the host clock on a device without a timer. */
static struct interval_request single_run(const struct gpu_device *device)
{
	return (struct interval_request){
		.batch = 1, .settled = true, .device_timer = gpu_has_timer(device)};
}

/* Binds only the empty kernel: the first step of the row roof/empty. */
static enum pmpp_status bind_empty(const struct probe *probe, struct programs *programs,
	enum gpu_math math, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct variant *variant = variant_find(family_find("roof"), "empty");
	const struct kernel_shape shape = suite_kernel_shape(&probe->device->info, NULL);
	struct config config = config_for(variant, &shape);
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

/* *ret_host_min_ns: the shortest interval of the host clock. */
static enum pmpp_status measure_empty(struct gpu_device *device, const struct bound_run *run,
	struct timer_record *timer, double *ret_host_min_ns, struct pmpp_error *error)
{
	double device_ns[EMPTY_LAUNCHES];
	double host_ns[EMPTY_LAUNCHES];
	double scratch[EMPTY_LAUNCHES];
	const struct interval_request single = single_run(device);
	struct interval interval;
	/* The first launch includes work that the driver does only once. */
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
	const struct stats device_stats = stats_of(device_ns, EMPTY_LAUNCHES, scratch);
	timer->empty_launch_ns = device_stats.median;
	timer->least_launch_ns = device_stats.min;
	const struct stats host_stats = stats_of(host_ns, EMPTY_LAUNCHES, scratch);
	timer->host_launch_ns = host_stats.median;
	*ret_host_min_ns = host_stats.min;
	timer->timer_resolution_ns =
		smallest_step(device_ns, EMPTY_LAUNCHES, device->info.limits.timer_resolution_ns);
	return PMPP_OK;
}

/* Measures the shortest interval of request->batch empty launches with the clock that times the
 * variants. A run of the probe (probe_ns) before each interval hides the time to submit the
 * launches, as the flush before a cold sample does. On a slow device, or with the host clock,
 * nothing runs before them. */
static enum pmpp_status min_interval(const struct probe *probe, double probe_ns,
	const struct bound_run *empty, const struct interval_request *request, double *ret_ns,
	struct pmpp_error *error)
{
	bool behind = request->device_timer && probe_ns * QUEUED_REPEATS <= QUEUED_BUDGET_NS;
	struct interval_request queued = *request;
	double min_ns = INFINITY;

	queued.settled = !behind;
	for (int i = 0; i < QUEUED_REPEATS; i++) {
		struct interval interval;
		enum pmpp_status status =
			behind ? launch_run(&probe->parts[PROBE_FMA].run, error) : PMPP_OK;
		if (status == PMPP_OK)
			status = launch_interval(probe->device, empty, &queued, &interval, error);
		if (status != PMPP_OK)
			return status;
		min_ns = fmin(min_ns, interval.device_ns);
	}
	*ret_ns = min_ns;
	return PMPP_OK;
}

/* Measures the shortest empty launch, and the time that each further launch adds. */
static enum pmpp_status measure_min(const struct probe *probe, double probe_ns,
	const struct bound_run *empty, struct timer_record *timer, struct pmpp_error *error)
{
	struct interval_request request = {.batch = 1, .device_timer = timer->device_timer_ok};
	double one_ns = NAN, all_ns = NAN;
	enum pmpp_status status = min_interval(probe, probe_ns, empty, &request, &one_ns, error);

	request.batch = EMPTY_LAUNCHES;
	if (status == PMPP_OK)
		status = min_interval(probe, probe_ns, empty, &request, &all_ns, error);
	if (status != PMPP_OK)
		return status;
	timer->least_launch_ns = fmin(timer->least_launch_ns, one_ns);
	timer->next_launch_ns = fmax(0, all_ns - timer->least_launch_ns) / (EMPTY_LAUNCHES - 1);
	return PMPP_OK;
}

/* Number of runs in a batch that takes batch_ns. run_ns: time of one run. */
static size_t batch_of(double batch_ns, double run_ns)
{
	return (size_t)fmin(ceil(batch_ns / run_ns), MAX_BATCH);
}

static void set_reason(const struct timer_check *check, struct timer_record *timer)
{
	char device[32], host[32];

	format_ns(check->device_ns, device, sizeof device);
	format_ns(check->host_ns, host, sizeof host);
	text_format(&timer->reason,
		"the device timer measured %s, the host clock %s (allowed difference: %.0f %%); "
		"all times are from the host clock",
		device, host, 100 * TIMER_CHECK_TOLERANCE);
}

/* Measures batches of runs of the probe with both clocks. *ret_probe_ns: time of one run on the
 * host clock. The first batch is a single run. It is used like the others if it has at least half
 * of the intended length; on a slow device it is the only batch. */
static enum pmpp_status compare_clocks(const struct probe *probe, struct timer_record *timer,
	double *ret_probe_ns, struct pmpp_error *error)
{
	double batch_ns = fmin(fmax(BATCH_NS, BATCH_LAUNCHES * timer->host_launch_ns), BUDGET_NS);
	struct interval_request request = single_run(probe->device);
	struct timer_check check = {0};
	double run_ns = INFINITY, spent_ns = 0;

	do {
		struct interval interval;
		enum pmpp_status status = launch_interval(
			probe->device, &probe->parts[PROBE_FMA].run, &request, &interval, error);
		if (status != PMPP_OK)
			return status;
		spent_ns += interval.host_ns;
		run_ns = fmin(run_ns, interval.host_ns / (double)request.batch);
		size_t batch = batch_of(batch_ns, run_ns);
		if (batch <= 2 * request.batch)
			timer_check_add(&check, interval.device_ns, interval.host_ns);
		request.batch = batch;
	} while (!timer_check_done(&check) &&
		 (check.batches == 0 || spent_ns + (double)request.batch * run_ns <= BUDGET_NS));
	*ret_probe_ns = run_ns;
	if (!gpu_has_timer(probe->device)) {
		text_set(&timer->reason, "the driver does not measure the times of commands; all "
					 "times are from the host clock");
		return PMPP_OK;
	}
	timer->device_to_host = check.device_to_host;
	timer->device_timer_ok = timer_check_agrees(&check);
	if (!timer->device_timer_ok)
		set_reason(&check, timer);
	return PMPP_OK;
}

static enum pmpp_status measure(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct timer_record *timer, struct pmpp_error *error)
{
	struct bound_run empty;
	double host_min_ns = NAN, probe_ns = NAN;
	enum pmpp_status status = probe_prepare(probe, programs, math, error);

	if (status == PMPP_OK)
		status = bind_empty(probe, programs, math, &empty, error);
	if (status == PMPP_OK)
		status = measure_empty(programs->device, &empty, timer, &host_min_ns, error);
	if (status == PMPP_OK)
		status = compare_clocks(probe, timer, &probe_ns, error);
	if (status == PMPP_OK && !timer->device_timer_ok) {
		timer->empty_launch_ns = timer->host_launch_ns;
		timer->least_launch_ns = host_min_ns;
	}
	if (status == PMPP_OK)
		status = measure_min(probe, probe_ns, &empty, timer, error);
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
