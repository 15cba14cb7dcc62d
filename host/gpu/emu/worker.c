/* State that all modules of a launch use: the worker, its running thread and its fault. */
#include "host/gpu/emu/internal.h"

#include "host/io/clock.h"

#include <stdarg.h>
#include <stdio.h>

_Thread_local struct emu_worker *emu_worker_current;

void emu_fault_set(struct emu_worker *worker, enum trace_defect_kind kind, int line, const void *pc,
	const char *format, ...)
{
	va_list arguments;

	worker->in_kernel = 0;
	if (worker->fault.kind != TRACE_NO_DEFECT)
		return;
	worker->fault.kind = kind;
	worker->fault.line = line;
	worker->fault.pc = pc;
	if (worker->current)
		worker->fault.thread = worker->current->index;
	va_start(arguments, format);
	vsnprintf(worker->fault.text, sizeof worker->fault.text, format, arguments);
	va_end(arguments);
}

void emu_fault_leave(struct emu_worker *worker)
{
	struct fiber abandoned;

	fiber_init_main(&abandoned);
	fiber_switch(&abandoned, &worker->main_fiber);
}

static bool inside(const char *address, size_t bytes, const char *begin, size_t size)
{
	return address >= begin && bytes <= size && (size_t)(address - begin) <= size - bytes;
}

bool emu_shared_find(
	const struct emu_worker *worker, const char *address, size_t bytes, size_t *ret_offset)
{
	const struct pmpp_emu_object *record = worker->object->record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);
	const char *dynamic = worker->dynamic_shared.bytes;

	if (inside(address, bytes, record->shared_begin, static_bytes))
		*ret_offset = (size_t)(address - record->shared_begin);
	else if (inside(address, bytes, dynamic, worker->launch->dynamic_bytes))
		*ret_offset = static_bytes + (size_t)(address - dynamic);
	else
		return false;
	return true;
}

uint64_t emu_shared_address(const struct emu_worker *worker, size_t offset)
{
	const struct pmpp_emu_object *record = worker->object->record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);
	const struct access_model *model = worker->launch->model;
	/* Dynamic shared memory begins at the first bank. */
	uint64_t row =
		model->banks ? (uint64_t)model->banks * model->bank_bytes : model->line_bytes;
	uint64_t dynamic = ((uint64_t)static_bytes + row - 1) / row * row;

	return offset < static_bytes ? offset : dynamic + (offset - static_bytes);
}

void emu_thread_enter(struct emu_worker *worker, struct emu_thread *thread)
{
	worker->current = thread;
	worker->running = thread->fiber;
	thread->state = EMU_RUNNING;
	worker->state->thread = thread->index;
	worker->state->lane =
		(unsigned)(thread - worker->threads) & (worker->launch->operation_lanes - 1);
}
