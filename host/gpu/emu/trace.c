/*
 * The checks of the traced build, which calls trace_access() for every access of the kernel.
 *
 * Bounds are exact. An access must be in one of these: [0, bytes) of a buffer; the kernel's variables
 * in shared memory; the block's dynamic shared memory; a variable of the file in global or constant
 * memory; the rest of the object (constants of the compiler) without the guards; the stack of the running
 * thread. shadow.c checks for races and uninitialised reads.
 */
#include "host/gpu/emu/internal.h"

#include <stdio.h>
#include <string.h>

#define OWN_STACK (-1)

static bool inside(const char *address, unsigned long bytes, const char *begin, const char *end)
{
	return address >= begin && address + bytes <= end;
}

/* Whether an access is in static shared memory or in its guards, at least with one byte. */
static bool near_static(
	const struct pmpp_emu_object *record, const char *address, unsigned long bytes)
{
	return address + bytes > record->guard_begin && address < record->guard_end;
}

/* Returns the operand in whose gaps the address is; NULL: none. */
static const struct emu_buffer *near_buffer(const struct emu_device *device, const char *address)
{
	const struct emu_buffer *buffer = device->buffers;

	while (buffer && !fenced_memory_is_near(&buffer->memory, address))
		buffer = buffer->next;
	return buffer;
}

static int argument_number(const struct emu_worker *worker, const struct emu_buffer *buffer)
{
	const char *kinds = worker->launch->entry[worker->index]->parameters;

	for (int i = 0; kinds[i]; i++)
		if (kinds[i] == 'p' && *(char **)worker->launch->arguments[i] == buffer->data)
			return i + 1;
	return 0;
}

/* Whether an access is in the sections of variables, which begin and end with unused bytes. */
static bool near_variables(
	const struct pmpp_emu_object *record, const char *address, unsigned long bytes)
{
	return (address + bytes > record->variables_begin && address < record->variables_end) ||
	       (address + bytes > record->constants_begin && address < record->constants_end);
}

/* Returns the variable with the address, or the nearest one. NULL: there are no variables. */
static const struct emu_variable *nearest_variable(
	const struct emu_program *program, const char *address)
{
	const struct emu_variable *nearest = NULL;
	uintptr_t least = UINTPTR_MAX;

	for (size_t i = 0; i < program->variable_count; i++) {
		const struct emu_variable *variable = &program->variables[i];
		const char *end = variable->begin + variable->bytes;
		uintptr_t distance = address < variable->begin
					     ? (uintptr_t)(variable->begin - address)
				     : address >= end ? (uintptr_t)(address - end) + 1
						      : 0;
		if (distance < least) {
			nearest = variable;
			least = distance;
		}
	}
	return nearest;
}

static void variable_name(
	const struct emu_worker *worker, const struct emu_variable *variable, char ret_name[64])
{
	worker->launch->device->front->name_of(variable->symbol, ret_name, 64);
}

static void variable_place_text(
	const struct emu_worker *worker, const char *address, char *ret_text, size_t size)
{
	const struct emu_variable *variable = nearest_variable(worker->launch->program, address);
	char name[64];

	if (!variable)
		return;
	variable_name(worker, variable, name);
	snprintf(ret_text, size, " at byte %lld of the variable %s of %llu bytes",
		(long long)(address - variable->begin), name, (unsigned long long)variable->bytes);
}

bool trace_place_text(const struct emu_worker *worker, const char *address, unsigned long bytes,
	char *ret_text, size_t size)
{
	const struct pmpp_emu_object *record = worker->object->record;
	const struct fenced_memory *dynamic = &worker->dynamic_shared;
	const struct emu_buffer *buffer = near_buffer(worker->launch->device, address);

	if (near_static(record, address, bytes))
		snprintf(ret_text, size,
			" at byte %lld of the block's %lld bytes of static shared memory: the kernel "
			"has no variable there",
			(long long)(address - record->shared_begin),
			(long long)(record->shared_end - record->shared_begin));
	else if (fenced_memory_is_near(dynamic, address))
		snprintf(ret_text, size,
			worker->launch->dynamic_bytes
				? " at byte %lld of the block's %zu bytes of dynamic shared memory"
				: " at byte %lld of dynamic shared memory of %zu bytes: the launch "
				  "has none",
			(long long)(address - dynamic->bytes), worker->launch->dynamic_bytes);
	else if (buffer)
		snprintf(ret_text, size, " at byte %lld of argument %d, an operand of %llu bytes",
			(long long)(address - buffer->data), argument_number(worker, buffer),
			(unsigned long long)buffer->base.bytes);
	else
		snprintf(ret_text, size, " at address 0x%llx, not near any operand",
			(unsigned long long)(uintptr_t)address);
	if (near_variables(record, address, bytes))
		variable_place_text(worker, address, ret_text, size);
	return buffer || near_static(record, address, bytes) ||
	       fenced_memory_is_near(dynamic, address);
}

