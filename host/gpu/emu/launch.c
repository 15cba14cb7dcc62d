/*
 * A launch. Each worker takes one block at a time. The calling thread waits for the workers and is
 * the watchdog. A launch is done when the call returns.
 *
 * Signals inside a kernel: the handler runs on the worker's signal stack. It does not return, but
 * switches to the scheduler's fiber: the kernel's thread ends, and the worker continues.
 */
#include "host/gpu/emu/internal.h"

#include "common/data.h"
#include "host/gpu/arguments.h"
#include "host/io/clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

#define SIGNAL_STACK_BYTES ((size_t)64 * 1024)
#define INTERRUPT_INTERVAL_NS 10000000 /* between two attempts to end a kernel */

/* ---- Order ----------------------------------------------------------------------------------- */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Returns element `position` of the device's order of `count` elements. Shuffled: steps of a fixed
 * size that has no common divisor with count reach each element once. */
static uint64_t in_order(const struct gpu_device *device, uint64_t position, uint64_t count)
{
	if (device->order == GPU_ORDER_REVERSED)
		return count - 1 - position;
	if (device->order == GPU_ORDER_FORWARD || count > UINT32_MAX)
		return position;
	uint64_t first = data_bits(device->order_seed, 1, 0) % count;
	uint64_t step = data_bits(device->order_seed, 2, 0) % count + 1;
	while (greatest_common_divisor(step, count) != 1)
		step++;
	return (position * step + first) % count;
}

/* A watched launch runs only the selected blocks, one after the other. */
static uint64_t block_at(const struct emu_launch *launch, uint64_t position)
{
	const struct gpu_watch *watch = launch->watch;

	if (watch)
		return watch->blocks ? watch->blocks[position] : position;
	return in_order(&launch->device->base, position, launch->block_count);
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* The watchdog's signal. It is ignored by default, so a late signal has no effect. */
#define INTERRUPT_SIGNAL SIGURG
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
	{INTERRUPT_SIGNAL, EMU_TIME_LIMIT},
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
		checks_place_text(worker, info->si_addr, 1, place, sizeof place))
		snprintf(ret_text, size, "out-of-bounds %s%s", access_kind(context), place);
	else
		snprintf(ret_text, size, "%s", signals[row].text);
}

static bool in_guard(const struct fiber *fiber, const char *address)
{
	return fiber && address >= fiber->memory && address < fiber->bottom;
}

/* Whether the thread is in a barrier, a warp operation or a library function: there is then no line
 * of the kernel. The watchdog sends the signal again, a limited number of times. For a traced
 * kernel the line of the last access is used. */
static bool is_outside_kernel(struct emu_worker *worker, const void *context)
{
	const char *pc = program_counter(context);

	return pc && !worker->launch->program->traced && !emu_in_image(worker->object, pc) &&
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

static void install_signals(void)
{
	/* NODEFER: the handler does not return, so the signal must not stay blocked. */
	struct sigaction action = {
		.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i].number, &action, &before[i]);
}

static void restore_signals(void)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i].number, &before[i], NULL);
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* Whether another block would probably exceed a limit of the watch. */
static bool watch_is_full(const struct emu_worker *worker)
{
	uint64_t blocks = worker->block_ordinal;

	return worker->watch && blocks > 0 &&
	       (worker->unwatched || worker->launch->watch_over ||
		       watch_steps(worker->watch) / blocks * (blocks + 1) >
			       worker->launch->watch->step_limit);
}

static void *run_worker(void *argument)
{
	struct emu_worker *worker = argument;
	struct emu_launch *launch = worker->launch;
	stack_t stack = {.ss_sp = worker->signal_stack, .ss_size = SIGNAL_STACK_BYTES};
	uint64_t position;
	bool complete = true;

	emu_worker_current = worker;
	sigaltstack(&stack, NULL);
	/* The time limit may be reached before a worker begins. The launch then stops inside a
	 * kernel, so that the message has a line. */
	while (complete && (!launch->stop || worker->block_ordinal == 0) &&
		!watch_is_full(worker) &&
		(position = atomic_fetch_add(&launch->next_block, 1)) < launch->block_count) {
		uint64_t number = block_at(launch, position);
		struct pmpp_emu_index block = {(unsigned)(number % launch->grid.x),
			(unsigned)(number / launch->grid.x % launch->grid.y),
			(unsigned)(number / launch->grid.x / launch->grid.y)};
		complete = emu_block_run(worker, block);
		launch->blocks_done += complete;
	}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	emu_worker_current = NULL;

	pthread_mutex_lock(&launch->lock);
	if (worker->fault.kind != TRACE_NO_DEFECT && !launch->failed)
		launch->failed = worker;
	if (!complete)
		launch->stop = true;
	launch->running--;
	pthread_cond_signal(&launch->ended);
	pthread_mutex_unlock(&launch->lock);
	return NULL;
}

