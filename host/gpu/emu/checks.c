/*
 * The checks of the traced build, which calls access() for every access of the kernel, and the defects
 * of all builds.
 *
 * Bounds are exact. An access must be in one of these: [0, bytes) of a buffer; the kernel's variables
 * in shared memory; the block's dynamic shared memory; a variable of the file in global or constant
 * memory; the rest of the object (constants of the compiler) without the guards; the stack of the running
 * thread.
 *
 * Races and reads of shared memory that no thread wrote are found with the last accesses of each byte
 * (struct shadow).
 *
 * Each byte has its last writer and its last two readers (of different threads), with their block
 * and barrier interval of its memory (epoch). Bytes that were always accessed together share a cell,
 * at most 16 of them. Accesses of two threads of a block in one interval
 * are a race if one of them writes; a warp operation between the accesses orders two lanes of one
 * operation group. Two blocks of a launch are ordered only in one case: one block releases its
 * writes (a fence, then an atomic operation on global memory), and the other block later does an
 * atomic operation. In OpenCL C 2.0 this operation must be an acquire, or a fence must follow it;
 * in CUDA C and OpenCL C 1.x every atomic operation is an acquire, because NVIDIA's example (CUDA C++
 * Programming Guide, memory fence functions) has no fence there. Two threads of a block are also ordered
 * if the operation group of one releases its accesses, and the other thread later does an atomic
 * operation on the same address, or another lane of its group does before a warp operation. There each
 * fence counts for both memories.
 *
 * Atomic operations race only with plain accesses. It is not a race if threads write the value that
 * is already there (a flag): the result is the same in every order. With more than two readers a
 * race may be found in one order of the threads only. Two accesses that a release orders in the order
 * of this run are not a race, even if another order has one (a lock that is taken without a look at
 * its old value).
 *
 * A plain read beside atomic operations is a guess, not a race, if the thread's next access to the
 * same address is a compare-and-swap before the next barrier: the comparison fails if the value is
 * old. In the traced launch of `verify` the other threads of the block run before the first such
 * compare-and-swap of a thread, so that the comparison fails.
 *
 * A read of shared memory that no thread wrote is reported when its barrier interval ends. If
 * another thread writes the byte in the same interval, a barrier is missing: this is a race.
 *
 * One worker runs all blocks of a traced launch, one after the other: another block has always
 * ended.
 *
 * Asynchronous copies into shared memory: PTX ISA, "Completion Mechanisms for Asynchronous Copy
 * Operations": before the thread has waited for the copy, the source must not change and the destination
 * must not be read. Therefore the call stores the data and fills the destination with a NaN pattern. The
 * wait writes the data, as a write of the waiting thread. A source that differs at the wait is a fault.
 * A copy without a wait never completes. A thread may end without the wait, because no thread may read the
 * destination until the block ends.
 */
#include "host/gpu/emu/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* An access as it is recorded. */
struct mark {
	const char *pc; /* NULL: no access */
	uint32_t block; /* number of the block, from 1, in the order of the worker */
	uint32_t clock; /* shadow.clock at the access */
	unsigned epoch : 31;
	unsigned atomic : 1;
	uint16_t thread; /* number in the block */
	uint16_t warp_epoch;
};

/* An access of the running thread as it is checked. */
struct access {
	const char *address;
	size_t bytes;
	enum pmpp_emu_access kind;
	enum pmpp_emu_memory memory; /* set by set_mark() */
	struct mark mark;            /* all members except pc are set by set_mark() */
};

#define READERS 2
#define MAX_GUESSES 4 /* of a thread */

/* A block that begins after so many accesses is not checked for races in operands, unless the
 * launch is watched. */
#define MAX_CHECKED (1u << 18)

/* Neighbouring bytes that can share a cell; a power of two. A granule begins with one cell. An access to
 * a part of the bytes of a cell splits the cells of the granule in halves. */
#define GRANULE ((size_t)16)

struct cell {
	struct mark write, read[READERS];
	uint32_t loaded_by, stored_by; /* the last block that loaded or stored the byte; 0: none */
	/* In the first cell of a granule: each cell in use stands for GRANULE >> splits bytes. */
	uint32_t splits;
};

/* The cells of a memory, one for each byte: those of byte 0 of all granules, then those of byte 1, and so
 * on. Pages whose cells are not in use take no memory. */
struct cells {
	struct cell *first; /* granules * GRANULE cells; owned */
	size_t granules;
};

/* A write to bytes that another thread has written. It is a race if it changes a value; this is
 * known only after the write is done. */
struct suspect {
	struct access access; /* address NULL: none */
	char before[128];     /* the widest vector has 16 doubles */
	struct mark other;
};

/* The cells of an operand. Pages without an access use no memory. */
struct operand_cells {
	struct operand_cells *next;
	const struct emu_buffer *buffer;
	struct cells cells;
};

/* A plain read that races with an atomic operation of another thread, unless a compare-and-swap of
 * its thread checks the value. */
struct guess {
	const char *address; /* NULL: none */
	struct mark read, other;
	enum pmpp_emu_memory memory;
};

/* What atomic operations order for an operation group. Times are values of shadow.clock. */
struct order {
	uint32_t fenced;     /* its last fence; 0: none */
	uint32_t released;   /* its accesses before this time are released */
	uint32_t acquired;   /* one of its threads sees all released accesses before this time */
	uint32_t handed;     /* `acquired` at the last warp operation: all its threads see it */
	unsigned warp_epoch; /* number of warp operations when `handed` was set */
};

/* Number of entries for addresses of atomic operations. Two addresses can share an entry: some races
 * are then not found. */
