#include "host/gpu/emu/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#ifndef FIBER_ASAN
#define FIBER_ASAN 0
#endif

#if FIBER_ASAN
#include <sanitizer/asan_interface.h>
#endif

/* Local variables of kernels are small, but the stack also has the arrays that a GPU keeps in local
 * memory. */
#define STACK_BYTES ((size_t)256 * 1024)

/* Stacks that all begin at the same offset in a page would compete for a few sets of the L1 cache.
 * Therefore neighbours in memory begin at different offsets. */
#define TOPS ((uintptr_t)32)
/* Bytes; TOPS * TOP_STEP is the smallest page. No variable of a kernel has a larger alignment, so the depth
 * of a call is the same on each stack. */
#define TOP_STEP ((size_t)128)

/* Functions that did not return have left their red zones poisoned: on the stack, and in the guard if
 * the stack overflowed. Without this, the next user of the memory inherits them. */
static void unpoison(struct fiber *fiber)
{
#if FIBER_ASAN
	__asan_unpoison_memory_region(fiber->memory, fiber->bytes);
#else
	(void)fiber;
#endif
}

/* Returns NULL for lack of memory. */
static struct fiber *create(void)
{
	struct fiber *fiber = calloc(1, sizeof *fiber);
	size_t guard_bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!fiber)
		return NULL;
	fiber->bytes = guard_bytes + STACK_BYTES;
	fiber->memory = mmap(NULL, fiber->bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fiber->memory == MAP_FAILED || mprotect(fiber->memory, guard_bytes, PROT_NONE)) {
		if (fiber->memory != MAP_FAILED)
			munmap(fiber->memory, fiber->bytes);
		free(fiber);
		return NULL;
	}
	fiber->bottom = fiber->memory + guard_bytes;
	fiber->top = fiber->memory + fiber->bytes -
		     (uintptr_t)fiber->memory / fiber->bytes % TOPS * TOP_STEP;
	return fiber;
}

void fiber_destroy(struct fiber *fibers)
{
	while (fibers) {
		struct fiber *fiber = fibers;
		fibers = fiber->link;
		unpoison(fiber);
		munmap(fiber->memory, fiber->bytes);
		free(fiber);
	}
}

#if FIBER_OWN_SWITCH

/* The first return address of a new stack: calls entry(argument), which are in saved registers. */
void pmpp_fiber_enter(void);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl pmpp_fiber_swap\n"
	".type pmpp_fiber_swap, @function\n"
	"pmpp_fiber_swap:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size pmpp_fiber_swap, .-pmpp_fiber_swap\n"
	".globl pmpp_fiber_enter\n"
	".type pmpp_fiber_enter, @function\n"
	"pmpp_fiber_enter:\n"
	"	mov %r13, %rdi\n"
	"	call *%r12\n"
	"	ud2\n"
	".size pmpp_fiber_enter, .-pmpp_fiber_enter\n");

#define SAVED_WORDS 9 /* r15 r14 r13 r12 rbx rbp, return address, and two that align the call */
#define WORD_ARGUMENT 2
#define WORD_ENTRY 3
#define WORD_RETURN 6
#else
__asm__(".text\n"
	".globl pmpp_fiber_swap\n"
	".type pmpp_fiber_swap, %function\n"
	"pmpp_fiber_swap:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size pmpp_fiber_swap, .-pmpp_fiber_swap\n"
	".globl pmpp_fiber_enter\n"
	".type pmpp_fiber_enter, %function\n"
	"pmpp_fiber_enter:\n"
	"	mov x0, x19\n"
	"	blr x20\n"
	"	brk #1\n"
	".size pmpp_fiber_enter, .-pmpp_fiber_enter\n");

#define SAVED_WORDS 20
#define WORD_ARGUMENT 0
#define WORD_ENTRY 1
#define WORD_RETURN 11
#endif

static void prepare(struct fiber *fiber, void (*entry)(void *argument), void *argument)
{
	uintptr_t *words = (uintptr_t *)(void *)fiber->top - SAVED_WORDS;

	memset(words, 0, SAVED_WORDS * sizeof *words);
	words[WORD_ARGUMENT] = (uintptr_t)argument;
	words[WORD_ENTRY] = (uintptr_t)entry;
	words[WORD_RETURN] = (uintptr_t)pmpp_fiber_enter;
	fiber->stack_pointer = words;
}

#else

/* makecontext() passes only ints, so each pointer is two arguments. */
static void enter(
	unsigned entry_high, unsigned entry_low, unsigned argument_high, unsigned argument_low)
{
	uint64_t entry = (uint64_t)entry_high << 32 | entry_low;
	uint64_t argument = (uint64_t)argument_high << 32 | argument_low;

	((void (*)(void *))(uintptr_t)entry)((void *)(uintptr_t)argument);
}

static void prepare(struct fiber *fiber, void (*entry)(void *argument), void *argument)
{
	uint64_t e = (uintptr_t)entry;
	uint64_t a = (uintptr_t)argument;

	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->bottom;
	fiber->context.uc_stack.ss_size = (size_t)(fiber->top - fiber->bottom);
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, (void (*)(void))enter, 4, (unsigned)(e >> 32), (unsigned)e,
		(unsigned)(a >> 32), (unsigned)a);
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#endif

bool fiber_start(struct fiber **fiber, void (*entry)(void *argument), void *argument)
{
	if (!*fiber)
		*fiber = create();
	if (!*fiber)
		return false;
	unpoison(*fiber);
	prepare(*fiber, entry, argument);
	return true;
}
