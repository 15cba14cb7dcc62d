#include "host/suite/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/data.h"
#include "common/model/sampling.h"
#include "host/io/clock.h"
#include "host/suite/device.h"
#include "host/suite/roof_rows.h"

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

#define CACHES 2        /* size of the region in caches; 1 does not replace all lines if not LRU */
#define MEMORY_SHARE 16 /* the region takes at most 1/16 of the device's memory */
#define CHUNK_ROWS 16   /* rows of a chunk; the region repeats one chunk */
#define MAX_VALUE 1000  /* largest number in the region */
#define EXACT 0xffffff  /* largest integer whose sums are exact in f32 */
#define READS 2         /* timed reads; the faster one is used */
#define POISON 0x7fc0deadu

uint64_t flush_full_bytes(const struct gpu_device_info *info)
{
	return CACHES * suite_cache_bytes(info);
}

uint64_t flush_part(uint64_t bytes, uint64_t unit, double read_ns, double max_ns)
{
	if (!(read_ns > max_ns))
		return bytes;
	return (uint64_t)((double)bytes * (max_ns / read_ns)) / unit * unit;
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

static enum pmpp_status bind(struct flusher *flush, uint64_t bytes, struct pmpp_error *error)
{
	struct problem problem = flush->problem;
	struct plan plan;
	const struct program_request request = {.config = &flush->config, .problem = &problem};

	if (flush->run_bytes == bytes)
		return PMPP_OK;
	problem.dim[0] = (int64_t)(bytes / sizeof(float));
	config_plan(&flush->config, &problem, &plan);
	enum pmpp_status status =
		launch_build(flush->programs, &request, &plan, flush->buffers, &flush->run, error);
	if (status == PMPP_OK)
		flush->run_bytes = bytes;
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
	struct flusher *flush, const float *chunk, float *sums, struct pmpp_error *error)
{
	struct gpu_buffer *output = flush->buffers[1];
	int64_t outputs = flush->problem.dim[1];
	int64_t repeats = flush->problem.dim[0] / (CHUNK_ROWS * outputs);
	enum pmpp_status status = gpu_buffer_fill(output, 0, output->bytes, POISON, error);

	if (status == PMPP_OK)
		status = launch_run(&flush->run, error);
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
	struct flusher *flush, const struct gpu_device_info *info, struct pmpp_error *error)
{
	int64_t outputs = outputs_of(info);
	struct roof_row row;

	if (!roof_row_of(info, ROOF_READ, &row))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the device has no kernel for the flush");
	flush->config = row.config;
	flush->problem = row.problem;
	flush->problem.dim[0] = elements_of(info, CHUNK_ROWS * outputs);
	flush->problem.dim[1] = outputs;
	flush->problem.dim[2] = 1; /* pass */
	return roof_buffers_create(flush->programs->device, &flush->problem, flush->buffers, error);
}

static enum pmpp_status make_region(struct flusher *flush, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &flush->programs->device->info;
	uint64_t row_bytes = (uint64_t)outputs_of(info) * sizeof(float);
	float *chunk = malloc((CHUNK_ROWS + 1) * row_bytes); /* one more row for the sums */
	enum pmpp_status status;

	if (!chunk)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for the flush region");
	status = make_buffers(flush, info, error);
	if (status != PMPP_OK)
		goto out;
	int64_t max = EXACT / (flush->problem.dim[0] / flush->problem.dim[1]);
	int64_t count = CHUNK_ROWS * flush->problem.dim[1];
	data_fill_integer(DTYPE_F32, chunk, 0, count, 1, 0, max < MAX_VALUE ? max : MAX_VALUE);
	status = write_region(flush->buffers[0], chunk, CHUNK_ROWS * row_bytes, error);
	if (status == PMPP_OK)
		status = bind(flush, flush->buffers[0]->bytes, error);
	if (status == PMPP_OK)
		status = check_read(flush, chunk, chunk + count, error);

out:
	free(chunk);
	if (status != PMPP_OK)
		flush_release(flush);
	return status;
}

/* Creates the region if there is none. If that fails, *plan is unchanged. */
static enum pmpp_status plan_read(
	struct flusher *flush, struct flush_plan *plan, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &flush->programs->device->info;
	enum pmpp_status status = PMPP_OK;

	if (flush->unusable)
		return PMPP_OK;
	if (!flush->buffers[0])
		status = make_region(flush, error);
	if (status == PMPP_BUILD || status == PMPP_UNSUPPORTED) {
		flush->unusable = true;
		programs_note(flush->programs,
			"%s: cold samples are taken without a cache flush: %s", info->name,
			error->message);
	}
	if (status == PMPP_OUT_OF_MEMORY || flush->unusable) {
		pmpp_error_clear(error);
		return PMPP_OK;
	}
	if (status == PMPP_OK) {
		uint64_t bytes = flush->buffers[0]->bytes;
		*plan = (struct flush_plan){FLUSH_READ, bytes, bytes >= flush_full_bytes(info)};
	}
	return status;
}

/* ---- The choice ---------------------------------------------------------------------------- */

static enum pmpp_status measure_read(
	struct flusher *flush, bool device_timer, struct pmpp_error *error)
{
	const struct interval_request request = {
		.batch = 1, .settled = true, .device_timer = device_timer};
	double best_ns = INFINITY;
	enum pmpp_status status = PMPP_OK;

	if (flush->read_ns > 0)
		return PMPP_OK;
	status = bind(flush, flush->buffers[0]->bytes, error);
	for (int i = 0; status == PMPP_OK && i < READS; i++) {
		struct interval interval;
		status = launch_interval(
			flush->programs->device, &flush->run, &request, &interval, error);
		if (status == PMPP_OK)
			best_ns = fmin(best_ns, interval.device_ns);
	}
	if (status == PMPP_OK)
		flush->read_ns = best_ns;
	return status;
}

/* On a CPU, limits the flush so that it takes no longer than the run. */
static enum pmpp_status limit_read(struct flusher *flush, const struct flush_request *request,
	struct flush_plan *plan, struct pmpp_error *error)
{
	uint64_t row_bytes = flush->buffers[1]->bytes;
	enum pmpp_status status = measure_read(flush, request->device_timer, error);
	uint64_t part = flush_part(plan->bytes, row_bytes, flush->read_ns, request->run_ns);

	if (status != PMPP_OK || part == plan->bytes)
		return status;
	*plan = (struct flush_plan){.kind = part ? FLUSH_READ : FLUSH_NONE, .bytes = part};
	return PMPP_OK;
}

/* Chooses how to flush the run on these operands, and creates the region if it is needed. The plan
 * is FLUSH_NONE if there is no memory for the region, or if its kernel fails. A failed kernel is
 * reported as a note. Fails like gpu_launch(). */
static enum pmpp_status flush_choose(struct flusher *flush, const struct operands *operands,
	const struct flush_request *request, struct flush_plan *ret_plan, struct pmpp_error *error)
{
	const struct gpu_device *device = operands->device;
	bool evicts = gpu_can_evict(device);
	const struct flush_plan evict = {FLUSH_EVICT, operands_held_bytes(operands), true};
	struct flush_plan plan = {.kind = FLUSH_NONE};
	enum pmpp_status status = PMPP_OK;

	/* Eviction and reading take about the same time per byte. */
	if (!evicts || evict.bytes > flush_full_bytes(&device->info))
		status = plan_read(flush, &plan, error);
	if (status == PMPP_OK && plan.kind == FLUSH_READ && gpu_shares_host_memory(&device->info))
		status = limit_read(flush, request, &plan, error);
	if (status == PMPP_OK)
		*ret_plan = evicts && !plan.complete ? evict : plan;
	return status;
}

/* Queues the flush; the plan is from flush_choose(), for the same operands. */
static enum pmpp_status flush_queue(struct flusher *flush, const struct operands *operands,
	const struct flush_plan *plan, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	switch (plan->kind) {
	case FLUSH_NONE:
		break;
	case FLUSH_READ:
		status = bind(flush, plan->bytes, error);
		return status == PMPP_OK ? launch_run(&flush->run, error) : status;
	case FLUSH_EVICT:
		for (size_t i = 0; status == PMPP_OK && i < MAX_BUFFERS; i++)
			if (operands->buffers[i])
				status = gpu_buffer_evict(operands->buffers[i], error);
		break;
	}
	return status;
}

/* ---- Memory -------------------------------------------------------------------------------- */

uint64_t flush_held_bytes(const struct flusher *flush)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < 2; i++)
		bytes += flush->buffers[i] ? flush->buffers[i]->bytes : 0;
	return bytes;
}