static const char *const access_words[] = {[PMPP_EMU_READ] = "load",
	[PMPP_EMU_WRITE] = "store",
	[PMPP_EMU_ATOMIC] = "atomic",
	[PMPP_EMU_EXCHANGE] = "atomic",
	[PMPP_EMU_ATOMIC_LOAD] = "atomic",
	[PMPP_EMU_COMPARE] = "atomic"};

static void out_of_bounds(struct emu_worker *worker, const char *address, unsigned long bytes,
	enum pmpp_emu_access kind, const void *pc)
{
	char place[160];

	trace_place_text(worker, address, bytes, place, sizeof place);
	emu_fault_set(worker, TRACE_OUT_OF_BOUNDS, 0, pc, "out-of-bounds %s of %lu bytes%s",
		access_words[kind], bytes, place);
	emu_fault_leave(worker);
}

/* A store to an input is a defect even if it does not change the input. */
static void check_input(struct emu_worker *worker, const struct emu_buffer *buffer,
	const char *address, unsigned long bytes, enum pmpp_emu_access kind, const void *pc)
{
	if (!buffer->input || kind == PMPP_EMU_READ || kind == PMPP_EMU_ATOMIC_LOAD)
		return;
	emu_fault_set(worker, TRACE_OUT_OF_BOUNDS, 0, pc,
		"%s of %lu bytes at byte %lld of argument %d, an input: a kernel must not write to "
		"its inputs",
		access_words[kind], bytes, (long long)(address - buffer->data),
		argument_number(worker, buffer));
	emu_fault_leave(worker);
}

/* Whether shared memory at this offset belongs to the kernel: a variable of it, or dynamic memory. */
static bool is_own_shared(const struct emu_worker *worker, size_t offset, unsigned long bytes)
{
	const struct pmpp_emu_object *record = worker->object->record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);

	return offset >= static_bytes || !memchr(worker->launch->own_shared + offset, false, bytes);
}

/* Checks an access to shared memory. Returns false if it is an access to other memory.
 * *ret_address: the address in shared memory. */
static bool is_shared_access(struct emu_worker *worker, const char *address, unsigned long bytes,
	enum pmpp_emu_access kind, const char *pc, uint64_t *ret_address)
{
	size_t offset;

	if (!emu_shared_find(worker, address, bytes, &offset) ||
		!is_own_shared(worker, offset, bytes))
		return false;
	*ret_address = emu_shared_address(worker, offset);
	if (shadow_pending(worker->shadow, offset, bytes))
		emu_copy_touched(worker, address, bytes, kind, pc);
	shadow_shared(worker, offset, address, bytes, kind, pc);
	return true;
}

static bool is_in(const struct emu_buffer *buffer, const char *address, unsigned long bytes)
{
	return inside(address, bytes, buffer->data, buffer->data + buffer->base.bytes);
}

/* Neighbouring accesses are often to the same two or three buffers. */
static const struct emu_buffer *buffer_of(
	struct emu_worker *worker, const char *address, unsigned long bytes)
{
	const struct emu_buffer **known = worker->known_buffers;
	const struct emu_buffer *buffer = worker->launch->device->buffers;

	for (size_t i = 0; i < EMU_KNOWN_BUFFERS; i++)
		if (known[i] && is_in(known[i], address, bytes))
			return known[i];
	while (buffer && !is_in(buffer, address, bytes))
		buffer = buffer->next;
	if (buffer)
		known[worker->next_known++ % EMU_KNOWN_BUFFERS] = buffer;
	return buffer;
}

