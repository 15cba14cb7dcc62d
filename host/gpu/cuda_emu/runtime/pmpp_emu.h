/*
 * What an emulated kernel's object and the host agree on. Plain C, included on both sides: by
 * pmpp_cuda.h in the object, by internal.h in the host.
 */
#ifndef PMPP_EMU_H
#define PMPP_EMU_H

struct pmpp_emu_index {
	unsigned x, y, z;
};

/* Operations on the warp that every lane of the mask takes part in. */
enum pmpp_emu_warp_op { PMPP_EMU_SYNC, PMPP_EMU_SHUFFLE, PMPP_EMU_VOTE, PMPP_EMU_ACTIVE };

enum pmpp_emu_barrier_op { PMPP_EMU_BARRIER, PMPP_EMU_COUNT };

/* ATOMIC: reads, then writes. EXCHANGE: an atomic operation whose new value does not depend on the old
 * value. FENCE: __threadfence(), an access of 0 bytes. */
enum pmpp_emu_access {
	PMPP_EMU_READ,
	PMPP_EMU_WRITE,
	PMPP_EMU_ATOMIC,
	PMPP_EMU_EXCHANGE,
	PMPP_EMU_FENCE
};

struct pmpp_emu_ops {
	/* Waits for the block; the number of threads whose predicate is not 0. */
	int (*barrier)(int line, int predicate);
	/* Waits for the lanes of mask. SHUFFLE: the value that lane `source` of the warp brought.
	 * VOTE: the lanes of mask whose value is not 0. ACTIVE: the lanes that ask at this line when no
	 * other of the warp can go on (mask: all). */
	unsigned long long (*warp)(
		int line, enum pmpp_emu_warp_op op, unsigned mask, unsigned long long value, int source);
	/* Asynchronous copy to shared memory: `bytes - zeroed` bytes, then `zeroed` zero bytes. low and
	 * high: the data. wait completes all groups except the last `prior`. */
	void (*copy)(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
		unsigned long long low, unsigned long long high);
	void (*copy_commit)(void);
	void (*copy_wait)(unsigned long prior);
	/* Traced build: one access by the instruction before pc. */
	void (*access)(const void *address, unsigned long bytes, enum pmpp_emu_access kind,
		const void *pc);
	/* Traced build: a basic block is entered, whose first instruction is before pc. frame: an
	 * address of the stack that tells how deep the call is. NULL where nobody wants to know. */
	void (*step)(const void *pc, const void *frame);
};

/* One in each object. The host sets it up for a launch and, at each switch of fibers, `thread`. */
struct pmpp_emu_state {
	struct pmpp_emu_index thread, block, block_dim, grid_dim;
	unsigned lane;
	void *dynamic_shared;
	struct pmpp_emu_ops ops; /* a copy: the traced build sees every read of it */
};

/* What the object tells of itself: symbol pmpp_emu_object. */
struct pmpp_emu_object {
	struct pmpp_emu_state *state;
	char *shared_begin, *shared_end; /* all __shared__ variables of the file */
};

/* A kernel: symbol pmpp_emu_entry_NAME. A parameter's kind is 'p' for a pointer, else its size as a
 * digit. */
struct pmpp_emu_entry {
	void (*call)(void **arguments);
	const char *parameters;
};

#endif
