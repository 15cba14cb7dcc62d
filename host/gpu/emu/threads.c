/*
 * The threads of a block as fibers: barriers, warp operations, and the warps of a watched block in lockstep.
 *
 * A fiber runs threads one after the other as long as they return: a block without barriers needs
 * one fiber and no switch between threads. A thread that must wait is parked with its fiber, and
 * another fiber starts the remaining threads.
 *
 * A lane runs to the head of its next basic block and waits there. The lanes of a warp at the
 * lowest address run next, together. The code has the order of the source (-fno-reorder-blocks).
 * Therefore lanes wait after an `if` until the lanes of both sides are there. Lanes that leave a
 * loop early wait after it. Lanes that are deeper in calls run first, so that the other lanes wait
 * until they have returned.
 *
 * A warp runs until all of its lanes wait for other warps. Then the next warp runs.
 *
 * After the step limit, or the time limit, the block runs to its end without lockstep and without counts, several
 * times as fast. Therefore a long block is not a defect, and an endless loop still reaches the time limit.
 */
#include "host/gpu/emu/internal.h"

#include <stdlib.h>
#include <string.h>

/* Makes `thread` the running thread: sets its index, and its lane in the operation group. */
static void enter_thread(struct emu_worker *worker, struct emu_thread *thread)
{
	worker->current = thread;
	worker->running = thread->fiber;
	thread->state = EMU_RUNNING;
	worker->state->thread = thread->index;
	worker->state->lane =
		(unsigned)(thread - worker->threads) & (worker->launch->operation_lanes - 1);
}

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
			enter_thread(worker, thread);
			worker->in_kernel = 1;
			worker->launch->entry[worker->index]->call(worker->launch->arguments);
			worker->in_kernel = 0;
			checks_last_write(worker);
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
	enter_thread(worker, thread);
}

/* emu_worker.pause: lets all other threads of the block run as far as they can, once per thread. Not in lockstep. */
static void pause_thread(struct emu_worker *worker)
{
	struct emu_thread *thread = worker->current;

	if (worker->steps || thread->has_paused)
		return;
	checks_last_write(worker);
	thread->has_paused = true;
	thread->state = EMU_PAUSED;
	thread->released = false;
	wait_for_release(worker, thread);
}

/* ---- Barriers ------------------------------------------------------------------------------ */

/* The calls that led a thread to a barrier. Two threads wait at the same barrier if they made the
 * same calls.
 *
 * The functions of the traced build have frame pointers. A C++ compiler may copy code to both sides
 * of a branch. Therefore calls at different addresses are equal if all their lines are equal, also
 * those of inlined functions. clang neither copies nor merges calls of OpenCL's barrier, so there
 * the addresses decide. */
struct call_frame {
	const struct call_frame *caller;
	const char *return_address;
};

/* Returns the number of calls, the last one first. */
static size_t calls_of(const struct emu_worker *worker, const struct emu_thread *thread,
	const char *ret_calls[EMU_MAX_CALLS])
{
	const struct emu_object *object = worker->object;
	const struct call_frame *frame = thread->frame;
	size_t count = 0;

	while (count < EMU_MAX_CALLS && emu_in_image(object, frame->return_address)) {
		ret_calls[count++] = frame->return_address - 1; /* inside the call, on its line */
		if (frame->caller <= frame || (const char *)frame->caller >= thread->fiber->top)
			break;
		frame = frame->caller;
	}
	return count;
}

/* frame: the frame of the barrier's function. */
static void set_calls(const struct emu_worker *worker, struct emu_thread *thread, const void *frame)
{
	const char *calls[EMU_MAX_CALLS];

	thread->frame = worker->launch->program->traced ? frame : NULL;
	thread->calls = 0;
	if (!thread->frame)
		return;
	for (size_t count = calls_of(worker, thread, calls); count > 0; count--)
		thread->calls = thread->calls * 65599u +
				(uint64_t)(calls[count - 1] - worker->object->image_begin);
}

static bool same_lines(
	struct emu_worker *worker, const struct emu_thread *a, const struct emu_thread *b)
{
	const char *calls[2 * EMU_MAX_CALLS];
	struct emu_place places[2 * EMU_MAX_CALLS];
	size_t count = calls_of(worker, a, calls);
	size_t all = count + calls_of(worker, b, calls + count);

	if (all != 2 * count)
		return false;
	emu_places(worker->launch->program, worker->object, calls, all, places);
	for (size_t i = 0; i < count; i++)
		if (places[i].line != places[count + i].line ||
			places[i].part != places[count + i].part ||
			places[i].inlined_at != places[count + i].inlined_at)
			return false;
	return true;
}

/* Whether two threads that wait at a barrier made the same calls. */
static bool same_calls(
	struct emu_worker *worker, const struct emu_thread *a, const struct emu_thread *b)
{
	uint64_t *known = worker->equal_calls;

