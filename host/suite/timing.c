#include "host/suite/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/data.h"
#include "common/model/sampling.h"
#include "common/model/timer_check.h"
#include "common/text.h"
#include "host/gpu/program_cache.h"
#include "host/io/clock.h"
#include "host/record/document.h"
#include "host/suite/device.h"
#include "host/suite/roof_rows.h"

/* ---- Intervals ------------------------------------------------------------------------------ */

struct interval_request {
	size_t batch;      /* runs inside the interval */
	bool settled;      /* wait for earlier work first, and also read the host clock. Otherwise
			    * earlier queued work hides the time to submit the runs. */
	bool device_timer; /* false: use the host clock; the interval is then settled */
};

struct interval {
	double device_ns; /* all runs of the batch; by the host clock if device_timer is false */
	double host_ns;   /* NAN if not settled */
};

/* Before the interval, wakes the library of a run that consists of products. */
static enum pmpp_status launch_interval(struct gpu_device *device, const struct bound_run *run,
	const struct interval_request *request, struct interval *ret_interval,
	struct pmpp_error *error)
{
	bool device_timer = request->device_timer;
	bool settled = request->settled || !device_timer;
	struct interval interval = {.host_ns = NAN};
	enum pmpp_status status = PMPP_OK;

	if (run->library)
		status = gpu_library_wake_up(run->library, error);
	if (status == PMPP_OK)
		status = launch_part(run, true, error);
	if (status == PMPP_OK && settled)
		status = gpu_finish(device, error);
	double start = host_clock_ns();
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_begin(device, error);
	for (size_t i = 0; status == PMPP_OK && i < request->batch; i++)
		status = launch_part(run, false, error);
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_end(device, error);
	if (status == PMPP_OK)
		status = gpu_finish(device, error);
	if (settled)
		interval.host_ns = host_clock_ns() - start;
	interval.device_ns = interval.host_ns;
	if (status == PMPP_OK && device_timer)
		status = gpu_timer_read(device, &interval.device_ns, error);
	if (status == PMPP_OK)
		*ret_interval = interval;
	return status;
}

/* ---- Flushing the cache --------------------------------------------------------------------- */

/* The flush before each cold sample. After a flush the last-level cache holds no data of the run,
 * and no modified lines that the run would have to write back. There are two kinds:
 *
 *   read   The kernel of the read roof (roof/read) reads a region of twice the last-level cache.
 *          Its sums are checked once. Reading replaces all lines of the cache, and the modified
 *          ones are written to memory. Writing a region would leave the cache full of modified
 *          lines. The region holds random numbers, because some GPUs compress regular data.
 *   evict  The lines of the run's own buffers are evicted (gpu_buffer_evict()). On a CPU with a
 *          large cache, eviction takes far less time than reading.
 *
 * Both are queued on the device before the run; the host does not wait. On a CPU without eviction,
 * the read is limited to a part of the region, so that it takes no longer than the run. */

struct flush_request {
	double run_ns;     /* approximate time of one run */
	bool device_timer; /* as in struct interval_request */
};

#define MEMORY_SHARE 16 /* the region takes at most 1/16 of the device's memory */
#define CHUNK_ROWS 16   /* rows of a chunk; the region repeats one chunk */
#define MAX_VALUE 1000  /* largest number in the region */
#define EXACT 0xffffff  /* largest integer whose sums are exact in f32 */
#define READS 2         /* timed reads; the faster one is used */
#define POISON 0x7fc0deadu
#define MAX_BATCH 1000 /* runs of an interval */

/* Bytes of a complete flush by reading. */
static uint64_t flush_full_bytes(const struct gpu_device_info *info)
{
	return FLUSH_CACHES * suite_cache_bytes(info);
}

/* The part of `bytes` that can be read within max_ns, if reading all of them takes read_ns.
 * Returns a multiple of unit, at most `bytes`. */
static uint64_t flush_part(uint64_t bytes, uint64_t unit, double read_ns, double max_ns)
{
	if (!(read_ns > max_ns))
		return bytes;
	return (uint64_t)((double)bytes * (max_ns / read_ns)) / unit * unit;
}

/* Destroys the two operands of a kernel of the timer. */
static void destroy_buffers(struct gpu_buffer *buffers[2])
{
	gpu_buffer_destroy(&buffers[0]);
	gpu_buffer_destroy(&buffers[1]);
}

static enum pmpp_status create_buffers(struct gpu_device *device, const struct problem *problem,
	struct gpu_buffer *ret_buffers[2], struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(device,
			operand_bytes(&problem->family->operands[i], problem), 0, &ret_buffers[i],
			error);
	return status;
}

