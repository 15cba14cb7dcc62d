/* Rungs of matmul for compute capability 9.0: only GPUs run them. The sizes have two tiles along each
 * side and a part of a step. */
#include "host/selftest/mutants.h"

const struct mutant mutants_hopper[] = {
	{"unchanged", "matmul", "bulk-copies", ON_DEVICES, {130, 150, 43}, PASSES},
	{"dropped last term", "matmul", "bulk-copies", ON_DEVICES, {130, 150, 43}, REJECTED,
		"else if (kk < k &&", "else if (kk < k - 1 &&"},
	{"neighbours of A exchanged", "matmul", "bulk-copies", ON_DEVICES, {130, 150, 43}, REJECTED,
		"k0 + x + 1 < k ? quad.y", "k0 + x + 1 < k ? quad.x"},
	{"a tile of the first step of A in each step", "matmul", "bulk-copies", ON_DEVICES,
		{130, 150, 83}, REJECTED, "tile_row * all.steps + from,", "tile_row * all.steps,"},
	{"unchanged", "matmul", "best", ON_CUDA, {130, 270, 43}, PASSES},
	{"columns of A exchanged", "matmul", "best", ON_CUDA, {130, 270, 43}, REJECTED,
		"make_float4(tile[y + i][x], tile[y + i][x + 1]", NULL,
		"make_float4(tile[y + i][x + 1], tile[y + i][x]"},
	{"the tile of B of the step before", "matmul", "best", ON_CUDA, {130, 270, 43}, REJECTED,
		"column * TILE_N, step * TILE_K);", NULL, "column * TILE_N, (step - 1) * TILE_K);"},
	{"unchanged", "matmul", "f16-wgmma", ON_CUDA, {130, 270, 43}, PASSES},
	{"a part of A of another step", "matmul", "f16-wgmma", ON_CUDA, {130, 270, 43}, REJECTED,
		"matrix_a + 2", NULL, "matrix_a + 4"},
	{"unchanged", "matmul", "tf32-wgmma", ON_CUDA, {270, 130, 43}, PASSES},
	{"a part of A of another step", "matmul", "tf32-wgmma", ON_CUDA, {270, 130, 43}, REJECTED,
		"matrix_a + 2", NULL, "matrix_a + 4"},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL, 0},
};
