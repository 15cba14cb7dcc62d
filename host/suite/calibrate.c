#include "host/suite/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/model/timer_check.h"
#include "common/stats.h"
#include "common/text.h"
#include "host/gpu/program_cache.h"
#include "host/io/clock.h"
#include "host/record/document.h"
#include "host/suite/device.h"
#include "host/suite/roof_rows.h"

/* ---- The throttle probe --------------------------------------------------------------------- */

/* The throttle probe: parts with a fixed amount of work, on operands of its own. A part takes the
 * same time in every run, unless the device has slowed down or other programs use it.
 *
 *   PROBE_FMA     the kernel of the FMA roof: checks the clock of the compute units
 *   PROBE_MEMORY  the kernel of the read roof on a buffer of several caches: checks the memory. It
 *                 is skipped if there is no memory for such a buffer. After each run it pauses for
 *                 20 times its duration, so it takes at most 1/20 of the time.
 *
 * A part is slow if it takes over 1.1 times the reference time of this device. The reference time
 * is the shorter of two times: the second fastest run of this session, and the second fastest of
 * the other sessions (probe_cache.def). The fastest run is not used, because it may be a
 * bad sample. */

/* ---- Kept times ----------------------------------------------------------------------------- */

/* The fastest times of a probe on one device, in the cache directory: one file per device, driver,
 * compiler, number of compute units, kernel, size and clock.
 *
 * A file has the times of the two fastest sessions; the slower of the two is used. A bad sample or
 * a wrong clock may give one session an impossible time. That session is then the fastest one, so
 * its time is no longer used when the next session has stored its own. */

/* The properties that a time depends on. */
struct probe_cache_key {
	const struct gpu_device_info *info;
	const char *work;    /* kernel, its source and the size, as text */
	bool device_timer;   /* false: the host clock */
	const char *session; /* identity; a session replaces only its own time */
};

#define PROBE_SCHEMA "pmpp-probe/1"
#define FOLDER "probes"
#define KEPT 2 /* sessions */

/* ---- Files --------------------------------------------------------------------------------- */

#define RECORDS "host/suite/probe_cache.def"
#include "common/records.inc"

#define RECORD_TYPES
#define RECORDS "host/suite/probe_cache.def"
#include "common/records.inc"

#define NAME_BYTES (PROGRAM_CACHE_KEY_LENGTH + sizeof ".json")

static void file_name(const struct probe_cache_key *key, char ret_name[NAME_BYTES])
{
	const struct gpu_device_info *info = key->info;
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	char units[16];
	const char *const parts[] = {PROBE_SCHEMA, gpu_backend_name(info->backend), identity,
		info->name, info->driver, info->compiler, units, key->work,
		key->device_timer ? "device timer" : "host clock", NULL};
	char hash[PROGRAM_CACHE_KEY_LENGTH + 1];

	snprintf(units, sizeof units, "%u", (unsigned)info->limits.compute_units);
	program_cache_key(parts, hash);
	snprintf(ret_name, NAME_BYTES, "%s.json", hash);
}

static bool is_sane(const void *record)
{
	const struct probe_file *file = record;

	for (size_t i = 0; i < file->sessions.count; i++)
		if (!(file->sessions.items[i].ns > 0))
			return false;
	return file->sessions.count <= KEPT;
}

/* ---- Times --------------------------------------------------------------------------------- */

/* Writes a unique text, for the member `session` of the key. */
static void probe_cache_session(char ret_session[PROBE_SESSION_BYTES])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(ret_session, PROBE_SESSION_BYTES, "%ld-%lld.%09ld", (long)getpid(),
		(long long)now.tv_sec, now.tv_nsec);
}

