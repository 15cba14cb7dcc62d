#include "common/model/floor.h"

#include "common/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define PASS_BYTES 128.0      /* 32 banks of 4 bytes */
#define AGAIN_ITERATIONS 1000 /* enough if both sizes are nearly equal */
#define SHOWN_FLOORS 3
#define SHOWN_SHARE 0.01

const char *const floor_words[] = {
#define XX(name, word) word,
	FLOOR_MAP(XX)
#undef XX
		NULL,
};

static const char *const gap_texts[FLOOR_GAP_COUNT] = {
	[FLOOR_GAP_OPERATIONS] = "the number of operations is not known",
	[FLOOR_GAP_MEMORY] = "the bytes of device memory, or their rate, are not known",
	[FLOOR_GAP_RATE] = "the rate of a type of operations is not known",
	[FLOOR_GAP_UNCOUNTED] = "operations of library functions are not counted",
	[FLOOR_GAP_NONE] = NULL,
};

struct floor_work floor_work_unknown(void)
{
	struct floor_work work = {
		.launches = 1,
		.bytes_read = NAN,
		.bytes_written = NAN,
		.l2_bytes = NAN,
		.l1_passes = NAN,
		.shared_passes = NAN,
	};

	for (int i = 0; i < OPERATIONS_COUNT; i++)
		work.operations[i] = NAN;
	return work;
}

static double launch_ns(const struct floor_work *work, const struct floor_rates *rates)
{
	double more = work->launches - 1;

	return rates->launch_ns + (more > 0 ? more * rates->next_launch_ns : 0);
}

/* Bytes of memory beyond what the cache holds. */
static double beyond_cache(double bytes, const struct floor_rates *rates)
{
	return fmax(0, bytes - fmax(0, rates->cache_bytes)); /* fmax() ignores NAN */
}

/* 1 - h of the header: the fraction of the bytes moved again that the cache no longer holds. The
 * iteration converges from 1: the map is increasing, and its slope at the result is below 1. */
static double again_fraction(const struct floor_work *work, const struct floor_rates *rates)
{
	double ratio = work->again_after / rates->cache_bytes;
	double fraction = 1;

	if (!(work->again_after > rates->cache_bytes)) /* also where the cache is unknown */
		return 0;
	for (int i = 0; i < AGAIN_ITERATIONS; i++)
		fraction = 1 - exp(-fraction * ratio);
	return fraction;
}

static double memory_ns(const struct floor_rates *rates, double bytes_read, double bytes_written)
{
	double read_gbps = isnan(rates->read_gbps) ? rates->copy_gbps : rates->read_gbps;
	/* A copy that is more than twice as fast as a read shows that one of them is wrong. */
	double written_each_ns = fmax(0, 2 / rates->copy_gbps - 1 / read_gbps);

	if (isnan(rates->copy_gbps) || isnan(bytes_written))
		return NAN; /* fmax() ignores NAN */
	return bytes_read / read_gbps + bytes_written * written_each_ns;
}

static void add_memory(
	const struct floor_work *work, const struct floor_rates *rates, struct floors *floors)
{
	double read = work->bytes_read, written = work->bytes_written;
	double again = again_fraction(work, rates);

	floors->uncached_ns = memory_ns(rates, read, written);
	if (isnan(floors->uncached_ns))
		return;
	if (rates->warm)
		read = beyond_cache(read, rates);
	read += again * (work->again_read + (rates->overfetches ? work->overfetched : 0));
	floors->ns[FLOOR_MEMORY] =
		memory_ns(rates, read, beyond_cache(written, rates) + again * work->again_written);
}

/* If the first-level cache is unknown, it may serve several multiprocessors and join accesses. Then
 * only the bytes of memory count. */
static double l2_ns(const struct floor_work *work, const struct floor_rates *rates)
{
	double bytes =
		rates->l1_is_shared ? work->l2_bytes : work->bytes_read + work->bytes_written;

	return bytes / rates->l2_gbps;
}

static void add_level1(
	const struct floor_work *work, const struct floor_rates *rates, struct floors *floors)
{
	double pass_ns = PASS_BYTES / rates->shared_gbps;
	double l1 = fmax(0, work->l1_passes);
	double shared = fmax(0, work->shared_passes) + work->idle_passes;

	if (!rates->l1_is_shared)
		floors->ns[FLOOR_SHARED] = work->shared_passes * pass_ns;
	else if (l1 > shared)
		floors->ns[FLOOR_L1] = (l1 + shared) * pass_ns;
	else if (!isnan(work->shared_passes))
		floors->ns[FLOOR_SHARED] = (l1 + shared) * pass_ns;
}

