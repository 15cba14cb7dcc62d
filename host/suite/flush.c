#include "host/suite/flush.h"

#include "common/data.h"
#include "host/suite/device.h"
#include "host/suite/roof_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
	struct program_entry *entry;
	struct plan plan;
	const struct program_request request = {.config = &flush->config, .problem = &problem};
	enum pmpp_status status = PMPP_OK;

	if (flush->run_bytes == bytes)
		return PMPP_OK;
	problem.dim[0] = (int64_t)(bytes / sizeof(float));
	config_plan(&flush->config, &problem, &plan);
	status = programs_get(flush->programs, &request, &entry, error);
	if (status == PMPP_OK)
		status = launch_bind(entry, &plan, flush->buffers, &flush->run, error);
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
	struct gpu_device *device = flush->programs->device;
	int64_t outputs = outputs_of(info);
	struct roof_row row;
	enum pmpp_status status = PMPP_OK;

	if (!roof_row_of(info, ROOF_READ, &row))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the device has no kernel for the flush");
	flush->config = row.config;
	flush->problem = row.problem;
	flush->problem.dim[0] = elements_of(info, CHUNK_ROWS * outputs);
	flush->problem.dim[1] = outputs;
	flush->problem.dim[2] = 1; /* pass */
	for (size_t i = 0; status == PMPP_OK && i < 2; i++)
		status = gpu_buffer_create(device,
			operand_bytes(&flush->problem.family->operands[i], &flush->problem), 0,
			&flush->buffers[i], error);
	return status;
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
	const struct programs *programs = flush->programs;
	const struct gpu_device_info *info = &programs->device->info;
	enum pmpp_status status = PMPP_OK;
	char text[sizeof info->name + sizeof error->message + 64];

	if (flush->unusable)
		return PMPP_OK;
	if (!flush->buffers[0])
		status = make_region(flush, error);
	if (status == PMPP_BUILD || status == PMPP_UNSUPPORTED) {
		flush->unusable = true;
		snprintf(text, sizeof text, "%s: cold samples are taken without a cache flush: %s",
			info->name, error->message);
		if (programs->note)
			programs->note(programs->note_context, text);
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

enum pmpp_status flush_choose(struct flusher *flush, const struct operands *operands,
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

enum pmpp_status flush_queue(struct flusher *flush, const struct operands *operands,
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
