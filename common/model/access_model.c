#include "common/model/access_model.h"

#include <stddef.h>
#include <string.h>

/*
 * X(name, lanes of the GPU, sector bytes, line bytes, banks, bytes of a bank). The first one is the
 * default.
 *
 * Sources of the values:
 *   sm_90    NVIDIA: CUDA C++ Programming Guide, Device Memory Accesses and Shared Memory
 *   gfx942   AMD: ROCm, GPU hardware specifications (wavefront); ROCm Compute Profiler, vector L1
 *            cache (requests) and L2 cache (lines); CDNA3 ISA, Local Data Share
 *   gfx1100  AMD: ROCm, GPU hardware specifications (wavefront); RDNA white paper (lines); RDNA3
 *            ISA, Local Data Share (banks of a compute unit)
 *   xe-hpg   Intel: oneAPI GPU Optimization Guide, Sub-Groups and Shared Local Memory
 */
#define MODELS(X)                         \
	X("sm_90", 32, 32, 128, 32, 4)    \
	X("gfx942", 64, 64, 128, 32, 4)   \
	X("gfx1100", 32, 128, 128, 32, 4) \
	X("xe-hpg", 16, 64, 64, 16, 4)

#define LANES_COUNT 4 /* 8, 16, 32, 64 */

#define ROWS(name, gpu, ...)                                                       \
	{{name, 8, __VA_ARGS__}, {name, 16, __VA_ARGS__}, {name, 32, __VA_ARGS__}, \
		{name, 64, __VA_ARGS__}},
#define GPU_LANES(name, gpu, ...) gpu,
#define WORD(name, ...) name,

static const struct access_model models[][LANES_COUNT] = {MODELS(ROWS)};
static const uint32_t gpu_lanes[] = {MODELS(GPU_LANES)};
const char *const access_model_words[] = {MODELS(WORD) NULL};

#define MODEL_COUNT (sizeof models / sizeof *models)

const struct access_model *access_model_with_lanes(const struct access_model *model, uint32_t lanes)
{
	for (size_t i = 0; i < MODEL_COUNT; i++)
		for (size_t k = 0; k < LANES_COUNT; k++)
			if (strcmp(models[i][k].name, model->name) == 0 &&
				models[i][k].lanes == lanes)
				return &models[i][k];
	return NULL;
}

bool access_model_equal(const struct access_model *a, const struct access_model *b)
{
	return strcmp(a->name, b->name) == 0 && a->lanes == b->lanes &&
	       a->sector_bytes == b->sector_bytes && a->line_bytes == b->line_bytes &&
	       a->banks == b->banks && a->bank_bytes == b->bank_bytes;
}

const struct access_model *access_model_find(const char *name)
{
	for (size_t i = 0; i < MODEL_COUNT; i++)
		if (strcmp(models[i][0].name, name) == 0)
			return access_model_with_lanes(&models[i][0], gpu_lanes[i]);
	return NULL;
}

const struct access_model *access_model_default(void)
{
	return access_model_find(models[0][0].name);
}
