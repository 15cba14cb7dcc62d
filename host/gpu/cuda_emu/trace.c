/*
 * The traced build's checks. Every access of the kernel comes by here.
 *
 * Bounds are exact: an access lies in [0, bytes) of a live buffer, in the object (shared memory,
 * constants), in the block's dynamic shared memory, or on the stack of the running thread.
 *
 * Races in shared memory: for each byte the last writer and the last two readers (two threads) are
 * kept, with the barrier interval (epoch) they were in. Two threads in the same interval, one of
 * them writing, are a race; any warp operation in between orders two lanes of one warp. Atomics do
 * not race with each other, only with plain accesses. Threads that write what is there already (a
 * flag) are none: CUDA lets one of them win. With more readers than two a race may be missed in one
 * order of the threads and seen in another; what is reported is one.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY 0xffffu
#define NEAR_BYTES ((size_t)1 << 20) /* an access further off is not blamed on an operand */

struct trace_mark {
	uint16_t thread; /* number in the block; NOBODY */
	uint16_t warp_epoch;
	unsigned epoch : 31;
	unsigned atomic : 1;
	const void *pc;
};

#define READERS 2

struct trace_byte {
	struct trace_mark write, read[READERS];
};

/* A write to what another thread has written: a race if it changes anything, which shows only when
 * it has been carried out. */
struct trace_suspect {
	const char *address; /* NULL: none */
	size_t bytes;
	char before[16];
	const void *pc;
	struct trace_mark other;
};

struct trace_shadow {
	size_t static_bytes, dynamic_bytes;
	struct trace_byte *bytes; /* static, then dynamic */
	struct trace_suspect suspect;
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

	for (size_t i = 0; i < shadow->static_bytes + shadow->dynamic_bytes; i++) {
		shadow->bytes[i].write.thread = NOBODY;
		for (size_t k = 0; k < READERS; k++)
			shadow->bytes[i].read[k].thread = NOBODY;
	}
	shadow->suspect.address = NULL;
	worker->last_pc = NULL;
}

/* Two accesses with nothing between them that orders them. */
static bool unordered(const struct emu_worker *worker, const struct trace_mark *mark, size_t thread)
{
	size_t warp = thread / EMU_WARP;

	if (mark->thread == NOBODY || mark->thread == thread || mark->epoch != worker->epoch)
		return false;
	return mark->thread / EMU_WARP != warp ||
	       mark->warp_epoch == (uint16_t)worker->warp_epochs[warp];
}

static void report_race(struct emu_worker *worker, const void *pc, const struct trace_mark *other)
{
	worker->fault.other_pc = other->pc;
	emu_fault_set(worker, EMU_FAULT, 0, pc,
		"a data race in shared memory with thread %u: no barrier lies between the "
		"two accesses",
		other->thread);
	emu_fault_leave(worker);
}

void trace_settle(struct emu_worker *worker)
{
	struct trace_suspect *suspect = worker->shadow ? &worker->shadow->suspect : NULL;

	if (!suspect || !suspect->address)
		return;
	const char *address = suspect->address;
	suspect->address = NULL;
	if (memcmp(address, suspect->before, suspect->bytes) != 0)
		report_race(worker, suspect->pc, &suspect->other);
}

static void suspect_write(struct emu_worker *worker, const char *address, size_t bytes,
	const void *pc, const struct trace_mark *other)
{
	struct trace_suspect *suspect = &worker->shadow->suspect;

	if (suspect->address)
		return;
	if (bytes > sizeof suspect->before) {
		report_race(worker, pc, other);
		return;
	}
	*suspect = (struct trace_suspect){
		.address = address, .bytes = bytes, .pc = pc, .other = *other};
	memcpy(suspect->before, address, bytes);
}

static void remember(
	struct trace_byte *byte, enum pmpp_emu_access kind, const struct trace_mark *mark)
{
	if (kind != PMPP_EMU_READ) {
		byte->write = *mark;
		return;
	}
	if (byte->read[0].thread != mark->thread)
		byte->read[1] = byte->read[0];
	byte->read[0] = *mark;
}