void flush_make_room(struct flusher *flush, uint64_t bytes)
{
	struct gpu_device *device = flush->programs->device;

	if (flush_held_bytes(flush) == 0)
		return;
	if (device->allocated_bytes + bytes > device->info.limits.global_bytes / 10 * 9 ||
		bytes > gpu_free_bytes(device))
		flush_release(flush);
}

void flush_release(struct flusher *flush)
{
	gpu_buffer_destroy(&flush->buffers[0]);
	gpu_buffer_destroy(&flush->buffers[1]);
	flush->run_bytes = 0;
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
#define MAX_BATCH 1000
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
	const struct interval_request request = {.batch = batch,
		.settled = settled,
		.device_timer = calibrator_device_timer(timed->timer->calibrator)};

	return launch_interval(
		timed->timer->operands->device, timed->run, &request, ret_interval, error);
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
	return status == PMPP_OK ? operands_poison(timed->timer->operands, TIMED_POISON, error)
				 : status;
}

static enum pmpp_status cold_sample(struct timed_run *timed, struct pmpp_error *error)
{
	struct interval interval;
	enum pmpp_status status = prepare_sample(timed, timed->flush.complete, error);

	if (status == PMPP_OK)
		status = flush_queue(
			timed->timer->flush, timed->timer->operands, &timed->flush, error);
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
	struct operands *operands = timed->timer->operands;
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
		const struct timer *timer = runs[i].timer;
		bool slow = false;
		if (runs[i].companion)
			continue;
		enum pmpp_status status = probe_run(
			timer->probe, calibrator_device_timer(timer->calibrator), &slow, error);
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
		timed->spent_ns += host_clock_ns() - start - launch_wake_up_ns(timed->run);
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
	const struct calibrator *calibrator = timed->timer->calibrator;

	return calibrator_device_timer(calibrator) ? calibrator->timer.timer_resolution_ns
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
	const struct timer *timer = timed->timer;
	const struct flush_request request = {.run_ns = timed->run_ns,
		.device_timer = calibrator_device_timer(timer->calibrator)};
	enum pmpp_status status = PMPP_OK;

	timed->flush = (struct flush_plan){.kind = FLUSH_NONE};
	if (timed->options->flush)
		status =
			flush_choose(timer->flush, timer->operands, &request, &timed->flush, error);
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
	       (calibrator_device_timer(timed->timer->calibrator) ? 0u : TIMING_HOST_CLOCK);
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
	record->ci95[0] = stats->ci95[0];
	record->ci95[1] = stats->ci95[1];
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
	return ok ? PMPP_OK : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the samples");
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

void timing_drop(struct timing_record *timing)
{
	record_finish(&timing_type, timing);
	timing->record.present = false;
}

static void finish_working(struct timed_run *timed)
{
	for (int kind = 0; kind < SAMPLE_KINDS; kind++)
		free(timed->sets[kind].ns);
	*timed = (struct timed_run){.timer = timed->timer,
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
