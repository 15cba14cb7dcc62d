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
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_RULES_H
#define PMPP_COMMON_MODEL_OCCUPANCY_RULES_H

#include "common/model/occupancy_unit.h"

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

#endif
