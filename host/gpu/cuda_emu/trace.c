/*
 * The traced build's checks. Every access of the kernel comes by here.
 *
 * Bounds are exact: an access lies in [0, bytes) of a live buffer, in the object (shared memory,
 * constants), in the block's dynamic shared memory, or on the stack of the running thread.
 *
 * Races in shared memory: for each byte the last writer and the last reader are kept, with the
 * barrier interval (epoch) they were in. Two threads in the same interval, one of them writing, are
 * a race; for two lanes of one warp a warp operation in between orders them too. Atomics order
 * themselves. The verdict does not depend on the order in which the emulator runs the threads.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY 0xffffu

struct trace_mark {
	uint16_t thread; /* number in the block; NOBODY */
	uint16_t warp_epoch;
	unsigned epoch;
	const void *pc;
};

struct trace_byte {
	struct trace_mark write, read;
};

struct trace_shadow {
	size_t static_bytes, dynamic_bytes;
	struct trace_byte *bytes; /* static, then dynamic */
};

struct trace_shadow *trace_shadow_create(size_t static_bytes, size_t dynamic_bytes)
{
	struct trace_shadow *shadow = calloc(1, sizeof *shadow);

	if (!shadow)
		return NULL;
	shadow->static_bytes = static_bytes;
	shadow->dynamic_bytes = dynamic_bytes;
	shadow->bytes = malloc((static_bytes + dynamic_bytes + 1) * sizeof *shadow->bytes);
	if (!shadow->bytes) {
		free(shadow);
		return NULL;
	}
	return shadow;
}

void trace_shadow_destroy(struct trace_shadow *shadow)
{
	if (!shadow)
		return;
	free(shadow->bytes);
	free(shadow);
}

void trace_block_begin(struct emu_worker *worker)
{
	struct trace_shadow *shadow = worker->shadow;

	for (size_t i = 0; i < shadow->static_bytes + shadow->dynamic_bytes; i++)
		shadow->bytes[i].write.thread = shadow->bytes[i].read.thread = NOBODY;
}

/* Two accesses with nothing between them that orders them. */
static bool unordered(const struct emu_worker *worker, const struct trace_mark *mark, size_t thread)
{
	if (mark->thread == NOBODY || mark->thread == thread || mark->epoch != worker->epoch)
		return false;
	return mark->thread / EMU_WARP != thread / EMU_WARP ||
	       mark->warp_epoch == (uint16_t)worker->threads[thread].warp_epoch;
}

static void check_shared(struct emu_worker *worker, struct trace_byte *bytes, unsigned long count,
	enum pmpp_emu_access kind, const void *pc)
{
	size_t thread = (size_t)(worker->current - worker->threads);
	struct trace_mark mark = {
		(uint16_t)thread, (uint16_t)worker->current->warp_epoch, worker->epoch, pc};

	for (unsigned long i = 0; i < count; i++) {
		struct trace_byte *byte = &bytes[i];
		const struct trace_mark *other = NULL;

		if (kind != PMPP_EMU_ATOMIC && unordered(worker, &byte->write, thread))
			other = &byte->write;
		else if (kind == PMPP_EMU_WRITE && unordered(worker, &byte->read, thread))
			other = &byte->read;
		if (other) {
			worker->fault.other_pc = other->pc;
			emu_fault_set(worker, EMU_FAULT, 0, pc,
				"a data race in shared memory with thread %u: no barrier lies between the "
				"two accesses",
				other->thread);
			emu_fault_leave(worker);
		}
		if (kind == PMPP_EMU_READ && byte->write.thread == NOBODY) {
			emu_fault_set(worker, EMU_FAULT, 0, pc,
				"a read of shared memory that no thread of the block wrote");
			emu_fault_leave(worker);
		}
		if (kind == PMPP_EMU_READ)
			byte->read = mark;
		else if (kind == PMPP_EMU_WRITE || byte->write.thread == NOBODY)
			byte->write = mark;
	}
}

static bool inside(const char *address, unsigned long bytes, const char *begin, const char *end)
{
	return address >= begin && address + bytes <= end;
}

/* The operand that an address out of bounds is nearest to, for the message. */
static const struct emu_buffer *nearest_buffer(const struct emu_device *device, const char *address)
{
	const struct emu_buffer *nearest = NULL;
	size_t least = SIZE_MAX;

	for (const struct emu_buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
		const char *end = buffer->data + buffer->base.bytes;
		size_t distance = address < buffer->data ? (size_t)(buffer->data - address)
							 : (size_t)(address - end);
		if (distance < least) {
			least = distance;
			nearest = buffer;
		}
	}
	return nearest;
}

static int argument_number(const struct emu_worker *worker, const struct emu_buffer *buffer)
{
	const char *kinds = worker->launch->entry[worker->index]->parameters;

	for (int i = 0; kinds[i]; i++)
		if (kinds[i] == 'p' && *(char **)worker->launch->arguments[i] == buffer->data)
			return i + 1;
	return 0;
}

static void out_of_bounds(struct emu_worker *worker, const char *address, unsigned long bytes,
	enum pmpp_emu_access kind, const void *pc)
{
	static const char *const kinds[] = {
		[PMPP_EMU_READ] = "load", [PMPP_EMU_WRITE] = "store", [PMPP_EMU_ATOMIC] = "atomic"};
	const struct emu_buffer *buffer = nearest_buffer(worker->launch->device, address);

	if (!buffer || (uintptr_t)address < 4096)
		emu_fault_set(worker, EMU_FAULT, 0, pc,
			"out-of-bounds %s of %lu bytes at address %p", kinds[kind], bytes,
			(const void *)address);
	else
		emu_fault_set(worker, EMU_FAULT, 0, pc,
			"out-of-bounds %s of %lu bytes, %lld bytes from the start of an operand of %llu "
			"(argument %d)",
			kinds[kind], bytes, (long long)(address - buffer->data),
			(unsigned long long)buffer->base.bytes, argument_number(worker, buffer));
	emu_fault_leave(worker);
}

void trace_access(const void *accessed, unsigned long bytes, enum pmpp_emu_access kind,
	const void *return_address)
{
	struct emu_worker *worker = emu_worker_current;
	const struct pmpp_emu_object *record = worker->object->record;
	const char *address = accessed;
	const char *pc = (const char *)return_address - 1; /* inside the call, on its line */
	const struct fiber *fiber = worker->running;

	worker->in_kernel = 0;
	for (const struct emu_buffer *buffer = worker->launch->device->buffers; buffer;
		buffer = buffer->next)
		if (inside(address, bytes, buffer->data, buffer->data + buffer->base.bytes))
			goto out;
	if (inside(address, bytes, record->shared_begin, record->shared_end))
		check_shared(worker, worker->shadow->bytes + (address - record->shared_begin),
			bytes, kind, pc);
	else if (inside(address, bytes, worker->dynamic_shared,
			 worker->dynamic_shared + worker->launch->dynamic_bytes))
		check_shared(worker,
			worker->shadow->bytes + worker->shadow->static_bytes +
				(address - worker->dynamic_shared),
			bytes, kind, pc);
	else if (!inside(address, bytes, worker->object->image_begin, worker->object->image_end) &&
		 !inside(address, bytes, fiber->memory, fiber->memory + fiber->bytes))
		out_of_bounds(worker, address, bytes, kind, pc);
out:
	worker->in_kernel = 1;
}
