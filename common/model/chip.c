#include "common/model/chip.h"

#include "common/model/access_model.h"
#include "common/model/occupancy.h"

#include <string.h>

#define KIB 1024

#define SM_OTHER                                                                          \
	.source = "CUDA Programming Guide", .access = "sm_90", .widths = 32, .lanes = 32, \
	.unit = "multiprocessor", .shared_on_chip = true

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
	{.name = "sm_87",
		SM_OTHER,
		.unit_threads = 1536,
		.unit_shared_bytes = 164 * KIB,
		.l1_bytes = 192 * KIB},
	/* Any other compute capability. */
	{.name = "sm", SM_OTHER},
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

/* A chip of the model of occupancy. Sources of the L1: the tuning guides of NVIDIA's architectures; ROCm,
 * "GPU architecture hardware specifications". For Intel every list of sub-group sizes has 16, so 16 is the
 * usual width, and the threads of a unit are those of kernels with this width. */
static struct chip chip_of_unit(const struct occupancy_unit *unit)
{
	bool intel = unit->rules == &occupancy_intel;

	return (struct chip){.name = unit->name,
		.source = unit->cc ? "CUDA Programming Guide"
			  : intel  ? "Intel GPU Occupancy Calculator"
				   : "LLVM, ROCm hardware specifications",
		.access = unit->name,
		.model = unit->name,
		.widths = unit->widths,
		.lanes = (uint32_t)unit->lanes,
		.unit = unit->unit,
		.part = intel          ? "EU"
			: unit->paired ? "compute unit"
				       : NULL,
		.parts = intel          ? (uint32_t)unit->simds
			 : unit->paired ? 2
					: 0,
		.unit_threads = (uint32_t)occupancy_unit_threads(unit),
		.unit_shared_bytes = (uint32_t)unit->shared_bytes,
		.l1_bytes = (uint32_t)unit->l1_bytes,
		.shared_on_chip = true};
}

bool chip_of_name(const char *name, struct chip *ret_chip)
{
	const struct occupancy_unit *unit = occupancy_unit_find(name);

	if (unit)
		*ret_chip = chip_of_unit(unit);
	for (size_t i = 0; i < chip_count && !unit; i++)
		if (strcmp(chips[i].name, name) == 0) {
			*ret_chip = chips[i];
			return true;
		}
	return unit != NULL;
}

/* ---- Figures ------------------------------------------------------------------------------- */

static void set(struct device_shape *shape, enum shape_id id, int64_t value, const char *source)
{
	if (value > 0)
		shape_set(shape, id, value, SHAPE_TABLE, source);
}

void chip_fill(const struct chip *chip, struct device_shape *shape)
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
	set(shape, SHAPE_LANES, chip->lanes, chip->source);
	set(shape, SHAPE_UNIT_THREADS, chip->unit_threads, chip->source);
	set(shape, SHAPE_UNIT_SHARED, chip->unit_shared_bytes, chip->source);
	shape_set_widths(shape, chip->widths);
	shape->unit = chip->unit;
	shape->part = chip->part;
	shape->parts = chip->parts;
	shape->model = chip->model;
}
