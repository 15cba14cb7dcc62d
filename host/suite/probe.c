#include "host/suite/probe.h"

#include "host/io/clock.h"
#include "host/suite/device.h"
#include "host/suite/roof_rows.h"

#include <math.h>
#include <stdio.h>

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
	int64_t elements;

	if (!roof_row_of(info, roles[part], ret_row))
		return false;
	if (part != PROBE_MEMORY)
		return true;
	elements = probe_stream_elements(info) / ret_row->problem.dim[1] * ret_row->problem.dim[1];
	ret_row->problem.dim[0] = elements;
	return elements > 0;
}

static void finish_work(struct probe_work *work)
{
	gpu_buffer_destroy(&work->buffers[0]);
	gpu_buffer_destroy(&work->buffers[1]);
	*work = (struct probe_work){0};
}

static enum pmpp_status create_buffers(struct probe_work *work, const struct roof_row *row,
	struct gpu_device *device, struct pmpp_error *error)
{
	const struct problem *problem = &row->problem;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(device,
			operand_bytes(&problem->family->operands[i], problem), 0, &work->buffers[i],
			error);
	return status;
}

/* Call it after create_buffers(). */
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
	enum pmpp_status status = create_buffers(work, row, programs->device, error);

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

enum pmpp_status probe_prepare(struct probe *probe, struct programs *programs, enum gpu_math math,
	struct pmpp_error *error)
{
	const struct gpu_device_info *info = &programs->device->info;
	struct roof_row row;
	enum pmpp_status status;

	if (probe->ready)
		return PMPP_OK;
	if (!find_row(info, PROBE_FMA, &row))
		return PMPP_FAIL(error, PMPP_INTERNAL, "no FMA row for this device");
	status = create_buffers(&probe->parts[PROBE_FMA], &row, programs->device, error);
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
