#include "common/model/occupancy_rules.h"

#include "common/integers.h"
#include "common/model/warp.h"

static int64_t lane_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return round_up(use->registers * unit->lanes, unit->register_unit);
}

static int64_t shared_in_units(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return round_up(use->shared_bytes + unit->reserved_bytes, unit->shared_unit);
}

static bool no_barrier(const struct kernel_use *use, int64_t warps)
{
	(void)use;
	(void)warps;
	return false;
}

const struct occupancy_rules occupancy_nvidia = {
	"warp", "warps", NULL, 0, lane_registers, shared_in_units, no_barrier, NULL};

const struct occupancy_rules occupancy_given = {
	"warp", "warps", NULL, WARP_THREADS, lane_registers, shared_in_units, no_barrier, NULL};

/* ---- AMD ----------------------------------------------------------------------------------- */

/* The AccVGPRs of a unified file begin at a multiple of four registers (LLVM, getTotalNumVGPRs). */
static int64_t vector_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	if (unit->acc == ACC_UNIFIED && use->acc_registers)
		return round_up(use->registers, 4) + use->acc_registers;
	return use->acc_registers > use->registers ? use->acc_registers : use->registers;
}

static int64_t wave_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return round_up(vector_registers(unit, use) * unit->lanes, unit->register_unit);
}

static bool several_waves(const struct kernel_use *use, int64_t warps)
{
	(void)use;
	return warps > 1;
}

/* LLVM: GCNSubtarget::computeOccupancy. It does not round LDS, and one block always counts. The rule
 * for scalar registers is that of occupancy-levels.ll with ROCm's trap handler; LLVM 19 and older
 * have a table without a trap handler, which is different above 64 scalar registers. */
static int64_t llvm_waves(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	int64_t block_waves = round_up(use->threads, unit->lanes) / unit->lanes;
	int64_t blocks = unit->simds * unit->simd_warps / block_waves;
	int64_t registers = wave_registers(unit, use), waves = unit->simd_warps;

	if (several_waves(use, block_waves))
		blocks = min(blocks, unit->barriers);
	if (use->shared_bytes)
		blocks = min(blocks, unit->shared_bytes / use->shared_bytes);
	waves = min(waves, round_up(blocks * block_waves, unit->simds) / unit->simds);
	if (registers)
		waves = min(waves, unit->registers / registers);
	if (unit->scalars && use->scalars)
		waves = min(waves, unit->scalars / round_up(use->scalars + unit->scalar_reserved,
							   unit->scalar_unit));
	return waves ? waves : 1;
}

const struct occupancy_rules occupancy_amd = {
	"wave", "waves", "SIMD", 0, wave_registers, shared_in_units, several_waves, llvm_waves};

/* ---- Intel --------------------------------------------------------------------------------- */

/* A register holds a value of all lanes. */
static int64_t thread_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return round_up(use->registers, unit->register_unit);
}

static int64_t shared_size(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	const int64_t *size = unit->shared_sizes;

	if (!use->shared_bytes)
		return 0;
	while (*size && *size < use->shared_bytes)
		size++;
	return *size;
}

static bool if_executed(const struct kernel_use *use, int64_t warps)
{
	(void)warps;
	return use->barrier;
}

const struct occupancy_rules occupancy_intel = {
	"EU thread", "EU threads", "EU", 0, thread_registers, shared_size, if_executed, NULL};
