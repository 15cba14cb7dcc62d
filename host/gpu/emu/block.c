/* Runs one block: sets its state, runs its threads (in lockstep or not), and returns its stacks to the
 * worker. The device keeps the stacks between launches. */
#include "host/gpu/emu/internal.h"

#include <string.h>
#include <sys/resource.h>

static void begin_block(struct emu_worker *worker, struct pmpp_emu_index block)
{
	const struct pmpp_emu_object *record = worker->object->record;
	const struct emu_launch *launch = worker->launch;
	size_t number = 0;

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
	for (unsigned z = 0; z < launch->block.z; z++)
		for (unsigned y = 0; y < launch->block.y; y++)
			for (unsigned x = 0; x < launch->block.x; x++)
				worker->threads[number++] = (struct emu_thread){.index = {x, y, z}};
	/* A read of shared memory that no thread wrote returns NaN. */
	if (record->shared_begin)
		memset(record->shared_begin, 0xff,
			(size_t)(record->shared_end - record->shared_begin));
	memset(worker->dynamic_shared.bytes, 0xff, launch->dynamic_bytes);
	worker->last_pc = NULL;
}

/* Frees all stacks of the worker for the next block, also those of threads that did not return. */
static void reclaim_fibers(struct emu_worker *worker)
{
	worker->free_fibers = NULL;
	for (struct fiber *fiber = worker->fibers; fiber; fiber = fiber->link) {
		fiber->next = worker->free_fibers;
		worker->free_fibers = fiber;
	}
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

void emu_stacks_take(struct emu_worker *worker)
{
	struct fiber **stacks = &worker->launch->device->stacks[worker->index];

	worker->fibers = *stacks;
	*stacks = NULL;
	reclaim_fibers(worker);
}

void emu_stacks_leave(struct emu_worker *worker, struct emu_device *device)
{
	size_t room = max_kept(device);

	while (worker->fibers) {
		struct fiber *fiber = worker->fibers;
		worker->fibers = fiber->link;
		if (room == 0) {
			fiber_destroy(fiber);
			continue;
		}
		room--;
		fiber->link = device->stacks[worker->index];
		device->stacks[worker->index] = fiber;
	}
}

void emu_stacks_free(struct emu_device *device)
{
	for (size_t i = 0; i < EMU_MAX_WORKERS; i++)
		while (device->stacks[i]) {
			struct fiber *fiber = device->stacks[i];
			device->stacks[i] = fiber->link;
			fiber_destroy(fiber);
		}
}

bool emu_block_run(struct emu_worker *worker, struct pmpp_emu_index block)
{
	begin_block(worker, block);
	if (worker->watch)
		lockstep_run(worker);
	else
		emu_threads_run(worker);
	shadow_interval_end(worker);
	emu_copies_drop(worker);
	bool all_returned = worker->done == worker->launch->block_threads;
	if (!all_returned)
		reclaim_fibers(worker);
	return all_returned && worker->fault.kind == TRACE_NO_DEFECT;
}
