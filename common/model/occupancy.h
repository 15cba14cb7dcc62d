/*
 * Occupancy: the number of blocks of a kernel that a unit (occupancy_unit.h) holds at a time, and
 * the resource that limits this number.
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
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_H
#define PMPP_COMMON_MODEL_OCCUPANCY_H

#include "common/model/occupancy_unit.h"
#include "common/status.h"

struct kernel_use {
	int64_t threads;      /* of a block, 1 to block_threads */
	int64_t registers;    /* of a thread, up to thread_registers; 0: they set no limit. AMD:
			       * VGPRs. Intel: registers (GRF) of an EU thread */
	int64_t shared_bytes; /* of a block, 0 to block_shared_bytes */

	/* AMD. 0: they set no limit. scalars: as the compiler reports them (TotalNumSgprs). */
	int64_t scalars, acc_registers;
	bool barrier; /* Intel: the kernel executes a barrier */
};

enum occupancy_limit {
	OCCUPANCY_THREADS,
	OCCUPANCY_BLOCKS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_SCALARS,
	OCCUPANCY_BARRIERS,
	OCCUPANCY_LIMIT_COUNT
};

/* By limit; ended by NULL. */
extern const char *const occupancy_limit_words[OCCUPANCY_LIMIT_COUNT + 1];

/* "shared memory" */
const char *occupancy_limit_text(enum occupancy_limit limit);

/* How a vendor allocates, and its words for messages. */
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

struct occupancy {
	int64_t blocks;         /* resident blocks; 0: one block does not fit */
	int64_t threads, warps; /* given hardware: warps of 32 threads */
	int64_t simd_warps;     /* warps of the fullest SIMD; given hardware: 0 */
	double ratio;           /* resident warps / maximum; for given hardware, of threads */
	unsigned limited_by;    /* bit i: enum occupancy_limit i allows no more blocks */

	/* Blocks that each resource alone allows; INT64_MAX if it sets no limit. */
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];

	/* AMD: the figure that LLVM prints as "Occupancy", in waves of each SIMD; else 0. Registers
	 * limit it by waves, not by whole blocks, so it can be above simd_warps. */
	int64_t compiler_warps;

	/* The cliff: the smallest number of registers per thread, above the kernel's, with which
	 * fewer blocks are resident, and the number of blocks then. 0 and 0: there is none. */
	int64_t cliff_registers, cliff_blocks;
};

/* PMPP_USAGE if a member of `use` is out of range, or if it needs a figure that is unknown. */
enum pmpp_status occupancy_of(const struct occupancy_unit *unit, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error);

#endif
