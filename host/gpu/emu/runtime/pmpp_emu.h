/*
 * The interface between the object of an emulated kernel and the host. Plain C, included by the
 * runtime of each front end in the object, and by internal.h in the host.
 *
 * A `line` of an operation identifies its place in the kernel, for messages and to find threads
 * that wait at the same place. It is the line of the kernel's file, or minus the offset in bytes of
 * the operation's code in the object. Larger offsets are later in the code.
 *
 * An operation group is the pmpp_emu_state.warp lanes that a warp operation connects.
 */
#ifndef PMPP_EMU_H
#define PMPP_EMU_H

#include "pmpp_kinds.h"

struct pmpp_emu_index {
	unsigned x, y, z;
};

struct pmpp_emu_ops {
	/* Waits for all threads of the block. Returns the number of threads with predicate != 0.
	 * number: distinguishes the barriers of one line; 0: `line` does. */
	int (*barrier)(int line, int number, int predicate);
	/* Waits for the lanes of mask: bit i is lane i of the thread's operation group; bits of
	 * missing lanes have no effect. SHUFFLE returns the value of lane `source`. VOTE returns the
	 * lanes of mask with value != 0. ACTIVE (with all lanes as mask) returns the lanes that wait
	 * at this line when no other lane of the group can continue. With a negative line, lanes meet
	 * only at the same line. */
	unsigned long long (*warp)(int line, enum pmpp_emu_warp_op op, unsigned long long mask,
		unsigned long long value, int source);
	/* Asynchronous copy to shared memory: `bytes - zeroed` bytes, then `zeroed` zero bytes. low
	 * and high: the data. A negative line is also the place of the copy's accesses. commit returns
	 * the number of the group of copies. wait completes all groups except the last `prior`;
	 * wait_group completes one group. */
	void (*copy)(int line, void *to, const void *from, unsigned long bytes,
		unsigned long zeroed, unsigned long long low, unsigned long long high);
	unsigned long (*copy_commit)(void);
	void (*copy_wait)(unsigned long prior);
	void (*copy_wait_group)(unsigned long group);
	/* Traced build: records an access by the instruction before pc. */
	void (*access)(const void *address, unsigned long bytes, enum pmpp_emu_access kind,
		const void *pc);
	/* Traced build: the block has completed the accesses that the running thread made to these
	 * bytes since the last barrier, as its share of an operation of the block. They race with no
	 * later access of the block. */
	void (*settle)(const void *address, unsigned long bytes);
	/* Ends the thread, because the watchdog has interrupted it. pc: the return address of the call
	 * whose line the message has. */
	void (*end)(const void *pc);
	/* Ends the thread at a defect. The message is `what` and `detail`. pc: the return address of the
	 * call that found the defect. */
	void (*fail)(const void *pc, const char *what, const char *detail);
	/* Traced build: called at the head of a basic block, whose first instruction is before pc.
	 * frame: an address on the stack, for the depth of calls. NULL: not called (no watch). */
	void (*step)(const void *pc, const void *frame);
};

/* One in each object. The host sets it for a launch. At each switch of fibers it sets `thread` and
 * `lane`. */
struct pmpp_emu_state {
	/* Plain build: the return address of the last built-in function that accesses memory, for the
	 * line of a fault in it. The first member: OpenCL C writes it as a number. NULL: none. */
	const void *called_from;
	struct pmpp_emu_index thread, block, block_dim, grid_dim;
	unsigned lane; /* of the thread in its operation group */
	unsigned warp; /* number of lanes of an operation group */
	/* Set before `barrier`: the memories that it does not order, as bits 1 << enum
	 * pmpp_emu_memory. All threads of a barrier set the same value. The host reads the value of
	 * the last thread that arrives. If all barriers order all memories, it stays 0. */
	unsigned unordered;
	/* in_library is set while the thread is in a function of the C library that takes a lock, such
	 * as malloc(). The watchdog does not end the thread there, because the lock would stay locked.
	 * It sets `interrupted`, and the thread calls ops.end after the function. After
	 * the time limit, it is also set by the first signals in the kernel's own code. */
	volatile int in_library, interrupted;
	void *dynamic_shared;
	/* A copy in the object, because the traced build checks its reads. */
	struct pmpp_emu_ops ops;
};

