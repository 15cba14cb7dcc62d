#include "common/families/matmul_mma.h"

#include "common/families/matmul_answer.h"
#include "common/families/matmul_hopper.h"
#include "common/families/matmul_plans.h"
#include "common/integers.h"
#include "common/model/passes.h"

#define STEP_ROW_BYTES 32 /* of a row of A, in a step of k */
#define PASS_BYTES 128    /* of shared memory */

static int input_bytes(const struct config *config)
{
	return config_value(config, "INPUT_BITS") / 8;
}

/* Blocks, and warps of a block. */
static int64_t blocks_m(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_M], config_value(config, "TILE_M"));
}

static int64_t blocks_n(const struct config *config, const struct problem *problem)
{
	return ceil_div(problem->dim[DIM_N], config_value(config, "TILE_N"));
}

static int warps_of(const struct config *config)
{
	return config_value(config, "TILE_M") / MATMUL_MMA_WARP *
	       (config_value(config, "TILE_N") / MATMUL_MMA_WARP);
}

static int stage_bytes(const struct config *config)
{
	return (config_value(config, "TILE_M") + config_value(config, "TILE_N")) *
	       config_value(config, "TILE_K") * input_bytes(config);
}

/* The tiles are a static array, unless they need more shared memory than a block has without an
 * opt-in. */
static uint32_t opt_in_bytes(const struct config *config)
{
	int bytes = config_value(config, "STAGES") * stage_bytes(config);

	return bytes > MATMUL_STATIC_SHARED_BYTES ? (uint32_t)bytes : 0;
}

void matmul_plan_mma(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch = plan_add_grid(ret_plan, config, problem,
		blocks_m(config, problem) * blocks_n(config, problem),
		WARP_THREADS * warps_of(config), 1, PLAN_ARG_INT);

	launch->shared_bytes = opt_in_bytes(config);
	for (size_t operand = 0; operand < 3; operand++)
		plan_launch_add(
			launch, PLAN_ARG_INT, matmul_pitch_hopper(config, problem, operand));
}

/* mma.sync is defined for warps of 32 threads. Wider sub-groups have several of them. */
const char *matmul_domain_mma(const struct config *config, const struct problem *problem)
{
	(void)problem;
	return config->shape.lanes % WARP_THREADS == 0 ? NULL
						       : "mma.sync works on 32 threads of a warp";
}

/*
 * Copies go from the second-level cache to shared memory: no pass of the first-level cache. All blocks
 * copy whole tiles, also at the edge. Reads and copies have no bank conflicts. In a step of k, a warp
 * reads 32 bytes for each of its rows and columns. It reads one more step at the end. A lane stores 2
 * neighbours of a row of C at a time: a warp stores 8 rows x 4 pairs in f16, and 4 rows x 8 pairs in
 * TF32. In TF32, neighbouring lanes have neighbouring rows.
 */
void matmul_traffic_mma(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	bool half = input_bytes(config) == 2;
	int64_t m = problem->dim[DIM_M], n = problem->dim[DIM_N];
	int64_t row_bytes =
		matmul_pitch_hopper(config, problem, OPERAND_C) * (int64_t)sizeof(float);
	struct warp_lanes stores = {.lanes = 4,
		.rows = 8,
		.lane_bytes = half ? 8 : 2 * row_bytes,
		.row_bytes = half ? row_bytes : 8,
		.width_bytes = 8};
	double phases = (double)ceil_div(problem->dim[DIM_K], config_value(config, "TILE_K"));
	double steps = config_value(config, "TILE_K") * input_bytes(config) / STEP_ROW_BYTES;
	double reads = 2.0 * MATMUL_MMA_WARP * STEP_ROW_BYTES / PASS_BYTES;

	work->l1_passes = half ? passes_of_grid(&stores, ceil_div(n, 2), m)
			       : 2 * passes_of_grid(&stores, ceil_div(m, 2), ceil_div(n, 2));
	work->shared_passes = (double)(blocks_m(config, problem) * blocks_n(config, problem)) *
			      (phases * stage_bytes(config) / PASS_BYTES +
				      warps_of(config) * (phases * steps + 1) * reads);
	work->l2_bytes = config_bytes_issued(config, problem);
}
