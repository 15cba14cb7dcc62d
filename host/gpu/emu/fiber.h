/*
 * Fibers: stacks between which a thread can switch. On x86-64 and aarch64 a switch takes some ten
 * instructions and no system call; other processors use ucontext.
 */
#ifndef PMPP_HOST_GPU_EMU_FIBER_H
#define PMPP_HOST_GPU_EMU_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define FIBER_OWN_SWITCH 1
#else
#define FIBER_OWN_SWITCH 0
#endif

struct fiber {
	void *stack_pointer; /* valid while the fiber does not run */
	char *memory;        /* guard page, then the stack; NULL for the thread's own stack */
	size_t bytes;        /* size of memory */
	char *top;           /* the high end of the stack, below memory + bytes */
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

/* Suspends the fiber `from` and continues another fiber, `to`. Inline, so that the processor predicts the
 * return if both wait at the same place. */
#if FIBER_OWN_SWITCH
/* Saves the callee-saved registers, changes the stack, and restores the registers. The control
 * words of SSE and x87 (FPCR on aarch64) are not saved, because kernels do not change them. */
void pmpp_fiber_swap(void **save, void *load);

static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
	pmpp_fiber_swap(&from->stack_pointer, to->stack_pointer);
}
#else
void fiber_switch(struct fiber *from, struct fiber *to);
#endif

#endif