#define RELEASE_SLOTS 1024

struct shadow {
	struct cells shared; /* static, then dynamic */
	bool *pending;       /* per byte of shared memory: destination of a pending copy */
	struct operand_cells *operands;
	struct suspect suspect;
	struct guess guesses[PMPP_EMU_MAX_BLOCK][MAX_GUESSES]; /* by thread */
	size_t guess_count;                                    /* of all threads */
	const char *guessed_pc; /* of a guess that a compare-and-swap has checked; NULL: none */
	struct mark unwritten;  /* the interval's first read of unwritten memory; pc NULL: none */
	bool unset;      /* the access is to an operand without values (gpu_buffer.unset) ... */
	bool read_unset; /* ... and reads a byte that no thread has written */

	uint32_t clock;     /* number of accesses and fences so far */
	uint32_t block;     /* the current block */
	bool full;          /* its accesses to operands are not checked */
	uint32_t fenced;    /* clock of the block's last fence; 0: none */
	uint32_t acquired;  /* the last block that did an atomic operation on global memory ... */
	uint32_t relaxed;   /* ... or one that needs a later fence of the block */
	bool is_relaxed;    /* the next atomic operation needs such a fence */
	uint32_t *released; /* by block: later acquires see its writes before this clock; owned */
	size_t released_count;
	struct order orders[PMPP_EMU_MAX_BLOCK / MIN_LANES]; /* by operation group */
	uint32_t acquired_by[PMPP_EMU_MAX_BLOCK];            /* as order.acquired, by thread */
	uint32_t released_at[RELEASE_SLOTS]; /* by address: order.released of the last release */
	uint64_t loaded, stored;
};

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

/* ---- Faults -------------------------------------------------------------------------------- */

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
	struct fiber abandoned = {0};

	fiber_switch(&abandoned, &worker->main_fiber);
}

/* Ends the running thread, because an access of it is a defect. */
#define DEFECT(worker, kind, line, pc, ...) \
	(emu_fault_set(worker, kind, line, pc, __VA_ARGS__), emu_fault_leave(worker))

static void end_thread(const void *pc)
{
	struct emu_worker *worker = emu_worker_current;

	worker->last_pc = (const char *)pc - 1;
	DEFECT(worker, TRACE_RUNAWAY, 0, worker->last_pc, "%s", EMU_TIME_LIMIT);
}

static void fail_thread(const void *pc, const char *what, const char *detail)
{
	DEFECT(emu_worker_current, TRACE_FAULT, 0, (const char *)pc - 1, "%s%s", what, detail);
}

/* ---- Places -------------------------------------------------------------------------------- */

static bool inside(const char *address, size_t bytes, const char *begin, uint64_t size)
{
	return address >= begin && bytes <= size && (uint64_t)(address - begin) <= size - bytes;
}

static size_t static_bytes_of(const struct emu_worker *worker)
{
	const struct pmpp_emu_object *record = worker->object->record;

	return (size_t)(record->shared_end - record->shared_begin);
}

/* Whether all bytes are in the block's shared memory. *ret_offset: offset in bytes from the start
 * of the static part; the dynamic part follows. */
static bool find_shared(
	const struct emu_worker *worker, const char *address, size_t bytes, size_t *ret_offset)
{
	const char *shared = worker->object->record->shared_begin;
	size_t static_bytes = static_bytes_of(worker);
	const char *dynamic = worker->dynamic_shared.bytes;

	if (inside(address, bytes, shared, static_bytes))
		*ret_offset = (size_t)(address - shared);
	else if (inside(address, bytes, dynamic, worker->launch->dynamic_bytes))
		*ret_offset = static_bytes + (size_t)(address - dynamic);
	else
		return false;
	return true;
}

/* Returns the address in shared memory, for bank conflicts. The static part begins at address 0,
 * the dynamic part at bank 0. Addresses of the host would begin at any bank. */
static uint64_t shared_address(const struct emu_worker *worker, size_t offset)
{
	size_t static_bytes = static_bytes_of(worker);
	const struct access_model *model = worker->launch->model;
	uint64_t row =
		model->banks ? (uint64_t)model->banks * model->bank_bytes : model->line_bytes;
	uint64_t dynamic = ((uint64_t)static_bytes + row - 1) / row * row;

	return offset < static_bytes ? offset : dynamic + (offset - static_bytes);
}

/* Whether an access has at least one byte in a range. */
static bool touches(const char *address, size_t bytes, const char *begin, const char *end)
{
	return address + bytes > begin && address < end;
}