static void check_shared(struct emu_worker *worker, struct trace_byte *bytes, const char *address,
	unsigned long count, enum pmpp_emu_access kind, const void *pc)
{
	size_t thread = (size_t)(worker->current - worker->threads);
	struct trace_mark mark = {.thread = (uint16_t)thread,
		.warp_epoch = (uint16_t)worker->warp_epochs[thread / EMU_WARP],
		.epoch = worker->epoch & 0x7fffffffu,
		.atomic = kind == PMPP_EMU_ATOMIC,
		.pc = pc};

	for (unsigned long i = 0; i < count; i++) {
		struct trace_byte *byte = &bytes[i];
		const struct trace_mark *write = &byte->write;

		if (kind != PMPP_EMU_READ)
			for (size_t k = 0; k < READERS; k++)
				if (unordered(worker, &byte->read[k], thread))
					report_race(worker, pc, &byte->read[k]);
		if (unordered(worker, write, thread) && !(mark.atomic && write->atomic)) {
			if (kind == PMPP_EMU_WRITE && !write->atomic)
				suspect_write(worker, address, count, pc, write);
			else
				report_race(worker, pc, write);
		}
		if (kind == PMPP_EMU_READ && write->thread == NOBODY) {
			emu_fault_set(worker, EMU_FAULT, 0, pc,
				"a read of shared memory that no thread of the block wrote");
			emu_fault_leave(worker);
		}
		remember(byte, kind, &mark);
	}
}

static bool inside(const char *address, unsigned long bytes, const char *begin, const char *end)
{
	return address >= begin && address + bytes <= end;
}

/* Bytes between an access and the operand; 0 where it is partly inside. */
static size_t distance_to(const struct emu_buffer *buffer, const char *address, unsigned long bytes)
{
	const char *end = buffer->data + buffer->base.bytes;

	if (address >= end)
		return (size_t)(address - end);
	return address + bytes <= buffer->data ? (size_t)(buffer->data - address) : 0;
}

/* The operand that an address out of bounds is nearest to, for the message; NULL when it is far
 * from all. */
static const struct emu_buffer *nearest_buffer(
	const struct emu_device *device, const char *address, unsigned long bytes)
{
	const struct emu_buffer *nearest = NULL;
	size_t least = NEAR_BYTES;

	for (const struct emu_buffer *buffer = device->buffers; buffer; buffer = buffer->next) {
		size_t distance = distance_to(buffer, address, bytes);

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
	const struct emu_launch *launch = worker->launch;
	const struct emu_buffer *buffer = nearest_buffer(launch->device, address, bytes);
	const char *dynamic_end = worker->dynamic_shared + launch->dynamic_bytes;
	size_t past = address > dynamic_end ? (size_t)(address - dynamic_end) : 0;
	bool dynamic = launch->dynamic_bytes > 0 && address >= worker->dynamic_shared &&
		       address < dynamic_end + EMU_DYNAMIC_SHARED_BYTES;

	if (dynamic && (!buffer || past < distance_to(buffer, address, bytes)))
		emu_fault_set(worker, EMU_FAULT, 0, pc,
			"out-of-bounds %s of %lu bytes, %lld bytes past the end of the block's %zu bytes "
			"of dynamic shared memory",
			kinds[kind], bytes, (long long)(address - dynamic_end),
			launch->dynamic_bytes);
	else if (!buffer)
		emu_fault_set(worker, EMU_FAULT, 0, pc,
			"out-of-bounds %s of %lu bytes at address 0x%llx, near no operand",
			kinds[kind], bytes, (unsigned long long)(uintptr_t)address);
	else
		emu_fault_set(worker, EMU_FAULT, 0, pc,
			"out-of-bounds %s of %lu bytes at byte %lld of argument %d, an operand of %llu "
			"bytes",
			kinds[kind], bytes, (long long)(address - buffer->data),
			argument_number(worker, buffer), (unsigned long long)buffer->base.bytes);
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
	worker->last_pc = pc;
	trace_settle(worker);
	for (const struct emu_buffer *buffer = worker->launch->device->buffers; buffer;
		buffer = buffer->next)
		if (inside(address, bytes, buffer->data, buffer->data + buffer->base.bytes))
			goto out;
	if (inside(address, bytes, record->shared_begin, record->shared_end))
		check_shared(worker, worker->shadow->bytes + (address - record->shared_begin),
			address, bytes, kind, pc);
	else if (inside(address, bytes, worker->dynamic_shared,
			 worker->dynamic_shared + worker->launch->dynamic_bytes))
		check_shared(worker,
			worker->shadow->bytes + worker->shadow->static_bytes +
				(address - worker->dynamic_shared),
			address, bytes, kind, pc);
	else if (!inside(address, bytes, worker->object->image_begin, worker->object->image_end) &&
		 !inside(address, bytes, fiber->memory, fiber->memory + fiber->bytes))
		out_of_bounds(worker, address, bytes, kind, pc);
out:
	worker->in_kernel = 1;
}
