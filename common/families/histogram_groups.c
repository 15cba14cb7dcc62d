#include "common/families/histogram_groups.h"

#include "common/integers.h"

#define COPIES_BYTES (32 * 1024) /* limit for several copies: some devices have only this */

/* Maximum number of threads of the coarse variants: 132 multiprocessors hold 2048 threads each.
 * More blocks would only merge more copies. */
#define COARSE_THREADS (132 * 2048)

int64_t histogram_fine_groups(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_N], config_value(config, "BLOCK"));
}

int64_t histogram_coarse_groups(const struct config *config, const struct problem *problem)
{
	int64_t block = config_value(config, "BLOCK");
	int64_t bytes = problem->dim[DIM_N] * (int64_t)dtype_info(problem->dtype)->bytes;

	return min(ceil_div(ceil_div(bytes, CHUNK_BYTES), block), COARSE_THREADS / block);
}

int64_t histogram_replicated_copies(const struct config *config, const struct problem *problem)
{
	int64_t copies = config_value(config, "COPIES");

	while (copies > 1 && copies * 4 * problem->dim[DIM_BINS] > COPIES_BYTES)
		copies /= 2;
	return copies;
}