static int compare_sessions(const void *a, const void *b)
{
	const struct session_record *x = a;
	const struct session_record *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The second fastest time of the other sessions, in ns; the fastest if there is only one; INFINITY
 * if there is none, or the file is damaged or not trusted (host/io/cache_file.h). */
static double probe_cache_load(const struct probe_cache_key *key)
{
	double result = INFINITY;
	struct probe_file file;
	char name[NAME_BYTES];
	size_t seen = 0;

	file_name(key, name);
	document_cached(&probe_file_type, PROBE_SCHEMA, FOLDER, name, is_sane, &file);
	for (size_t i = 0; i < file.sessions.count && seen < KEPT; i++) {
		if (text_equal(file.sessions.items[i].session, key->session))
			continue;
		result = file.sessions.items[i].ns;
		seen++;
	}
	record_finish(&probe_file_type, &file);
	return result;
}

/* Stores the session's time if it is among the two fastest. Failures are ignored. */
static void probe_cache_store(const struct probe_cache_key *key, double ns)
{
	struct session_record *own = NULL;
	struct probe_file file;
	char name[NAME_BYTES];

	file_name(key, name);
	document_cached(&probe_file_type, PROBE_SCHEMA, FOLDER, name, is_sane, &file);
	struct session_list *list = &file.sessions;
	for (size_t i = 0; i < list->count && !own; i++)
		if (text_equal(list->items[i].session, key->session))
			own = &list->items[i];
	if (!own && (own = record_list_add(&session_type, list)))
		text_set(&own->session, key->session);
	if (own && own->session) {
		own->ns = ns;
		qsort(list->items, list->count, sizeof *list->items, compare_sessions);
		while (list->count > KEPT)
			record_finish(&session_type, &list->items[--list->count]);
		text_set(&file.schema, PROBE_SCHEMA);
		text_set(&file.device, key->info->name);
		text_set(&file.driver, key->info->driver);
		text_set(&file.work, key->work);
		document_cache(&probe_file_type, &file, FOLDER, name);
	}
	record_finish(&probe_file_type, &file);
}

/* ---- Figures of the probe ------------------------------------------------------------------- */

#define SLOW_BEYOND 1.10 /* x the reference time */
#define TRIES 2          /* the faster run is used: one slow run alone is not throttling */
#define STORE_BELOW 0.99 /* x the cached time: a smaller gain is not written to the file */
#define PAUSE 20         /* x the duration of PROBE_MEMORY */
#define ONE_BITS 0x3f800000u

/* ---- Work ---------------------------------------------------------------------------------- */

/* Size of the buffer, in caches. If the cache replaces random lines, about 20 % (CPU) and 2 % (GPU)
 * of the buffer stay in the cache. A larger buffer takes too long on a CPU. */
#define CACHES_CPU 2
#define CACHES_GPU 4
/* Minimum size: the run on a smaller buffer is not much longer than its noise. An H200 reads 4
 * times its cache in 57 us. In that test, 3 to 11 of 119 rows had a slow run at the full memory
 * clock. */
#define STREAM_MIN_BYTES ((uint64_t)64 << 20)
#define STREAM_MIN_BYTES_GPU ((uint64_t)1 << 30)
#define MEMORY_PART 16 /* the buffer takes at most this fraction of the memory: 1/16 */

int64_t probe_stream_elements(const struct gpu_device_info *info)
{
	const struct gpu_limits *limits = &info->limits;
	uint64_t cache = suite_cache_bytes(info);
	bool gpu = suite_device_class(info) == DEVICE_CLASS_GPU;
	uint64_t bytes = (gpu ? CACHES_GPU : CACHES_CPU) * cache;
	uint64_t min = gpu ? STREAM_MIN_BYTES_GPU : STREAM_MIN_BYTES;
	uint64_t max = limits->global_bytes / MEMORY_PART;

	bytes = bytes > min ? bytes : min;
	max = max < limits->max_buffer_bytes ? max : limits->max_buffer_bytes;
	bytes = bytes < max ? bytes : max;
	return bytes < CACHES_CPU * cache ? 0 : (int64_t)(bytes / sizeof(float));
}

/* Returns the row of a part with the size for this device, or false if the device has none. */
static bool find_row(
	const struct gpu_device_info *info, enum probe_part part, struct roof_row *ret_row)
{
	static const enum roof_role roles[] = {[PROBE_FMA] = ROOF_FMA, [PROBE_MEMORY] = ROOF_READ};
	int64_t *dim = ret_row->problem.dim;

	if (!roof_row_of(info, roles[part], ret_row))
		return false;
	if (part == PROBE_MEMORY)
		dim[0] = probe_stream_elements(info) / dim[1] * dim[1];
	return dim[0] > 0;
}

static void finish_work(struct probe_work *work)
{
	gpu_buffer_destroy(&work->buffers[0]);
	gpu_buffer_destroy(&work->buffers[1]);
	*work = (struct probe_work){0};
}

/* Call it after roof_buffers_create(). */
static enum pmpp_status prepare_work(struct probe_work *work, const struct roof_row *row,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error)
{
	const struct problem *problem = &row->problem;
	struct program_entry *entry;
	struct plan plan;
	enum pmpp_status status;

	config_plan(&row->config, problem, &plan);
	status = gpu_buffer_fill(work->buffers[0], 0, work->buffers[0]->bytes, ONE_BITS, error);
	if (status == PMPP_OK)
		status = programs_get(programs,
			&(struct program_request){
				.config = &row->config, .problem = problem, .math = math},
			&entry, error);
	if (status == PMPP_OK)
		status = launch_bind(entry, &plan, work->buffers, &work->run, error);
	/* The first run may include work that the driver does only once. */
	if (status == PMPP_OK)
		status = launch_run(&work->run, error);
	if (status == PMPP_OK)
		status = gpu_finish(programs->device, error);
	if (status != PMPP_OK)
		return status;
	snprintf(work->work, sizeof work->work, "%s %s %lld %lld %lld", row->config.variant->name,
		entry->source_sha256, (long long)problem->dim[0], (long long)problem->dim[1],
		(long long)problem->dim[2]);
	work->fastest_ns[0] = work->fastest_ns[1] = INFINITY;
	work->others_ns = work->stored_ns = INFINITY;
	work->ready = true;
	return PMPP_OK;
}

/* Skips this part if there is no memory for its buffer. */
static enum pmpp_status prepare_memory(struct probe *probe, const struct roof_row *row,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error)
{
	struct probe_work *work = &probe->parts[PROBE_MEMORY];
	enum pmpp_status status =
		roof_buffers_create(programs->device, &row->problem, work->buffers, error);

	if (status != PMPP_OUT_OF_MEMORY)
		return status == PMPP_OK ? prepare_work(work, row, programs, math, error) : status;
	pmpp_error_clear(error);
	finish_work(work);
	return PMPP_OK;
}

/* ---- Life ---------------------------------------------------------------------------------- */

void probe_finish(struct probe *probe)
{
	for (int part = 0; part < PROBE_PART_COUNT; part++)
		finish_work(&probe->parts[part]);
	*probe = (struct probe){0};
}

/* Builds the kernels, fills the operands and runs each kernel once. Does nothing if the probe is
 * ready. */
static enum pmpp_status probe_prepare(struct probe *probe, struct programs *programs,
	enum gpu_math math, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &programs->device->info;
	struct roof_row row;
	enum pmpp_status status;

	if (probe->ready)
		return PMPP_OK;
	if (!find_row(info, PROBE_FMA, &row))
		return PMPP_FAIL(error, PMPP_INTERNAL, "no FMA row for this device");
	status = roof_buffers_create(
		programs->device, &row.problem, probe->parts[PROBE_FMA].buffers, error);
	if (status == PMPP_OK)
		status = prepare_work(&probe->parts[PROBE_FMA], &row, programs, math, error);
	if (status == PMPP_OK && find_row(info, PROBE_MEMORY, &row))
		status = prepare_memory(probe, &row, programs, math, error);
	if (status != PMPP_OK) {
		probe_finish(probe);
		return status;
	}
	probe_cache_session(probe->session);
	probe->device = programs->device;
	probe->ready = true;
	return PMPP_OK;
}

uint64_t probe_memory_bytes(const struct probe *probe)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < 2; i++)
		if (probe->parts[PROBE_MEMORY].buffers[i])
			bytes += probe->parts[PROBE_MEMORY].buffers[i]->bytes;
	return bytes;
}

