#include "common/families/reduce_traffic.h"

#include "common/families/reduce_levels.h"
#include "common/families/traffic.h"
#include "common/integers.h"
#include "common/model/passes.h"

#include <math.h>

/* ORDER of tree.cu. Other kernels fold in sequential order. */
enum {
	ORDER_INTERLEAVED = 1,
	ORDER_STRIDED,
	ORDER_SEQUENTIAL
};

/* Warps of a block that fold, summed over the rounds; a bank conflict counts as more warps. */
static double tree_warps(const struct config *config)
{
	int block = config_value(config, "BLOCK");
	int order = config_value_or(config, "ORDER", ORDER_SEQUENTIAL);
	double warps = 0;

	if (order == ORDER_SEQUENTIAL)
		return traffic_tree_warps(block, block);
	for (int stride = 1; stride < block; stride *= 2) {
		int threads = block / (2 * stride);
		struct warp_lanes lanes = {.lanes = (int)min(threads, WARP_THREADS),
			.rows = 1,
			.lane_bytes = 8 * stride};

		if (order == ORDER_STRIDED)
			warps += passes_count_warps(threads) * passes_of_warp(&lanes);
		else /* the threads are spread over as many warps as possible */
			warps += (double)min(threads, block / WARP_THREADS);
	}
	return warps;
}

/* Each thread stores its value. Each fold loads two values and stores one. One thread loads the
 * result. */
static double tree_passes(const struct config *config)
{
	return config_value(config, "BLOCK") / WARP_THREADS + 3 * tree_warps(config) + 1;
}

/* The same accesses by the warps that do not fold, in the rounds in which at least `min_threads`
 * threads fold. */
static double idle_passes(const struct config *config, int64_t min_threads)
{
	int block = config_value(config, "BLOCK");
	bool interleaved = config_value_or(config, "ORDER", ORDER_SEQUENTIAL) == ORDER_INTERLEAVED;
	double warps = 0;

	for (int64_t threads = block / 2; threads >= min_threads; threads /= 2) {
		double busy = interleaved ? (double)min(threads, block / WARP_THREADS)
					  : passes_count_warps(threads);
		warps += (double)block / WARP_THREADS - busy;
	}
	return 3 * warps;
}

/* Passes of all levels. Accesses of 16 bytes take as many passes for their bytes as those of 4. */
static void set_traffic(const struct config *config, const struct problem *problem,
	double block_passes, double idle, struct floor_work *work)
{
	int64_t count = problem->dim[0];
	double l1 = 0, shared = 0;

	do {
		int64_t groups = reduce_level_groups(config, count);

		l1 += passes_count_warps(count) + (double)groups;
		shared += block_passes * (double)groups;
		work->idle_passes += idle * (double)groups;
		count = groups;
	} while (count > 1);
	traffic_set(work, l1, shared);
}

void reduce_traffic_tree(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, tree_passes(config), idle_passes(config, 1), work);
}

/* The last fold stores nothing, and its sum is the result. One warp executes the last rounds. */
void reduce_traffic_unrolled(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(
		config, problem, tree_passes(config) - 2, idle_passes(config, WARP_THREADS), work);
}

/* Shared memory holds one value per warp. */
void reduce_traffic_shuffle(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	set_traffic(config, problem, config_value(config, "BLOCK") / WARP_THREADS + 1, 0, work);
}

/* All warps of a block read the flag of the last block. The last block runs a second tree. */
void reduce_traffic_single_pass(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	double groups = (double)reduce_single_pass_groups(config, problem);
	double tree = tree_passes(config);
	double flag = 1 + config_value(config, "BLOCK") / WARP_THREADS;

	traffic_set(work,
		passes_count_warps(problem->dim[0]) + groups + ceil(groups / WARP_THREADS) + 1,
		groups * (tree + flag) + tree);
}
