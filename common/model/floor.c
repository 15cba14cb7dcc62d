#include "common/model/floor.h"

#include <math.h>

#define PASS_BYTES 128.0 /* 32 banks of 4 bytes */

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

/* The least fraction of the bytes moved again that the cache cannot hold. */
static double again_fraction(const struct floor_work *work, const struct floor_rates *rates)
{
	return work->again_after > rates->cache_bytes ? 1 - rates->cache_bytes / work->again_after
						      : 0; /* also where the cache is unknown */
}

static double memory_ns(const struct floor_work *work, const struct floor_rates *rates)
{
	double read_gbps = isnan(rates->read_gbps) ? rates->copy_gbps : rates->read_gbps;
	double written_each_ns = 2 / rates->copy_gbps - 1 / read_gbps;
	double read = work->bytes_read;
	double again = again_fraction(work, rates);

	if (rates->warm)
		read = isnan(read) ? NAN : beyond_cache(read, rates);
	if (isnan(work->bytes_written))
		return NAN;
	/* A copy that is more than twice as fast as a read shows that one of them is wrong. */
	return (read + again * work->again_read) / read_gbps +
	       (beyond_cache(work->bytes_written, rates) + again * work->again_written) *
		       fmax(0, written_each_ns);
}

static void add_level1(
	const struct floor_work *work, const struct floor_rates *rates, struct floors *floors)
{
	double pass_ns = PASS_BYTES / rates->shared_gbps;
	double l1 = fmax(0, work->l1_passes), shared = fmax(0, work->shared_passes);

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

struct floors floors_of(const struct floor_work *work, const struct floor_rates *rates)
{
	struct floors floors = {.largest = -1};

	for (int i = 0; i < FLOOR_COUNT; i++)
		floors.ns[i] = NAN;
	floors.ns[FLOOR_LAUNCH] = launch_ns(work, rates);
	floors.ns[FLOOR_MEMORY] = memory_ns(work, rates);
	floors.ns[FLOOR_L2] = work->l2_bytes / rates->l2_gbps;
	add_level1(work, rates, &floors);
	add_operations(work, rates, &floors);
	for (int i = 0; i < FLOOR_COUNT; i++)
		if (floors.ns[i] > (floors.largest < 0 ? 0 : floors.ns[floors.largest]))
			floors.largest = i;
	return floors;
}

double floors_share(const struct floors *floors, double ns)
{
	return floors->largest < 0 || !(ns > 0) ? NAN : floors->ns[floors->largest] / ns;
}
