#include "common/model/occupancy.h"

#include "common/integers.h"
#include "common/model/warp.h"
#include "common/text.h"

#include <string.h>

bool occupancy_unit_set_width(struct occupancy_unit *unit, int64_t lanes)
{
	bool power_of_two = lanes > 0 && (lanes & (lanes - 1)) == 0;

	if (!power_of_two || !(unit->widths & (uint64_t)lanes))
		return false;
	unit->lanes = lanes;
	return true;
}

bool occupancy_unit_halve(struct occupancy_unit *unit)
{
	if (!unit->paired)
		return false;
	unit->paired = false;
	unit->unit = "compute unit";
	unit->simds /= 2;
	unit->barriers /= 2;
	unit->shared_bytes /= 2;
	return true;
}

int64_t occupancy_unit_threads(const struct occupancy_unit *unit)
{
	return unit->simds * unit->simd_warps * unit->lanes;
}

/* ---- Rules of the vendors ------------------------------------------------------------------- */

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

/* ---- Known units ---------------------------------------------------------------------------- */

#define KIB 1024

/*
 * NVIDIA: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". A
 * multiprocessor has four partitions. From 8.0 on the driver reserves 1 KiB of each block's shared
 * memory.
 *
 * SM(name, cc, warps of a partition, blocks, KiB of shared memory, KiB of one block, unit of
 * shared memory, reserved bytes, KiB of the L1, which is one memory with shared memory)
 */
#define SM(name_, cc_, warps, blocks_, kib, block_kib, unit_, reserved, l1_kib)                 \
	{                                                                                       \
		.name = name_, .cc = cc_, .unit = "multiprocessor", .rules = &occupancy_nvidia, \
		.widths = 32, .lanes = 32, .simds = 4, .simd_warps = warps, .blocks = blocks_,  \
		.shared_bytes = (kib)*KIB, .registers = 16 * KIB, .register_unit = 256,         \
		.shared_unit = unit_, .reserved_bytes = reserved, .block_threads = 1024,        \
		.block_shared_bytes = (block_kib)*KIB, .thread_registers = 255,                 \
		.l1_bytes = (l1_kib)*KIB                                                        \
	}

/*
 * AMD. Sources: LLVM, AMDGPUBaseInfo.cpp (waves, registers, granules, barriers, LDS; the 16 scalar
 * registers are those of ROCm's trap handler) and GCNProcessors.td (which target has which figure).
 * The granule of LDS: 128 words, 320 on gfx950.
 *
 * GCN(name, waves of a SIMD, vector registers, granule, AccVGPRs, KiB of LDS, unit of LDS, KiB of the
 * L1): compute units of four SIMDs and waves of 64. Registers are counted for each lane.
 */
#define GCN(name_, waves, vgprs, granule, acc_, kib, lds_unit, l1_kib)                             \
	{                                                                                          \
		.name = name_, .unit = "compute unit", .rules = &occupancy_amd, .widths = 64,      \
		.lanes = 64, .simds = 4, .simd_warps = waves, .barriers = 16,                      \
		.shared_bytes = (kib)*KIB, .registers = (vgprs)*64, .register_unit = (granule)*64, \
		.acc = acc_, .scalars = 800, .scalar_unit = 16, .scalar_reserved = 16,             \
		.shared_unit = lds_unit, .block_threads = 1024, .block_shared_bytes = (kib)*KIB,   \
		.thread_registers = (acc_) == ACC_UNIFIED ? 512 : 256, .thread_scalars = 112,      \
		.l1_bytes = (l1_kib)*KIB                                                           \
	}

/* RDNA(name, waves of a SIMD, vector registers, granule, KiB of both L0): work-group processors of two
 * compute units, with two SIMDs each. Registers are counted for each lane of a wave of 32; a wave of 64
 * occupies twice as many. */
#define RDNA(name_, waves, vgprs, granule, l0_kib)                                               \
	{                                                                                        \
		.name = name_, .unit = "work-group processor", .rules = &occupancy_amd,          \
		.widths = 32 | 64, .lanes = 32, .simds = 4, .simd_warps = waves, .barriers = 32, \
		.shared_bytes = 128 * KIB, .paired = true, .registers = (vgprs)*32,              \
		.register_unit = (granule)*32, .shared_unit = 512, .block_threads = 1024,        \
		.block_shared_bytes = 64 * KIB, .thread_registers = 256, .thread_scalars = 108,  \
		.l1_bytes = (l0_kib)*KIB                                                         \
	}