/* The record of an object: symbol pmpp_emu_object. */
struct pmpp_emu_object {
	struct pmpp_emu_state *state;
	char *shared_begin, *shared_end; /* all variables of the file in shared memory */
	/* Shared memory with a guard of unused bytes before and after it, so that an index past the end
	 * does not reach other variables. The host makes the whole pages of the guards inaccessible. */
	char *guard_begin, *guard_end;
	/* Variables of the file in global memory, and its tables in constant memory. In the traced build
	 * unused bytes are before and after each of them. */
	char *variables_begin, *variables_end;
	const char *constants_begin, *constants_end;
};

/* The message of a stack protector. */
#define PMPP_EMU_STACK_DEFECT "a store past the end of a private array"

/* Defines the state and the record of an object, once for each object. The linker gives sections
 * the order in which it finds them: the object file with this definition must be its first one. */
#define PMPP_EMU_DEFINE_OBJECT                                                              \
	PMPP_EMU_GUARDS                                                                     \
	__attribute__((visibility("hidden"))) struct pmpp_emu_state pmpp_emu_state;         \
	extern char __start_pmpp_shared[] __attribute__((weak, visibility("hidden")));      \
	extern char __stop_pmpp_shared[] __attribute__((weak, visibility("hidden")));       \
	extern char __start_pmpp_guard_begin[] __attribute__((weak, visibility("hidden"))); \
	extern char __stop_pmpp_guard_end[] __attribute__((weak, visibility("hidden")));    \
	extern char __start_pmpp_variables[] __attribute__((weak, visibility("hidden")));   \
	extern char __stop_pmpp_variables[] __attribute__((weak, visibility("hidden")));    \
	extern char __start_pmpp_constants[] __attribute__((weak, visibility("hidden")));   \
	extern char __stop_pmpp_constants[] __attribute__((weak, visibility("hidden")));    \
	__attribute__((visibility("default"))) struct pmpp_emu_object pmpp_emu_object = {   \
		&pmpp_emu_state, __start_pmpp_shared, __stop_pmpp_shared,                   \
		__start_pmpp_guard_begin, __stop_pmpp_guard_end, __start_pmpp_variables,    \
		__stop_pmpp_variables, __start_pmpp_constants, __stop_pmpp_constants};

#define PMPP_EMU_SECTION(name, flags, content) \
	".pushsection " name ",\"" flags "\",@progbits\n" content ".popsection\n"
#define PMPP_EMU_GUARDS                                                                    \
	__asm__(PMPP_EMU_SECTION("pmpp_guard_begin", "aw", ".zero 16384\n")                \
			PMPP_EMU_SECTION("pmpp_shared", "aw", "")                          \
				PMPP_EMU_SECTION("pmpp_guard_end", "aw", ".zero 16384\n")  \
					PMPP_EMU_SECTION("pmpp_variables", "aw", "")       \
						PMPP_EMU_SECTION("pmpp_constants", "a", ""));

/* The record of a kernel: symbol pmpp_emu_entry_NAME. parameters has one character for each
 * parameter: 'p' for a pointer, 'l' for a pointer to the dynamic shared memory, 'f' for a float, 'd' for a
 * double, '?' for a parameter that no argument fits, otherwise its size in bytes as a digit. block and lanes: the only size of a
 * block, and of a warp, with which the kernel can be launched; 0: any. */
struct pmpp_emu_entry {
	void (*call)(void **arguments);
	const char *parameters;
	unsigned block[3], lanes;
};

#endif
