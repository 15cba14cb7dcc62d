#include "common/families/histogram_traffic.h"

#include "common/families/histogram_groups.h"
#include "common/families/traffic.h"
#include "common/integers.h"
#include "common/model/passes.h"
#include "common/model/random_passes.h"

#include <math.h>

/* Passes of an atomic addition of a warp. There are `copies` copies of the counters, and lane l
 * uses copy l modulo `copies`. Only uniform data are spread over all bins. Skewed values use
 * a few neighbouring bins, which are in different banks. Data from files may be constant. */
static double addition_passes(const struct problem *problem, int64_t copies)
{
	int lanes = WARP_THREADS / (int)copies;

	if (problem->data != DATA_UNIFORM || problem->source == INPUT_USER)
		return 1;
	return random_passes(lanes, lanes, problem->dim[DIM_BINS], (int)copies);
}

/* The fraction of the values that are equal to the value before. 0 for skewed data, because the
 * lanes of a warp never have such a value all at the same time. */
static double repeated(const struct problem *problem)
{
	if (problem->data == DATA_CONSTANT || problem->source == INPUT_USER)
		return 1;
	return problem->data == DATA_UNIFORM ? 1 / (double)problem->dim[DIM_BINS] : 0;
}

/* Passes of one access of a block to all counters of a copy. */
static double sweep_passes(const struct problem *problem)
{
	return passes_count_warps(problem->dim[DIM_BINS]);
}

static int64_t chunks(const struct problem *problem)
{
	return problem->dim[DIM_N] * (int64_t)dtype_info(problem->dtype)->bytes / CHUNK_BYTES;
}

void histogram_traffic_global(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	(void)config;
	traffic_set(work, passes_count_warps(problem->dim[DIM_N]), 0);
}

/* Three parts: the zeros, the values, the merge. */
void histogram_traffic_private(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)histogram_fine_groups(config, problem);
	double values = passes_count_warps(problem->dim[DIM_N]);

	traffic_set(work, values,
		2 * groups * sweep_passes(problem) + values * addition_passes(problem, 1));
}

/* Passes of the loads of 16 bytes by all threads, with a stride of chunk_stride chunks. */
static double chunk_passes(const struct problem *problem, int64_t chunk_stride)
{
	const struct warp_lanes lanes = {.lanes = WARP_THREADS,
		.rows = 1,
		.lane_bytes = CHUNK_BYTES * chunk_stride,
		.width_bytes = CHUNK_BYTES};

	return passes_of_grid(&lanes, chunks(problem), 1);
}

void histogram_traffic_coarse(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t groups = histogram_coarse_groups(config, problem);
	int64_t run = ceil_div(chunks(problem), groups * config_value(config, "BLOCK"));

	traffic_set(work, chunk_passes(problem, config_value(config, "INTERLEAVED") ? 1 : run),
		2 * (double)groups * sweep_passes(problem) +
			passes_count_warps(problem->dim[DIM_N]) * addition_passes(problem, 1));
}

/* A value is added when another one follows, and each thread adds its last value. */
void histogram_traffic_aggregated(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t groups = histogram_coarse_groups(config, problem);
	int64_t threads = min(groups * config_value(config, "BLOCK"), chunks(problem));
	double same = repeated(problem);
	double additions = passes_count_warps(problem->dim[DIM_N]) * (1 - same) +
			   passes_count_warps(threads) * same;

	traffic_set(work, chunk_passes(problem, 1),
		2 * (double)groups * sweep_passes(problem) +
			additions * addition_passes(problem, 1));
}

/* The merge loads a counter of each copy: lane l takes bin l, and begins with copy l modulo copies.
 * Lanes that take the same copy share a bank if their bins are a multiple of 32 / copies apart. */
void histogram_traffic_replicated(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)histogram_coarse_groups(config, problem);
	int64_t copies = histogram_replicated_copies(config, problem);
	double zeros = passes_count_warps(copies * problem->dim[DIM_BINS]);
	double merge =
		sweep_passes(problem) * (double)(copies * min(copies, WARP_THREADS / copies));

	traffic_set(work, chunk_passes(problem, 1),
		groups * (zeros + merge) +
			passes_count_warps(problem->dim[DIM_N]) * addition_passes(problem, copies));
}