/*
 * Intel: the table of Intel's GPU Occupancy Calculator (oneapi-src/oneAPI-samples,
 * Tools/GPU-Occupancy-Calculator). It has no Xe2, which gets the figures of Xe-HPC. A thread of an EU
 * has 128 registers. Where the large mode exists, 256 registers halve the number of threads.
 *
 * EUS(name, unit, widths, EUs, threads of an EU, blocks, barrier registers, KiB of SLM, KiB of one
 * block, sizes, threads of a block, registers of a thread)
 */
#define EUS(name_, unit_, widths_, eus, threads, blocks_, barriers_, kib, block_kib, sizes, block, \
	grf)                                                                                       \
	{                                                                                          \
		.name = name_, .unit = unit_, .rules = &occupancy_intel, .widths = widths_,        \
		.lanes = 16, .simds = eus, .simd_warps = threads, .blocks = blocks_,               \
		.barriers = barriers_, .shared_bytes = (kib)*KIB, .registers = (threads)*128,      \
		.register_unit = 128, .shared_sizes = sizes, .block_threads = block,               \
		.block_shared_bytes = (block_kib)*KIB, .thread_registers = grf                     \
	}

static const int64_t sizes_to_64[] = {
	1 * KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 0};
static const int64_t sizes_to_128[] = {1 * KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 24 * KIB,
	32 * KIB, 48 * KIB, 64 * KIB, 96 * KIB, 128 * KIB, 0};

const struct occupancy_unit occupancy_units[] = {
	SM("sm_75", "7.5", 8, 16, 64, 64, 256, 0, 96),
	SM("sm_80", "8.0", 16, 32, 164, 163, 128, 1 * KIB, 192),
	SM("sm_86", "8.6", 12, 16, 100, 99, 128, 1 * KIB, 128),
	SM("sm_89", "8.9", 12, 24, 100, 99, 128, 1 * KIB, 128),
	SM("sm_90", "9.0", 16, 32, 228, 227, 128, 1 * KIB, 256),
	SM("sm_100", "10.0", 16, 32, 228, 227, 128, 1 * KIB, 256),
	SM("sm_120", "12.0", 12, 24, 100, 99, 128, 1 * KIB, 128),
	GCN("gfx900", 10, 256, 4, ACC_NONE, 64, 512, 16),
	GCN("gfx906", 10, 256, 4, ACC_NONE, 64, 512, 16),
	GCN("gfx908", 10, 256, 4, ACC_SEPARATE, 64, 512, 16),
	GCN("gfx90a", 8, 512, 8, ACC_UNIFIED, 64, 512, 16),
	GCN("gfx942", 8, 512, 8, ACC_UNIFIED, 64, 512, 32),
	GCN("gfx950", 8, 512, 8, ACC_UNIFIED, 160, 1280, 32),
	RDNA("gfx1010", 20, 1024, 8, 32),
	RDNA("gfx1011", 20, 1024, 8, 32),
	RDNA("gfx1012", 20, 1024, 8, 32),
	RDNA("gfx1030", 16, 1024, 16, 32),
	RDNA("gfx1031", 16, 1024, 16, 32),
	RDNA("gfx1032", 16, 1024, 16, 32),
	RDNA("gfx1034", 16, 1024, 16, 32),
	RDNA("gfx1035", 16, 1024, 16, 32),
	RDNA("gfx1036", 16, 1024, 16, 32),
	RDNA("gfx1100", 16, 1536, 24, 64),
	RDNA("gfx1101", 16, 1536, 24, 64),
	RDNA("gfx1102", 16, 1024, 16, 64),
	RDNA("gfx1103", 16, 1024, 16, 64),
	RDNA("gfx1150", 16, 1024, 16, 64),
	RDNA("gfx1151", 16, 1536, 24, 64),
	RDNA("gfx1152", 16, 1024, 16, 64),
	RDNA("gfx1153", 16, 1024, 16, 64),
	RDNA("gfx1200", 16, 1536, 24, 64),
	RDNA("gfx1201", 16, 1536, 24, 64),
	EUS("gen9", "sub-slice", 8 | 16 | 32, 8, 7, 56, 32, 64, 64, sizes_to_64, 256, 128),
	EUS("xe-lp", "dual sub-slice", 8 | 16 | 32, 16, 7, 112, 64, 64, 64, sizes_to_64, 512, 128),
	EUS("xe-hpg", "Xe core", 8 | 16 | 32, 16, 8, 128, 128, 128, 64, sizes_to_64, 1024, 128),
	EUS("xe-hpc", "Xe core", 16 | 32, 8, 8, 64, 64, 128, 128, sizes_to_128, 1024, 256),
	EUS("xe2", "Xe core", 16 | 32, 8, 8, 64, 64, 128, 128, sizes_to_128, 1024, 256),
};
const size_t occupancy_unit_count = sizeof occupancy_units / sizeof *occupancy_units;

