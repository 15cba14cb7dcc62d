/*
 * Stacks that a thread can switch between: no system call, about ten instructions a switch on
 * x86-64 and aarch64 (ucontext elsewhere).
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_FIBER_H
#define PMPP_HOST_GPU_CUDA_EMU_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber {
	void *stack_pointer; /* while it does not run */
	char *memory;        /* guard page, then the stack; NULL for the thread's own stack */
	size_t bytes;        /* of memory */
	struct fiber *next;  /* for its owner: free ones */
	struct fiber *link;  /* for its owner: all */
	void *context;       /* ucontext_t where the switch is not our own */
};

/* The guard's size at the low end of memory: an address in it is a stack overflow. */
size_t fiber_guard_bytes(void);

/* A fiber that will run entry(argument) when first switched to; entry must never return. A fiber is
 * used again by another fiber_start. */
bool fiber_create(struct fiber **ret_fiber);
void fiber_start(struct fiber *fiber, void (*entry)(void *argument), void *argument);
void fiber_destroy(struct fiber *fiber);

/* The calling thread's own stack, to switch away from and back to. */
void fiber_init_main(struct fiber *fiber);
void fiber_finish_main(struct fiber *fiber);

/* Leaves from, goes on in to. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
