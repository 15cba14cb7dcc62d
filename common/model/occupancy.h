/*
 * Occupancy: the number of blocks of a kernel that a unit (occupancy_unit.h) holds at a time, and
 * the resource that limits this number.
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_H
#define PMPP_COMMON_MODEL_OCCUPANCY_H

#include "common/model/occupancy_rules.h"
#include "common/model/occupancy_table.h"
#include "common/status.h"

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
