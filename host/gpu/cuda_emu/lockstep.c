/*
 * The warps of a watched block in lockstep.
 *
 * A lane runs to the head of its next basic block and waits there. Of the lanes of a warp those at
 * the lowest address go on together: a branch's shorter side waits where the sides meet, and a
 * loop's early leavers wait behind it, as the code lies in the order of the source
 * (-fno-reorder-blocks). A lane that is deeper in calls goes first, so that one that called waits
 * for none that did not.
 *
 * A warp runs until all of its lanes wait for others; then the next one does.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <string.h>

struct warp {
	struct emu_thread *lanes;
	unsigned count;
	bool diverged; /* at least once */
};

/* Where a lane is that could go on; which of two goes first. */
struct place {
	size_t depth;
	const char *pc; /* NULL: not started */
	bool inside;    /* behind the head, at a barrier or warp operation it may leave */
};

/* A call leaves no basic block. A function that returned goes on in the middle of its caller's,
 * which has no second head: what the thread leaves next is that one. */
static void enter_block(struct emu_thread *thread, const char *pc, size_t depth)
{
	while (thread->call_count > 0 && thread->calls[thread->call_count - 1].depth > depth)
		thread->call_count--;
	bool same = thread->call_count > 0 && thread->calls[thread->call_count - 1].depth == depth;
	thread->left_pc = same ? thread->calls[thread->call_count - 1].block_pc : NULL;
	if (!same && thread->call_count < EMU_MAX_CALLS)
		thread->call_count++;
	thread->calls[thread->call_count - 1] = (struct emu_call){pc, depth};
	thread->block_pc = pc;
	thread->depth = depth;
}

void lockstep_step(const void *pc, const void *frame)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	const struct fiber *fiber = thread->fiber;

	worker->in_kernel = 0;
	worker->last_pc = (const char *)pc - 1; /* inside the call, on its line */
	shadow_settle(worker);
	if (watch_steps(worker->watch) >= worker->launch->device->watch->step_limit) {
		emu_fault_set(worker, TRACE_RUNAWAY, 0, worker->last_pc,
			"over %llu basic blocks in one launch (--step-limit)",
			(unsigned long long)worker->launch->device->watch->step_limit);
		emu_fault_leave(worker);
	}
	thread->state = EMU_AT_STEP;
	enter_block(thread, pc, (size_t)(fiber->memory + fiber->bytes - (const char *)frame));
	fiber_switch(thread->fiber, &worker->main_fiber);
	emu_thread_enter(worker, thread);
	worker->in_kernel = 1;
}

static bool can_go_on(const struct emu_thread *thread)
{
	switch (thread->state) {
	case EMU_WAITING_TO_START:
	case EMU_AT_STEP:
		return true;
	case EMU_AT_BARRIER:
	case EMU_AT_WARP:
		return thread->released;
	case EMU_RUNNING:
	case EMU_DONE:
		break;
	}
	return false;
}

static struct place place_of(const struct emu_thread *thread)
{
	return (struct place){
		thread->depth, thread->block_pc, thread->state != EMU_AT_STEP && thread->block_pc};
}

/* Lanes that have not started go before all others. */
static bool goes_first(const struct place *a, const struct place *b)
{
	if (!a->pc || !b->pc)
		return !a->pc && b->pc;
	if (a->depth != b->depth)
		return a->depth > b->depth;
	if (a->pc != b->pc)
		return a->pc < b->pc;
	return !a->inside && b->inside;
}

/* The lanes that go on together, as bits; 0: none can. */
static uint32_t choose_group(const struct warp *warp, struct place *ret_place)
{
	struct place first = {0};
	uint32_t group = 0;

	for (unsigned lane = 0; lane < warp->count; lane++) {
		if (!can_go_on(&warp->lanes[lane]))
			continue;
		struct place place = place_of(&warp->lanes[lane]);
		if (!group || goes_first(&place, &first)) {
			first = place;
			group = 0;
		}
		if (!goes_first(&first, &place))
			group |= 1u << lane;
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

static void run_group(struct emu_worker *worker, const struct warp *warp, uint32_t group,
	const struct place *place)
{
	const char *next[EMU_WARP] = {0};
	const char *from = place->pc;
	uint32_t left = 0;

	watch_group_begin(worker->watch, group, place->pc && !place->inside, place->pc);
	for (unsigned lane = 0; lane < warp->count; lane++) {
		struct emu_thread *thread = &warp->lanes[lane];
		if (!(group >> lane & 1))
			continue;
		run_lane(worker, thread);
		if (worker->fault.kind)
			return;
		if (thread->state != EMU_AT_STEP && thread->state != EMU_DONE)
			continue;
		left |= 1u << lane;
		from = thread->state == EMU_DONE ? thread->calls[0].block_pc : thread->left_pc;
		next[lane] = thread->state == EMU_DONE ? NULL : thread->block_pc;
	}
	watch_group_end(worker->watch, from, left, next);
}

/* The place of the first warp of the worker's block. A watched launch has one worker, which runs
 * the watched blocks in their order. */
static struct warp_place block_place(const struct emu_worker *worker)
{
	const struct emu_launch *launch = worker->launch;
	const struct pmpp_emu_index *block = &worker->state->block;
	const struct pmpp_emu_index *grid = &launch->grid;

	return (struct warp_place){
		.block = block->x + (uint64_t)grid->x * (block->y + (uint64_t)grid->y * block->z),
		.middle = worker->block_ordinal - 1 == launch->block_count / 2};
}

/* false when none of its lanes could go on. */
static bool run_warp(
	struct emu_worker *worker, struct warp *warp, const struct warp_place *warp_place)
{
	struct place place;
	bool any = false;
	uint32_t group;

	watch_warp_enter(worker->watch, warp_place);
	while (!worker->fault.kind && (group = choose_group(warp, &place)) != 0) {
		run_group(worker, warp, group, &place);
		any = true;
	}
	warp->diverged |= watch_warp_leave(worker->watch);
	return any;
}

static bool time_is_up(struct emu_worker *worker)
{
	if (!worker->launch->stop || worker->started == 0)
		return false;
	emu_fault_set(worker, TRACE_RUNAWAY, 0, worker->last_pc, "time is up");
	return true;
}

void lockstep_run(struct emu_worker *worker)
{
	struct warp warps[EMU_MAX_BLOCK / EMU_WARP];
	size_t threads = worker->launch->block_threads;
	size_t count = (threads + EMU_WARP - 1) / EMU_WARP;
	struct warp_place place = block_place(worker);

	for (size_t w = 0; w < count; w++) {
		size_t rest = threads - w * EMU_WARP;
		warps[w] = (struct warp){.lanes = &worker->threads[w * EMU_WARP],
			.count = (unsigned)(rest < EMU_WARP ? rest : EMU_WARP)};
	}
	while (worker->done < threads && !worker->fault.kind) {
		bool any = false;
		for (size_t w = 0; w < count && !worker->fault.kind && !time_is_up(worker); w++) {
			place.warp = (uint32_t)w;
			any |= run_warp(worker, &warps[w], &place);
		}
		if (!any && !worker->fault.kind)
			emu_standstill(worker);
	}
	for (size_t w = 0; w < count; w++)
		watch_warp(worker->watch, warps[w].diverged);
}