/* Whether an access is in static shared memory or in its guards, at least with one byte. */
static bool near_static(const struct pmpp_emu_object *record, const char *address, size_t bytes)
{
	return touches(address, bytes, record->guard_begin, record->guard_end);
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
static bool near_variables(const struct pmpp_emu_object *record, const char *address, size_t bytes)
{
	return touches(address, bytes, record->variables_begin, record->variables_end) ||
	       touches(address, bytes, record->constants_begin, record->constants_end);
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

bool checks_place_text(const struct emu_worker *worker, const char *address, unsigned long bytes,
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

/* ---- Cells --------------------------------------------------------------------------------- */

static size_t granules_of(size_t bytes)
{
	return (bytes + GRANULE - 1) / GRANULE;
}

static struct cell *cell_at(const struct cells *cells, size_t offset)
{
	return &cells->first[offset % GRANULE * cells->granules + offset / GRANULE];
}

static size_t cells_bytes(const struct emu_buffer *buffer)
{
	return granules_of(buffer->base.bytes) * GRANULE * sizeof(struct cell);
}

/* Returns the cells of an operand. NULL for lack of memory: the operand is then not checked. */
static struct cells *cells_of(struct shadow *shadow, const struct emu_buffer *buffer)
{
	struct operand_cells *operand = shadow->operands;

	while (operand && operand->buffer != buffer)
		operand = operand->next;
	if (operand)
		return &operand->cells;
	operand = calloc(1, sizeof *operand);
	struct cell *cells = operand ? mmap(NULL, cells_bytes(buffer), PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
				     : MAP_FAILED;
	if (cells == MAP_FAILED) {
		free(operand);
		return NULL;
	}
	*operand = (struct operand_cells){
		shadow->operands, buffer, {cells, granules_of(buffer->base.bytes)}};
	shadow->operands = operand;
	return &operand->cells;
}

/* Splits the cells of a granule until a cell begins at `offset` and has no byte at or after `end`. Returns
 * the number of bytes of this cell. */
static size_t split_cells(const struct cells *cells, size_t offset, size_t end)
{
	struct cell *granule = cell_at(cells, offset - offset % GRANULE);
	size_t bytes = GRANULE >> granule->splits;

	while (offset & (bytes - 1) || offset + bytes > end) {
		bytes /= 2;
		for (size_t i = 0; i < GRANULE; i += 2 * bytes)
			granule[(i + bytes) * cells->granules] = granule[i * cells->granules];
		granule->splits++;
	}
	return bytes;
}

/* ---- Races ----------------------------------------------------------------------------------- */

/* Whether the other block has released the write, and this block has acquired it. */
static bool is_visible(const struct shadow *shadow, const struct mark *mark, uint32_t block)
{
	return mark->block < shadow->released_count &&
	       mark->clock < shadow->released[mark->block] && shadow->acquired == block;
}

/* The operation group of a thread, without a division: it would take longer than the other checks. */
static uint32_t group_of(const struct emu_worker *worker, uint16_t thread)
{
	return thread >> __builtin_ctz(worker->launch->operation_lanes);
}

/* Whether the group of one thread has released the access, and another thread has acquired it. */
static bool is_acquired(const struct emu_worker *worker, const struct mark *mark, uint16_t thread)
{
	const struct shadow *shadow = worker->shadow;
	uint32_t group = group_of(worker, thread);
	const struct order *order = &shadow->orders[group];
	uint32_t handed =
		order->warp_epoch == worker->warp_epochs[group] ? order->handed : order->acquired;

	return mark->clock < shadow->orders[group_of(worker, mark->thread)].released &&
	       (mark->clock < shadow->acquired_by[thread] || mark->clock < handed);
}

/* Whether no barrier, warp operation or release orders the two accesses. */
static bool unordered(const struct emu_worker *worker, const struct mark *mark, uint16_t thread,
	enum pmpp_emu_memory memory)
{
	if (!mark->pc)
		return false;
	if (mark->block != worker->block_ordinal)
		return memory == PMPP_EMU_GLOBAL &&
		       !is_visible(worker->shadow, mark, worker->block_ordinal);
	if (mark->thread == thread || mark->epoch != worker->epochs[memory])
		return false;
	uint32_t group = group_of(worker, thread);
	return (group_of(worker, mark->thread) != group ||
		       mark->warp_epoch == (uint16_t)worker->warp_epochs[group]) &&
	       !is_acquired(worker, mark, thread);
}

static void set_race(struct emu_worker *worker, const char *pc, const struct mark *other,
	enum pmpp_emu_memory memory)
{
	worker->fault.other_pc = other->pc;
	if (other->block != worker->block_ordinal)
		emu_fault_set(worker, TRACE_RACE, 0, pc,
			"a data race in global memory with thread %u of another block: the blocks of "
			"a launch have no order",
			other->thread);
	else
		emu_fault_set(worker, TRACE_RACE, 0, pc,
			"a data race in %s memory with thread %u: there is no barrier between the "
			"two accesses",
			memory == PMPP_EMU_SHARED ? "shared" : "global", other->thread);
}

static void report_race(struct emu_worker *worker, const char *pc, const struct mark *other,
	enum pmpp_emu_memory memory)
{
	set_race(worker, pc, other, memory);
	emu_fault_leave(worker);
}

/* ---- Guesses --------------------------------------------------------------------------------- */

/* Opens the guess at `address`, or the open one again. The thread must check a guess before it reads
 * the same address again, and before it has more than MAX_GUESSES. */
static void open_guess(struct emu_worker *worker, const char *address, const struct mark *read,
	const struct mark *other, enum pmpp_emu_memory memory)
{
	struct shadow *shadow = worker->shadow;
	struct guess *guesses = shadow->guesses[read->thread], *guess = NULL;

	for (size_t i = 0; i < MAX_GUESSES; i++)
		if (guesses[i].address == address || (!guess && !guesses[i].address))
			guess = &guesses[i];
	if (!guess || (guess->address && read->clock != guess->read.clock)) {
		guess = guess ? guess : &guesses[0];
		report_race(worker, guess->read.pc, &guess->other, guess->memory);
	}
	shadow->guess_count += !guess->address;
	*guess = (struct guess){address, *read, *other, memory};
}

/* Called at a compare-and-swap of the running thread. Returns whether it checks a guess at the address,
 * and ends the guess. */
static bool ends_guess(struct emu_worker *worker, const char *address)
{
	struct shadow *shadow = worker->shadow;
	struct guess *guess = shadow->guesses[worker->current - worker->threads];
	struct guess *end = guess + MAX_GUESSES;

	while (guess < end && guess->address != address)
		guess++;
	if (guess == end)
		return false;
	shadow->guessed_pc = guess->read.pc;
	guess->address = NULL;
	shadow->guess_count--;
	return true;
}

/* A guess that no compare-and-swap has checked is a race. */
static void end_guesses(struct emu_worker *worker)
{
	struct shadow *shadow = worker->shadow;

	for (size_t i = 0; shadow->guess_count > 0; i++) {
		struct guess *guess = &shadow->guesses[i / MAX_GUESSES][i % MAX_GUESSES];

		if (!guess->address)
			continue;
		guess->address = NULL;
		shadow->guess_count--;
		if (worker->unwatched || worker->fault.kind != TRACE_NO_DEFECT)
			continue;
		worker->current = &worker->threads[i / MAX_GUESSES];
		set_race(worker, guess->read.pc, &guess->other, guess->memory);
	}
}

void checks_last_write(struct emu_worker *worker)
{
	struct suspect *suspect = worker->shadow ? &worker->shadow->suspect : NULL;

	if (!suspect || !suspect->access.address)
		return;
	const char *address = suspect->access.address;
	suspect->access.address = NULL;
	if (memcmp(address, suspect->before, suspect->access.bytes) != 0)
		report_race(
			worker, suspect->access.mark.pc, &suspect->other, suspect->access.memory);
}

static void suspect_write(
	struct emu_worker *worker, const struct access *access, const struct mark *other)
{
	struct suspect *suspect = &worker->shadow->suspect;

	if (suspect->access.address)
		return;
	if (access->bytes > sizeof suspect->before) {
		report_race(worker, access->mark.pc, other, access->memory);
		return;
	}
	suspect->access = *access;
	suspect->other = *other;
	memcpy(suspect->before, access->address, access->bytes);
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static void record_access(struct cell *cell, const struct access *access)
{
	const struct mark *mark = &access->mark;

	if (access->kind != PMPP_EMU_READ) {
		cell->write = *mark;
		return;
	}
	if (cell->read[0].thread != mark->thread || cell->read[0].block != mark->block)
		cell->read[1] = cell->read[0];
	cell->read[0] = *mark;
}

static bool is_atomic(enum pmpp_emu_access kind)
{
	return kind == PMPP_EMU_ATOMIC || kind == PMPP_EMU_EXCHANGE ||
	       kind == PMPP_EMU_ATOMIC_LOAD || kind == PMPP_EMU_COMPARE;
}

static bool only_reads(const struct access *access)
{
	return access->kind == PMPP_EMU_READ || access->kind == PMPP_EMU_ATOMIC_LOAD;
}

static void set_mark(
	const struct emu_worker *worker, struct access *access, enum pmpp_emu_memory memory)
{
	uint16_t thread = (uint16_t)(worker->current - worker->threads);

	access->memory = memory;
	access->mark = (struct mark){.pc = access->mark.pc,
		.block = worker->block_ordinal,
		.clock = ++worker->shadow->clock,
		.epoch = worker->epochs[memory] & 0x7fffffffu,
		.atomic = is_atomic(access->kind),
		.thread = thread,
		.warp_epoch = (uint16_t)worker->warp_epochs[group_of(worker, thread)]};
}

static void check_reader(
	struct emu_worker *worker, const struct access *access, const struct mark *read)
{
	const struct mark *mark = &access->mark;

	if (!unordered(worker, read, mark->thread, access->memory) ||
		(read->atomic && mark->atomic))
		return;
	if (mark->atomic && read->block == mark->block &&
		worker->threads[read->thread].state != EMU_DONE)
		open_guess(worker, access->address, read, mark, access->memory);
	else
		report_race(worker, mark->pc, read, access->memory);
}

/* The reads that a compare-and-swap of their thread has checked count as atomic. */
static void check_off_reads(const struct access *access, struct cell *cell)
{
	for (size_t k = 0; k < READERS; k++)
		if (access->kind == PMPP_EMU_COMPARE &&
			cell->read[k].thread == access->mark.thread &&
			cell->read[k].block == access->mark.block)
			cell->read[k].atomic = 1;
}

static void check_races(
	struct emu_worker *worker, const struct access *access, const struct cell *cell)
{
	const struct mark *mark = &access->mark;
	const struct mark *write = &cell->write;

	if (access->kind != PMPP_EMU_READ)
		for (size_t k = 0; k < READERS; k++)
			check_reader(worker, access, &cell->read[k]);
	if (!unordered(worker, write, mark->thread, access->memory) ||
		(mark->atomic && write->atomic))
		return;
	if (access->kind == PMPP_EMU_READ && write->atomic)
		open_guess(worker, access->address, mark, write, access->memory);
	else if (access->kind == PMPP_EMU_WRITE && !write->atomic)
		suspect_write(worker, access, write);
	else
		report_race(worker, mark->pc, write, access->memory);
}

/* An atomic operation is an acquire, and after a fence of the group also a release, of its address. */
static void synchronise(struct emu_worker *worker, const struct access *access)
{
	struct shadow *shadow = worker->shadow;
	uint16_t thread = (uint16_t)(worker->current - worker->threads);
	uint32_t group = group_of(worker, thread);
	struct order *order = &shadow->orders[group];
	uint32_t *released = &shadow->released_at[(uintptr_t)access->address / 8 % RELEASE_SLOTS];

	if (order->warp_epoch != worker->warp_epochs[group]) {
		order->warp_epoch = worker->warp_epochs[group];
		order->handed = order->acquired;
	}
	if (shadow->acquired_by[thread] < *released)
		shadow->acquired_by[thread] = *released;
	if (order->acquired < *released)
		order->acquired = *released;
	if (access->kind == PMPP_EMU_ATOMIC_LOAD)
		return;
	order->released = order->fenced;
	if (*released < order->fenced)
		*released = order->fenced;
}

/* Checks an access to these cells and records it. */
static void check_cells(struct emu_worker *worker, const struct cells *cells, size_t offset,
	const struct access *access)
{
	struct shadow *shadow = worker->shadow;
	enum pmpp_emu_access kind = access->kind;
	bool reads_shared = access->memory == PMPP_EMU_SHARED && kind != PMPP_EMU_WRITE &&
			    kind != PMPP_EMU_EXCHANGE;
	uint32_t block = access->mark.block;
	uint64_t *total = kind == PMPP_EMU_READ ? &shadow->loaded : &shadow->stored;

	for (size_t end = offset + access->bytes; offset < end;) {
		size_t part = split_cells(cells, offset, end);
		struct cell *cell = cell_at(cells, offset);
		uint32_t *by = kind == PMPP_EMU_READ ? &cell->loaded_by : &cell->stored_by;

		check_off_reads(access, cell);
		check_races(worker, access, cell);
		if (reads_shared && !shadow->unwritten.pc &&
			(!cell->write.pc || cell->write.block != block))
			shadow->unwritten = access->mark;
		if (shadow->unset && only_reads(access) && !cell->write.pc)
			shadow->read_unset = true;
		if (access->memory == PMPP_EMU_GLOBAL && *by != block)
			*total += part;
		*by = block;
		record_access(cell, access);
		offset += part;
	}
}

/* Checks and records an access to shared memory. offset: as from find_shared(). */
static void check_shared(struct emu_worker *worker, size_t offset, struct access *access)
{
	set_mark(worker, access, PMPP_EMU_SHARED);
	if (is_atomic(access->kind))
		synchronise(worker, access);
	check_cells(worker, &worker->shadow->shared, offset, access);
}

/* Makes fenced writes visible to later acquires. */
static void release(struct emu_worker *worker)
{
	struct shadow *shadow = worker->shadow;
	size_t block = worker->block_ordinal;

	*(shadow->is_relaxed ? &shadow->relaxed : &shadow->acquired) = worker->block_ordinal;
	if (shadow->fenced == 0)
		return;
	if (block >= shadow->released_count) {
		uint32_t *larger = realloc(shadow->released, 2 * (block + 1) * sizeof *larger);
		if (!larger)
			return;
		memset(larger + shadow->released_count, 0,
			(2 * (block + 1) - shadow->released_count) * sizeof *larger);
		shadow->released = larger;
		shadow->released_count = 2 * (block + 1);
	}
	shadow->released[block] = shadow->fenced;
}

/* The cells of a large problem would take most of the time of `verify`. The first blocks have the
 * same races. */
static bool is_checked(struct emu_worker *worker)
{
	struct shadow *shadow = worker->shadow;

	if (shadow->block != worker->block_ordinal) {
		shadow->block = worker->block_ordinal;
		shadow->full = !worker->watch && shadow->clock > MAX_CHECKED;
	}
	return !shadow->full;
}

/* Records an access to a variable of the device, or to other memory that has no shadow: only its
 * atomic operations count, for the order of other accesses. */
static void check_variable(struct emu_worker *worker, const struct access *access)
{
	if (!is_atomic(access->kind) || !is_checked(worker))
		return;
	release(worker);
	synchronise(worker, access);
}

/* As check_shared(), for an operand. */
static void check_global(
	struct emu_worker *worker, const struct emu_buffer *buffer, struct access *access)
{
	const struct cells *cells = is_checked(worker) ? cells_of(worker->shadow, buffer) : NULL;

	if (!cells)
		return;
	set_mark(worker, access, PMPP_EMU_GLOBAL);
	check_variable(worker, access);
	/* A watched launch does not record all writes. */
	worker->shadow->unset = buffer->base.unset && !worker->watch;
	check_cells(worker, cells, (size_t)(access->address - buffer->data), access);
	worker->shadow->unset = false;
	if (worker->shadow->read_unset)
		DEFECT(worker, TRACE_UNINITIALISED, 0, access->mark.pc,
			"a read of %zu bytes at byte %lld of argument %d, an output or scratch memory, "
			"which no thread has written",
			access->bytes, (long long)(access->address - buffer->data),
			argument_number(worker, buffer));
}

static void fence(struct emu_worker *worker, enum pmpp_emu_access kind)
{
	struct shadow *shadow = worker->shadow;
	uint16_t thread = (uint16_t)(worker->current - worker->threads);

	if (kind == PMPP_EMU_RELAXED)
		return;
	if (kind != PMPP_EMU_BLOCK_FENCE && shadow->relaxed == worker->block_ordinal)
		shadow->acquired = shadow->relaxed;
	if (kind == PMPP_EMU_ACQUIRE)
		return;
	shadow->orders[group_of(worker, thread)].fenced = ++shadow->clock;
	if (kind == PMPP_EMU_FENCE)
		shadow->fenced = shadow->clock;
}

/* A mark of an earlier interval races with no access of this block. */
static void settle_mark(
	const struct emu_worker *worker, struct mark *mark, enum pmpp_emu_memory memory)
{
	if (mark->block == worker->block_ordinal &&
		&worker->threads[mark->thread] == worker->current &&
		mark->epoch == worker->epochs[memory])
		mark->epoch = (mark->epoch - 1) & 0x7fffffffu;
}

/* ---- Bounds -------------------------------------------------------------------------------- */

static const char *const access_words[] = {[PMPP_EMU_READ] = "load",
	[PMPP_EMU_WRITE] = "store",
	[PMPP_EMU_ATOMIC] = "atomic",
	[PMPP_EMU_EXCHANGE] = "atomic",
	[PMPP_EMU_ATOMIC_LOAD] = "atomic",
	[PMPP_EMU_COMPARE] = "atomic"};

static void out_of_bounds(struct emu_worker *worker, const struct access *access)
{
	char place[160];

	checks_place_text(worker, access->address, access->bytes, place, sizeof place);
	DEFECT(worker, TRACE_OUT_OF_BOUNDS, 0, access->mark.pc, "out-of-bounds %s of %zu bytes%s",
		access_words[access->kind], access->bytes, place);
}

/* Whether shared memory at this offset belongs to the kernel: a variable of it, or dynamic memory. */
static bool is_own_shared(const struct emu_worker *worker, size_t offset, size_t bytes)
{
	return !worker->launch->own_shared || offset >= static_bytes_of(worker) ||
	       !memchr(worker->launch->own_shared + offset, false, bytes);
}

static bool is_in(const struct emu_buffer *buffer, const char *address, size_t bytes)
{
	return inside(address, bytes, buffer->data, buffer->base.bytes);
}

/* Neighbouring accesses are often to the same two or three buffers. */
static const struct emu_buffer *buffer_of(
	struct emu_worker *worker, const char *address, size_t bytes)
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

/* argument, address: as in watch_access(). */
static void watch_it(
	struct emu_worker *worker, int argument, uint64_t address, const struct access *access)
{
	if (worker->watch && !worker->unwatched)
		watch_access(worker->watch,
			(unsigned)(worker->current - worker->threads) %
				worker->launch->model->lanes,
			argument, address, (uint32_t)access->bytes, access->kind, access->mark.pc);
}

/* ---- Asynchronous copies ------------------------------------------------------------------- */

static bool on_own_stack(const struct emu_worker *worker, const char *address, size_t bytes)
{
	const struct fiber *fiber = worker->running;

	return inside(address, bytes, fiber->memory, (size_t)(fiber->top - fiber->memory));
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
	if (!find_shared(worker, to, bytes, &offset))
		return "its destination is not in the block's shared memory";
	if (find_shared(worker, from, 1, &offset) || on_own_stack(worker, from, 1))
		return "its source is not in global memory";
	return NULL;
}

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

	if (worker->shadow && find_shared(worker, copy->to, copy->bytes, &offset))
		memset(worker->shadow->pending + offset, false, copy->bytes);
	worker->pending_copies--;
	*link = copy->next;
	if (thread->last_copy == copy)
		thread->last_copy = before;
	copy->next = worker->free_copies;
	worker->free_copies = copy;
}

/* Reports an access to the destination of a pending copy. */
static void copy_touched(struct emu_worker *worker, const struct access *access)
{
	const struct emu_thread *thread = worker->threads;
	const struct emu_copy *copy = NULL;
	char line[24] = "";

	for (size_t i = 0; i < worker->launch->block_threads && !copy; i++) {
		thread = &worker->threads[i];
		copy = thread->copies;
		while (copy &&
			!touches(access->address, access->bytes, copy->to, copy->to + copy->bytes))
			copy = copy->next;
	}
	worker->fault.other_line = copy ? copy->line : 0;
	if (worker->fault.other_line > 0)
		snprintf(line, sizeof line, "line %d, ", worker->fault.other_line);
	DEFECT(worker, TRACE_RACE, 0, access->mark.pc,
		"a %s of shared memory before the wait for the asynchronous copy that fills it "
		"(the copy: %sthread (%u,%u,%u))",
		access->kind == PMPP_EMU_READ ? "read" : "write", line, thread->index.x,
		thread->index.y, thread->index.z);
}

/* Whether one of these bytes of shared memory is the destination of a pending copy. */
static bool is_pending(const struct emu_worker *worker, size_t offset, size_t bytes)
{
	return worker->pending_copies > 0 && memchr(worker->shadow->pending + offset, true, bytes);
}

/* Records the destination as written. begins: it is also pending until the wait. */
static void write_destination(struct emu_worker *worker, const struct emu_copy *copy, bool begins)
{
	struct access access = {.address = copy->to,
		.bytes = copy->bytes,
		.kind = PMPP_EMU_WRITE,
		.mark.pc = copy->pc};
	size_t offset;

	if (!worker->shadow || !find_shared(worker, copy->to, copy->bytes, &offset))
		return;
	if (begins && is_pending(worker, offset, copy->bytes))
		copy_touched(worker, &access);
	check_shared(worker, offset, &access);
	if (!begins)
		return;
	memset(worker->shadow->pending + offset, true, copy->bytes);
	access.kind = PMPP_EMU_COPY;
	watch_it(worker, 0, shared_address(worker, offset), &access);
}

static void copy(int line, void *to, const void *from, unsigned long bytes, unsigned long zeroed,
	unsigned long long low, unsigned long long high)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	const char *call = (const char *)__builtin_return_address(0) - 1; /* inside the call */
	const void *pc = line < 0 ? worker->object->image_begin - line : call;

	worker->in_kernel = 0;
	checks_last_write(worker);
	const char *wrong = wrong_argument(worker, to, from, bytes, zeroed);
	struct emu_copy *added = wrong ? NULL : take_free(worker);
	if (!added) {
		DEFECT(worker, TRACE_FAULT, line, NULL, "an asynchronous copy: %s",
			wrong ? wrong : "no host memory to record it");
		return;
	}
	*added = (struct emu_copy){.to = to,
		.from = from,
		.bytes = bytes,
		.read_bytes = bytes - zeroed,
		.group = thread->copy_groups,
		.data = {low, high},
		.line = line,
		.pc = pc};
	write_destination(worker, added, true);
	memset(to, 0xff, bytes);
	if (thread->last_copy)
		thread->last_copy->next = added;
	else
		thread->copies = added;
	thread->last_copy = added;
	worker->pending_copies++;
	worker->in_kernel = 1;
}

static unsigned long copy_commit(void)
{
	return emu_worker_current->current->copy_groups++;
}

/* Completes a copy of the running thread. before: the copy before it; NULL: none. */
static void arrive(struct emu_worker *worker, struct emu_copy *before)
{
	struct emu_thread *thread = worker->current;
	const struct emu_copy copy = before ? *before->next : *thread->copies;

	if (memcmp(copy.from, copy.data, copy.read_bytes) != 0)
		DEFECT(worker, TRACE_RACE, copy.line, NULL,
			"the source of an asynchronous copy changed before the wait");
	drop(worker, thread, before);
	write_destination(worker, &copy, false);
	memcpy(copy.to, copy.data, copy.bytes);
	checks_last_write(worker);
}

static void copy_wait(unsigned long prior)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;

	worker->in_kernel = 0;
	checks_last_write(worker);
	while (thread->copies && thread->copies->group < thread->copy_groups &&
		thread->copy_groups - thread->copies->group > prior)
		arrive(worker, NULL);
	worker->in_kernel = 1;
}

static void copy_wait_group(unsigned long group)
{
	struct emu_worker *worker = emu_worker_current;
	struct emu_thread *thread = worker->current;
	struct emu_copy *before = NULL;
	struct emu_copy *next = thread->copies;

	worker->in_kernel = 0;
	checks_last_write(worker);
	while (next) {
		struct emu_copy *here = next;
		next = here->next;
		if (here->group == group)
			arrive(worker, before);
		else
			before = here;
	}
	worker->in_kernel = 1;
}

/* ---- Functions that traced code calls ------------------------------------------------------ */

/* Checks an access to shared memory. Returns false if it is an access to other memory. */
static bool shared_access(struct emu_worker *worker, struct access *access)
{
	size_t offset;

	if (!find_shared(worker, access->address, access->bytes, &offset) ||
		!is_own_shared(worker, offset, access->bytes))
		return false;
	if (is_pending(worker, offset, access->bytes))
		copy_touched(worker, access);
	check_shared(worker, offset, access);
	watch_it(worker, 0, shared_address(worker, offset), access);
	return true;
}

/* A store to an input is a defect even if it does not change the input. */
static void buffer_access(
	struct emu_worker *worker, const struct emu_buffer *buffer, struct access *access)
{
	if (buffer->input && !only_reads(access))
		DEFECT(worker, TRACE_OUT_OF_BOUNDS, 0, access->mark.pc,
			"%s of %zu bytes at byte %lld of argument %d, an input: a kernel must not write "
			"to its inputs",
			access_words[access->kind], access->bytes,
			(long long)(access->address - buffer->data),
			argument_number(worker, buffer));
	check_global(worker, buffer, access);
	if (worker->watch)
		watch_it(worker, argument_number(worker, buffer),
			(uint64_t)(uintptr_t)access->address, access);
}

/* Checks an access to the sections of variables. */
static void variable_access(struct emu_worker *worker, struct access *access)
{
	const struct emu_program *program = worker->launch->program;
	const struct emu_variable *variable = worker->known_variable;
	char name[64];

	if (!variable || !inside(access->address, access->bytes, variable->begin, variable->bytes))
		variable = nearest_variable(program, access->address);
	if (!variable ||
		!inside(access->address, access->bytes, variable->begin, variable->bytes)) {
		out_of_bounds(worker, access);
		return;
	}
	worker->known_variable = variable;
	if (!variable->constant) {
		check_global(worker, &program->global, access);
	} else if (!only_reads(access)) {
		variable_name(worker, variable, name);
		DEFECT(worker, TRACE_OUT_OF_BOUNDS, 0, access->mark.pc,
			"%s of %zu bytes at byte %lld of the variable %s, a constant: a kernel must "
			"not write to constant memory",
			access_words[access->kind], access->bytes,
			(long long)(access->address - variable->begin), name);
	}
	watch_it(worker, WATCH_OWN_STACK, 0, access);
}

/* Orders the running thread's accesses to these bytes, made since the last barrier, before all later
 * accesses of the block. */
static void settle(const void *settled, unsigned long bytes)
{
	struct emu_worker *worker = emu_worker_current;
	const char *address = settled;
	const struct emu_buffer *buffer = buffer_of(worker, address, bytes);
	const struct emu_buffer *variables = &worker->launch->program->global;
	const struct cells *cells = &worker->shadow->shared;
	size_t offset = 0;

	if (worker->unwatched)
		return;
	if (!buffer && is_in(variables, address, bytes))
		buffer = variables;
	enum pmpp_emu_memory memory = buffer ? PMPP_EMU_GLOBAL : PMPP_EMU_SHARED;
	worker->in_kernel = 0;
	checks_last_write(worker);
	if (buffer) {
		cells = cells_of(worker->shadow, buffer);
		offset = (size_t)(address - buffer->data);
	} else if (!find_shared(worker, address, bytes, &offset)) {
		cells = NULL;
	}
	for (size_t end = offset + bytes; offset < end && cells;) {
		size_t part = split_cells(cells, offset, end);
		struct cell *cell = cell_at(cells, offset);

		settle_mark(worker, &cell->write, memory);
		for (size_t k = 0; k < READERS; k++)
			settle_mark(worker, &cell->read[k], memory);
		offset += part;
	}
	worker->in_kernel = 1;
}

/* Before a compare-and-swap that checks a guess, the other threads run, once per thread. */
static void check_guess(struct emu_worker *worker, const char *address)
{
	worker->in_kernel = 0;
	if (!ends_guess(worker, address))
		return;
	bool relaxed = worker->shadow->is_relaxed;
	worker->pause(worker);
	worker->shadow->is_relaxed = relaxed;
	/* Accesses of the other threads may have opened the guess again. */
	ends_guess(worker, address);
}

/* Checks an access to memory without a shadow. */
static void other_access(struct emu_worker *worker, const struct access *access)
{
	check_variable(worker, access);
	watch_it(worker, WATCH_OWN_STACK, 0, access);
}

static void memory_access(const void *address, unsigned long bytes, enum pmpp_emu_access kind,
	const void *return_address)
{
	struct emu_worker *worker = emu_worker_current;
	const char *pc = (const char *)return_address - 1; /* inside the call, on its line */
	const struct emu_object *object = worker->object;
	const struct emu_buffer *buffer;

	if (kind == PMPP_EMU_COMPARE && !worker->unwatched)
		check_guess(worker, address);
	worker->last_pc = pc;
	worker->current->last_pc = pc;
	if (worker->unwatched)
		return;
	struct access access = {.address = address, .bytes = bytes, .kind = kind, .mark.pc = pc};
	worker->in_kernel = 0;
	checks_last_write(worker);
	if (kind >= PMPP_EMU_FENCE && kind <= PMPP_EMU_RELAXED) {
		fence(worker, kind);
	} else if (on_own_stack(worker, address, bytes)) {
		other_access(worker, &access);
	} else if (shared_access(worker, &access)) {
		/* done */
	} else if ((buffer = buffer_of(worker, address, bytes))) {
		buffer_access(worker, buffer, &access);
	} else if (near_variables(object->record, address, bytes)) {
		variable_access(worker, &access);
	} else if (inside(address, bytes, object->image_begin,
			   (size_t)(object->image_end - object->image_begin)) &&
		   !near_static(object->record, address, bytes)) {
		other_access(worker, &access);
	} else {
		out_of_bounds(worker, &access);
	}
	worker->shadow->is_relaxed = kind == PMPP_EMU_RELAXED;
	worker->in_kernel = 1;
}

const struct pmpp_emu_ops checks_ops = {.copy = copy,
	.copy_commit = copy_commit,
	.copy_wait = copy_wait,
	.copy_wait_group = copy_wait_group,
	.access = memory_access,
	.settle = settle,
	.end = end_thread,
	.fail = fail_thread};

/* ---- Launches and blocks -------------------------------------------------------------------- */

bool checks_begin(struct emu_worker *worker)
{
	size_t bytes = static_bytes_of(worker) + worker->launch->dynamic_bytes;

	if (!worker->launch->program->traced)
		return true;
	struct shadow *shadow = worker->shadow = calloc(1, sizeof *shadow);
	if (!shadow)
		return false;
	shadow->shared.granules = granules_of(bytes + 1);
	shadow->shared.first =
		calloc(shadow->shared.granules * GRANULE, sizeof *shadow->shared.first);
	shadow->pending = calloc(bytes + 1, sizeof *shadow->pending);
	return shadow->shared.first && shadow->pending;
}

void checks_end(struct emu_worker *worker)
{
	struct shadow *shadow = worker->shadow;

	while (worker->free_copies) {
		struct emu_copy *copied = worker->free_copies;
		worker->free_copies = copied->next;
		free(copied);
	}
	if (!shadow)
		return;
	while (shadow->operands) {
		struct operand_cells *operand = shadow->operands;
		shadow->operands = operand->next;
		munmap(operand->cells.first, cells_bytes(operand->buffer));
		free(operand);
	}
	free(shadow->shared.first);
	free(shadow->pending);
	free(shadow->released);
	free(shadow);
}

void checks_report(const struct emu_worker *worker, struct trace *trace)
{
	const struct shadow *shadow = worker->shadow;
	struct emu_place place = {0};

	if (shadow->guessed_pc)
		emu_places(worker->launch->program, worker->object, &shadow->guessed_pc, 1, &place);
	trace->guess_line = place.line;
	trace->block_bytes_loaded = shadow->loaded;
	trace->block_bytes_stored = shadow->stored;
}

void checks_interval_end(struct emu_worker *worker)
{
	struct mark *unwritten = worker->shadow ? &worker->shadow->unwritten : NULL;

	if (!unwritten)
		return;
	end_guesses(worker);
	/* Unwatched, a later write is not known. */
	if (!unwritten->pc || worker->unwatched)
		return;
	if (worker->fault.kind != TRACE_RACE) {
		worker->fault.kind = TRACE_NO_DEFECT;
		worker->fault.other_pc = NULL;
		worker->fault.other_line = 0;
		worker->current = &worker->threads[unwritten->thread];
		emu_fault_set(worker, TRACE_UNINITIALISED, 0, unwritten->pc,
			"a read of shared memory that no thread of the block wrote");
	}
	unwritten->pc = NULL;
}

void checks_block_end(struct emu_worker *worker)
{
	checks_interval_end(worker);
	for (size_t i = 0; worker->pending_copies > 0; i++)
		while (worker->threads[i].copies)
			drop(worker, &worker->threads[i], NULL);
}