/* A stack is two mappings, and Linux allows 65530 mappings in a process. A launch on 16 workers has at
 * most 32768 mappings, and another device may keep 16384. Up to 8 workers keep all stacks of the
 * largest block. */
#define MAX_KEPT_STACKS 8192

/* The number of stacks that a worker keeps. None if the address space or the data of the process are
 * limited: the kept stacks would take memory from buffers. */
static size_t max_kept(const struct emu_device *device)
{
	static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
	struct rlimit limit;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (getrlimit(kinds[i], &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
			return 0;
	return MAX_KEPT_STACKS / device->worker_count;
}

/* Moves the stacks that the device keeps for this worker to the worker: all are free. */
static void take_stacks(struct emu_worker *worker)
{
	struct fiber **stacks = &worker->launch->device->stacks[worker->index];

	worker->fibers = *stacks;
	*stacks = NULL;
	for (struct fiber *fiber = worker->fibers; fiber; fiber = fiber->link) {
		fiber->next = worker->free_fibers;
		worker->free_fibers = fiber;
	}
}

/* Moves the worker's stacks back to the device. Destroys the stacks above the limit. */
static void leave_stacks(struct emu_worker *worker, struct emu_device *device)
{
	for (size_t room = max_kept(device); worker->fibers && room > 0; room--) {
		struct fiber *fiber = worker->fibers;
		worker->fibers = fiber->link;
		fiber->link = device->stacks[worker->index];
		device->stacks[worker->index] = fiber;
	}
	fiber_destroy(worker->fibers);
}

static void finish_worker(struct emu_worker *worker, struct emu_device *device)
{
	leave_stacks(worker, device);
	checks_end(worker);
	free(worker->threads);
	free(worker->steps);
	free(worker->order);
	fenced_memory_destroy(&worker->dynamic_shared);
	free(worker->signal_stack);
	watch_destroy(worker->watch);
}

static enum pmpp_status init_worker(struct emu_worker *worker, size_t index,
	struct emu_launch *launch, const char *entry, struct pmpp_error *error)
{
	struct emu_program *program = launch->program;
	enum pmpp_status status = emu_object_open(program, index, error);
	char symbol[128];

	if (status != PMPP_OK)
		return status;
	worker->index = index;
	worker->launch = launch;
	take_stacks(worker);
	worker->object = &program->objects[index];
	worker->state = worker->object->record->state;
	snprintf(symbol, sizeof symbol, "pmpp_emu_entry_%s", entry);
	launch->entry[index] = dlsym(worker->object->handle, symbol);
	worker->threads = aligned_alloc(
		_Alignof(struct emu_thread), launch->block_threads * sizeof *worker->threads);
	worker->order = calloc(launch->block_threads, sizeof *worker->order);
	worker->signal_stack = malloc(SIGNAL_STACK_BYTES);
	if (launch->watch) {
		worker->watch =
			watch_create(worker->object, launch->model, launch->watch->cache_bytes);
		worker->steps = calloc(launch->block_threads, sizeof *worker->steps);
	}
	if (!fenced_memory_create(&worker->dynamic_shared, launch->dynamic_bytes) ||
		!worker->threads || !worker->order || !worker->signal_stack ||
		!checks_begin(worker) || (launch->watch && (!worker->watch || !worker->steps)))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the emulator's workers");
	const struct pmpp_emu_index *block = &launch->block;
	for (size_t i = 0; i < launch->block_threads; i++) {
		unsigned row = (unsigned)i / block->x;
		worker->threads[i] = (struct emu_thread){
			.index = {(unsigned)i % block->x, row % block->y, row / block->y}};
		worker->order[i] = launch->watch ? i
						 : (size_t)in_order(&launch->device->base, i,
							   launch->block_threads);
	}
	*worker->state = (struct pmpp_emu_state){
		.block_dim = launch->block,
		.grid_dim = launch->grid,
		.warp = launch->operation_lanes,
		.dynamic_shared = worker->dynamic_shared.bytes,
	};
	return PMPP_OK;
}

/* Waits for the workers, and ends them after the time limit. The watch slows a kernel, so it ends after half of
 * the limit. */
static void wait_for_workers(
	struct emu_launch *launch, struct emu_worker *workers, size_t count, double timeout_s)
{
	const uint64_t limit_ns = (uint64_t)(timeout_s * 1e9);
	uint64_t deadline = (uint64_t)host_clock_ns() + (launch->watch ? limit_ns / 2 : limit_ns);

	pthread_mutex_lock(&launch->lock);
	/* A worker may have failed before this thread could wait for it. */
	if (launch->stop)
		deadline = (uint64_t)host_clock_ns();
	while (launch->running > 0) {
		struct timespec until = {
			(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
		pthread_cond_timedwait(&launch->ended, &launch->lock, &until);
		if (launch->running == 0)
			break;
		if (!launch->stop) {
			if ((uint64_t)host_clock_ns() < deadline)
				continue;
			if (launch->watch && !launch->watch_over) {
				launch->watch_over = true;
				deadline += limit_ns - limit_ns / 2;
				continue;
			}
			launch->timed_out = true;
			launch->stop = true;
		}
		/* The time limit is reached, or a worker failed and the others need not finish. A
		 * worker between two blocks ignores the signal, so the signals are repeated. */
		for (size_t i = 0; i < count; i++)
			pthread_kill(workers[i].id, INTERRUPT_SIGNAL);
		deadline = (uint64_t)host_clock_ns() + INTERRUPT_INTERVAL_NS;
	}
	pthread_mutex_unlock(&launch->lock);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Whether the outputs of a launch are valid: no block failed, the launch was not stopped, and every
 * block is done. */
static bool launch_complete(const struct emu_launch *launch)
{
	return !launch->failed && !launch->stop && launch->blocks_done == launch->block_count;
}

/* text: the reason; not used if the time limit ended the kernel. */
static void write_defect_text(
	const struct emu_launch *launch, const char *text, struct trace_defect *defect)
{
	if (defect->kind == TRACE_RUNAWAY && launch->timed_out)
		snprintf(defect->text, sizeof defect->text,
			"the kernel ran for more than %g s (PMPP_EMU_TIMEOUT_S)",
			launch->device->timeout_s);
	else
		snprintf(defect->text, sizeof defect->text, "%s", text);
}

/* Returns the defect that ended the kernel, with lines in place of addresses. A launch that was
 * stopped between two blocks has no line. */
static struct trace_defect describe_defect(const struct emu_launch *launch)
{
	const struct emu_worker *worker = launch->failed;
	struct trace_defect defect = {0};
	struct emu_place places[2];

	if (!worker) {
		defect.kind = TRACE_RUNAWAY;
		write_defect_text(launch, "stopped between two blocks", &defect);
		return defect;
	}
	const struct emu_fault *fault = &worker->fault;
	/* A traced kernel spends its time in the hooks: use the line of its last access. A negative
	 * line is an offset in the object. */
	const char *image = worker->object->image_begin;
	const char *pcs[] = {fault->line < 0 ? image - fault->line
			     : fault->kind == TRACE_RUNAWAY && launch->program->traced
				     ? worker->last_pc
				     : fault->pc,
		fault->other_line < 0 ? image - fault->other_line : fault->other_pc};

	emu_places(launch->program, worker->object, pcs, 2, places);
	/* A built-in function has no line in the kernel's file: use the line of its call. The call of a hook
	 * may have no source line: use the line of the next instruction. */
	if ((fault->kind == TRACE_FAULT || fault->kind == TRACE_RUNAWAY) && places[0].line == 0 &&
		emu_in_image(worker->object, pcs[0])) {
		pcs[0] = fault->kind == TRACE_FAULT ? (const char *)worker->state->called_from - 1
						    : pcs[0] + 1;
		if (emu_in_image(worker->object, pcs[0]))
			emu_places(launch->program, worker->object, pcs, 1, places);
	}
	defect.kind = fault->kind;
	defect.line = fault->line > 0 ? fault->line : places[0].line;
	defect.other_line = fault->other_line > 0 ? fault->other_line : places[1].line;
	/* A thread that was ended on its way to a barrier is not in the kernel's code. */
	if (defect.kind == TRACE_RUNAWAY && defect.line == 0 && worker->current &&
		worker->current->line > 0)
		defect.line = worker->current->line;
	write_defect_text(launch, fault->text, &defect);
	return defect;
}

static enum pmpp_status report_fault(const struct emu_launch *launch,
	const struct trace_defect *defect, struct pmpp_error *error)
{
	const struct emu_fault *fault = launch->failed ? &launch->failed->fault : NULL;
	const char *name = launch->program->name;
	char line[200], other[220] = "", where[120];

	snprintf(line, sizeof line, defect->line > 0 ? "%s:%d" : "%s", name, defect->line);
	/* The text has the other line, if the front end gave it. */
	if (fault && fault->other_line <= 0 && defect->other_line > 0)
		snprintf(other, sizeof other, " (the other at %s:%d)", name, defect->other_line);
	if (fault)
		snprintf(where, sizeof where, "block (%u,%u,%u), thread (%u,%u,%u)", fault->block.x,
			fault->block.y, fault->block.z, fault->thread.x, fault->thread.y,
			fault->thread.z);
	else
		snprintf(where, sizeof where, "%llu of %llu blocks are done",
			(unsigned long long)launch->blocks_done,
			(unsigned long long)launch->block_count);
	return PMPP_FAIL(error, defect->kind == TRACE_RUNAWAY ? PMPP_TIMEOUT : PMPP_LAUNCH,
		"%s: %s%s; %s", line, defect->text, other, where);
}

/* ---- Watch ----------------------------------------------------------------------------------- */

static enum pmpp_status check_watch(
	const struct emu_launch *launch, uint64_t blocks, struct pmpp_error *error)
{
	const struct gpu_watch *watch = launch->watch;

	for (size_t i = 0; watch && watch->blocks && i < watch->block_count; i++)
		if (watch->blocks[i] >= blocks)
			return PMPP_FAIL(error, PMPP_TOO_LARGE,
				"block %llu: the grid has blocks 0 to %llu",
				(unsigned long long)watch->blocks[i],
				(unsigned long long)blocks - 1);
	return PMPP_OK;
}

/* Writes the counts of the worker to the trace, also after a defect. */
static enum pmpp_status write_trace(const struct emu_launch *launch,
	const struct emu_worker *worker, const struct trace_defect *defect,
	struct pmpp_error *error)
{
	struct trace trace;
	enum pmpp_status status = watch_report(worker->watch, launch->program, &trace, error);

	if (status != PMPP_OK)
		return status;
	trace.sampled_blocks =
		defect->kind == TRACE_NO_DEFECT ? launch->block_count : worker->block_ordinal;
	trace.total_blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
	trace.unwatched_steps = worker->unwatched_steps;
	trace.estimated = trace.sampled_blocks < trace.total_blocks || trace.unwatched_steps > 0;
	checks_report(worker, &trace);
	trace.defect = *defect;
	trace.exit_line = launch->exit_line;
	*launch->device->base.trace = trace;
	return PMPP_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

struct arguments {
	void *pointers[GPU_MAX_ARGS];
	char *buffers[GPU_MAX_ARGS];
	int64_t values[GPU_MAX_ARGS]; /* integers of another size than their parameter */
};

static enum pmpp_status refuse_argument(const struct emu_kernel *kernel,
	const struct gpu_launch *launch, size_t index, struct pmpp_error *error)
{
	static const struct {
		char kind;
		const char *text;
	} kinds[] = {{'p', "a pointer"}, {'l', "a pointer to local memory"}, {'f', "a float"},
		{'d', "a double"}, {'?', "a parameter that is neither a pointer nor a scalar"}};
	char kind = kernel->record->parameters[index];
	char found[80];

	snprintf(found, sizeof found, "the kernel has a value of %d bytes", kind - '0');
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind)
			snprintf(found, sizeof found, "the kernel has %s", kinds[i].text);
	return gpu_refuse_argument(
		&kernel->base.program->device->info, launch, index, found, error);
}

/* Returns the address that a parameter of this kind reads; NULL: the argument does not fit. */
static void *address_of(
	const struct gpu_arg *argument, char kind, size_t index, struct arguments *arguments)
{
	if (argument->kind == GPU_ARG_BUFFER) {
		struct emu_buffer *buffer = (struct emu_buffer *)argument->as.buffer;
		buffer->input = argument->input;
		arguments->buffers[index] = buffer->data;
		return kind == 'p' ? &arguments->buffers[index] : NULL;
	}
	if (argument->kind == GPU_ARG_FLOAT)
		return kind == 'f' ? (void *)(uintptr_t)&argument->as : NULL;
	return kind >= '1' && kind <= '8' ? (void *)(uintptr_t)gpu_argument_value(argument,
						    (size_t)(kind - '0'), &arguments->values[index])
					  : NULL;
}

/* A kernel may have its dynamic shared memory as the last parameter, of kind 'l'. */
static enum pmpp_status bind_arguments(const struct emu_kernel *kernel,
	const struct gpu_launch *launch, struct arguments *ret_arguments, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->base.program->device->info;
	size_t parameters = strlen(kernel->record->parameters);

	if (parameters == launch->arg_count + 1 && launch->shared_bytes == 0 &&
		kernel->record->parameters[parameters - 1] == 'l')
		return PMPP_FAIL(error, PMPP_LAUNCH,
			"argument %zu is a pointer to dynamic shared memory of 0 bytes: the launch has "
			"none",
			parameters);
	if (parameters != gpu_argument_count(info, launch))
		return gpu_refuse_count(info, launch, parameters, error);
	for (size_t i = 0; i < parameters; i++) {
		char kind = kernel->record->parameters[i];
		bool fits = kind == 'l';
		if (i < launch->arg_count) {
			ret_arguments->pointers[i] =
				address_of(&launch->args[i], kind, i, ret_arguments);
			fits = ret_arguments->pointers[i] != NULL;
		}
		if (!fits)
			return refuse_argument(kernel, launch, i, error);
	}
	return PMPP_OK;
}

/* Some kernels require one size of a block, or of a warp (reqd_work_group_size). */
static enum pmpp_status check_sizes(
	const struct emu_kernel *kernel, const struct emu_launch *launch, struct pmpp_error *error)
{
	const struct pmpp_emu_entry *record = kernel->record;
	const struct pmpp_emu_index *block = &launch->block;
	const unsigned *wanted = record->block;

	if (wanted[0] && (wanted[0] != block->x || wanted[1] != block->y || wanted[2] != block->z))
		return PMPP_FAIL(error, PMPP_LAUNCH,
			"the kernel requires blocks of %ux%ux%u threads; the launch has blocks of "
			"%ux%ux%u",
			wanted[0], wanted[1], wanted[2], block->x, block->y, block->z);
	if (record->lanes && record->lanes != launch->operation_lanes)
		return PMPP_FAIL(error, PMPP_LAUNCH,
			"the kernel requires warps of %u lanes; the launch has %zu lanes: use "
			"--width=%u",
			record->lanes, (size_t)launch->operation_lanes, record->lanes);
	return PMPP_OK;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static enum pmpp_status start_workers(struct emu_launch *launch, struct emu_worker *workers,
	size_t count, const char *entry, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	size_t started = 0;

	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = init_worker(&workers[i], i, launch, entry, error);
	if (status != PMPP_OK)
		return status;
	install_signals();
	launch->running = count;
	while (started < count &&
		pthread_create(&workers[started].id, NULL, run_worker, &workers[started]) == 0)
		started++;
	if (started < count) {
		pthread_mutex_lock(&launch->lock);
		launch->running -= count - started;
		launch->stop = launch->stop || started == 0;
		pthread_mutex_unlock(&launch->lock);
	}
	wait_for_workers(launch, workers, started, launch->device->timeout_s);
	for (size_t i = 0; i < started; i++)
		pthread_join(workers[i].id, NULL);
	restore_signals();
	if (started == 0)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "cannot start a thread for the emulator");
	return PMPP_OK;
}

static void init_launch(struct emu_launch *launch, struct emu_kernel *kernel,
	const struct gpu_launch *wanted, struct arguments *arguments)
{
	pthread_condattr_t attributes;

	launch->program = (struct emu_program *)kernel->base.program;
	launch->device = (struct emu_device *)launch->program->base.device;
	launch->arguments = arguments->pointers;
	launch->grid = (struct pmpp_emu_index){(unsigned)wanted->groups[0],
		(unsigned)wanted->groups[1], (unsigned)wanted->groups[2]};
	launch->block =
		(struct pmpp_emu_index){wanted->block[0], wanted->block[1], wanted->block[2]};
	launch->block_threads = (size_t)wanted->block[0] * wanted->block[1] * wanted->block[2];
	launch->block_count = wanted->groups[0] * wanted->groups[1] * wanted->groups[2];
	launch->model = launch->device->base.model;
	launch->operation_lanes =
		launch->device->front->warp ? launch->device->front->warp : launch->model->lanes;
	launch->dynamic_bytes = wanted->shared_bytes;
	launch->own_shared = kernel->own_shared;
	launch->watch = launch->program->traced ? launch->device->base.watch : NULL;
	if (launch->watch && launch->watch->blocks)
		launch->block_count = launch->watch->block_count;
	pthread_mutex_init(&launch->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&launch->ended, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* A later launch may read what this one has written. */
static void mark_as_set(const struct gpu_launch *launch)
{
	for (size_t i = 0; i < launch->arg_count; i++)
		if (launch->args[i].kind == GPU_ARG_BUFFER)
			launch->args[i].as.buffer->unset = false;
}

enum pmpp_status emu_launch(
	struct gpu_kernel *base, const struct gpu_launch *wanted, struct pmpp_error *error)
{
	struct emu_kernel *kernel = (struct emu_kernel *)base;
	struct emu_launch launch = {0};
	struct arguments arguments;
	struct trace_defect defect = {0};
	struct emu_worker *workers = NULL;
	size_t count = 0;
	enum pmpp_status status = bind_arguments(kernel, wanted, &arguments, error);

	if (status != PMPP_OK)
		return status;
	init_launch(&launch, kernel, wanted, &arguments);
	status = check_sizes(kernel, &launch, error);
	if (status == PMPP_OK)
		status = check_watch(
			&launch, wanted->groups[0] * wanted->groups[1] * wanted->groups[2], error);
	if (status != PMPP_OK)
		goto out;
	/* All blocks share the variables in global memory and the traced build's last accesses.
	 * Then one worker runs all blocks. */
	count = launch.program->base.variables.bytes || launch.program->traced
			? 1
			: launch.device->worker_count;
	if (count > launch.block_count)
		count = (size_t)launch.block_count;
	workers = calloc(count, sizeof *workers);
	if (!workers) {
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for the emulator's workers");
		goto out;
	}
	status = start_workers(&launch, workers, count, base->entry, error);
	if (status != PMPP_OK)
		goto out;
	/* A watch may end before the last block. */
	if (launch.watch && !launch.failed && !launch.stop)
		launch.block_count = launch.blocks_done;
	if (!launch_complete(&launch))
		defect = describe_defect(&launch);
	launch.device->base.defect = defect;
	if (launch.exit_line && !launch.watch)
		snprintf(launch.device->base.note, sizeof launch.device->base.note, TRACE_EXIT_NOTE,
			launch.exit_line);
	if (launch.watch)
		status = write_trace(&launch, &workers[0], &defect, error);
	if (!launch_complete(&launch))
		status = report_fault(&launch, &defect, error);
out:
	for (size_t i = 0; workers && i < count; i++)
		finish_worker(&workers[i], launch.device);
	free(workers);
	mark_as_set(wanted);
	pthread_cond_destroy(&launch.ended);
	pthread_mutex_destroy(&launch.lock);
	return status;
}

enum pmpp_status emu_finish(struct gpu_device *device, struct pmpp_error *error)
{
	(void)device;
	(void)error;
	return PMPP_OK;
}

enum pmpp_status emu_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	(void)error;
	((struct emu_device *)device)->timer_begin_ns = host_clock_ns();
	return PMPP_OK;
}

enum pmpp_status emu_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	(void)error;
	((struct emu_device *)device)->timer_end_ns = host_clock_ns();
	return PMPP_OK;
}

enum pmpp_status emu_timer_read(struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	const struct emu_device *emulator = (const struct emu_device *)device;

	(void)error;
	*ret_ns = emulator->timer_end_ns - emulator->timer_begin_ns;
	return PMPP_OK;
}
