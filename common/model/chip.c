#include "common/model/chip.h"

#include "common/model/access_model.h"

#include <string.h>

#define KIB 1024

/*
 * NVIDIA. Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
 * (threads and shared memory of a multiprocessor) and the tuning guides of the architectures (size
 * of the memory that holds the L1 and the shared memory). Sectors, lines and banks are the same for
 * all compute capabilities.
 */
#define NVIDIA_COMMON                                                           \
	.access = "sm_90", .widths = 32, .lanes = 32, .unit = "multiprocessor", \
	.shared_on_chip = true

#define SM(name_, threads, shared_kib, l1_kib, modelled_)                         \
	{                                                                         \
		.name = name_, .source = "CUDA Programming Guide", NVIDIA_COMMON, \
		.unit_threads = threads, .unit_shared_bytes = (shared_kib)*KIB,   \
		.l1_bytes = (l1_kib)*KIB, .modelled = modelled_                   \
	}

/*
 * AMD. Sources: LLVM, AMDGPUBaseInfo.cpp (waves of a SIMD, LDS); ROCm, "GPU architecture hardware
 * specifications" (wavefront, vector L1 or L0 cache); for lines the ROCm Compute Profiler's
 * description of MI200 and MI300, and the RDNA white paper.
 *
 * A compute unit has 4 SIMDs. GCN(name, waves of a SIMD, KiB of LDS, KiB of L1, ...)
 */
#define GCN(name_, waves, lds_kib, l1_kib, ...)                                              \
	{                                                                                    \
		.name = name_, .source = "LLVM, ROCm hardware specifications", .widths = 64, \
		.lanes = 64, .unit = "compute unit", .unit_threads = (waves)*4 * 64,         \
		.unit_shared_bytes = (lds_kib)*KIB, .l1_bytes = (l1_kib)*KIB,                \
		.shared_on_chip = true, .modelled = true, __VA_ARGS__                        \
	}

/* GCN5 and MI100: the LDS has 32 banks of 4 bytes, and caches transfer 64 bytes. */
#define GCN_MEMORY .sector_bytes = 64, .banks = 32, .bank_bytes = 4

/* A work-group processor has 2 compute units with 2 SIMDs and one L0 cache each. The figures are
 * those of waves of 32. RDNA(name, waves of a SIMD, KiB of an L0) */
#define RDNA(name_, waves, l0_kib, ...)                                                          \
	{                                                                                        \
		.name = name_, .source = "LLVM, ROCm hardware specifications, RDNA white paper", \
		.access = "gfx1100", .widths = 32 | 64, .lanes = 32,                             \
		.unit = "work-group processor", .part = "compute unit", .parts = 2,              \
		.unit_threads = (waves)*4 * 32, .unit_shared_bytes = 128 * KIB,                  \
		.l1_bytes = 2 * (l0_kib)*KIB, .shared_on_chip = true, .modelled = true           \
	}

/*
 * Intel. Sources: the table of Intel's GPU Occupancy Calculator (oneapi-src/oneAPI-samples,
 * Tools/GPU-Occupancy-Calculator: EUs, threads, SLM, sub-groups); oneAPI GPU Optimization Guide
 * (banks and lines); for sub-group sizes also intel/compute-runtime. Every list of sub-group sizes
 * has 16, so 16 is the usual width. The threads of a unit are those of kernels with this width.
 *
 * XE(name, unit, widths, EUs, threads of an EU, KiB of SLM, ...)
 */
#define XE(name_, unit_, widths_, eus, threads, slm_kib, ...)                                 \
	{                                                                                     \
		.name = name_, .source = "Intel GPU Occupancy Calculator", .widths = widths_, \
		.lanes = 16, .unit = unit_, .part = "EU", .parts = eus,                       \
		.unit_threads = (eus) * (threads)*16, .unit_shared_bytes = (slm_kib)*KIB,     \
		.shared_on_chip = true, .modelled = true, __VA_ARGS__                         \
	}

/* The banks of the SLM of Xe-HPC and Xe2 are not published. */
#define XE_MEMORY .sector_bytes = 64, .line_bytes = 64

/*
 * Arm. Sources: Arm GPU data sheet (warps); drivers report lines of 64 bytes, and that local memory
 * is in global memory. A core reports as one compute unit.
 */
#define MALI(name_, lanes_)                                                                 \
	{                                                                                   \
		.name = name_, .source = "Arm GPU data sheet", .sector_bytes = 64,          \
		.line_bytes = 64, .widths = lanes_, .lanes = lanes_, .unit = "shader core", \
		.shared_in_memory = true                                                    \
	}

/*
 * Qualcomm. Source: Mesa, src/freedreno (threads of a wave, which large kernels cannot double).
 * Drivers report 128 as the preferred multiple on Adreno 6xx, and lines of 64 bytes.
 */
#define ADRENO(name_, widths_, lanes_)                                                            \
	{                                                                                         \
		.name = name_, .source = "Mesa, freedreno", .sector_bytes = 64, .line_bytes = 64, \
		.widths = widths_, .lanes = lanes_, .unit = "shader processor",                   \
		.shared_on_chip = true                                                            \
	}

