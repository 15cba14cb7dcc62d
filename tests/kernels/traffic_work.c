#include "tests/kernels/traffic.h"

/* Numbers of problem_choose(): types x operations x kinds of data, the last fastest. */
enum {
	HISTOGRAM_U8_UNIFORM,
	HISTOGRAM_U8_SKEWED,
	HISTOGRAM_U8_CONSTANT,
	HISTOGRAM_U32_UNIFORM
};
enum {
	SOFTMAX_OUTLIERS,
	SOFTMAX_TAME
};
enum {
	OCCUPANCY_STREAM,
	OCCUPANCY_GATHER
};
enum {
	VECADD_F32,
	VECADD_F16,
	VECADD_U8
};

#define EXPECTED .within = 0.05 /* random addresses */
/* The traced build branches where GPUs select a value: parts of a warp load one after another. */
#define SELECTS .within = 0.18
#define RAGGED .ragged = true

const struct traffic_row traffic_work_rows[] = {
	{"divergence/branchy", {1 << 12}},
	{"divergence/branchy", {5003}, RAGGED},
	{"divergence/branchless", {1 << 12}},
	{"divergence/warp-aligned", {1 << 12}},
	{"divergence/warp-aligned", {5003}, RAGGED},
	{"divergence/uniform-branch", {1 << 12}},
	{"divergence/compiled-branch", {1 << 12}},
	{"divergence/ragged-loop", {1 << 12}},
	{"divergence/sorted-loop", {1 << 12}},
	{"divergence/sorted-loop", {5003}, RAGGED},

	{"instructions/fma", {1 << 12, 8}},
	{"instructions/add", {1 << 12, 8}},
	{"instructions/mul", {1 << 12, 8}},
	{"instructions/int-mul", {1 << 12, 8}},
	{"instructions/divide", {1 << 12, 8}},
	{"instructions/reciprocal-mul", {1 << 12, 8}},
	{"instructions/sqrt", {1 << 12, 8}},
	{"instructions/sin", {1 << 12, 8}},
	{"instructions/sin-native", {1 << 12, 8}},
	{"instructions/cos", {1 << 12, 8}},
	{"instructions/cos-native", {1 << 12, 8}},
	{"instructions/exp", {1 << 12, 8}},
	{"instructions/exp-native", {1 << 12, 8}},
	{"instructions/exp-product", {1 << 12, 8}},
	{"instructions/exp-sum", {1 << 12, 8}},
	{"instructions/f64-fma", {1 << 12, 8}},
	{"instructions/f16-fma", {1 << 12, 8}},
	{"instructions/constant-divergent", {1 << 12, 8}},
	{"instructions/constant-uniform", {1 << 12, 8}},
	/* The traced build loads a coefficient for each chain, although they have one index. */
	{"instructions/global-table", {1 << 12, 8}, .set = {{"CHAINS", 1}}},
	{"instructions/global-table", {3000, 300}, RAGGED, .set = {{"CHAINS", 1}}},
	{"instructions/fma", {3001, 8}, RAGGED},

	{"occupancy/block100", {100 * 41}},
	{"occupancy/block100", {4321}, RAGGED},
	{"occupancy/block100", {100 * 41}, .choice = OCCUPANCY_GATHER},
	{"occupancy/block96", {96 * 41}},
	{"occupancy/block128", {1 << 12}},
	{"occupancy/block128", {1 << 12}, .choice = OCCUPANCY_GATHER},
	{"occupancy/block256", {1 << 12}},
	{"occupancy/warps100", {400 * 11}},
	{"occupancy/warps128", {1 << 12}},
	{"occupancy/warps128", {5003}, RAGGED},
	{"occupancy/resident1", {1 << 12}},
	{"occupancy/resident2", {1 << 12}},
	{"occupancy/resident4", {1 << 12}},
	{"occupancy/resident8", {1 << 12}},
	{"occupancy/resident16", {1 << 12}},
	{"occupancy/unbounded", {1 << 13}},
	{"occupancy/bounded", {1 << 13}},
	{"occupancy/coarse1", {1 << 13}},
	{"occupancy/coarse2", {1 << 13}},
	{"occupancy/coarse4", {1 << 13}},
	{"occupancy/coarse8", {1 << 13}},
	{"occupancy/coarse16", {1 << 13}},
	{"occupancy/coarse16", {5003}, RAGGED},
	{"occupancy/tile-small", {1 << 13}},
	{"occupancy/tile-large", {1 << 15}},
	{"occupancy/tile-small", {5003}, RAGGED},

	{"grayscale/block16x16", {128, 64}},
	{"grayscale/block16x16", {320, 64}},
	{"grayscale/block16x16", {331, 61}, RAGGED},
	{"grayscale/block32x8", {128, 64}},
	{"grayscale/block32x8", {331, 61}, RAGGED},
	{"grayscale/coarse4", {128, 64}},
	{"grayscale/coarse4", {331, 61}, RAGGED},

	{"prefetch/plain", {1 << 17, 4}},
	{"prefetch/plain", {100003, 4}, RAGGED},
	{"prefetch/register", {1 << 17, 4}},
	{"prefetch/double-buffer", {1 << 17, 4}},
	{"prefetch/double-buffer", {100003, 4}, RAGGED},
	{"prefetch/async-copy", {1 << 17, 4}},

	{"latency/chase", {1 << 10, 64}},
	{"latency/chase", {(1 << 18) + 3, 1021}},
	{"latency/chains", {1 << 10, 64}},

	{"vecadd/fine", {1 << 12}},
	{"vecadd/fine", {1 << 12}, .choice = VECADD_F16},
	{"vecadd/fine", {5003}, RAGGED},
	{"vecadd/coarse2", {1 << 12}},
	{"vecadd/coarse2", {1 << 12}, .choice = VECADD_F16},
	{"vecadd/coarse4", {1 << 12}},
	{"vecadd/coarse4", {1 << 12}, .choice = VECADD_U8},
	{"vecadd/coarse4", {5003}, RAGGED},
	{"vecadd/grid-stride", {1 << 12}},
	{"vecadd/grid-stride", {5003}, RAGGED},
	{"vecadd/vector4", {1 << 12}},
	{"vecadd/vector4", {1 << 14}, .choice = VECADD_U8},
	{"vecadd/vector4", {5003}, RAGGED},
	{0},
};