/* ---- Names --------------------------------------------------------------------------------- */

const struct occupancy_unit *occupancy_unit_find(const char *name)
{
	for (size_t i = 0; i < occupancy_unit_count; i++)
		if (strcmp(occupancy_units[i].name, name) == 0)
			return &occupancy_units[i];
	return NULL;
}

const struct occupancy_unit *occupancy_unit_of_cc(const char *cc)
{
	for (size_t i = 0; i < occupancy_unit_count; i++)
		if (occupancy_units[i].cc && strcmp(occupancy_units[i].cc, cc) == 0)
			return &occupancy_units[i];
	return NULL;
}

void occupancy_unit_names(bool ccs, char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; i < occupancy_unit_count; i++) {
		const char *name = ccs ? occupancy_units[i].cc : occupancy_units[i].name;
		if (name)
			text_append(ret_text, size, "%s%s", *ret_text ? ", " : "", name);
	}
}

/* ---- Other hardware ------------------------------------------------------------------------ */

struct occupancy_unit occupancy_unit_given(
	int64_t threads, int64_t blocks, int64_t registers, int64_t shared_bytes)
{
	return (struct occupancy_unit){
		.unit = "multiprocessor",
		.rules = &occupancy_given,
		.lanes = 1,
		.simds = 1,
		.simd_warps = threads,
		.blocks = blocks,
		.registers = registers,
		.register_unit = 1,
		.shared_bytes = shared_bytes,
		.shared_unit = 1,
		.block_threads = 1024,
		.block_shared_bytes = shared_bytes,
		.thread_registers = 255,
	};
}

/* ---- Occupancy ------------------------------------------------------------------------------ */

const char *const occupancy_limit_words[] = {
	[OCCUPANCY_THREADS] = "threads",
	[OCCUPANCY_BLOCKS] = "blocks",
	[OCCUPANCY_REGISTERS] = "registers",
	[OCCUPANCY_SHARED] = "shared memory",
	[OCCUPANCY_SCALARS] = "scalar registers",
	[OCCUPANCY_BARRIERS] = "barriers",
	[OCCUPANCY_LIMIT_COUNT] = NULL,
};

/* ---- Limits -------------------------------------------------------------------------------- */

static int64_t warps_of(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return ceil_div(use->threads, unit->lanes);
}

static int64_t by_threads(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	return unit->simds * unit->simd_warps / warps_of(unit, use);
}

static int64_t by_blocks(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	(void)use;
	return unit->blocks ? unit->blocks : INT64_MAX;
}

static int64_t by_registers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	int64_t occupied = unit->rules->warp_registers(unit, use);

	if (occupied == 0)
		return INT64_MAX;
	return unit->registers / occupied * unit->simds / warps_of(unit, use);
}

static int64_t by_shared(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	int64_t bytes = unit->rules->block_shared(unit, use);

	return bytes ? unit->shared_bytes / bytes : INT64_MAX;
}

static int64_t by_scalars(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	if (unit->scalars == 0 || use->scalars == 0)
		return INT64_MAX;
	int64_t units = ceil_div(use->scalars + unit->scalar_reserved, unit->scalar_unit);
	return unit->scalars / (units * unit->scalar_unit) * unit->simds / warps_of(unit, use);
}

static int64_t by_barriers(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	if (unit->barriers == 0 || !unit->rules->barrier(use, warps_of(unit, use)))
		return INT64_MAX;
	return unit->barriers;
}

static int64_t (*const limits[OCCUPANCY_LIMIT_COUNT])(
	const struct occupancy_unit *unit, const struct kernel_use *use) = {
	[OCCUPANCY_THREADS] = by_threads,
	[OCCUPANCY_BLOCKS] = by_blocks,
	[OCCUPANCY_REGISTERS] = by_registers,
	[OCCUPANCY_SHARED] = by_shared,
	[OCCUPANCY_SCALARS] = by_scalars,
	[OCCUPANCY_BARRIERS] = by_barriers,
};

/* ---- Range of the input -------------------------------------------------------------------- */

