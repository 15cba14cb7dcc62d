/*
 * Fibers: stacks between which a thread can switch. On x86-64 and aarch64 a switch takes some ten
 * instructions and no system call; other processors use ucontext.
 */
#ifndef PMPP_HOST_GPU_EMU_FIBER_H
#define PMPP_HOST_GPU_EMU_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber {
	void *stack_pointer; /* valid while the fiber does not run */
	char *memory;        /* guard page, then the stack; NULL for the thread's own stack */
	size_t bytes;        /* size of memory */
	struct fiber *next;  /* for the owner: list of free fibers */
	struct fiber *link;  /* for the owner: list of all fibers */
	void *context;       /* ucontext_t; used on other processors only */
};

/* Size of the guard at the low end of memory. An access to the guard is a stack overflow. */
size_t fiber_guard_bytes(void);

/* fiber_start() prepares a fiber: the first switch to it calls entry(argument), which must not
 * return. A later fiber_start() uses the fiber again. fiber_create() returns false for lack of
 * memory. */
bool fiber_create(struct fiber **ret_fiber);
void fiber_start(struct fiber *fiber, void (*entry)(void *argument), void *argument);
void fiber_destroy(struct fiber *fiber);

/* Makes a fiber of the calling thread's own stack, so that other fibers can switch back to it. */
void fiber_init_main(struct fiber *fiber);
void fiber_finish_main(struct fiber *fiber);

/* Suspends the fiber `from` and continues the fiber `to`. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
