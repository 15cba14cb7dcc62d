/*
 * The warps of a watched block in lockstep.
 *
 * A lane runs to the head of its next basic block and waits there. The lanes of a warp at the
 * lowest address run next, together. The code has the order of the source (-fno-reorder-blocks).
 * Therefore lanes wait after an `if` until the lanes of both sides are there. Lanes that leave a
 * loop early wait after it. Lanes that are deeper in calls run first, so that the other lanes wait
 * until they have returned.
 *
 * A warp runs until all of its lanes wait for other warps. Then the next warp runs.
 *
 * After the step limit, or the time limit, the block runs to its end without lockstep and without counts, several times as
 * fast. Therefore a long block is not a defect, and an endless loop still reaches the time limit.
 */
#include "host/gpu/emu/internal.h"

#include <string.h>

struct warp {
	struct emu_thread *lanes;
	struct emu_step *steps; /* of the lanes */
	unsigned count;
	bool diverged; /* at least once */
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

void lockstep_step(const void *pc, const void *frame)
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
	shadow_check_write(worker);
	thread->state = EMU_AT_STEP;
	enter_block(&worker->steps[thread - worker->threads], pc,
		(size_t)(fiber->top - (const char *)frame));
	fiber_switch(thread->fiber, &worker->main_fiber);
	emu_thread_enter(worker, thread);
	worker->in_kernel = 1;
}

static bool can_run(const struct emu_thread *thread)
{
	switch (thread->state) {
	case EMU_WAITING_TO_START:
	case EMU_AT_STEP:
		return true;
	case EMU_AT_BARRIER:
	case EMU_AT_WARP:
		return thread->released;
	case EMU_RUNNING:
	case EMU_PAUSED:
	case EMU_DONE:
		break;
	}
	return false;
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
		emu_fiber_start(worker);
	} else {
		fiber_switch(&worker->main_fiber, thread->fiber);
	}
}

static void run_group(struct emu_worker *worker, const struct warp *warp, uint64_t group,
	const struct place *place)
{
	const char *next[MAX_LANES];
	const char *from = place->pc;
	uint64_t left = 0;

	watch_group_begin(worker->watch, group, place->pc && !place->inside, place->pc);
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
	struct emu_worker *worker, struct warp *warp, const struct warp_place *warp_place)
{
	struct place place;
	bool any = false;
	uint64_t group;

	watch_warp_enter(worker->watch, warp_place);
	while (!worker->fault.kind && !worker->unwatched &&
		(group = choose_group(warp, &place)) != 0) {
		run_group(worker, warp, group, &place);
		any = true;
		if (watch_steps(worker->watch) >= worker->launch->watch->step_limit ||
			worker->launch->watch_over)
			worker->unwatched = true;
	}
	warp->diverged |= watch_warp_leave(worker->watch);
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
	emu_fault_set(worker, TRACE_RUNAWAY, 0, worker->last_pc, "the time limit is reached");
	return true;
}

void lockstep_run(struct emu_worker *worker)
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
		if (!any && !worker->fault.kind)
			emu_standstill(worker);
	}
	for (size_t w = 0; w < count; w++)
		watch_warp(worker->watch, warps[w].diverged);
}
