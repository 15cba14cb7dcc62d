/*
 * The interface between the object of an emulated kernel and the host. Plain C, included by pmpp_cuda.h
 * in the object and by internal.h in the host.
 */
#ifndef PMPP_EMU_H
#define PMPP_EMU_H

struct pmpp_emu_index {
	unsigned x, y, z;
};

/* Warp operations, which all lanes of the mask execute together. */
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
	/* Waits for all threads of the block. Returns the number of threads with predicate != 0. */
	int (*barrier)(int line, int predicate);
	/* Waits for the lanes of mask. SHUFFLE returns the value of lane `source` of the warp. VOTE
	 * returns the lanes of mask with value != 0. ACTIVE (with all lanes as mask) returns the lanes
	 * that wait at this line when no other lane of the warp can continue. */
	unsigned long long (*warp)(
		int line, enum pmpp_emu_warp_op op, unsigned mask, unsigned long long value, int source);
	/* Asynchronous copy to shared memory: `bytes - zeroed` bytes, then `zeroed` zero bytes. low and
	 * high: the data. wait completes all groups except the last `prior`. */
	void (*copy)(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
		unsigned long long low, unsigned long long high);
	void (*copy_commit)(void);
	void (*copy_wait)(unsigned long prior);
	/* Traced build: records an access by the instruction before pc. */
	void (*access)(const void *address, unsigned long bytes, enum pmpp_emu_access kind,
		const void *pc);
	/* Traced build: called at the head of a basic block, whose first instruction is before pc.
	 * frame: an address on the stack, for the depth of calls. NULL: not called (no watch). */
	void (*step)(const void *pc, const void *frame);
};

/* One in each object. The host sets it for a launch. At each switch of fibers it sets `thread` and
 * `lane`. */
struct pmpp_emu_state {
	struct pmpp_emu_index thread, block, block_dim, grid_dim;
	unsigned lane;
	void *dynamic_shared;
	struct pmpp_emu_ops ops; /* a copy in the object, because the traced build checks its reads */
};

/* The record of an object: symbol pmpp_emu_object. */
struct pmpp_emu_object {
	struct pmpp_emu_state *state;
	char *shared_begin, *shared_end; /* all __shared__ variables of the file */
};

/* The record of a kernel: symbol pmpp_emu_entry_NAME. parameters has one character for each parameter:
 * 'p' for a pointer, otherwise its size in bytes as a digit. */
struct pmpp_emu_entry {
	void (*call)(void **arguments);
	const char *parameters;
};

#endif