	if (a->calls == b->calls || (known[0] == a->calls && known[1] == b->calls))
		return true;
	if (worker->launch->device->front->exact_calls || !same_lines(worker, a, b))
		return false;
	known[0] = a->calls;
	known[1] = b->calls;
	return true;
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
	checks_last_write(worker);
	struct emu_thread *thread = worker->current;
	thread->predicate = predicate != 0;
	thread->state = EMU_AT_BARRIER;
	thread->line = line;
	thread->number = number;
	thread->at_pc = (const char *)__builtin_return_address(0) - 1;
	thread->released = false;
	set_calls(worker, thread, __builtin_frame_address(0));
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

/* Whether a lane of the thread's mask has not arrived at its operation. */
static bool is_missing(const struct emu_worker *worker, const struct emu_thread *thread,
	const struct emu_thread *other, size_t lane)
{
	return thread->mask >> lane & 1 && !has_left(worker, other) &&
	       (other->state != EMU_AT_WARP || other->released || other->op != thread->op ||
		       other->mask != thread->mask ||
		       (thread->line < 0 && other->line != thread->line));
}

/* Whether all lanes of the thread's mask wait for the same operation. If the operation has an offset
 * as its line, the lanes must also be at the same place of the code. A lane at another operation may
 * still arrive here, so the error is reported only when no lane can continue (standstill()). */
static bool warp_complete(
	const struct emu_worker *worker, const struct lanes *lanes, const struct emu_thread *thread)
{
	size_t last = lanes->count - 1;

	/* Each lane that arrives calls this, and the last lane usually arrives last. */
	if (is_missing(worker, thread, &lanes->threads[last], last))
		return false;
	for (size_t lane = 0; lane < last; lane++)
		if (is_missing(worker, thread, &lanes->threads[lane], lane))
			return false;
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

static unsigned long long warp_operation(int line, enum pmpp_emu_warp_op op,
	unsigned long long mask, unsigned long long value, int source)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	struct lanes lanes = lanes_of(worker, (size_t)(thread - worker->threads));

	worker->in_kernel = 0;
	checks_last_write(worker);
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

/* ---- The scheduler ------------------------------------------------------------------------- */

/* Starts the next threads on a free fiber. Returns when a thread parks, or when all threads before
 * start_end have returned. Lack of memory for a stack is a fault. */
static void start_fiber(struct emu_worker *worker)
{
	struct fiber *fiber = worker->free_fibers;
	bool is_new = !fiber;

	if (fiber)
		worker->free_fibers = fiber->next;
	if (!fiber_start(&fiber, run_threads, worker)) {
		emu_fault_set(worker, TRACE_FAULT, 0, NULL,
			"no host memory for the stack of another thread");
		return;
	}
	if (is_new) {
		fiber->link = worker->fibers;
		worker->fibers = fiber;
	}
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
	checks_interval_end(worker);
	if (worker->watch && !worker->unwatched)
		watch_barrier(worker->watch, worker->first_at_barrier->line);
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
			if (other->state != EMU_AT_WARP || other->op != PMPP_EMU_ACTIVE)
				continue;
			if (abs(other->line) < abs(thread->line)) {
				thread = other;
				mask = 0;
			}
			if (other->line == thread->line)
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
				!same_calls(worker, waiting, other)))
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

/* Called when no thread of the block can continue. Releases the threads if a barrier is complete,
 * or if lanes wait for the active mask; otherwise sets a fault. */
static void standstill(struct emu_worker *worker)
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

/* Runs the threads of the current block until all have returned, or until a fault. */
static void run_freely(struct emu_worker *worker)
{
	while (worker->done < worker->launch->block_threads && !worker->fault.kind) {
		if (worker->launch->stop && worker->started > 0) {
			const struct emu_thread *waiting = first_in_state(worker, EMU_AT_BARRIER);
			if (worker->launch->timed_out)
				emu_fault_set(worker, TRACE_RUNAWAY, waiting ? waiting->line : 0,
					NULL, EMU_TIME_LIMIT);
			break;
		}
		if (run_released(worker))
			continue;
		if (worker->started < worker->launch->block_threads)
			start_fiber(worker);
		else
			standstill(worker);
	}
}

/* ---- Lockstep ------------------------------------------------------------------------------ */

struct warp {
	struct emu_thread *lanes;
	struct emu_step *steps; /* of the lanes */
	unsigned count;
};

/* The position of a lane that can run. runs_first() compares two of them. */
struct place {
	size_t depth;
	const char *pc; /* NULL: not started */
	bool inside;    /* after the head, at a barrier or warp operation that has released it */
};

/* A call does not leave its basic block. After the return, the caller continues in the middle of
 * this block, without another head. Therefore the block is kept for each call. */
static void enter_block(struct emu_step *step, const char *pc, size_t depth)
{
	while (step->call_count > 0 && step->calls[step->call_count - 1].depth > depth)
		step->call_count--;
	bool same = step->call_count > 0 && step->calls[step->call_count - 1].depth == depth;
	step->left_pc = same ? step->calls[step->call_count - 1].block_pc : NULL;
	if (!same && step->call_count < EMU_MAX_CALLS)
		step->call_count++;
	step->calls[step->call_count - 1] = (struct emu_call){pc, depth};
	step->block_pc = pc;
	step->depth = depth;
}

/* Called at the head of each basic block (emu_ops.step of a watched launch). */
static void step(const void *pc, const void *frame)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	const struct fiber *fiber = thread->fiber;