static void release_flush(struct timer *timer)
{
	destroy_buffers(timer->flush.buffers);
	timer->flush.run_bytes = 0;
}

/* ---- The region ---------------------------------------------------------------------------- */

/* Number of outputs of the kernel, which sums the rows of the region: the length of a row. The
 * number is small, because the lines of the outputs stay modified in the cache: 256 threads per
 * unit, or a few spans per core. */
static int64_t outputs_of(const struct gpu_device_info *info)
{
	return suite_units(info) * (suite_device_class(info) == DEVICE_CLASS_CPU ? 16384 : 1024);
}

/* Number of elements of the region: a multiple of `chunk`, the elements of one chunk. */
static int64_t elements_of(const struct gpu_device_info *info, int64_t chunk)
{
	const struct gpu_limits *limits = &info->limits;
	uint64_t unit = (uint64_t)chunk * sizeof(float);
	uint64_t max = limits->global_bytes / MEMORY_SHARE;
	uint64_t bytes = (flush_full_bytes(info) + unit - 1) / unit * unit;

	max = max < limits->max_buffer_bytes ? max : limits->max_buffer_bytes;
	if (bytes > max)
		bytes = max / unit * unit;
	return bytes ? (int64_t)(bytes / sizeof(float)) : chunk;
}

static enum pmpp_status bind(struct timer *timer, uint64_t bytes, struct pmpp_error *error)
{
	struct problem problem = timer->flush.problem;
	struct plan plan;
	const struct program_request request = {
		.config = &timer->flush.config, .problem = &problem};

	if (timer->flush.run_bytes == bytes)
		return PMPP_OK;
	problem.dim[0] = (int64_t)(bytes / sizeof(float));
	config_plan(&timer->flush.config, &problem, &plan);
	enum pmpp_status status = launch_build(
		timer->programs, &request, &plan, timer->flush.buffers, &timer->flush.run, error);
	if (status == PMPP_OK)
		timer->flush.run_bytes = bytes;
	return status;
}

/* Fills the region with copies of the chunk. */
static enum pmpp_status write_region(struct gpu_buffer *region, const float *chunk,
	uint64_t chunk_bytes, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (uint64_t at = 0; status == PMPP_OK && at < region->bytes; at += chunk_bytes)
		status = gpu_buffer_write(region, (int64_t)at, chunk, chunk_bytes, error);
	return status;
}

/* Checks the sums: they prove that the kernel read every row. sums: space for one row. */
static enum pmpp_status check_read(
	struct timer *timer, const float *chunk, float *sums, struct pmpp_error *error)
{
	struct gpu_buffer *output = timer->flush.buffers[1];
	int64_t outputs = timer->flush.problem.dim[1];
	int64_t repeats = timer->flush.problem.dim[0] / (CHUNK_ROWS * outputs);
	enum pmpp_status status = gpu_buffer_fill(output, 0, output->bytes, POISON, error);

	if (status == PMPP_OK)
		status = launch_run(&timer->flush.run, error);
	if (status == PMPP_OK)
		status = gpu_buffer_read(output, 0, sums, output->bytes, error);
	for (int64_t j = 0; status == PMPP_OK && j < outputs; j++) {
		int64_t sum = 0;
		for (int64_t row = 0; row < CHUNK_ROWS; row++)
			sum += (int64_t)chunk[row * outputs + j];
		if (!(sums[j] == (float)(repeats * sum)))
			return PMPP_FAIL(error, PMPP_UNSUPPORTED,
				"the flush kernel returned the sum %g, not %lld", (double)sums[j],
				(long long)(repeats * sum));
	}
	return status;
}

static enum pmpp_status make_buffers(
	struct timer *timer, const struct gpu_device_info *info, struct pmpp_error *error)
{
	int64_t outputs = outputs_of(info);
	struct roof_row row;

	if (!roof_row_of(info, ROOF_READ, false, &row))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the device has no kernel for the flush");
	timer->flush.config = row.config;
	timer->flush.problem = row.problem;
	timer->flush.problem.dim[0] = elements_of(info, CHUNK_ROWS * outputs);
	timer->flush.problem.dim[1] = outputs;
	timer->flush.problem.dim[2] = 1; /* pass */
	return create_buffers(
		timer->programs->device, &timer->flush.problem, timer->flush.buffers, error);
}

