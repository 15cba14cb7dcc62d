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
#include <ucontext.h>
#endif

/* The fiber of a thread's own stack needs no other initialisation than zeros. */
struct fiber {
#if FIBER_OWN_SWITCH
	void *stack_pointer; /* valid while the fiber does not run */
#else
	ucontext_t context; /* valid while the fiber does not run */
#endif
	char *memory; /* guard, then the stack; NULL for the thread's own stack */
	size_t bytes; /* size of memory */
	char *bottom; /* the low end of the stack. An access to the guard is a stack overflow */
	char *top;    /* the high end of the stack, below memory + bytes */
	struct fiber *next; /* for the owner: list of free fibers */
	struct fiber *link; /* for the owner: list of all fibers */
};

/* Prepares *fiber, which is made if it is NULL: the first switch to it calls entry(argument), which must
 * not return. A fiber can be started again. Returns false for lack of memory. */
bool fiber_start(struct fiber **fiber, void (*entry)(void *argument), void *argument);

/* Destroys a list of fibers, linked by `link`. */
void fiber_destroy(struct fiber *fibers);

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
