#include "common/families/histogram_groups.h"

#include "common/integers.h"

/* Limit for several copies: the least local memory that OpenCL's full profile allows. */
#define COPIES_BYTES (32 * 1024)

int64_t histogram_fine_groups(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_N], config_value(config, "BLOCK"));
}

int64_t histogram_coarse_groups(const struct config *config, const struct problem *problem)
{
	int64_t block = config_value(config, "BLOCK");
	int64_t bytes = problem->dim[DIM_N] * (int64_t)dtype_info(problem->dtype)->bytes;
	/* As many as the device holds at a time: more blocks would only merge more copies. */
	int64_t resident = config->shape.units * config->shape.unit_threads / block;

	return min(ceil_div(ceil_div(bytes, CHUNK_BYTES), block), resident > 1 ? resident : 1);
}

int64_t histogram_replicated_copies(const struct config *config, const struct problem *problem)
{
	int64_t copies = config_value(config, "COPIES");

	while (copies > 1 && copies > config->shape.lanes)
		copies /= 2;
	while (copies > 1 && copies * 4 * problem->dim[DIM_BINS] > COPIES_BYTES)
		copies /= 2;
	return copies;
}
