/*
 * Numbers that kernels, built-in functions and the host share. Plain C and OpenCL C.
 */
#ifndef PMPP_KINDS_H
#define PMPP_KINDS_H

#define PMPP_EMU_MAX_BLOCK 1024 /* maximum number of threads of a block */

/* Warp operations, which all lanes of the mask execute together. */
enum pmpp_emu_warp_op {
	PMPP_EMU_SYNC,
	PMPP_EMU_SHUFFLE,
	PMPP_EMU_VOTE,
	PMPP_EMU_ACTIVE
};

/* ATOMIC: reads, then writes. EXCHANGE: an atomic operation whose new value does not depend on the
 * old value. ATOMIC_LOAD: an atomic operation that only reads. COMPARE: compare-and-swap. FENCE: a
 * fence for all blocks, an access of 0 bytes. BLOCK_FENCE: a fence for the threads of the block only.
 * RELAXED: the next atomic operation sees the writes of other blocks only after a later fence for all
 * blocks or an ACQUIRE. COPY: the destination of an asynchronous copy, for the counts. */
enum pmpp_emu_access {
	PMPP_EMU_READ,
	PMPP_EMU_WRITE,
	PMPP_EMU_ATOMIC,
	PMPP_EMU_EXCHANGE,
	PMPP_EMU_ATOMIC_LOAD,
	PMPP_EMU_COMPARE,
	PMPP_EMU_FENCE,
	PMPP_EMU_BLOCK_FENCE,
	PMPP_EMU_ACQUIRE,
	PMPP_EMU_RELAXED,
	PMPP_EMU_COPY
};

/* Memories that barriers order. */
enum pmpp_emu_memory {
	PMPP_EMU_SHARED,
	PMPP_EMU_GLOBAL,
	PMPP_EMU_MEMORY_COUNT
};

#endif