static enum pmpp_status make_region(struct timer *timer, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &timer->programs->device->info;
	uint64_t row_bytes = (uint64_t)outputs_of(info) * sizeof(float);
	float *chunk = malloc((CHUNK_ROWS + 1) * row_bytes); /* one more row for the sums */
	enum pmpp_status status;

	if (!chunk)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the flush region");
	status = make_buffers(timer, info, error);
	if (status != PMPP_OK)
		goto out;
	int64_t max = EXACT / (timer->flush.problem.dim[0] / timer->flush.problem.dim[1]);
	int64_t count = CHUNK_ROWS * timer->flush.problem.dim[1];
	data_fill_integer(DTYPE_F32, chunk, 0, count, 1, 0, max < MAX_VALUE ? max : MAX_VALUE);
	status = write_region(timer->flush.buffers[0], chunk, CHUNK_ROWS * row_bytes, error);
	if (status == PMPP_OK)
		status = bind(timer, timer->flush.buffers[0]->bytes, error);
	if (status == PMPP_OK)
		status = check_read(timer, chunk, chunk + count, error);

out:
	free(chunk);
	if (status != PMPP_OK)
		release_flush(timer);
	return status;
}

/* Creates the region if there is none. If that fails, *plan is unchanged. */
static enum pmpp_status plan_read(
	struct timer *timer, struct flush_plan *plan, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &timer->programs->device->info;
	enum pmpp_status status = PMPP_OK;

	if (timer->flush.unusable)
		return PMPP_OK;
	if (!timer->flush.buffers[0])
		status = make_region(timer, error);
	if (status == PMPP_BUILD || status == PMPP_UNSUPPORTED) {
		timer->flush.unusable = true;
		programs_note(timer->programs,
			"%s: cold samples are taken without a cache flush: %s", info->name,
			error->message);
	}
	if (status == PMPP_OUT_OF_MEMORY || timer->flush.unusable) {
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status == PMPP_OK) {
		uint64_t bytes = timer->flush.buffers[0]->bytes;
		*plan = (struct flush_plan){FLUSH_READ, bytes, bytes >= flush_full_bytes(info)};
	}
	return status;
}

/* ---- The choice ---------------------------------------------------------------------------- */

static enum pmpp_status measure_read(
	struct timer *timer, bool device_timer, struct pmpp_error *error)
{
	const struct interval_request request = {
		.batch = 1, .settled = true, .device_timer = device_timer};
	double best_ns = INFINITY;
	enum pmpp_status status = PMPP_OK;

	if (timer->flush.read_ns > 0)
		return PMPP_OK;
	status = bind(timer, timer->flush.buffers[0]->bytes, error);
	for (int i = 0; status == PMPP_OK && i < READS; i++) {
		struct interval interval;
		status = launch_interval(
			timer->programs->device, &timer->flush.run, &request, &interval, error);
		if (status == PMPP_OK)
			best_ns = fmin(best_ns, interval.device_ns);
	}
	if (status == PMPP_OK)
		timer->flush.read_ns = best_ns;
	return status;
}

/* On a CPU, limits the flush so that it takes no longer than the run. */
static enum pmpp_status limit_read(struct timer *timer, const struct flush_request *request,
	struct flush_plan *plan, struct pmpp_error *error)
{
	uint64_t row_bytes = timer->flush.buffers[1]->bytes;
	enum pmpp_status status = measure_read(timer, request->device_timer, error);
	uint64_t part = flush_part(plan->bytes, row_bytes, timer->flush.read_ns, request->run_ns);

	if (status != PMPP_OK || part == plan->bytes)
		return status;
	*plan = (struct flush_plan){.kind = part ? FLUSH_READ : FLUSH_NONE, .bytes = part};
	return PMPP_OK;
}

/* Chooses how to flush the run on these operands, and creates the region if it is needed. The plan
 * is FLUSH_NONE if there is no memory for the region, or if its kernel fails. A failed kernel is
 * reported as a note. Fails like gpu_launch(). */
static enum pmpp_status flush_choose(struct timer *timer, const struct operands *operands,
	const struct flush_request *request, struct flush_plan *ret_plan, struct pmpp_error *error)
{
	const struct gpu_device *device = operands->device;
	bool evicts = gpu_can_evict(device);
	const struct flush_plan evict = {FLUSH_EVICT, operands_held_bytes(operands), true};
	struct flush_plan plan = {.kind = FLUSH_NONE};
	enum pmpp_status status = PMPP_OK;

	/* Eviction and reading take about the same time per byte. */
	if (!evicts || evict.bytes > flush_full_bytes(&device->info))
		status = plan_read(timer, &plan, error);
	if (status == PMPP_OK && plan.kind == FLUSH_READ && gpu_shares_host_memory(&device->info))
		status = limit_read(timer, request, &plan, error);
	if (status == PMPP_OK)
		*ret_plan = evicts && !plan.complete ? evict : plan;
	return status;
}