static enum pmpp_status check_amd(
	const struct occupancy_unit *unit, const struct kernel_use *use, struct pmpp_error *error)
{
	int64_t acc_limit = unit->acc == ACC_NONE ? 0 : 256;

	if (use->scalars < 0 || use->scalars > unit->thread_scalars)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a %s has at most %lld scalar registers, not %lld", unit->rules->warp,
			(long long)unit->thread_scalars, (long long)use->scalars);
	if (use->acc_registers < 0 || use->acc_registers > acc_limit)
		return PMPP_FAIL(error, PMPP_USAGE, "a thread has at most %lld AccVGPRs, not %lld",
			(long long)acc_limit, (long long)use->acc_registers);
	if (use->registers + use->acc_registers > unit->thread_registers &&
		unit->acc == ACC_UNIFIED)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a thread has at most %lld registers with its AccVGPRs, not %lld",
			(long long)unit->thread_registers,
			(long long)(use->registers + use->acc_registers));
	return PMPP_OK;
}

static enum pmpp_status check_use(
	const struct occupancy_unit *unit, const struct kernel_use *use, struct pmpp_error *error)
{
	if (use->threads < 1 || use->threads > unit->block_threads)
		return PMPP_FAIL(error, PMPP_USAGE, "a block has 1 to %lld threads, not %lld",
			(long long)unit->block_threads, (long long)use->threads);
	if (use->registers < 0 || use->registers > unit->thread_registers)
		return PMPP_FAIL(error, PMPP_USAGE, "a thread has at most %lld registers, not %lld",
			(long long)unit->thread_registers, (long long)use->registers);
	if (use->registers > 0 && unit->registers == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a thread has %lld registers, but the registers of the %s are not known: "
			"give both, or none",
			(long long)use->registers, unit->unit);
	if (use->shared_bytes > 0 && unit->shared_bytes == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has %lld bytes of shared memory, but those of the %s are not "
			"known: give both, or none",
			(long long)use->shared_bytes, unit->unit);
	if (use->shared_bytes < 0 || use->shared_bytes > unit->block_shared_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"a block has at most %lld bytes of shared memory, not %lld",
			(long long)unit->block_shared_bytes, (long long)use->shared_bytes);
	return check_amd(unit, use, error);
}

/* ---- Result -------------------------------------------------------------------------------- */

static int64_t resident(const struct occupancy_unit *unit, const struct kernel_use *use,
	int64_t ret_allowed[OCCUPANCY_LIMIT_COUNT])
{
	int64_t blocks = INT64_MAX;

	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
		ret_allowed[i] = limits[i](unit, use);
		if (ret_allowed[i] < blocks)
			blocks = ret_allowed[i];
	}
	return blocks;
}

static void find_cliff(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *occupancy)
{
	struct kernel_use more = *use;
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];
	int64_t acc = unit->acc == ACC_UNIFIED ? use->acc_registers : 0;

	if (use->registers == 0)
		return;
	while (++more.registers + acc <= unit->thread_registers) {
		int64_t blocks = resident(unit, &more, allowed);
		if (blocks < occupancy->blocks) {
			occupancy->cliff_registers = more.registers;
			occupancy->cliff_blocks = blocks;
			return;
		}
	}
}

enum pmpp_status occupancy_of(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error)
{
	struct occupancy occupancy = {.record = {.present = true},
		.block_threads = use->threads,
		.simd_warps = -1,
		.compiler_warps = -1,
		.cliff_registers = -1,
		.cliff_blocks = -1};
	const struct occupancy_rules *rules = unit->rules;
	enum pmpp_status status = check_use(unit, use, error);

	if (status != PMPP_OK)
		return status;
	occupancy.blocks = resident(unit, use, occupancy.allowed);
	for (size_t i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (occupancy.allowed[i] == occupancy.blocks)
			occupancy.limited_by |= 1u << i;
	int64_t slots = occupancy.blocks * warps_of(unit, use);
	int64_t reported = rules->warp_lanes ? rules->warp_lanes : unit->lanes;
	occupancy.threads = occupancy.blocks * use->threads;
	occupancy.warps = occupancy.blocks * ceil_div(use->threads, reported);
	if (unit->lanes > 1)
		occupancy.simd_warps = ceil_div(slots, unit->simds);
	occupancy.occupancy = (double)slots / (double)(unit->simds * unit->simd_warps);
	if (rules->compiler_warps)
		occupancy.compiler_warps = rules->compiler_warps(unit, use);
	find_cliff(unit, use, &occupancy);
	*ret_occupancy = occupancy;
	return PMPP_OK;
}
