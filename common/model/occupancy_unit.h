/*
 * The units of GPUs that hold blocks: a multiprocessor of NVIDIA, a compute unit or work-group
 * processor of AMD, a sub-slice or Xe core of Intel. A unit has SIMDs (partitions, EUs). A SIMD has
 * slots for warps (waves, EU threads) and a register file. All SIMDs share the unit's shared memory.
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_UNIT_H
#define PMPP_COMMON_MODEL_OCCUPANCY_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct occupancy_rules; /* occupancy_rules.h: how a vendor allocates */

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

#endif
