#include "common/model/access_model.h"

#include <stddef.h>
#include <string.h>

/*
 * X(name, lanes of the GPU, FAMILY). The first row is the default. Intel: the usual width of a
 * sub-group, which the compiler chooses for each kernel.
 */
#define MODELS(X)                    \
	X("sm_90", 32, SM_90)        \
	X("sm_75", 32, NVIDIA)       \
	X("sm_80", 32, NVIDIA)       \
	X("sm_86", 32, NVIDIA)       \
	X("sm_89", 32, NVIDIA)       \
	X("sm_100", 32, NVIDIA)      \
	X("sm_120", 32, NVIDIA)      \
	X("gfx900", 64, GCN)         \
	X("gfx906", 64, GCN)         \
	X("gfx908", 64, CDNA)        \
	X("gfx90a", 64, CDNA)        \
	X("gfx942", 64, CDNA)        \
	X("gfx950", 64, CDNA)        \
	X("gfx1010", 32, RDNA)       \
	X("gfx1011", 32, RDNA)       \
	X("gfx1012", 32, RDNA)       \
	X("gfx1030", 32, RDNA)       \
	X("gfx1031", 32, RDNA)       \
	X("gfx1032", 32, RDNA)       \
	X("gfx1034", 32, RDNA)       \
	X("gfx1035", 32, RDNA)       \
	X("gfx1036", 32, RDNA)       \
	X("gfx1100", 32, RDNA)       \
	X("gfx1101", 32, RDNA)       \
	X("gfx1102", 32, RDNA)       \
	X("gfx1103", 32, RDNA)       \
	X("gfx1150", 32, RDNA)       \
	X("gfx1151", 32, RDNA)       \
	X("gfx1152", 32, RDNA)       \
	X("gfx1153", 32, RDNA)       \
	X("gfx1200", 32, RDNA)       \
	X("gfx1201", 32, RDNA)       \
	X("gen9", 16, INTEL)         \
	X("xe-lp", 16, INTEL)        \
	X("xe-hpg", 16, INTEL)       \
	X("xe-hpc", 16, INTEL_LATER) \
	X("xe2", 16, INTEL_LATER)    \
	X("apple-m1", 32, APPLE)     \
	X("mali-g77", 16, MOBILE)    \
	X("adreno", 64, MOBILE)

/*
 * Bytes of a sector, bytes of a line, banks, bytes of a bank (0, 0: no source has the banks), whether
 * phases with paired lanes are one.
 * If no source has a smaller unit of traffic than a line, a sector is a line. Sources:
 *
 *   NVIDIA       CUDA C++ Programming Guide, Device Memory Accesses and Shared Memory: the same for
 *                all compute capabilities
 *   SM_90        the same; paired lanes: ncu on an H200, docs/explain.md, "Hardware that the model
 *                describes". Other compute capabilities were not measured
 *   GCN, CDNA    ROCm, GPU hardware specifications (wavefront); ROCm Compute Profiler, vector L1
 *                cache (requests) and L2 cache (lines); CDNA3 ISA, Local Data Share. The driver
 *                reports lines of 64 bytes for GCN and of 128 for CDNA2
 *   RDNA         ROCm, GPU hardware specifications (wavefront); RDNA white paper (lines); RDNA3
 *                ISA, Local Data Share (banks of a compute unit; a work-group processor has two
 *                such halves)
 *   INTEL        oneAPI GPU Optimization Guide, Sub-Groups and Shared Local Memory
 *   INTEL_LATER  the same for lines; the guide calls the number of banks device-dependent
 *   APPLE        philipturner/metal-benchmarks (width, lines)
 *   MOBILE       the drivers' CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE; width of Mali: Arm, of Adreno:
 *                Mesa, freedreno_devices.py. Mali keeps shared memory in global memory
 */
#define NVIDIA 32, 128, 32, 4, false
#define SM_90 32, 128, 32, 4, true
#define GCN 64, 64, 32, 4, false
#define CDNA 64, 128, 32, 4, false
#define RDNA 128, 128, 32, 4, false
#define INTEL 64, 64, 16, 4, false
#define INTEL_LATER 64, 64, 0, 0, false
#define APPLE 128, 128, 0, 0, false
#define MOBILE 64, 64, 0, 0, false

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