/* Queues the flush; the plan is from flush_choose(), for the same operands. */
static enum pmpp_status flush_queue(struct timer *timer, const struct operands *operands,
	const struct flush_plan *plan, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	switch (plan->kind) {
	case FLUSH_NONE:
		break;
	case FLUSH_READ:
		status = bind(timer, plan->bytes, error);
		return status == PMPP_OK ? launch_run(&timer->flush.run, error) : status;
	case FLUSH_EVICT:
		for (size_t i = 0; status == PMPP_OK && i < MAX_BUFFERS; i++)
			if (operands->buffers[i])
				status = gpu_buffer_evict(operands->buffers[i], error);
		break;
	}
	return status;
}

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

/* The number of elements that PROBE_MEMORY reads, before rounding down to whole threads. 0 if a
 * sixteenth of the memory cannot hold a buffer of twice the cache. */
static int64_t probe_stream_elements(const struct gpu_device_info *info)
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

	if (!roof_row_of(info, roles[part], false, ret_row))
		return false;
	if (part == PROBE_MEMORY)
		dim[0] = probe_stream_elements(info) / dim[1] * dim[1];
	return dim[0] > 0;
}

static void finish_work(struct probe_work *work)
{
	destroy_buffers(work->buffers);
	*work = (struct probe_work){0};
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
static enum pmpp_status prepare_memory(struct throttle_probe *probe, const struct roof_row *row,
	struct programs *programs, enum gpu_math math, struct pmpp_error *error)
{
	struct probe_work *work = &probe->parts[PROBE_MEMORY];
	enum pmpp_status status =
		create_buffers(programs->device, &row->problem, work->buffers, error);

	if (status != PMPP_OUT_OF_MEMORY)
		return status == PMPP_OK ? prepare_work(work, row, programs, math, error) : status;
	pmpp_error_clear(error);
	finish_work(work);
	return PMPP_OK;
}

/* ---- Life ---------------------------------------------------------------------------------- */

static void probe_finish(struct throttle_probe *probe)
{
	for (int part = 0; part < PROBE_PART_COUNT; part++)
		finish_work(&probe->parts[part]);
	*probe = (struct throttle_probe){0};
}

/* Builds the kernels, fills the operands and runs each kernel once. Does nothing if the probe is
 * ready. */
static enum pmpp_status probe_prepare(struct throttle_probe *probe, struct programs *programs,
	enum gpu_math math, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &programs->device->info;
	struct roof_row row;
	enum pmpp_status status;

	if (probe->ready)
		return PMPP_OK;
	if (!find_row(info, PROBE_FMA, &row))
		return PMPP_FAIL(error, PMPP_INTERNAL, "no FMA row for this device");
	status = create_buffers(
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
static enum pmpp_status run_work(struct throttle_probe *probe, struct probe_work *work,
	bool device_timer, bool *ret_slow, struct pmpp_error *error)
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

/* Runs the probe, which must be ready. *ret_slow: a part is slow. device_timer: as in struct
 * interval_request. */
static enum pmpp_status probe_run(
	struct throttle_probe *probe, bool device_timer, bool *ret_slow, struct pmpp_error *error)
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
#define CHECK_BATCH_NS 2e7
#define BATCH_LAUNCHES 100 /* minimum length of a batch, in empty launches */
#define BUDGET_NS 9e7      /* limit of all batches, unless one run takes longer */

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
static enum pmpp_status bind_empty(const struct throttle_probe *probe, struct programs *programs,
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
static enum pmpp_status min_interval(const struct throttle_probe *probe, double probe_ns,
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
static enum pmpp_status measure_min(const struct throttle_probe *probe, double probe_ns,
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
static size_t check_batch_of(double batch_ns, double run_ns)
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
static enum pmpp_status compare_clocks(const struct throttle_probe *probe,
	struct timer_record *timer, double *ret_probe_ns, struct pmpp_error *error)
{
	double batch_ns =
		fmin(fmax(CHECK_BATCH_NS, BATCH_LAUNCHES * timer->host_launch_ns), BUDGET_NS);
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
		size_t batch = check_batch_of(batch_ns, run_ns);
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

static enum pmpp_status measure(struct throttle_probe *probe, struct programs *programs,
	enum gpu_math math, struct timer_record *timer, struct pmpp_error *error)
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

enum pmpp_status timer_calibrate(struct timer *timer, enum gpu_math math, struct pmpp_error *error)
{
	struct timer_record record;
	enum pmpp_status status = PMPP_OK;

	if (timer->calibrated)
		return PMPP_OK;
	record_init(&timer_type, &record);
	if (suite_is_emulated(&timer->programs->device->info))
		text_set(&record.reason, "emulated: times are not performance");
	else
		status = measure(&timer->probe, timer->programs, math, &record, error);
	timer->calibrated = status == PMPP_OK;
	if (timer->calibrated)
		timer->record = record;
	else
		record_finish(&timer_type, &record);
	return status;
}

/* false: measure intervals with the host clock. Returns true before the calibration. */
static bool has_device_timer(const struct timer *timer)
{
	return !timer->calibrated || timer->record.device_timer_ok;
}

/* ---- Memory --------------------------------------------------------------------------------- */

uint64_t timer_held_bytes(const struct timer *timer, enum timer_part part)
{
	struct gpu_buffer *const *buffers = part == TIMER_FLUSH
						    ? timer->flush.buffers
						    : timer->probe.parts[PROBE_MEMORY].buffers;
	uint64_t bytes = 0;

	for (size_t i = 0; i < 2; i++)
		bytes += buffers[i] ? buffers[i]->bytes : 0;
	return bytes;
}

void timer_release(struct timer *timer, enum timer_part part)
{
	if (part == TIMER_FLUSH)
		release_flush(timer);
	else
		finish_work(&timer->probe.parts[PROBE_MEMORY]);
}

void timer_make_room(struct timer *timer, uint64_t bytes)
{
	struct gpu_device *device = timer->programs->device;

	if (timer_held_bytes(timer, TIMER_FLUSH) == 0)
		return;
	if (device->allocated_bytes + bytes > device->info.limits.global_bytes / 10 * 9 ||
		bytes > gpu_free_bytes(device))
		release_flush(timer);
}

void timer_finish(struct timer *timer)
{
	probe_finish(&timer->probe);
	release_flush(timer);
	record_finish(&timer_type, &timer->record);
}

/* ---- Figures of the timing ------------------------------------------------------------------ */

#define WARM_UP_RUNS 3
#define WARMED_RUN_NS 5e6 /* longer runs: two runs of the verification count as warm-up */
/* The number of hot and host samples depends on the run time. A hot sample of a slow run is also
 * its host sample. */
#define SHORT_RUN_NS 2e6
#define SLOW_RUN_NS 5e6
#define SHORT_SAMPLES 10
#define MEDIUM_SAMPLES 5
#define FEW_SAMPLES 3
#define BATCH_NS 2e6
#define RESOLUTIONS 20       /* minimum length of a cold run, in timer resolutions */
#define HOST_RESOLUTION_NS 1 /* clock_getres() of CLOCK_MONOTONIC on Linux */

/* ---- Samples ------------------------------------------------------------------------------- */

static enum pmpp_status add_sample(
	struct timed_run *timed, enum sample_kind kind, double ns, struct pmpp_error *error)
{
	struct sample_set *set = &timed->sets[kind];
	size_t n = set->stats.n;
	double *samples = realloc(set->ns, 2 * (n + 1) * sizeof *samples);

	if (!samples)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for a sample");
	set->ns = samples;
	samples[n] = ns;
	set->stats.n = n + 1;
	return PMPP_OK;
}

static struct stats stats_of_set(const struct sample_set *set)
{
	return stats_of(set->ns, set->stats.n, set->ns + set->stats.n);
}

static enum pmpp_status take_interval(const struct timed_run *timed, size_t batch, bool settled,
	struct interval *ret_interval, struct pmpp_error *error)
{
	const struct interval_request request = {
		.batch = batch, .settled = settled, .device_timer = has_device_timer(timed->timer)};

	return launch_interval(timed->operands->device, timed->run, &request, ret_interval, error);
}

/* Poisons the output before a sample. Without a flush, a run that is timed alone reads its own data
 * from the cache. A run that is timed in turn is first executed once without timing, because the
 * cache holds the data of another run. */
static enum pmpp_status prepare_sample(
	const struct timed_run *timed, bool flushed, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (timed->in_turn && !flushed)
		status = launch_run(timed->run, error);
	return status == PMPP_OK ? operands_poison(timed->operands, TIMED_POISON, error) : status;
}

static enum pmpp_status cold_sample(struct timed_run *timed, struct pmpp_error *error)
{
	struct interval interval;
	enum pmpp_status status = prepare_sample(timed, timed->flush.complete, error);

	if (status == PMPP_OK)
		status = flush_queue(timed->timer, timed->operands, &timed->flush, error);
	if (status == PMPP_OK)
		status = take_interval(timed, 1, false, &interval, error);
	return status == PMPP_OK ? add_sample(timed, SAMPLE_COLD, interval.device_ns, error)
				 : status;
}

static enum pmpp_status hot_sample(struct timed_run *timed, struct pmpp_error *error)
{
	struct interval interval;
	enum pmpp_status status = prepare_sample(timed, false, error);

	if (status == PMPP_OK)
		status = take_interval(timed, timed->batch, true, &interval, error);
	if (status != PMPP_OK)
		return status;
	/* For a slow run, one interval gives the hot sample and the host sample. */
	if (timed->run_ns > SLOW_RUN_NS)
		status = add_sample(timed, SAMPLE_HOST, interval.host_ns, error);
	return status == PMPP_OK ? add_sample(timed, SAMPLE_HOT,
					   interval.device_ns / (double)timed->batch, error)
				 : status;
}

static enum pmpp_status host_sample(struct timed_run *timed, struct pmpp_error *error)
{
	const struct interval_request request = {.batch = 1, .settled = true};
	struct operands *operands = timed->operands;
	struct interval interval;
	enum pmpp_status status = operands_poison(operands, TIMED_POISON, error);

	if (status == PMPP_OK)
		status = launch_interval(operands->device, timed->run, &request, &interval, error);
	return status == PMPP_OK ? add_sample(timed, SAMPLE_HOST, interval.host_ns, error) : status;
}

static enum pmpp_status (*const take_sample[])(
	struct timed_run *timed, struct pmpp_error *error) = {
	[SAMPLE_COLD] = cold_sample,
	[SAMPLE_HOT] = hot_sample,
	[SAMPLE_HOST] = host_sample,
};

/* ---- Blocks -------------------------------------------------------------------------------- */

/* Applies the rule of common/model/sampling.h to the samples of all runs except companions. */
static bool all_narrow(struct timed_run *runs, size_t count, enum sample_kind kind)
{
	bool narrow = true;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].companion)
			continue;
		const struct stats stats = stats_of_set(&runs[i].sets[kind]);
		narrow = narrow && sampling_is_narrow(&stats);
	}
	return narrow;
}

/* Skips companions: each uses the device of another run, which is probed. */
static enum pmpp_status probe_all(struct timed_run *runs, size_t count, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		struct timer *timer = runs[i].timer;
		bool slow = false;
		if (runs[i].companion)
			continue;
		enum pmpp_status status =
			probe_run(&timer->probe, has_device_timer(timer), &slow, error);
		if (status != PMPP_OK)
			return status;
		if (slow)
			runs[i].flags |= TIMING_THROTTLED;
	}
	return PMPP_OK;
}

/* Takes one sample of each run, in turn. Every second round is reversed (A B, B A, A B ...), so
 * that an advantage of the first place affects all runs equally. */
static enum pmpp_status take_round(struct timed_run *runs, size_t count, enum sample_kind kind,
	size_t round, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < count; i++) {
		struct timed_run *timed = &runs[round % 2 ? count - 1 - i : i];
		double start = host_clock_ns();
		if (timed->paused)
			continue;
		status = take_sample[kind](timed, error);
		timed->spent_ns += host_clock_ns() - start;
		if (timed->run->library)
			timed->spent_ns -= timed->run->library->wake_up_ns;
	}
	return status;
}

static void begin_block(struct timed_run *runs, size_t count, bool companions)
{
	size_t active = 0;

	for (size_t i = 0; i < count; i++) {
		runs[i].paused = runs[i].companion && !companions;
		runs[i].spent_ns = 0;
		active += !runs[i].paused;
	}
	for (size_t i = 0; i < count; i++)
		runs[i].in_turn = active > 1;
}

/* The sampling limits of a run that is timed alone. */
static struct sampling_limits limits_of(const struct timed_run *timed)
{
	const struct suite_options *options = timed->options;

	return sampling_limits_of(options->min_samples, options->max_samples,
		options->min_time_ms * 1e6, timed->run_ns);
}

/* A companion that has enough samples takes no part in the rest of the block. */
static void pause_companions(struct timed_run *runs, size_t count, enum sample_kind kind)
{
	for (size_t i = 0; i < count; i++) {
		struct timed_run *timed = &runs[i];
		const struct sampling_limits limits = limits_of(timed);
		size_t n = timed->sets[kind].stats.n;
		if (timed->companion && n >= limits.min && timed->spent_ns >= limits.min_ns)
			timed->paused = true;
	}
}

/* Time of the block so far, without companions. */
static double elapsed_ns(const struct timed_run *runs, size_t count)
{
	double ns = 0;

	for (size_t i = 0; i < count; i++)
		ns += runs[i].companion ? 0 : runs[i].spent_ns;
	return ns;
}

/* limits: of the runs that are not companions. companions: true if companions take part. The probe
 * after a block is also the probe before the next block. */
static enum pmpp_status take_block(struct timed_run *runs, size_t count, enum sample_kind kind,
	const struct sampling_limits *limits, bool companions, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	bool ends = false;

	begin_block(runs, count, companions);
	for (size_t n = 1; status == PMPP_OK && !ends; n++) {
		status = take_round(runs, count, kind, n - 1, error);
		if (status != PMPP_OK)
			break;
		bool narrow = sampling_is_checkpoint(limits, n) && all_narrow(runs, count, kind);
		ends = sampling_ends(limits, n, elapsed_ns(runs, count), narrow);
		pause_companions(runs, count, kind);
	}
	if (status == PMPP_OK)
		status = probe_all(runs, count, error);
	for (size_t i = 0; i < count; i++)
		runs[i].sets[kind].stats = stats_of_set(&runs[i].sets[kind]);
	return status;
}

/* ---- Resolution ---------------------------------------------------------------------------- */

/* Resolution of the clock that times the runs. */
static double resolution_ns(const struct timed_run *timed)
{
	return has_device_timer(timed->timer) ? timed->timer->record.timer_resolution_ns
					      : HOST_RESOLUTION_NS;
}

/* Number of runs of a hot sample. */
static size_t batch_of(const struct timed_run *timed)
{
	double batch_ns = fmax(BATCH_NS, RESOLUTIONS * resolution_ns(timed));

	/* A run of 0 ns is below the resolution. */
	double runs = timed->run_ns > 0 ? batch_ns / timed->run_ns : MAX_BATCH;
	return (size_t)fmax(1, fmin(runs, MAX_BATCH));
}

/* ---- The contract -------------------------------------------------------------------------- */

/* Executes the warm-up runs, and sets run_ns from them. */
static enum pmpp_status warm_up(struct timed_run *timed, struct pmpp_error *error)
{
	timed->run_ns = INFINITY;
	for (int i = 0; i < WARM_UP_RUNS; i++) {
		struct interval interval;
		enum pmpp_status status = take_interval(timed, 1, true, &interval, error);
		if (status != PMPP_OK)
			return status;
		timed->run_ns = fmin(timed->run_ns, interval.device_ns);
		if (interval.host_ns > WARMED_RUN_NS)
			break;
	}
	timed->batch = batch_of(timed);
	return PMPP_OK;
}

/* Call it after warm_up(): it uses run_ns. */
static enum pmpp_status choose_flush(struct timed_run *timed, struct pmpp_error *error)
{
	struct timer *timer = timed->timer;
	const struct flush_request request = {
		.run_ns = timed->run_ns, .device_timer = has_device_timer(timer)};
	enum pmpp_status status = PMPP_OK;

	timed->flush = (struct flush_plan){.kind = FLUSH_NONE};
	if (timed->options->flush)
		status = flush_choose(timer, timed->operands, &request, &timed->flush, error);
	if (status == PMPP_OK && !timed->flush.complete)
		timed->flags |= TIMING_UNFLUSHED;
	return status;
}

/* true: one of the cold runs is too short for the timer. Ignores companions. The result applies to
 * all runs, because the two sides of a ratio must use the same kind of sample. */
static bool below_resolution(const struct timed_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!runs[i].companion && runs[i].sets[SAMPLE_COLD].stats.median <
						  RESOLUTIONS * resolution_ns(&runs[i]))
			return true;
	return false;
}

/* The flags of a run after its last block. */
static unsigned flags_of(const struct timed_run *timed, bool primary_is_hot)
{
	const struct stats *primary = &timed->sets[primary_is_hot ? SAMPLE_HOT : SAMPLE_COLD].stats;

	return (primary_is_hot ? TIMING_BELOW_RESOLUTION : 0u) |
	       (sampling_is_noisy(primary) ? TIMING_NOISY : 0u) |
	       (has_device_timer(timed->timer) ? 0u : TIMING_HOST_CLOCK);
}

static enum pmpp_status take_blocks(
	struct timed_run *runs, size_t count, bool *ret_primary_is_hot, struct pmpp_error *error)
{
	double run_ns = runs[0].run_ns;
	const struct sampling_limits primary = limits_of(&runs[0]);
	const struct sampling_limits few =
		sampling_exactly(run_ns > SLOW_RUN_NS    ? FEW_SAMPLES
				 : run_ns > SHORT_RUN_NS ? MEDIUM_SAMPLES
							 : SHORT_SAMPLES);
	enum pmpp_status status = probe_all(runs, count, error);

	if (status == PMPP_OK)
		status = take_block(runs, count, SAMPLE_COLD, &primary, true, error);
	if (status != PMPP_OK)
		return status;
	bool primary_is_hot = below_resolution(runs, count);
	status = take_block(
		runs, count, SAMPLE_HOT, primary_is_hot ? &primary : &few, primary_is_hot, error);
	if (status == PMPP_OK && run_ns <= SLOW_RUN_NS)
		status = take_block(runs, count, SAMPLE_HOST, &few, false, error);
	for (size_t i = 0; i < count; i++) {
		struct timed_run *timed = &runs[i];
		timed->sets[SAMPLE_HOST].stats = stats_of_set(&timed->sets[SAMPLE_HOST]);
		timed->flags |= flags_of(timed, primary_is_hot);
	}
	*ret_primary_is_hot = primary_is_hot;
	return status;
}

static bool fill_samples(const struct sample_set *set, struct samples_record *record)
{
	const struct stats *stats = &set->stats;

	record->record.present = stats->n > 0;
	record->n = (int64_t)stats->n;
	record->min = stats->min;
	record->q1 = stats->q1;
	record->median = stats->median;
	record->q3 = stats->q3;
	record->notch = stats_notch(stats);
	memcpy(record->ci95, stats->ci95, sizeof stats->ci95);
	record->half_width = stats_half_width(stats);
	return number_list_set(&record->ns, set->ns, stats->n);
}

static enum pmpp_status fill_timing(
	const struct timed_run *timed, bool primary_is_hot, struct pmpp_error *error)
{
	struct timing_record *timing = timed->timing;
	struct samples_record *const records[SAMPLE_KINDS] = {
		&timing->cold, &timing->hot, &timing->host};
	bool ok = true;

	text_set(&timing->contract, TIMING_CONTRACT);
	timing->primary = primary_is_hot ? TIMING_HOT : TIMING_COLD;
	timing->flags = timed->flags;
	timing->flushed_bytes = (int64_t)timed->flush.bytes;
	for (int kind = 0; kind < SAMPLE_KINDS; kind++)
		ok = fill_samples(&timed->sets[kind], records[kind]) && ok;
	timing->record.present = true;
	return ok ? PMPP_OK : PMPP_NO_MEMORY(error, "the samples");
}

enum pmpp_status timing_ratio(const struct timing_record *a, const struct timing_record *b,
	struct stats_ratio *ret_ratio, struct pmpp_error *error)
{
	const struct number_list *first = &timing_record_primary(a)->ns;
	const struct number_list *second = &timing_record_primary(b)->ns;
	size_t rounds = first->count < second->count ? first->count : second->count;
	double *scratch = malloc((2 * rounds + 1) * sizeof *scratch);

	if (!scratch)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory to compare two times");
	*ret_ratio = stats_ratio_of(first->items, second->items, rounds, scratch);
	free(scratch);
	return PMPP_OK;
}

/* Frees the times and marks them as not present. */
static void timing_drop(struct timing_record *timing)
{
	record_finish(&timing_type, timing);
	timing->record.present = false;
}

static void finish_working(struct timed_run *timed)
{
	for (int kind = 0; kind < SAMPLE_KINDS; kind++)
		free(timed->sets[kind].ns);
	*timed = (struct timed_run){.timer = timed->timer,
		.operands = timed->operands,
		.options = timed->options,
		.run = timed->run,
		.timing = timed->timing,
		.companion = timed->companion};
}

enum pmpp_status timing_run(struct timed_run *runs, size_t count, struct pmpp_error *error)
{
	double longest_ns = 0;
	bool primary_is_hot = false;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < count; i++) {
		status = warm_up(&runs[i], error);
		if (status == PMPP_OK)
			status = choose_flush(&runs[i], error);
		longest_ns = fmax(longest_ns, runs[i].companion ? 0 : runs[i].run_ns);
	}
	/* All runs except companions have the same number of samples, because they are sampled in
	 * turn. */
	for (size_t i = 0; i < count; i++)
		if (!runs[i].companion)
			runs[i].run_ns = longest_ns;
	if (status == PMPP_OK)
		status = take_blocks(runs, count, &primary_is_hot, error);
	for (size_t i = 0; i < count; i++) {
		if (status == PMPP_OK)
			status = fill_timing(&runs[i], primary_is_hot, error);
		finish_working(&runs[i]);
	}
	for (size_t i = 0; status != PMPP_OK && i < count; i++)
		timing_drop(runs[i].timing);
	return status;
}
