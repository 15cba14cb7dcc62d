#include "common/model/occupancy_table.h"

#include <stdio.h>
#include <string.h>

#include "common/model/occupancy_rules.h"

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

static void append_name(char *text, size_t size, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

void occupancy_unit_names(char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; i < occupancy_unit_count; i++)
		append_name(ret_text, size, occupancy_units[i].name);
}

void occupancy_unit_ccs(char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; i < occupancy_unit_count; i++)
		if (occupancy_units[i].cc)
			append_name(ret_text, size, occupancy_units[i].cc);
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
