#include "common/model/floor.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>

#define PASS_BYTES 128.0      /* 32 banks of 4 bytes */
#define AGAIN_ITERATIONS 1000 /* enough if both sizes are nearly equal */
#define SHOWN_FLOORS 3
#define SHOWN_SHARE 0.01

const char *const floor_words[] = {
	[FLOOR_LAUNCH] = "launch",
	[FLOOR_MEMORY] = "memory",
	[FLOOR_L2] = "l2",
	[FLOOR_L1] = "l1",
	[FLOOR_SHARED] = "shared",
	[FLOOR_COMPUTE] = "compute",
	[FLOOR_TENSOR] = "tensor",
	[FLOOR_COUNT] = NULL,
};

const char *floor_gap_text(enum floor_gap gap)
{
	static const char *const texts[FLOOR_GAP_COUNT] = {
		[FLOOR_GAP_OPERATIONS] = "the number of operations is not known",
		[FLOOR_GAP_MEMORY] = "the bytes of device memory, or their rate, are not known",
		[FLOOR_GAP_RATE] = "the rate of a type of operations is not known",
		[FLOOR_GAP_UNCOUNTED] = "operations of library functions are not counted",
		[FLOOR_GAP_NONE] = NULL,
	};
	return texts[gap];
}

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

double floors_share(const struct floors *floors, double ns)
{
	return floors->largest < 0 || !(ns > 0) ? NAN : floors->ns[floors->largest] / ns;
}
