/*
 * The threads of a block as fibers.
 *
 * A fiber runs threads one after the other as long as they return: a block without barriers needs
 * one fiber and no switch between threads. A thread that must wait is parked with its fiber, and
 * another fiber starts the remaining threads.
 */
#include "host/gpu/emu/internal.h"

#include <stdlib.h>

/* The function of a fiber: starts the remaining threads. */
static void run_threads(void *argument)
{
	struct emu_worker *worker = argument;
	struct fiber *fiber = worker->running;

	for (;;) {
		while (worker->started < worker->start_end) {
			struct emu_thread *thread =
				&worker->threads[worker->order[worker->started++]];

			thread->fiber = fiber;
			emu_thread_enter(worker, thread);
			worker->in_kernel = 1;
			worker->launch->entry[worker->index]->call(worker->launch->arguments);
			worker->in_kernel = 0;
			shadow_check_write(worker);
			thread = worker->current;
			thread->state = EMU_DONE;
			thread->fiber = NULL;
			worker->done++;
		}
		fiber->next = worker->free_fibers;
		worker->free_fibers = fiber;
		fiber_switch(fiber, &worker->main_fiber);
	}
}

/* Continues the search of run_released(). Returns the next parked thread that was released; NULL: there is
 * none up to the end of the block. */
static struct emu_thread *next_released(struct emu_worker *worker)
{
	while (worker->search_from < worker->launch->block_threads) {
		struct emu_thread *thread = &worker->threads[worker->order[worker->search_from++]];

		if (thread->released &&
			(thread->state == EMU_AT_BARRIER || thread->state == EMU_AT_WARP ||
				thread->state == EMU_PAUSED))
			return thread;
	}
	return NULL;
}

/* Suspends the running thread, which is parked, until it is released. Switches directly to the next released
 * thread: the way through the scheduler would be two switches. */
static void wait_for_release(struct emu_worker *worker, struct emu_thread *thread)
{
	struct emu_thread *next = next_released(worker);

	/* A thread that started during the search can be the next one itself. */
	if (next != thread)
		fiber_switch(thread->fiber, next ? next->fiber : &worker->main_fiber);
	emu_thread_enter(worker, thread);
}

/* Lets all other threads of the block run as far as they can, once per thread. Not in lockstep. */
static void pause_thread(struct emu_worker *worker)
{
	struct emu_thread *thread = worker->current;

	if (worker->steps || thread->has_paused)
		return;
	shadow_check_write(worker);
	thread->has_paused = true;
	thread->state = EMU_PAUSED;
	thread->released = false;
	wait_for_release(worker, thread);
}

/* Counts the thread. Compares it with the first one here, because a search through all threads at
 * the standstill takes longer. */
static void arrive(struct emu_worker *worker, const struct emu_thread *thread)
{
	if (worker->at_barrier++ == 0) {
		worker->first_at_barrier = thread;
		worker->barriers_may_differ = false;
	}
	worker->barriers_may_differ |= thread->line != worker->first_at_barrier->line ||
				       thread->number != worker->first_at_barrier->number ||
				       thread->calls != worker->first_at_barrier->calls;
}

static int barrier(int line, int number, int predicate)
{
	struct emu_worker *worker = emu_worker_current;

	worker->in_kernel = 0;
	shadow_check_write(worker);
	struct emu_thread *thread = worker->current;
	thread->predicate = predicate != 0;
	thread->state = EMU_AT_BARRIER;
	thread->line = line;
	thread->number = number;
	thread->at_pc = (const char *)__builtin_return_address(0) - 1;
	thread->released = false;
	emu_calls_set(worker, thread, __builtin_frame_address(0));
	arrive(worker, thread);
	wait_for_release(worker, thread);
	worker->in_kernel = 1;
	return worker->barrier_count;
}

/* ---- Warp operations ----------------------------------------------------------------------- */

/* An operation group. The last group of a block may have fewer lanes than the others. */
struct lanes {
	struct emu_thread *threads;
	size_t count;
	size_t group; /* number of the group in the block */
};

static struct lanes lanes_of(const struct emu_worker *worker, size_t thread)
{
	size_t size = worker->launch->operation_lanes;
	size_t rest = worker->launch->block_threads - thread / size * size;

	return (struct lanes){.threads = &worker->threads[thread / size * size],
		.count = rest < size ? rest : size,
		.group = thread / size};
}