static void add_operations(
	const struct floor_work *work, const struct floor_rates *rates, struct floors *floors)
{
	for (int i = OPERATIONS_OF_DTYPE + 1; i < OPERATIONS_COUNT; i++) {
		bool tensor = i == OPERATIONS_TENSOR_F16 || i == OPERATIONS_TENSOR_TF32;
		double *ns = &floors->ns[tensor ? FLOOR_TENSOR : FLOOR_COMPUTE];

		*ns = fmax(*ns, work->operations[i] / rates->gops[i]); /* ignores NAN */
	}
}

static enum floor_gap gap_of(
	const struct floor_work *work, const struct floor_rates *rates, const struct floors *floors)
{
	enum floor_gap gap = FLOOR_GAP_OPERATIONS;

	if (isnan(floors->ns[FLOOR_MEMORY]))
		return FLOOR_GAP_MEMORY;
	for (int i = OPERATIONS_OF_DTYPE + 1; i < OPERATIONS_COUNT; i++) {
		if (work->operations[i] > 0 && isnan(rates->gops[i]))
			return FLOOR_GAP_RATE;
		if (!isnan(work->operations[i]))
			gap = FLOOR_GAP_NONE;
	}
	return gap == FLOOR_GAP_NONE && work->uncounted ? FLOOR_GAP_UNCOUNTED : gap;
}

struct floors floors_of(const struct floor_work *work, const struct floor_rates *rates)
{
	struct floors floors = {.largest = -1};

	for (int i = 0; i < FLOOR_COUNT; i++)
		floors.ns[i] = NAN;
	floors.ns[FLOOR_LAUNCH] = launch_ns(work, rates);
	add_memory(work, rates, &floors);
	floors.ns[FLOOR_L2] = l2_ns(work, rates);
	add_level1(work, rates, &floors);
	add_operations(work, rates, &floors);
	floors.gap = gap_of(work, rates, &floors);
	for (int i = 0; i < FLOOR_COUNT; i++)
		if (floors.ns[i] > (floors.largest < 0 ? 0 : floors.ns[floors.largest]))
			floors.largest = i;
	return floors;
}

void floors_text(const struct floors *floors, char *ret_text, size_t size)
{
	bool shown[FLOOR_COUNT] = {false};
	char time[32];
	int length = snprintf(ret_text, size, "%s", floors->largest < 0 ? "none is known" : "");

	for (int count = 0; count < SHOWN_FLOORS && length < (int)size; count++) {
		int next = -1;

		for (int i = 0; i < FLOOR_COUNT; i++)
			if (!shown[i] && floors->ns[i] > (next < 0 ? 0 : floors->ns[next]))
				next = i;
		if (next < 0 || floors->ns[next] < SHOWN_SHARE * floors->ns[floors->largest])
			return;
		shown[next] = true;
		format_ns(floors->ns[next], time, sizeof time);
		length += snprintf(ret_text + length, size - (size_t)length, "%s%s %s",
			count > 0 ? ", " : "", floor_words[next], time);
	}
}

/* ---- Limits --------------------------------------------------------------------------------- */

const char *const limited_by_words[LIMITED_BY_COUNT + 1] = {
	[LIMITED_BY_MEMORY] = "memory",
	[LIMITED_BY_COMPUTE] = "compute",
	[LIMITED_BY_LATENCY] = "latency",
	[LIMITED_BY_CACHE] = "cache",
	[LIMITED_BY_L2] = "l2",
	[LIMITED_BY_L1] = "l1",
	[LIMITED_BY_SHARED] = "shared",
	[LIMITED_BY_TENSOR] = "tensor",
	[LIMITED_BY_LAUNCH] = "launch",
};

const char *limited_by_name(enum limited_by limit)
{
	int index = (int)limit;

	return index < 0 || index >= LIMITED_BY_COUNT ? NULL : limited_by_words[index];
}

static enum limited_by of_resource(int resource)
{
	static const enum limited_by limits[FLOOR_COUNT] = {
#define XX(name, word) LIMITED_BY_##name,
		FLOOR_MAP(XX)
#undef XX
	};
	return resource < 0 ? LIMITED_BY_UNKNOWN : limits[resource];
}