const struct chip chips[] = {
	SM("sm_75", 1024, 64, 96, true),
	SM("sm_80", 2048, 164, 192, true),
	SM("sm_86", 1536, 100, 128, true),
	SM("sm_87", 1536, 164, 192, false),
	SM("sm_89", 1536, 100, 128, true),
	SM("sm_90", 2048, 228, 256, true),
	SM("sm_100", 2048, 228, 256, true),
	SM("sm_120", 1536, 100, 128, true),
	/* Any other compute capability. */
	{.name = "sm", .source = "CUDA Programming Guide", NVIDIA_COMMON},
	GCN("gfx900", 10, 64, 16, GCN_MEMORY, .line_bytes = 64),
	GCN("gfx906", 10, 64, 16, GCN_MEMORY, .line_bytes = 64),
	GCN("gfx908", 10, 64, 16, GCN_MEMORY),
	GCN("gfx90a", 8, 64, 16, .access = "gfx942"),
	GCN("gfx942", 8, 64, 32, .access = "gfx942"),
	GCN("gfx950", 8, 160, 32, .access = "gfx942"),
	RDNA("gfx1010", 20, 16),
	RDNA("gfx1011", 20, 16),
	RDNA("gfx1012", 20, 16),
	RDNA("gfx1030", 16, 16),
	RDNA("gfx1031", 16, 16),
	RDNA("gfx1032", 16, 16),
	RDNA("gfx1034", 16, 16),
	RDNA("gfx1035", 16, 16),
	RDNA("gfx1036", 16, 16),
	RDNA("gfx1100", 16, 32),
	RDNA("gfx1101", 16, 32),
	RDNA("gfx1102", 16, 32),
	RDNA("gfx1103", 16, 32),
	RDNA("gfx1150", 16, 32),
	RDNA("gfx1151", 16, 32),
	RDNA("gfx1152", 16, 32),
	RDNA("gfx1153", 16, 32),
	RDNA("gfx1200", 16, 32),
	RDNA("gfx1201", 16, 32),
	XE("gen9", "sub-slice", 8 | 16 | 32, 8, 7, 64, .access = "xe-hpg"),
	XE("xe-lp", "dual sub-slice", 8 | 16 | 32, 16, 7, 64, .access = "xe-hpg"),
	XE("xe-hpg", "Xe core", 8 | 16 | 32, 16, 8, 128, .access = "xe-hpg"),
	XE("xe-hpc", "Xe core", 16 | 32, 8, 8, 128, XE_MEMORY),
	XE("xe2", "Xe core", 16 | 32, 8, 8, 128, XE_MEMORY),
	/* Apple. Sources: philipturner/metal-benchmarks (lines, caches, memory of a core); Mesa,
	 * src/asahi (threads of a core with at most 104 half registers). From M3 on the registers
	 * and the shared memory of a core are parts of one cache, so only the width is known. */
	{.name = "apple-m1",
		.source = "metal-benchmarks, Mesa",
		.sector_bytes = 128,
		.line_bytes = 128,
		.widths = 32,
		.lanes = 32,
		.unit = "core",
		.unit_threads = 1024,
		.unit_shared_bytes = 60 * KIB,
		.l1_bytes = 8 * KIB,
		.shared_on_chip = true},
	{.name = "apple-m3",
		.source = "Apple's OpenCL (preferred multiple), metal-benchmarks",
		.sector_bytes = 128,
		.line_bytes = 128,
		.widths = 32,
		.lanes = 32,
		.unit = "core",
		.shared_on_chip = true},
	MALI("mali-g71", 4),
	MALI("mali-g76", 8),
	MALI("mali-g77", 16),
	ADRENO("adreno-5xx", 32 | 64, 0),
	ADRENO("adreno-6xx", 64 | 128, 128),
	ADRENO("adreno-7xx", 64 | 128, 128),
};
const size_t chip_count = sizeof chips / sizeof *chips;

const struct chip *chip_of_name(const char *name)
{
	for (size_t i = 0; i < chip_count; i++)
		if (strcmp(chips[i].name, name) == 0)
			return &chips[i];
	return NULL;
}

/* ---- Figures ------------------------------------------------------------------------------- */

static void set(struct device_shape *shape, enum shape_id id, uint32_t value, const char *source)
{
	if (value > 0)
		shape_set(shape, id, value, SHAPE_TABLE, source);
}

void chip_fill(const struct chip *chip, struct device_shape *shape)
{
	const struct access_model *model = access_model_find(chip->name);
	const char *source = chip->source;

	if (!model && chip->access)
		model = access_model_find(chip->access);
	set(shape, SHAPE_LANES, chip->lanes, source);
	set(shape, SHAPE_SECTOR, model ? model->sector_bytes : chip->sector_bytes, source);
	set(shape, SHAPE_LINE, model ? model->line_bytes : chip->line_bytes, source);
	set(shape, SHAPE_BANKS, model ? model->banks : chip->banks, source);
	set(shape, SHAPE_BANK_BYTES, model ? model->bank_bytes : chip->bank_bytes, source);
	set(shape, SHAPE_UNIT_THREADS, chip->unit_threads, source);
	set(shape, SHAPE_UNIT_SHARED, chip->unit_shared_bytes, source);
	set(shape, SHAPE_L1, chip->l1_bytes, source);
	if (chip->shared_on_chip || chip->shared_in_memory)
		shape_set(shape, SHAPE_SHARED_ON_CHIP, chip->shared_on_chip, SHAPE_TABLE, source);
	shape_set_widths(shape, chip->widths);
	shape->unit = chip->unit;
	shape->part = chip->part;
	shape->parts = chip->parts;
	shape->model = chip->modelled ? chip->name : NULL;
}

int64_t chip_units(const struct chip *chip, int64_t reported, bool of_parts)
{
	int64_t parts = of_parts && chip->parts > 1 ? chip->parts : 1;

	return reported <= 0 ? 0 : (reported + parts - 1) / parts;
}