void probe_release_memory(struct probe *probe)
{
	finish_work(&probe->parts[PROBE_MEMORY]);
}

/* ---- Running ------------------------------------------------------------------------------- */

/* The second fastest time of this session; the fastest if there is only one. */
static double session_ns(const struct probe_work *work)
{
	return isinf(work->fastest_ns[1]) ? work->fastest_ns[0] : work->fastest_ns[1];
}

static void add_time(struct probe_work *work, double ns)
{
	if (ns < work->fastest_ns[0]) {
		work->fastest_ns[1] = work->fastest_ns[0];
		work->fastest_ns[0] = ns;
	} else if (ns < work->fastest_ns[1]) {
		work->fastest_ns[1] = ns;
	}
}

/* Runs one part. Stores the time at once, because the worker process may be killed. */
static enum pmpp_status run_work(struct probe *probe, struct probe_work *work, bool device_timer,
	bool *ret_slow, struct pmpp_error *error)
{
	const struct interval_request request = {
		.batch = 1, .settled = true, .device_timer = device_timer};
	const struct probe_cache_key key = {.info = &probe->device->info,
		.work = work->work,
		.device_timer = device_timer,
		.session = probe->session};
	double ns = INFINITY;

	if (!work->others_known)
		work->others_ns = probe_cache_load(&key);
	work->others_known = true;
	double limit_ns = SLOW_BEYOND * fmin(work->others_ns, session_ns(work));
	for (int i = 0; i < TRIES && (i == 0 || ns > limit_ns); i++) {
		struct interval interval;
		enum pmpp_status status =
			launch_interval(probe->device, &work->run, &request, &interval, error);
		if (status != PMPP_OK)
			return status;
		ns = fmin(ns, interval.device_ns);
	}
	*ret_slow = ns > limit_ns;
	add_time(work, ns);
	if (isfinite(work->fastest_ns[1]) && session_ns(work) < STORE_BELOW * work->stored_ns) {
		work->stored_ns = session_ns(work);
		probe_cache_store(&key, work->stored_ns);
	}
	return PMPP_OK;
}

