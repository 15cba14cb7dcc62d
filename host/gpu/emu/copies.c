/*
 * Asynchronous copies into shared memory, from the call to the wait.
 *
 * PTX ISA, "Completion Mechanisms for Asynchronous Copy Operations": before the thread has waited
 * for the copy, the source must not change and the destination must not be read. Therefore the call
 * stores the data and fills the destination with a NaN pattern. The wait writes the data, as a
 * write of the waiting thread. A source that differs at the wait is a fault.
 *
 * A copy without a wait never completes. A thread may end without the wait, because no thread may
 * read the destination until the block ends.
 */
#include "host/gpu/emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emu_copy {
	struct emu_copy *next; /* next copy of the thread, in call order; or next free copy */
	char *to;
	const char *from;
	size_t bytes;
	size_t read_bytes; /* read from the source; the rest is zero */
	uint64_t group;    /* number of the group in its thread, from 0 */
	unsigned long long data[2];
	int line;
	const void *pc;
};

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool on_own_stack(const struct emu_worker *worker, const char *address)
{
	const struct fiber *fiber = worker->running;

	return address >= fiber->memory && address < fiber->top;
}

/* Returns the error of the arguments (CUDA C++ Programming Guide, pipeline primitives interface);
 * NULL: none. */
static const char *wrong_argument(const struct emu_worker *worker, const char *to, const char *from,
	size_t bytes, size_t zeroed)
{
	size_t offset;

	if (bytes != 4 && bytes != 8 && bytes != 16)
		return "its size is not 4, 8 or 16 bytes";
	if (zeroed > bytes)
		return "it fills more bytes with zeros than its size";
	if ((uintptr_t)to % bytes || (uintptr_t)from % bytes)
		return "an address is not a multiple of its size";
	if (!emu_shared_find(worker, to, bytes, &offset))
		return "its destination is not in the block's shared memory";
	if (emu_shared_find(worker, from, 1, &offset) || on_own_stack(worker, from))
		return "its source is not in global memory";
	return NULL;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static struct emu_copy *take_free(struct emu_worker *worker)
{
	struct emu_copy *copy = worker->free_copies;

	if (copy)
		worker->free_copies = copy->next;
	else
		copy = malloc(sizeof *copy);
	return copy;
}

/* Removes a copy of the thread. before: the copy before it; NULL: none. */
static void drop(struct emu_worker *worker, struct emu_thread *thread, struct emu_copy *before)
{
	struct emu_copy **link = before ? &before->next : &thread->copies;
	struct emu_copy *copy = *link;
	size_t offset;

	if (worker->shadow && emu_shared_find(worker, copy->to, copy->bytes, &offset))
		shadow_pending_set(worker->shadow, offset, copy->bytes, false);
	*link = copy->next;
	if (thread->last_copy == copy)
		thread->last_copy = before;
	copy->next = worker->free_copies;
	worker->free_copies = copy;
}

void emu_copies_drop(struct emu_worker *worker)
{
	for (size_t i = 0; i < worker->launch->block_threads; i++)
		while (worker->threads[i].copies)
			drop(worker, &worker->threads[i], NULL);
}

void emu_copies_finish(struct emu_worker *worker)
{
	while (worker->free_copies) {
		struct emu_copy *copy = worker->free_copies;
		worker->free_copies = copy->next;
		free(copy);
	}
}

/* ---- Functions for kernels ------------------------------------------------------------------- */

/* Records the destination as written, and as pending until the wait. */
static void mark_destination(struct emu_worker *worker, const struct emu_copy *copy)
{
	unsigned lane =
		(unsigned)(worker->current - worker->threads) % worker->launch->model->lanes;
	size_t offset;

	if (!worker->shadow || !emu_shared_find(worker, copy->to, copy->bytes, &offset))
		return;
	if (shadow_pending(worker->shadow, offset, copy->bytes))
		emu_copy_touched(worker, copy->to, copy->bytes, PMPP_EMU_WRITE, copy->pc);
	shadow_shared(worker, offset, copy->to, copy->bytes, PMPP_EMU_WRITE, copy->pc);
	shadow_pending_set(worker->shadow, offset, copy->bytes, true);
	if (worker->watch && !worker->unwatched)
		watch_access(worker->watch, lane, 0, emu_shared_address(worker, offset),
			(uint32_t)copy->bytes, PMPP_EMU_COPY, copy->pc);
}

void emu_copy_begin(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
	unsigned long long low, unsigned long long high)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	const char *call = (const char *)__builtin_return_address(0) - 1; /* inside the call */
	const void *pc = line < 0 ? worker->object->image_begin - line : call;

	worker->in_kernel = 0;
	shadow_check_write(worker);
	const char *wrong = wrong_argument(worker, to, from, bytes, zeroed);
	struct emu_copy *copy = wrong ? NULL : take_free(worker);
	if (!copy) {
		emu_fault_set(worker, TRACE_FAULT, line, NULL, "an asynchronous copy: %s",
			wrong ? wrong : "no host memory to record it");
		emu_fault_leave(worker);
	}
	*copy = (struct emu_copy){.to = to,
		.from = from,
		.bytes = bytes,
		.read_bytes = bytes - zeroed,
		.group = thread->copy_groups,
		.data = {low, high},
		.line = line,
		.pc = pc};
	mark_destination(worker, copy);
	memset(to, 0xff, bytes);
	if (thread->last_copy)
		thread->last_copy->next = copy;
	else
		thread->copies = copy;
	thread->last_copy = copy;
	worker->in_kernel = 1;
}

