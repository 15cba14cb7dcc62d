/*
 * Signals inside a kernel. The handler runs on the worker's signal stack and leaves it by switching
 * to the scheduler's fiber: the kernel's thread is given up, the worker goes on.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <ucontext.h>

#define INTERRUPT_SIGNAL \
	SIGURG /* the watchdog's; ignored by default, so a late one does no harm \
		*/

#define MAX_INTERRUPTS 200 /* signals that may find the kernel away from its own code */

static const struct {
	int number;
	const char *text;
} signals[] = {
	{SIGSEGV, "a memory access outside of everything the kernel has (SIGSEGV)"},
	{SIGBUS, "a memory access to no memory (SIGBUS)"},
	{SIGFPE, "an arithmetic error, such as an integer division by zero (SIGFPE)"},
	{SIGILL, "an illegal instruction (SIGILL)"},
	{INTERRUPT_SIGNAL, "time is up"},
};

#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

static struct sigaction before[SIGNAL_COUNT];

static const void *program_counter(const void *context)
{
#if defined(__x86_64__)
	return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return NULL;
#endif
}

static bool in_guard(const struct fiber *fiber, const char *address)
{
	return fiber && address >= fiber->memory && address < fiber->memory + fiber_guard_bytes();
}

/* The kernel is inside a barrier, a warp operation or a library function: no line of its own, so
 * the watchdog tries again, but not for ever. A traced kernel's line is that of its last access. */
static bool called_out_of_kernel(struct emu_worker *worker, const void *context)
{
	const char *pc = program_counter(context);

	return pc && !worker->launch->program->traced &&
	       (pc < worker->object->image_begin || pc >= worker->object->image_end) &&
	       worker->interrupts++ < MAX_INTERRUPTS;
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct emu_worker *worker = emu_worker_current;
	size_t row = 0;

	while (signals[row].number != number)
		row++;
	if (!worker || !worker->in_kernel) {
		/* Not ours: as it would have been without us. */
		if (number != INTERRUPT_SIGNAL)
			sigaction(number, &before[row], NULL);
		return;
	}
	if (number == INTERRUPT_SIGNAL && called_out_of_kernel(worker, context))
		return; /* the scheduler, or the next signal, finds the kernel's own line */
	bool overflow = number == SIGSEGV && in_guard(worker->running, info->si_addr);
	emu_fault_set(worker, number == INTERRUPT_SIGNAL ? TRACE_RUNAWAY : TRACE_FAULT, 0,
		program_counter(context), "%s", overflow ? "stack overflow" : signals[row].text);
	emu_fault_leave(worker);
}

void emu_faults_install(void)
{
	/* NODEFER: the handler is left for good, and the signal must not stay blocked. */
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i].number, &action, &before[i]);
}

void emu_faults_restore(void)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i].number, &before[i], NULL);
}

void emu_faults_interrupt(struct emu_worker *worker)
{
	pthread_kill(worker->id, INTERRUPT_SIGNAL);
}