/* Missing lanes have no value and no vote. */
static unsigned long long warp_result(const struct lanes *lanes, const struct emu_thread *thread)
{
	unsigned long long votes = 0;
	bool valid = (size_t)thread->source < lanes->count && thread->mask >> thread->source & 1 &&
		     lanes->threads[thread->source].state == EMU_AT_WARP;

	if (thread->op == PMPP_EMU_ACTIVE)
		return thread->mask;
	if (thread->op == PMPP_EMU_SHUFFLE)
		return valid ? lanes->threads[thread->source].value : thread->value;
	for (size_t lane = 0; lane < lanes->count; lane++)
		if (thread->mask >> lane & 1 && lanes->threads[lane].state == EMU_AT_WARP &&
			lanes->threads[lane].value)
			votes |= 1ull << lane;
	return thread->op == PMPP_EMU_VOTE ? votes : 0;
}

/* Whether the access at pc is behind the barrier at at_pc: on a later line of the same function. Calls and
 * inlined functions are not compared. */
static bool is_behind(const struct emu_worker *worker, const char *pc, const char *at_pc)
{
	const char *const pcs[2] = {pc, at_pc};
	struct emu_place places[2] = {{0}};

	emu_places(worker->launch->program, worker->object, pcs, 2, places);
	return places[0].line > places[1].line && places[1].line > 0 && !places[0].inlined_at &&
	       !places[1].inlined_at &&
	       emu_same_function(worker->launch->program, worker->object, pc, at_pc);
}

/* Whether a thread has returned without the barrier, although its last access is behind it. A thread that
 * passed a barrier before may have left a loop. */
static bool has_skipped(
	struct emu_worker *worker, const struct emu_thread *thread, const void *at_pc)
{
	struct emu_exit *exits = worker->exits;

	if (thread->state != EMU_DONE || thread->has_passed || !thread->last_pc || !at_pc)
		return false;
	for (size_t i = 0; i < EMU_KNOWN_EXITS; i++)
		if (exits[i].pc == thread->last_pc && exits[i].at_pc == at_pc)
			return exits[i].behind;
	struct emu_exit *exit = &exits[worker->next_exit++ % EMU_KNOWN_EXITS];
	*exit = (struct emu_exit){
		thread->last_pc, at_pc, is_behind(worker, thread->last_pc, at_pc)};
	return exit->behind;
}

/* Whether warp operations ignore the thread, because it has returned. */
static bool has_left(const struct emu_worker *worker, const struct emu_thread *thread)
{
	return thread->state == EMU_DONE && worker->launch->device->front->exited_count;
}

/* Whether all lanes of the thread's mask wait for the same operation. If the operation has an offset
 * as its line, the lanes must also be at the same place of the code. A lane at another operation may
 * still arrive here, so the error is reported only when no lane can continue (emu_standstill()). */
static bool warp_complete(
	const struct emu_worker *worker, const struct lanes *lanes, const struct emu_thread *thread)
{
	for (size_t lane = 0; lane < lanes->count; lane++) {
		const struct emu_thread *other = &lanes->threads[lane];

		if (!(thread->mask >> lane & 1) || has_left(worker, other))
			continue;
		if (other->state != EMU_AT_WARP || other->released || other->op != thread->op ||
			other->mask != thread->mask ||
			(thread->line < 0 && other->line != thread->line))
			return false;
	}
	return true;
}

/* Keeps the first line where threads waited after others had returned. */
static void set_exit_line(struct emu_worker *worker, int line)
{
	pthread_mutex_lock(&worker->launch->lock);
	if (!worker->launch->exit_line)
		worker->launch->exit_line = line;
	pthread_mutex_unlock(&worker->launch->lock);
}

static void warp_release(
	struct emu_worker *worker, const struct lanes *lanes, uint64_t mask, int line)
{
	worker->any_released = true;
	for (size_t lane = 0; lane < lanes->count; lane++) {
		struct emu_thread *thread = &lanes->threads[lane];

		if (mask >> lane & 1 && thread->state == EMU_DONE)
			set_exit_line(worker, line);
		if (!(mask >> lane & 1) || thread->state != EMU_AT_WARP)
			continue;
		thread->result = warp_result(lanes, thread);
		thread->released = true;
	}
}

static unsigned long long warp(int line, enum pmpp_emu_warp_op op, unsigned long long mask,
	unsigned long long value, int source)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	struct lanes lanes = lanes_of(worker, (size_t)(thread - worker->threads));

	worker->in_kernel = 0;
	shadow_check_write(worker);
	if (!(mask >> (thread - lanes.threads) & 1)) {
		emu_fault_set(worker, TRACE_DEADLOCK, line, NULL,
			"a thread executes a warp operation, but its mask %#llx does not include the "
			"thread",
			mask);
		emu_fault_leave(worker);
	}
	thread->line = line;
	thread->op = op;
	thread->mask = mask;
	thread->value = value;
	thread->source = source & (int)(worker->launch->operation_lanes - 1);
	thread->state = EMU_AT_WARP;
	thread->released = false;
	if (op != PMPP_EMU_ACTIVE && warp_complete(worker, &lanes, thread)) {
		worker->warp_epochs[lanes.group]++;
		warp_release(worker, &lanes, mask, line);
	}
	wait_for_release(worker, thread);
	worker->in_kernel = 1;
	return thread->result;
}