unsigned long emu_copy_commit(void)
{
	return emu_worker_current->current->copy_groups++;
}

/* Completes a copy of the running thread. before: the copy before it; NULL: none. */
static void arrive(struct emu_worker *worker, struct emu_copy *before)
{
	struct emu_thread *thread = worker->current;
	struct emu_copy copy = before ? *before->next : *thread->copies;
	size_t offset;

	if (memcmp(copy.from, copy.data, copy.read_bytes) != 0) {
		emu_fault_set(worker, TRACE_RACE, copy.line, NULL,
			"the source of an asynchronous copy changed before the wait");
		emu_fault_leave(worker);
	}
	drop(worker, thread, before);
	if (worker->shadow && emu_shared_find(worker, copy.to, copy.bytes, &offset))
		shadow_shared(worker, offset, copy.to, copy.bytes, PMPP_EMU_WRITE, copy.pc);
	memcpy(copy.to, copy.data, copy.bytes);
	shadow_check_write(worker);
}

void emu_copy_wait(unsigned long prior)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;

	worker->in_kernel = 0;
	shadow_check_write(worker);
	while (thread->copies && thread->copies->group < thread->copy_groups &&
		thread->copy_groups - thread->copies->group > prior)
		arrive(worker, NULL);
	worker->in_kernel = 1;
}

void emu_copy_wait_group(unsigned long group)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	struct emu_copy *before = NULL;
	struct emu_copy *copy = thread->copies;

	worker->in_kernel = 0;
	shadow_check_write(worker);
	while (copy) {
		struct emu_copy *next = copy->next;
		if (copy->group == group)
			arrive(worker, before);
		else
			before = copy;
		copy = next;
	}
	worker->in_kernel = 1;
}

/* ---- Accesses to pending destinations ------------------------------------------------------ */

static bool overlaps(const struct emu_copy *copy, const char *address, size_t bytes)
{
	return address < copy->to + copy->bytes && copy->to < address + bytes;
}

void emu_copy_touched(struct emu_worker *worker, const char *address, size_t bytes,
	enum pmpp_emu_access kind, const void *pc)
{
	const struct emu_thread *thread = worker->threads;
	const struct emu_copy *copy = NULL;

	for (size_t i = 0; i < worker->launch->block_threads && !copy; i++) {
		thread = &worker->threads[i];
		copy = thread->copies;
		while (copy && !overlaps(copy, address, bytes))
			copy = copy->next;
	}
	char line[24] = "";

	worker->fault.other_line = copy ? copy->line : 0;
	if (worker->fault.other_line > 0)
		snprintf(line, sizeof line, "line %d, ", worker->fault.other_line);
	emu_fault_set(worker, TRACE_RACE, 0, pc,
		"a %s of shared memory before the wait for the asynchronous copy that fills it "
		"(the copy: %sthread (%u,%u,%u))",
		kind == PMPP_EMU_READ ? "read" : "write", line, thread->index.x, thread->index.y,
		thread->index.z);
	emu_fault_leave(worker);
}
