/*
 * The units of GPUs that hold blocks: a multiprocessor of NVIDIA, a compute unit or work-group
 * processor of AMD, a sub-slice or Xe core of Intel. A unit has SIMDs (partitions, EUs). A SIMD has
 * slots for warps (waves, EU threads) and a register file. All SIMDs share the unit's shared memory.
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_H
#define PMPP_COMMON_MODEL_OCCUPANCY_H

#include "common/record.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct occupancy_rules; /* how a vendor allocates */

/* Registers for matrix instructions (AMD's AccVGPRs). */
enum acc_registers {
	ACC_NONE,
	ACC_SEPARATE, /* a register file of their own, of equal size */
	ACC_UNIFIED   /* after the other registers of the wave, in one register file */
};

struct occupancy_unit {
	const char *name; /* "sm_90", "gfx942", "xe-hpg"; NULL: given by its figures */
	const char *cc;   /* compute capability, "9.0"; NULL: not from NVIDIA */
	const char *unit; /* "multiprocessor", "compute unit" */
	const struct occupancy_rules *rules;

	/* Set of widths: the sum of 8, 16, 32 and 64, each a bit. lanes: the width of a warp, one
	 * of them. */
	uint32_t widths;
	int64_t lanes;

	/* Capacity. 0: no limit, or unknown. barriers: blocks with a barrier (rules->barrier). */
	int64_t simds, simd_warps, blocks, barriers, shared_bytes;
	int64_t l1_bytes; /* first-level cache; 0: unknown */
	bool paired;      /* two compute units: occupancy_unit_halve() */

	/* Of each SIMD, in 32-bit registers; for Intel in whole registers (GRF). A warp occupies a
	 * multiple of register_unit. */
	int64_t registers, register_unit;
	enum acc_registers acc;

	/* Scalar registers of each SIMD; a wave also occupies scalar_reserved. 0: no limit. */
	int64_t scalars, scalar_unit, scalar_reserved;

	/* Shared memory is allocated in multiples of shared_unit bytes, reserved_bytes included,
	 * or in one of shared_sizes, which are ascending and ended by 0. */
	int64_t shared_unit, reserved_bytes;
	const int64_t *shared_sizes;

	/* Maximum for one block or one thread. */
	int64_t block_threads, block_shared_bytes, thread_registers, thread_scalars;
};

/* Sets the width of a warp. Returns false if the GPU has no such width. */
bool occupancy_unit_set_width(struct occupancy_unit *unit, int64_t lanes);

/* AMD from RDNA on: a block occupies one compute unit, not both of a work-group processor (the
 * compiler's option -mcumode). Returns false if the unit is not a pair. */
bool occupancy_unit_halve(struct occupancy_unit *unit);

/* Threads that the unit holds at most. */
int64_t occupancy_unit_threads(const struct occupancy_unit *unit);

/* ---- Rules of the vendors ------------------------------------------------------------------- */

/*
 * How the vendors allocate the resources of a unit to blocks.
 *
 * All vendors: a block occupies whole warps; the register file of a SIMD holds whole warps.
 *
 *   NVIDIA  The rules of the occupancy calculator (cuda_occupancy.h of the CUDA Toolkit). A warp
 *           occupies 32 times the registers of a thread, rounded up to a multiple of 256. Shared
 *           memory: the bytes of a block plus the bytes that the driver reserves, rounded up.
 *   AMD     The rules of LLVM (AMDGPUSubtarget.cpp, AMDGPUBaseInfo.cpp). Vector registers (with
 *           AccVGPRs), scalar registers on GCN and CDNA, LDS. A block of one wave needs no barrier.
 *   Intel   The rules of Intel's GPU Occupancy Calculator. Shared memory is rounded up to an allowed
 *           size. Blocks that execute a barrier need a barrier register. More than 128 registers of
 *           a thread need the large mode, with half the threads.
 *   given   Nothing is rounded: the arithmetic of PMPP 3rd ed. 5.4 (4th ed. 4.7).
 */

struct kernel_use {
	int64_t threads;      /* of a block, 1 to block_threads */
	int64_t registers;    /* of a thread, up to thread_registers; 0: they set no limit. AMD:
			       * VGPRs. Intel: registers (GRF) of an EU thread */
	int64_t shared_bytes; /* of a block, 0 to block_shared_bytes */

	/* AMD. 0: they set no limit. scalars: as the compiler reports them (TotalNumSgprs). */
	int64_t scalars, acc_registers;
	bool barrier; /* Intel: the kernel executes a barrier */
};

/* How a vendor allocates, and the vendor's terms for messages. */
struct occupancy_rules {
	const char *warp, *warps; /* "wave", "waves" */
	const char *simd;         /* what has the slots of the warps: "SIMD"; NULL: not named */
	int64_t warp_lanes;       /* of a reported warp; 0: the lanes of the unit */

	/* Registers of a SIMD that a warp occupies. */
	int64_t (*warp_registers)(const struct occupancy_unit *unit, const struct kernel_use *use);

	/* Bytes of shared memory that a block occupies; 0: none. */
	int64_t (*block_shared)(const struct occupancy_unit *unit, const struct kernel_use *use);

	/* Whether a block of `warps` occupies a barrier. */
	bool (*barrier)(const struct kernel_use *use, int64_t warps);

	/* Warps of each SIMD that the vendor's compiler reports; NULL: it reports none. */
	int64_t (*compiler_warps)(const struct occupancy_unit *unit, const struct kernel_use *use);
};

extern const struct occupancy_rules occupancy_nvidia, occupancy_amd, occupancy_intel,
	occupancy_given;

/* ---- Known units ---------------------------------------------------------------------------- */

/*
 * The units of known GPUs. One row holds for every width of its GPU, because a register file has as
 * many bytes at each one.
 */

/* NVIDIA, ascending compute capabilities; then AMD; then Intel. */
extern const struct occupancy_unit occupancy_units[];
extern const size_t occupancy_unit_count;

/* Returns the row with the name, for example "gfx942"; NULL if there is none. */
const struct occupancy_unit *occupancy_unit_find(const char *name);

/* Returns the row of a compute capability, for example "9.0"; NULL if there is none. */
const struct occupancy_unit *occupancy_unit_of_cc(const char *cc);

/* Writes all names of the table for messages: "sm_75, ..."; ccs: "7.5, 8.0, ...". */
void occupancy_unit_names(bool ccs, char *ret_text, size_t size);

/* Hardware that is not in the table, as PMPP describes it. threads >= 1; the other figures may be
 * 0 = unknown. Nothing is rounded. */
struct occupancy_unit occupancy_unit_given(
	int64_t threads, int64_t blocks, int64_t registers, int64_t shared_bytes);

/* ---- Occupancy ------------------------------------------------------------------------------ */

/*
 * Occupancy: the number of blocks of a kernel that a unit (struct occupancy_unit) holds at a time, and
 * the resource that limits this number.
 */

enum occupancy_limit {
	OCCUPANCY_THREADS,
	OCCUPANCY_BLOCKS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_SCALARS,
	OCCUPANCY_BARRIERS,
	OCCUPANCY_LIMIT_COUNT
};

/* By limit: "shared memory"; ended by NULL. */
extern const char *const occupancy_limit_words[OCCUPANCY_LIMIT_COUNT + 1];

/* struct occupancy */
#define RECORDS "common/model/occupancy.def"
#include "common/records.inc"

/* PMPP_USAGE if a member of `use` is out of range, or if it needs a figure that is unknown. */
enum pmpp_status occupancy_of(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error);

#endif
