#include "common/model/chip.h"

#include "common/model/access_model.h"
#include "common/model/occupancy_table.h"

#include <string.h>

#define KIB 1024

/* A chip with a row in both models. ROW(name, KiB of the L1 of a unit, .source = ..., ...) */
#define ROW(name_, l1_kib, ...)                                                           \
	{                                                                                 \
		.name = name_, .access = name_, .model = name_, .l1_bytes = (l1_kib)*KIB, \
		.shared_on_chip = true, __VA_ARGS__                                       \
	}

/* NVIDIA: the L1 and the shared memory are one memory. Its size: the tuning guides of the
 * architectures. */
#define SM(name, l1_kib) ROW(name, l1_kib, .source = "CUDA Programming Guide")
#define SM_OTHER                                                                          \
	.source = "CUDA Programming Guide", .access = "sm_90", .widths = 32, .lanes = 32, \
	.unit = "multiprocessor", .shared_on_chip = true

/* AMD: the L1 of a compute unit, and the L0 of both compute units of a work-group processor. Source:
 * ROCm, "GPU architecture hardware specifications". */
#define AMD_SOURCES "LLVM, ROCm hardware specifications"
#define GCN(name, l1_kib) ROW(name, l1_kib, .source = AMD_SOURCES)
#define RDNA(name, l0_kib) \
	ROW(name, 2 * (l0_kib), .source = AMD_SOURCES, .part = "compute unit", .parts = 2)

/* Intel: every list of sub-group sizes has 16, so 16 is the usual width. The threads of a unit are
 * those of kernels with this width. */
#define XE(name) ROW(name, 0, .source = "Intel GPU Occupancy Calculator", .part = "EU")

/* Arm. Source: Arm GPU data sheet (warps). Drivers report that local memory is in global memory, and
 * report a core as one compute unit. */
#define MALI(name_, model_, lanes_)                                                        \
	{                                                                                  \
		.name = name_, .source = "Arm GPU data sheet", .access = "mali-g77",       \
		.model = model_, .widths = lanes_, .lanes = lanes_, .unit = "shader core", \
		.shared_in_memory = true                                                   \
	}

/* Qualcomm. Source: Mesa, src/freedreno (threads of a wave; only small kernels can have waves
 * of twice the width). Drivers report 128 as the preferred multiple on Adreno 6xx. */
#define ADRENO(name_, model_, widths_, lanes_)                                                   \
	{                                                                                        \
		.name = name_, .source = "Mesa, freedreno", .access = "adreno", .model = model_, \
		.widths = widths_, .lanes = lanes_, .unit = "shader processor",                  \
		.shared_on_chip = true                                                           \
	}

const struct chip chips[] = {
	SM("sm_75", 96),
	SM("sm_80", 192),
	SM("sm_86", 128),
	SM("sm_89", 128),
	SM("sm_90", 256),
	SM("sm_100", 256),
	SM("sm_120", 128),
	{.name = "sm_87",
		SM_OTHER,
		.unit_threads = 1536,
		.unit_shared_bytes = 164 * KIB,
		.l1_bytes = 192 * KIB},
	/* Any other compute capability. */
	{.name = "sm", SM_OTHER},
	GCN("gfx900", 16),
	GCN("gfx906", 16),
	GCN("gfx908", 16),
	GCN("gfx90a", 16),
	GCN("gfx942", 32),
	GCN("gfx950", 32),
	RDNA("gfx1010", 16),
	RDNA("gfx1011", 16),
	RDNA("gfx1012", 16),
	RDNA("gfx1030", 16),
	RDNA("gfx1031", 16),
	RDNA("gfx1032", 16),
	RDNA("gfx1034", 16),
	RDNA("gfx1035", 16),
	RDNA("gfx1036", 16),
	RDNA("gfx1100", 32),
	RDNA("gfx1101", 32),
	RDNA("gfx1102", 32),
	RDNA("gfx1103", 32),
	RDNA("gfx1150", 32),
	RDNA("gfx1151", 32),
	RDNA("gfx1152", 32),
	RDNA("gfx1153", 32),
	RDNA("gfx1200", 32),
	RDNA("gfx1201", 32),
	XE("gen9"),
	XE("xe-lp"),
	XE("xe-hpg"),
	XE("xe-hpc"),
	XE("xe2"),
	/* Apple. Sources: philipturner/metal-benchmarks (caches, memory of a core); Mesa, src/asahi
	 * (threads of a core with at most 104 half registers). From M3 on the registers and the
	 * shared memory of a core are parts of one cache, so these figures do not exist. */
	{.name = "apple-m1",
		.source = "metal-benchmarks, Mesa",
		.access = "apple-m1",
		.model = "apple-m1",
		.widths = 32,
		.lanes = 32,
		.unit = "core",
		.unit_threads = 1024,
		.unit_shared_bytes = 60 * KIB,
		.l1_bytes = 8 * KIB,
		.shared_on_chip = true},
	{.name = "apple-m3",
		.source = "Apple's OpenCL (preferred multiple), metal-benchmarks",
		.access = "apple-m1",
		.widths = 32,
		.lanes = 32,
		.unit = "core",
		.shared_on_chip = true},
	MALI("mali-g71", NULL, 4),
	MALI("mali-g76", NULL, 8),
	MALI("mali-g77", "mali-g77", 16),
	ADRENO("adreno-5xx", NULL, 32 | 64, 0),
	ADRENO("adreno-6xx", "adreno", 64 | 128, 128),
	ADRENO("adreno-7xx", "adreno", 64 | 128, 128),
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

static void set(struct device_shape *shape, enum shape_id id, int64_t value, const char *source)
{
	if (value > 0)
		shape_set(shape, id, value, SHAPE_TABLE, source);
}

static void fill_memory(const struct chip *chip, struct device_shape *shape)
{
	const struct access_model *model = access_model_find(chip->access);

	set(shape, SHAPE_SECTOR, model->sector_bytes, chip->source);
	set(shape, SHAPE_LINE, model->line_bytes, chip->source);
	set(shape, SHAPE_BANKS, model->banks, chip->source);
	set(shape, SHAPE_BANK_BYTES, model->bank_bytes, chip->source);
	set(shape, SHAPE_L1, chip->l1_bytes, chip->source);
	if (chip->shared_on_chip || chip->shared_in_memory)
		shape_set(shape, SHAPE_SHARED_ON_CHIP, chip->shared_on_chip, SHAPE_TABLE,
			chip->source);
}

void chip_fill(const struct chip *chip, struct device_shape *shape)
{
	const struct occupancy_unit *unit = occupancy_unit_find(chip->name);

	fill_memory(chip, shape);
	set(shape, SHAPE_LANES, unit ? unit->lanes : chip->lanes, chip->source);
	set(shape, SHAPE_UNIT_THREADS, unit ? occupancy_unit_threads(unit) : chip->unit_threads,
		chip->source);
	set(shape, SHAPE_UNIT_SHARED, unit ? unit->shared_bytes : chip->unit_shared_bytes,
		chip->source);
	shape_set_widths(shape, unit ? unit->widths : chip->widths);
	shape->unit = unit ? unit->unit : chip->unit;
	shape->part = chip->part;
	shape->parts = chip->parts;
	if (unit && chip->part && chip->parts == 0)
		shape->parts = (uint32_t)unit->simds;
	shape->model = chip->model;
}
