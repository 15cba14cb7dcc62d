/*
 * Occupancy: the number of blocks of a kernel that a multiprocessor holds at a time, and the
 * resource that limits this number.
 *
 * The figures of the hardware are those of the CUDA C++ Programming Guide, table "Technical
 * Specifications per Compute Capability". The rules are those of NVIDIA's occupancy calculator
 * (cuda_occupancy.h of the CUDA Toolkit):
 *
 *   threads        a block occupies whole warps
 *   registers      a warp occupies 32 times the registers of a thread, rounded up to a multiple of
 *                  256; the register file has four partitions, each of which holds whole warps
 *   shared memory  the bytes of a block plus the bytes that the driver reserves, rounded up
 *
 * For hardware given by its figures alone (multiprocessor_given()) nothing is rounded: this is the
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

	/* Capacity. 0: unknown, sets no limit (threads is always known). */
	int64_t threads, blocks, registers, shared_bytes;

	/* Maximum for one block or one thread. */
	int64_t block_threads, block_shared_bytes, thread_registers;

	/* Allocations are rounded up to these units: threads of a block, registers of thread_unit
	 * threads, bytes of a block including the reserved bytes. partitions: of the register
	 * file. */
	int64_t thread_unit, register_unit, shared_unit, reserved_bytes, partitions;
};

extern const struct multiprocessor multiprocessors[]; /* ascending compute capabilities */
extern const size_t multiprocessor_count;

/* Returns the row with the name, for example "9.0"; NULL if there is none. */
const struct multiprocessor *multiprocessor_find(const char *name);

/* Writes all names of the table for messages: "7.5, 8.0, ...". */
void multiprocessor_names(char *ret_text, size_t size);

/* Hardware that is not in the table. threads >= 1; the other figures may be 0 = unknown. */
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
	int64_t blocks; /* resident blocks; 0: one block does not fit */
	int64_t threads, warps;
	double ratio;        /* resident warps / maximum; for given hardware, of threads */
	unsigned limited_by; /* bit i: enum occupancy_limit i allows no more blocks */

	/* Blocks that each resource alone allows; INT64_MAX if it sets no limit. */
	int64_t allowed[OCCUPANCY_LIMIT_COUNT];

	/* The cliff: the smallest number of registers per thread, above the kernel's, with which
	 * fewer blocks are resident, and the number of blocks then. 0 and 0: there is none. */
	int64_t cliff_registers, cliff_blocks;
};

/* PMPP_USAGE if a member of `use` is out of range, or if it needs a figure that is unknown. */
enum pmpp_status occupancy_of(const struct multiprocessor *sm, const struct kernel_use *use,
	struct occupancy *ret_occupancy, struct pmpp_error *error);

#endif