/* ---- Accesses ------------------------------------------------------------------------------ */

/* Before a compare-and-swap that checks a guess (shadow.c), the other threads run, once per thread. */
static void check_guess(struct emu_worker *worker, const void *address)
{
	worker->in_kernel = 0;
	if (!shadow_checks_guess(worker, address))
		return;
	pause_thread(worker);
	/* Accesses of the other threads may have opened the guess again. */
	shadow_checks_guess(worker, address);
}

static void check_access(
	const void *address, unsigned long bytes, enum pmpp_emu_access kind, const void *pc)
{
	if (kind == PMPP_EMU_COMPARE && !emu_worker_current->unwatched)
		check_guess(emu_worker_current, address);
	trace_access(address, bytes, kind, pc);
}

const struct pmpp_emu_ops emu_ops = {.barrier = barrier,
	.warp = warp,
	.copy = emu_copy_begin,
	.copy_commit = emu_copy_commit,
	.copy_wait = emu_copy_wait,
	.copy_wait_group = emu_copy_wait_group,
	.access = check_access,
	.settle = trace_settle,
	.end = emu_faults_end,
	.fail = emu_faults_fail};

/* ---- The scheduler ------------------------------------------------------------------------- */

void emu_fiber_start(struct emu_worker *worker)
{
	struct fiber *fiber = worker->free_fibers;

	if (fiber) {
		worker->free_fibers = fiber->next;
	} else if (fiber_create(&fiber)) {
		fiber->link = worker->fibers;
		worker->fibers = fiber;
	} else {
		emu_fault_set(worker, TRACE_FAULT, 0, NULL,
			"no host memory for the stack of another thread");
		return;
	}
	fiber_start(fiber, run_threads, worker);
	worker->running = fiber;
	fiber_switch(&worker->main_fiber, fiber);
}

/* Continues every released thread. Returns false if there was none. `any_released` avoids the
 * search while the threads of a block start: its time grows with the square of their number. */
static bool run_released(struct emu_worker *worker)
{
	struct emu_thread *thread;
	bool any = false;

	if (!worker->any_released)
		return false;
	worker->any_released = false;
	worker->search_from = 0;
	while (worker->fault.kind == TRACE_NO_DEFECT && (thread = next_released(worker))) {
		any = true;
		fiber_switch(&worker->main_fiber, thread->fiber);
	}
	return any;
}

/* Releases all threads, because all of them wait at the barrier. */
static void release_barrier(struct emu_worker *worker)
{
	shadow_interval_end(worker);
	worker->barrier_count = 0;
	worker->at_barrier = 0;
	for (size_t memory = 0; memory < PMPP_EMU_MEMORY_COUNT; memory++)
		worker->epochs[memory] += !(worker->state->unordered >> memory & 1);
	worker->any_released = true;
	for (size_t i = 0; i < worker->launch->block_threads; i++) {
		if (worker->threads[i].state != EMU_AT_BARRIER)
			continue;
		worker->barrier_count += worker->threads[i].predicate;
		worker->threads[i].has_passed = true;
		worker->threads[i].released = true;
	}
}

/* If no lane can continue, the lanes that wait for the active mask at one line are this mask.
 * Releases the lanes of one such line. Returns false if there is none. */
static bool release_active(struct emu_worker *worker)
{
	size_t count = worker->launch->block_threads;

	for (size_t i = 0; i < count; i++) {
		const struct emu_thread *thread = &worker->threads[i];
		uint64_t mask = 0;

		if (thread->state != EMU_AT_WARP || thread->op != PMPP_EMU_ACTIVE)
			continue;
		const struct lanes lanes = lanes_of(worker, i);
		/* Uses the lowest place in the code: its lanes can then reach the later places. */
		for (size_t lane = 0; lane < lanes.count; lane++) {
			const struct emu_thread *other = &lanes.threads[lane];
			if (other->state == EMU_AT_WARP && other->op == PMPP_EMU_ACTIVE &&
				abs(other->line) < abs(thread->line))
				thread = other;
		}
		for (size_t lane = 0; lane < lanes.count; lane++) {
			const struct emu_thread *other = &lanes.threads[lane];
			if (other->state == EMU_AT_WARP && other->op == thread->op &&
				other->line == thread->line)
				mask |= (uint64_t)1 << lane;
		}
		for (size_t lane = 0; lane < lanes.count; lane++)
			if (mask >> lane & 1)
				lanes.threads[lane].mask = mask;
		warp_release(worker, &lanes, mask, thread->line);
		return true;
	}
	return false;
}

/* If no lane can continue, releases one warp operation whose missing lanes have all returned. Returns false
 * if there is no such operation. */