enum limited_by limit_measured(const struct floors *floors, double ns, double *ret_share)
{
	bool known = floors->largest >= 0 && ns > 0;

	*ret_share = known ? floors->ns[floors->largest] / ns : NAN;
	if (isnan(*ret_share))
		return LIMITED_BY_UNKNOWN;
	if (*ret_share >= LIMIT_SHARE)
		return of_resource(floors->largest);
	if (floors->gap != FLOOR_GAP_NONE)
		return LIMITED_BY_UNKNOWN;
	if (!(floors->uncached_ns > ns))
		return LIMITED_BY_LATENCY;
	*ret_share = floors->uncached_ns / ns;
	return LIMITED_BY_CACHE;
}

/* ---- Work that was not measured ------------------------------------------------------------- */

/* devices[0] of docs/results/nvidia-h200/limits/run-cuda.json: roofs, timer and limits. The rates of
 * tensor cores are of docs/results/nvidia-h200/matmul/tensor-cuda.json: the first file is older than the
 * roof of wgmma. */
const struct roofline_device roofline_reference = {
	.name = "NVIDIA H200",
	.rates =
		{
			.launch_ns = 2848.0,
			.next_launch_ns = 1342.36,
			.copy_gbps = 4323.47,
			.read_gbps = 4448.43,
			.l2_gbps = 8582.10,
			.shared_gbps = 32461.1,
			.gops =
				{
					[OPERATIONS_OF_DTYPE] = NAN,
					[OPERATIONS_F32] = 65485.6,
					[OPERATIONS_F16] = 127454,
					[OPERATIONS_F64] = 32816.6,
					[OPERATIONS_TENSOR_F16] = 953915,
					[OPERATIONS_TENSOR_TF32] = 481329,
					[OPERATIONS_INTEGER] = 24581.8,
					[OPERATIONS_SPECIAL] = 4027.43,
				},
			.cache_bytes = 62914560,
			.overfetches = true,
			.l1_is_shared = true,
		},
	.multiprocessors = 132,
};

double roofline_ridge(const struct roofline_device *device)
{
	return device->rates.gops[OPERATIONS_F32] / device->rates.copy_gbps;
}

struct attainable roofline_at(const struct roofline_device *device, double intensity)
{
	double gflops = device->rates.gops[OPERATIONS_F32], gbps = device->rates.copy_gbps;

	return (struct attainable){fmin(gflops, intensity * gbps), fmin(gbps, gflops / intensity)};
}

/* Threads that a multiprocessor has at a time; NAN = unknown. */
static double threads_at_a_time(
	const struct roofline_device *device, const struct roofline_work *work)
{
	if (!device->multiprocessors)
		return NAN;
	/* fmin() ignores NAN. */
	return fmin(work->resident_threads, work->threads / (double)device->multiprocessors);
}

enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size)
{
	struct floors floors = floors_of(&work->floor, &device->rates);
	double threads = threads_at_a_time(device, work);
	enum limited_by limit = threads <= work->one_each      ? LIMITED_BY_LATENCY
				: floors.gap == FLOOR_GAP_NONE ? of_resource(floors.largest)
							       : LIMITED_BY_UNKNOWN;
	bool incomplete = limit == LIMITED_BY_UNKNOWN && floors.largest >= 0;
	char text[120];

	floors_text(&floors, text, sizeof text);
	if (limit == LIMITED_BY_LATENCY) /* too few threads */
		snprintf(ret_text, size,
			"%.3g threads per %s at %s: no more than a warp for each scheduler",
			threads, work->unit, work->where);
	else
		snprintf(ret_text, size, "%s%sfloors at %s: %s",
			incomplete ? gap_texts[floors.gap] : "", incomplete ? "; " : "",
			work->where, text);
	return limit;
}

/* ---- Certain floors ------------------------------------------------------------------------- */

double suspect_margin(bool is_gpu, bool doubtful)
{
	static const double margins[2][2] = {{4, 8}, {1.5, 3}};

	return margins[is_gpu][doubtful];
}

int suspect_floor(const struct floor_work *certain, const struct floor_rates *rates, double ns,
	double margin, double *ret_floor_ns)
{
	struct floor_rates only = *rates;

	only.warm = true;
	only.l2_gbps = only.shared_gbps = NAN;
	const struct floors floors = floors_of(certain, &only);

	if (floors.largest < 0 || !(floors.ns[floors.largest] > margin * ns))
		return -1;
	*ret_floor_ns = floors.ns[floors.largest];
	return floors.largest;
}
