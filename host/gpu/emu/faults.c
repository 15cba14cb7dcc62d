/*
 * Signals inside a kernel. The handler runs on the worker's signal stack. It does not return, but
 * switches to the scheduler's fiber: the kernel's thread ends, and the worker continues.
 */
#include "host/gpu/emu/internal.h"

#include <stdio.h>
#include <ucontext.h>

/* The watchdog's signal. It is ignored by default, so a late signal has no effect. */
#define INTERRUPT_SIGNAL SIGURG
#define TIME_LIMIT "the time limit is reached"
#define MAX_INTERRUPTS 200 /* signals that may find the kernel away from its own code */
/* After the time limit, the first signals do not end a thread in its own code. They only set `interrupted`. The
 * thread then ends after its next library call, whose line is known. */
#define MIN_INTERRUPTS 5

static const struct {
	int number;
	const char *text;
} signals[] = {
	{SIGSEGV, "an access to an invalid address (SIGSEGV)"},
	{SIGBUS, "an access to an address without memory (SIGBUS)"},
	{SIGFPE, "an arithmetic error, such as an integer division by zero (SIGFPE)"},
	{SIGILL, "an illegal instruction (SIGILL)"},
	{INTERRUPT_SIGNAL, TIME_LIMIT},
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

/* The kind of access that the processor reports. */
static const char *access_kind(const void *context)
{
#if defined(__x86_64__)
	bool is_write = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;

	return is_write ? "store" : "load";
#else
	(void)context;
	return "access";
#endif
}

/* Describes a signal. A plain kernel has no checks: its accesses beyond the guards of an operand are in an
 * unmapped gap. The kernel (SI_KERNEL) sends no address if no address is possible. */
static void describe(const struct emu_worker *worker, size_t row, const siginfo_t *info,
	const void *context, char *ret_text, size_t size)
{
	char place[160];

	if (signals[row].number == SIGSEGV && info->si_code != SI_KERNEL &&
		trace_place_text(worker, info->si_addr, 1, place, sizeof place))
		snprintf(ret_text, size, "out-of-bounds %s%s", access_kind(context), place);
	else
		snprintf(ret_text, size, "%s", signals[row].text);
}

static bool in_guard(const struct fiber *fiber, const char *address)
{
	return fiber && address >= fiber->memory && address < fiber->memory + fiber_guard_bytes();
}

/* Whether the thread is in a barrier, a warp operation or a library function: there is then no line
 * of the kernel. The watchdog sends the signal again, a limited number of times. For a traced
 * kernel the line of the last access is used. */
static bool is_outside_kernel(struct emu_worker *worker, const void *context)
{
	const char *pc = program_counter(context);

	return pc && !worker->launch->program->traced &&
	       (pc < worker->object->image_begin || pc >= worker->object->image_end) &&
	       worker->interrupts++ < MAX_INTERRUPTS;
}

static unsigned interrupts_to_ignore(const struct emu_worker *worker)
{
	if (worker->state->in_library)
		return MAX_INTERRUPTS;
	return worker->launch->timed_out ? MIN_INTERRUPTS : 0;
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct emu_worker *worker = emu_worker_current;
	char text[200] = "stack overflow";
	size_t row = 0;

	while (signals[row].number != number)
		row++;
	/* Also inside the emulator: a hook of a kernel may need the last bytes of the stack. */
	bool overflow = worker && worker->running && number == SIGSEGV &&
			in_guard(worker->running, info->si_addr);
	if (!worker || (!worker->in_kernel && !overflow)) {
		/* The signal is not from a kernel: restore the earlier action. A fault repeats
		 * then. */
		if (number != INTERRUPT_SIGNAL)
			sigaction(number, &before[row], NULL);
		return;
	}
	/* A kernel out of its bounds may have overwritten the flag: therefore a limit. */
	if (number == INTERRUPT_SIGNAL && worker->interrupts < interrupts_to_ignore(worker)) {
		worker->interrupts++;
		worker->state->interrupted = 1;
		return;
	}
	if (number == INTERRUPT_SIGNAL && is_outside_kernel(worker, context))
		return; /* the scheduler or the next signal finds a line of the kernel */
	if (!overflow)
		describe(worker, row, info, context, text, sizeof text);
	emu_fault_set(worker, number == INTERRUPT_SIGNAL ? TRACE_RUNAWAY : TRACE_FAULT, 0,
		program_counter(context), "%s", text);
	emu_fault_leave(worker);
}

void emu_faults_end(const void *pc)
{
	struct emu_worker *worker = emu_worker_current;

	worker->last_pc = (const char *)pc - 1;
	emu_fault_set(worker, TRACE_RUNAWAY, 0, worker->last_pc, "%s", TIME_LIMIT);
	emu_fault_leave(worker);
}

void emu_faults_fail(const void *pc, const char *what, const char *detail)
{
	struct emu_worker *worker = emu_worker_current;

	emu_fault_set(worker, TRACE_FAULT, 0, (const char *)pc - 1, "%s%s", what, detail);
	emu_fault_leave(worker);
}

void emu_faults_install(void)
{
	/* NODEFER: the handler does not return, so the signal must not stay blocked. */
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