	worker->last_pc = (const char *)pc - 1; /* inside the call, on its line */
	if (worker->unwatched) {
		worker->unwatched_steps++;
		return;
	}
	worker->in_kernel = 0;
	checks_last_write(worker);
	thread->state = EMU_AT_STEP;
	enter_block(&worker->steps[thread - worker->threads], pc,
		(size_t)(fiber->top - (const char *)frame));
	fiber_switch(thread->fiber, &worker->main_fiber);
	enter_thread(worker, thread);
	worker->in_kernel = 1;
}

static bool can_run(const struct emu_thread *thread)
{
	return thread->state == EMU_WAITING_TO_START || thread->state == EMU_AT_STEP ||
	       ((thread->state == EMU_AT_BARRIER || thread->state == EMU_AT_WARP) &&
		       thread->released);
}

static struct place place_of(const struct warp *warp, unsigned lane)
{
	const struct emu_step *step = &warp->steps[lane];

	return (struct place){step->depth, step->block_pc,
		warp->lanes[lane].state != EMU_AT_STEP && step->block_pc};
}

/* Lanes that have not started run before all others. */
static bool runs_first(const struct place *a, const struct place *b)
{
	if (!a->pc || !b->pc)
		return !a->pc && b->pc;
	if (a->depth != b->depth)
		return a->depth > b->depth;
	if (a->pc != b->pc)
		return a->pc < b->pc;
	return !a->inside && b->inside;
}

/* Returns the lanes that run next, as bits; 0: no lane can run. */
static uint64_t choose_group(const struct warp *warp, struct place *ret_place)
{
	struct place first = {0};
	uint64_t group = 0;

	for (unsigned lane = 0; lane < warp->count; lane++) {
		if (!can_run(&warp->lanes[lane]))
			continue;
		struct place place = place_of(warp, lane);
		if (!group || runs_first(&place, &first)) {
			first = place;
			group = 0;
		}
		if (!runs_first(&first, &place))
			group |= (uint64_t)1 << lane;
	}
	*ret_place = first;
	return group;
}

static void run_lane(struct emu_worker *worker, struct emu_thread *thread)
{
	if (thread->state == EMU_WAITING_TO_START) {
		worker->start_end = worker->started + 1;
		start_fiber(worker);
	} else {
		fiber_switch(&worker->main_fiber, thread->fiber);
	}
}

static void run_group(struct emu_worker *worker, const struct warp *warp, uint64_t group,
	const struct place *place, const struct warp_place *warp_place)
{
	const char *next[MAX_LANES];
	const char *from = place->pc;
	uint64_t left = 0;

	watch_group_begin(worker->watch, warp_place, group, place->pc && !place->inside, place->pc);
	for (unsigned lane = 0; lane < warp->count; lane++) {
		struct emu_thread *thread = &warp->lanes[lane];
		const struct emu_step *step = &warp->steps[lane];
		if (!(group >> lane & 1))
			continue;
		run_lane(worker, thread);
		if (worker->fault.kind)
			return;
		if (thread->state != EMU_AT_STEP && thread->state != EMU_DONE)
			continue;
		left |= (uint64_t)1 << lane;
		from = thread->state == EMU_DONE ? step->calls[0].block_pc : step->left_pc;
		next[lane] = thread->state == EMU_DONE ? NULL : step->block_pc;
	}
	watch_group_end(worker->watch, from, left, next);
}

/* Returns the place of the first warp of the worker's block. A watched launch has one worker, which
 * runs the watched blocks in their order. */
static struct warp_place block_place(const struct emu_worker *worker)
{
	const struct emu_launch *launch = worker->launch;
	const struct pmpp_emu_index *block = &worker->state->block;
	const struct pmpp_emu_index *grid = &launch->grid;

	return (struct warp_place){
		.block = block->x + (uint64_t)grid->x * (block->y + (uint64_t)grid->y * block->z),
		.middle = worker->block_ordinal - 1 == launch->block_count / 2};
}

