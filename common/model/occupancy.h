/*
 * Occupancy: how many blocks of a kernel a multiprocessor holds at a time, and what ends it there.
 *
 * The figures of the hardware are those of the CUDA C++ Programming Guide, table "Technical
 * Specifications per Compute Capability". The rules are those of NVIDIA's occupancy calculator
 * (cuda_occupancy.h of the CUDA Toolkit):
 *
 *   threads        a block takes whole warps
 *   registers      a warp takes 32 times a thread's, rounded up to 256; the registers lie in four
 *                  partitions, each of which holds whole warps
 *   shared memory  a block's bytes and those that the driver reserves for each, rounded up
 *
 * Of hardware given by its figures alone (multiprocessor_given) nothing is rounded: that is the
 * arithmetic of PMPP 3rd ed. 5.4 (4th ed. 4.7).
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_H
#define PMPP_COMMON_MODEL_OCCUPANCY_H

#include "common/model/warp.h"
#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

struct multiprocessor {
	const char *name; /* "9.0"; NULL: given by its figures */

	/* What it holds. 0: the figure is not known and sets no limit (threads is always known). */
	int64_t threads, blocks, registers, shared_bytes;

	/* What one block or thread may ask for. */
	int64_t block_threads, block_shared_bytes, thread_registers;

	/* What allocations are rounded up to: threads of a block, registers of that many threads,
	 * bytes of a block after the reserved ones are added; and the parts of the registers. */
	int64_t thread_unit, register_unit, shared_unit, reserved_bytes, partitions;
};

extern const struct multiprocessor multiprocessors[]; /* one a compute capability, ascending */
extern const size_t multiprocessor_count;

/* The row named "9.0"; NULL without one. */
const struct multiprocessor *multiprocessor_find(const char *name);

/* "7.5, 8.0, ...": all of the table, for messages. */
void multiprocessor_names(char *ret_text, size_t size);

/* Hardware that is in no table. threads >= 1; the others may be 0, "not known". */
struct multiprocessor multiprocessor_given(
	int64_t threads, int64_t blocks, int64_t registers, int64_t shared_bytes);

struct kernel_use {
	int64_t threads;      /* of a block, 1 to block_threads */
	int64_t registers;    /* of a thread, up to thread_registers; 0: they set no limit */
	int64_t shared_bytes; /* of a block, 0 to block_shared_bytes */
};

enum occupancy_limit {
	OCCUPANCY_THREADS,
	OCCUPANCY_BLOCKS,
	OCCUPANCY_REGISTERS,
	OCCUPANCY_SHARED,
	OCCUPANCY_LIMIT_COUNT
};

/* By limit; ended by NULL. */
extern const char *const occupancy_limit_words[OCCUPANCY_LIMIT_COUNT + 1];

/* "shared memory" */
const char *occupancy_limit_text(enum occupancy_limit limit);

struct occupancy {
	int64_t blocks; /* resident; 0: not even one fits */
	int64_t threads, warps;
	double ratio;        /* warps of those that it holds; of given hardware, threads */
	unsigned limited_by; /* bit i: enum occupancy_limit i is what allows no more */

	/* Blocks that each limit alone allows; INT64_MAX where it sets none. */
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];

	/* The cliff: the least count of registers above the kernel's at which fewer blocks are
	 * resident, and how many then are; 0 and 0 where there is none. */
	int64_t cliff_registers, cliff_blocks;
};

/* PMPP_USAGE for a use outside of its ranges, or one of what the hardware has no figure for. */
enum pmpp_status occupancy_of(const struct multiprocessor *sm, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error);

#endif