static void watch_it(struct emu_worker *worker, int argument, uint64_t address, unsigned long bytes,
	enum pmpp_emu_access kind, const char *pc)
{
	if (worker->watch)
		watch_access(worker->watch,
			(unsigned)(worker->current - worker->threads) %
				worker->launch->model->lanes,
			argument, address, (uint32_t)bytes, kind, pc);
}

/* Checks an access to the sections of variables. */
static void access_variable(struct emu_worker *worker, const char *address, unsigned long bytes,
	enum pmpp_emu_access kind, const char *pc)
{
	const struct emu_program *program = worker->launch->program;
	const struct emu_variable *variable = worker->known_variable;
	char name[64];

	if (!variable ||
		!inside(address, bytes, variable->begin, variable->begin + variable->bytes))
		variable = nearest_variable(program, address);
	if (!variable ||
		!inside(address, bytes, variable->begin, variable->begin + variable->bytes)) {
		out_of_bounds(worker, address, bytes, kind, pc);
		return;
	}
	worker->known_variable = variable;
	if (!variable->constant) {
		shadow_global(worker, &program->global, address, bytes, kind, pc);
	} else if (kind != PMPP_EMU_READ && kind != PMPP_EMU_ATOMIC_LOAD) {
		variable_name(worker, variable, name);
		emu_fault_set(worker, TRACE_OUT_OF_BOUNDS, 0, pc,
			"%s of %lu bytes at byte %lld of the variable %s, a constant: a kernel must "
			"not write to constant memory",
			access_words[kind], bytes, (long long)(address - variable->begin), name);
		emu_fault_leave(worker);
	}
	watch_it(worker, OWN_STACK, (uint64_t)(uintptr_t)address, bytes, kind, pc);
}

void trace_settle(const void *settled, unsigned long bytes)
{
	struct emu_worker *worker = emu_worker_current;
	const char *address = settled;
	const struct emu_buffer *buffer = buffer_of(worker, address, bytes);
	const struct emu_buffer *variables = &worker->launch->program->global;
	size_t offset = 0;

	if (worker->unwatched)
		return;
	if (!buffer && is_in(variables, address, bytes))
		buffer = variables;
	worker->in_kernel = 0;
	shadow_check_write(worker);
	if (buffer || emu_shared_find(worker, address, bytes, &offset))
		shadow_settle(worker, buffer, address, offset, bytes);
	worker->in_kernel = 1;
}

void trace_access(const void *accessed, unsigned long bytes, enum pmpp_emu_access kind,
	const void *return_address)
{
	struct emu_worker *worker = emu_worker_current;
	const char *address = accessed;
	const char *pc = (const char *)return_address - 1; /* inside the call, on its line */
	const struct fiber *fiber = worker->running;
	const struct emu_object *object = worker->object;
	const struct emu_buffer *buffer;
	uint64_t host_address = (uint64_t)(uintptr_t)address;
	uint64_t shared_address;

	worker->last_pc = pc;
	worker->current->last_pc = pc;
	if (worker->unwatched)
		return;
	worker->in_kernel = 0;
	shadow_check_write(worker);
	if (kind == PMPP_EMU_FENCE || kind == PMPP_EMU_BLOCK_FENCE) {
		shadow_fence(worker, kind);
	} else if (inside(address, bytes, fiber->memory, fiber->top)) {
		shadow_variable(worker, address, kind);
		watch_it(worker, OWN_STACK, host_address, bytes, kind, pc);
	} else if (is_shared_access(worker, address, bytes, kind, pc, &shared_address)) {
		watch_it(worker, 0, shared_address, bytes, kind, pc);
	} else if ((buffer = buffer_of(worker, address, bytes))) {
		check_input(worker, buffer, address, bytes, kind, pc);
		shadow_global(worker, buffer, address, bytes, kind, pc);
		watch_it(worker, argument_number(worker, buffer), host_address, bytes, kind, pc);
	} else if (near_variables(object->record, address, bytes)) {
		access_variable(worker, address, bytes, kind, pc);
	} else if (inside(address, bytes, object->image_begin, object->image_end) &&
		   !near_static(object->record, address, bytes)) {
		shadow_variable(worker, address, kind);
		watch_it(worker, OWN_STACK, host_address, bytes, kind, pc);
	} else {
		out_of_bounds(worker, address, bytes, kind, pc);
	}
	worker->in_kernel = 1;
}