static bool release_exited(struct emu_worker *worker)
{
	for (size_t i = 0; i < worker->launch->block_threads; i++) {
		const struct emu_thread *thread = &worker->threads[i];
		const struct lanes lanes = lanes_of(worker, i);
		if (thread->state != EMU_AT_WARP || thread->op == PMPP_EMU_ACTIVE ||
			!warp_complete(worker, &lanes, thread))
			continue;
		worker->warp_epochs[lanes.group]++;
		warp_release(worker, &lanes, thread->mask, thread->line);
		return true;
	}
	return false;
}

static const struct emu_thread *first_in_state(
	const struct emu_worker *worker, enum emu_thread_state state)
{
	for (size_t i = 0; i < worker->launch->block_threads; i++)
		if (worker->threads[i].state == state)
			return &worker->threads[i];
	return NULL;
}

/* Returns the first thread that waits at another barrier; NULL: none. */
static const struct emu_thread *first_elsewhere(
	struct emu_worker *worker, const struct emu_thread *waiting)
{
	for (size_t i = 0; i < worker->launch->block_threads; i++) {
		const struct emu_thread *other = &worker->threads[i];

		if (other->state == EMU_AT_BARRIER &&
			(other->line != waiting->line || other->number != waiting->number ||
				!emu_calls_equal(worker, waiting, other)))
			return other;
	}
	return NULL;
}

static void report_barriers(struct emu_worker *worker, int line, int other_line)
{
	static const char text[] = "threads of one block wait at different barriers";

	worker->fault.other_line = other_line;
	if (other_line > 0 && other_line == line)
		emu_fault_set(worker, TRACE_BARRIER, line, NULL,
			"%s of one line, or call one barrier at different places", text);
	else if (other_line > 0)
		emu_fault_set(worker, TRACE_BARRIER, line, NULL, "%s (the other: line %d)", text,
			other_line);
	else
		emu_fault_set(worker, TRACE_BARRIER, line, NULL, "%s", text);
}

static bool release_paused(struct emu_worker *worker)
{
	bool any = false;

	for (size_t i = 0; i < worker->launch->block_threads; i++)
		if (worker->threads[i].state == EMU_PAUSED)
			any = worker->any_released = worker->threads[i].released = true;
	return any;
}

/* Whether the barrier of the waiting thread can ignore all returned threads. */
static bool all_have_left(struct emu_worker *worker, const struct emu_thread *waiting)
{
	bool left = worker->done == 0 || worker->launch->device->front->exited_count;

	for (size_t i = 0; i < worker->launch->block_threads && worker->done && left; i++)
		left = !has_skipped(worker, &worker->threads[i], waiting->at_pc);
	return left;
}

void emu_standstill(struct emu_worker *worker)
{
	bool all_at_barrier = worker->at_barrier + worker->done == worker->launch->block_threads;

	if (!all_at_barrier && (release_paused(worker) || release_active(worker) ||
				       (worker->done && release_exited(worker))))
		return;
	const struct emu_thread *waiting =
		all_at_barrier ? NULL : first_in_state(worker, EMU_AT_WARP);

	if (waiting) {
		/* The message has the index of the current thread. */
		worker->current = &worker->threads[waiting - worker->threads];
		emu_fault_set(worker, TRACE_DEADLOCK, waiting->line, NULL,
			"a deadlock of the warp: the lanes of the mask %#llx never meet",
			(unsigned long long)waiting->mask);
		return;
	}
	waiting = first_in_state(worker, EMU_AT_BARRIER);
	worker->current = &worker->threads[waiting - worker->threads];
	const struct emu_thread *elsewhere =
		worker->barriers_may_differ ? first_elsewhere(worker, waiting) : NULL;
	if (!all_have_left(worker, waiting)) {
		emu_fault_set(worker, TRACE_BARRIER, waiting->line, NULL,
			"not all threads reach a barrier: %zu of %zu threads have returned",
			worker->done, worker->launch->block_threads);
	} else if (elsewhere) {
		report_barriers(worker, waiting->line, elsewhere->line);
	} else {
		if (worker->done > 0)
			set_exit_line(worker, waiting->line);
		release_barrier(worker);
	}
}

void emu_threads_run(struct emu_worker *worker)
{
	while (worker->done < worker->launch->block_threads && !worker->fault.kind) {
		if (worker->launch->stop && worker->started > 0) {
			const struct emu_thread *waiting = first_in_state(worker, EMU_AT_BARRIER);
			if (worker->launch->timed_out)
				emu_fault_set(worker, TRACE_RUNAWAY, waiting ? waiting->line : 0,
					NULL, "the time limit is reached");
			break;
		}
		if (run_released(worker))
			continue;
		if (worker->started < worker->launch->block_threads)
			emu_fiber_start(worker);
		else
			emu_standstill(worker);
	}
}