/* Runs a warp until no lane can continue. Returns false if no lane could run. */
static bool run_warp(
	struct emu_worker *worker, const struct warp *warp, const struct warp_place *warp_place)
{
	struct place place;
	bool any = false;
	uint64_t group;

	while (!worker->fault.kind && !worker->unwatched &&
		(group = choose_group(warp, &place)) != 0) {
		run_group(worker, warp, group, &place, warp_place);
		any = true;
		if (watch_steps(worker->watch) >= worker->launch->watch->step_limit ||
			worker->launch->watch_over)
			worker->unwatched = true;
	}
	watch_split_end(worker->watch);
	return any;
}

/* The same without the watch: each lane runs to its next barrier or warp operation. */
static bool run_unwatched(struct emu_worker *worker, const struct warp *warp)
{
	bool any = false;

	for (unsigned lane = 0; lane < warp->count && !worker->fault.kind; lane++) {
		if (!can_run(&warp->lanes[lane]))
			continue;
		run_lane(worker, &warp->lanes[lane]);
		any = true;
	}
	return any;
}

static bool is_stopped(struct emu_worker *worker)
{
	if (!worker->launch->stop || worker->started == 0)
		return false;
	emu_fault_set(worker, TRACE_RUNAWAY, 0, worker->last_pc, EMU_TIME_LIMIT);
	return true;
}

/* Runs the threads of the current block, warp by warp, until all have returned, or until a fault. */
static void run_in_lockstep(struct emu_worker *worker)
{
	struct warp warps[PMPP_EMU_MAX_BLOCK / MIN_LANES];
	size_t threads = worker->launch->block_threads;
	size_t lanes = worker->launch->model->lanes;
	size_t count = (threads + lanes - 1) / lanes;
	struct warp_place place = block_place(worker);

	memset(worker->steps, 0, threads * sizeof *worker->steps);
	for (size_t w = 0; w < count; w++) {
		size_t rest = threads - w * lanes;
		warps[w] = (struct warp){.lanes = &worker->threads[w * lanes],
			.steps = &worker->steps[w * lanes],
			.count = (unsigned)(rest < lanes ? rest : lanes)};
	}
	while (worker->done < threads && !worker->fault.kind) {
		bool any = false;
		for (size_t w = 0; w < count && !worker->fault.kind && !is_stopped(worker); w++) {
			place.warp = (uint32_t)w;
			any |= worker->unwatched ? run_unwatched(worker, &warps[w])
						 : run_warp(worker, &warps[w], &place);
		}
		watch_round_end(worker->watch);
		if (!any && !worker->fault.kind)
			standstill(worker);
	}
	watch_block_end(worker->watch, count);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* Sets only what the previous block may have changed, because large problems have many small blocks. */
static void begin_thread(struct emu_thread *thread, bool traced)
{
	thread->state = EMU_WAITING_TO_START;
	thread->released = thread->has_paused = thread->has_passed = false;
	thread->fiber = NULL;
	if (traced)
		thread->last_pc = NULL;
}

static void begin_block(struct emu_worker *worker, struct pmpp_emu_index block)
{
	const struct pmpp_emu_object *record = worker->object->record;
	const struct emu_launch *launch = worker->launch;
	struct pmpp_emu_ops *ops = &worker->state->ops;

	*ops = checks_ops;
	ops->barrier = barrier;
	ops->warp = warp_operation;
	ops->step = worker->watch ? step : NULL;
	worker->pause = pause_thread;

	worker->state->block = block;
	worker->fault.block = block;
	worker->block_ordinal++;
	worker->started = worker->done = worker->at_barrier = 0;
	worker->start_end = launch->block_threads;
	worker->search_from = launch->block_threads;
	memset(worker->epochs, 0, sizeof worker->epochs);
	worker->any_released = false;
	memset(worker->warp_epochs, 0, sizeof worker->warp_epochs);
	worker->current = NULL;
	for (size_t i = 0; i < launch->block_threads; i++)
		begin_thread(&worker->threads[i], launch->program->traced);
	/* A read of shared memory that no thread wrote returns NaN. */
	if (record->shared_begin)
		memset(record->shared_begin, 0xff,
			(size_t)(record->shared_end - record->shared_begin));
	memset(worker->dynamic_shared.bytes, 0xff, launch->dynamic_bytes);
	worker->last_pc = NULL;
}

bool emu_block_run(struct emu_worker *worker, struct pmpp_emu_index block)
{
	begin_block(worker, block);
	if (worker->watch)
		run_in_lockstep(worker);
	else
		run_freely(worker);
	checks_block_end(worker);
	return worker->done == worker->launch->block_threads &&
	       worker->fault.kind == TRACE_NO_DEFECT;
}
