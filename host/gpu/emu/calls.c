/*
 * The calls that led a thread to a barrier. Two threads wait at the same barrier if they made the
 * same calls.
 *
 * The functions of the traced build have frame pointers. A C++ compiler may copy code to both sides
 * of a branch. Therefore calls at different addresses are equal if all their lines are equal, also
 * those of inlined functions. clang neither copies nor merges calls of OpenCL's barrier, so there
 * the addresses decide.
 */
#include "host/gpu/emu/internal.h"

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

	while (count < EMU_MAX_CALLS && frame->return_address >= object->image_begin &&
		frame->return_address < object->image_end) {
		ret_calls[count++] = frame->return_address - 1; /* inside the call, on its line */
		if (frame->caller <= frame || (const char *)frame->caller >= thread->fiber->top)
			break;
		frame = frame->caller;
	}
	return count;
}

void emu_calls_set(const struct emu_worker *worker, struct emu_thread *thread, const void *frame)
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

bool emu_calls_equal(
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