enum pmpp_status probe_run(
	struct probe *probe, bool device_timer, bool *ret_slow, struct pmpp_error *error)
{
	bool any = false;

	for (int part = 0; part < PROBE_PART_COUNT; part++) {
		struct probe_work *work = &probe->parts[part];
		double start = host_clock_ns();
		bool slow = false;
		if (!work->ready || start < work->next_ns)
			continue;
		enum pmpp_status status = run_work(probe, work, device_timer, &slow, error);
		if (status != PMPP_OK)
			return status;
		any = any || slow;
		double end = host_clock_ns();
		if (part == PROBE_MEMORY)
			work->next_ns = end + PAUSE * (end - start);
	}
	*ret_slow = any;
	return PMPP_OK;
}

#define EMPTY_LAUNCHES 40
#define QUEUED_REPEATS 10
#define QUEUED_BUDGET_NS 3e7 /* limit of the probe's work before queued launches of one kind */
/* Minimum length of a batch: the overhead of the host is then at most 1 % of the batch. */
#define BATCH_NS 2e7
#define BATCH_LAUNCHES 100 /* minimum length of a batch, in empty launches */
#define BUDGET_NS 9e7      /* limit of all batches, unless one run takes longer */
#define MAX_BATCH 1000

/* Smallest positive difference of two intervals; driver_ns (the driver's figure) if all intervals
 * are equal. */
static double smallest_step(const double *intervals, size_t count, double driver_ns)
{
	double sorted[EMPTY_LAUNCHES];
	double step = INFINITY;

	for (size_t i = 0; i < count; i++)
		sorted[i] = intervals[i];
	qsort(sorted, count, sizeof *sorted, stats_compare);
	for (size_t i = 1; i < count; i++)
		if (sorted[i] > sorted[i - 1])
			step = fmin(step, sorted[i] - sorted[i - 1]);
	return isinf(step) ? driver_ns : step;
}

/* One settled run, measured with both clocks, or with the host clock on a device without a timer. */
static struct interval_request single_run(const struct gpu_device *device)
{
	return (struct interval_request){
		.batch = 1, .settled = true, .device_timer = !device->no_timer};
}

/* Binds only the empty kernel: the first step of the row roof/empty. */
static enum pmpp_status bind_empty(const struct probe *probe, struct programs *programs,
	enum gpu_math math, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct variant *variant = variant_find(family_find("roof"), "empty");
	const struct kernel_shape shape = suite_kernel_shape(&probe->device->info, NULL);
	struct config config = config_for(variant, &shape);
	struct problem problem = problem_default(variant_family(variant));
	struct plan plan;

	problem.dim[0] = problem.dim[1] = problem.dim[2] = 1;
	config_plan(&config, &problem, &plan);
	plan.step_count = 1;
	const struct program_request request = {
		.config = &config, .problem = &problem, .math = math};
	return launch_build(
		programs, &request, &plan, probe->parts[PROBE_FMA].buffers, ret_run, error);
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
	} while (!check.done &&
		 (check.batches == 0 || spent_ns + (double)request.batch * run_ns <= BUDGET_NS));
	*ret_probe_ns = run_ns;
	if (probe->device->no_timer) {
		text_set(&timer->reason, "the driver does not measure the times of commands; all "
					 "times are from the host clock");
		return PMPP_OK;
	}
	timer->device_to_host = check.device_to_host;
	timer->device_timer_ok = check.agrees;
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
