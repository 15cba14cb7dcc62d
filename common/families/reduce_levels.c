#include "common/families/reduce_levels.h"

#include "common/integers.h"

/* Maximum number of blocks of the coarse forms for each unit of the device. 8 blocks of 256 threads
 * fill a unit of 2048 threads. */
#define UNIT_BLOCKS 8
/* One block takes up to this many tiles: some iterations of its loop take less time than another
 * launch. */
#define ONE_BLOCK_TILES 4
/* Number of work-items of the form for CPUs. Each takes an equal share. */
#define CPU_GROUPS 64
#define VECTOR_ELEMENTS 4 /* of a 16-byte load */

static int64_t max_blocks(const struct config *config)
{
	return UNIT_BLOCKS * config->shape.units;
}

bool reduce_is_cpu_form(const struct config *config)
{
	return config->variant->needs & PMPP_CAP_OPENCL_CPU;
}

int64_t reduce_tile_elements(const struct config *config)
{
	return (int64_t)config_value(config, "BLOCK") * config_value_or(config, "LOADS", 1) *
	       config_value_or(config, "COARSE", 1) * config_value_or(config, "VECTORS", 1) *
	       (config_value_or(config, "VECTORS", 0) ? VECTOR_ELEMENTS : 1);
}

int64_t reduce_level_groups(const struct config *config, int64_t count)
{
	if (reduce_is_cpu_form(config))
		return count <= CPU_GROUPS * CPU_SPAN ? 1 : CPU_GROUPS;
	int64_t tiles = ceil_div(count, reduce_tile_elements(config));

	if (config_value_or(config, "LOADS", 0))
		return tiles;
	return tiles <= ONE_BLOCK_TILES ? 1 : min(tiles, max_blocks(config));
}

int64_t reduce_single_pass_groups(const struct config *config, const struct problem *problem)
{
	return min(ceil_div(problem->dim[0], reduce_tile_elements(config)), max_blocks(config));
}
