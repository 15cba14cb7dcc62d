/*
 * The last accesses of each byte: detects data races, and reads of shared memory that no thread
 * wrote.
 *
 * Each byte has its last writer and its last two readers (of different threads), with their block
 * and barrier interval of its memory (epoch). Bytes that were always accessed together share a cell,
 * at most 16 of them. Accesses of two threads of a block in one interval
 * are a race if one of them writes; a warp operation between the accesses orders two lanes of one
 * operation group. Two blocks of a launch are ordered only in one case: one block releases its
 * writes (a fence, then an atomic operation on global memory), and the other block later does an
 * atomic operation. Two threads of a block are also ordered if the operation group of one releases
 * its accesses, and the other thread later does an atomic operation on the same address, or another
 * lane of its group does before a warp operation. There each fence counts for both memories.
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
 */
#include "host/gpu/emu/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct mark {
	const char *pc; /* NULL: no access */
	uint32_t block; /* number of the block, from 1, in the order of the worker */
	uint32_t clock; /* shadow.clock at the access */
	unsigned epoch : 31;
	unsigned atomic : 1;
	uint16_t thread; /* number in the block */
	uint16_t warp_epoch;
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
	const char *address; /* NULL: none */
	size_t bytes;
	char before[128]; /* the widest vector has 16 doubles */
	const char *pc;
	struct mark other;
	enum pmpp_emu_memory memory;
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

	uint32_t clock;     /* number of accesses and fences so far */
	uint32_t block;     /* the current block */
	bool full;          /* its accesses to operands are not checked */
	uint32_t fenced;    /* clock of the block's last fence; 0: none */
	uint32_t acquired;  /* the last block that did an atomic operation on global memory */
	uint32_t *released; /* by block: later acquires see its writes before this clock; owned */
	size_t released_count;
	struct order orders[PMPP_EMU_MAX_BLOCK / MIN_LANES]; /* by operation group */
	uint32_t acquired_by[PMPP_EMU_MAX_BLOCK];            /* as order.acquired, by thread */
	uint32_t released_at[RELEASE_SLOTS]; /* by address: order.released of the last release */
	uint64_t loaded, stored;
};

static size_t granules_of(size_t bytes)
{
	return (bytes + GRANULE - 1) / GRANULE;
}

static struct cell *cell_at(const struct cells *cells, size_t offset)
{
	return &cells->first[offset % GRANULE * cells->granules + offset / GRANULE];
}

struct shadow *shadow_create(size_t static_bytes, size_t dynamic_bytes)
{
	size_t bytes = static_bytes + dynamic_bytes;
	struct shadow *shadow = calloc(1, sizeof *shadow);

	if (!shadow)
		return NULL;
	shadow->shared.granules = granules_of(bytes + 1);
	shadow->shared.first =
		calloc(shadow->shared.granules * GRANULE, sizeof *shadow->shared.first);
	shadow->pending = calloc(bytes + 1, sizeof *shadow->pending);
	if (!shadow->shared.first || !shadow->pending) {
		free(shadow->shared.first);
		free(shadow->pending);
		free(shadow);
		return NULL;
	}
	return shadow;
}

static size_t cells_bytes(const struct emu_buffer *buffer)
{
	return granules_of(buffer->base.bytes) * GRANULE * sizeof(struct cell);
}

void shadow_destroy(struct shadow *shadow)
{
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

void shadow_block_bytes(const struct shadow *shadow, uint64_t *ret_loaded, uint64_t *ret_stored)
{
	*ret_loaded = shadow->loaded;
	*ret_stored = shadow->stored;
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

bool shadow_checks_guess(struct emu_worker *worker, const char *address)
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

const char *shadow_guessed_pc(const struct shadow *shadow)
{
	return shadow->guessed_pc;
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

void shadow_check_suspect(struct emu_worker *worker)
{
	struct suspect *suspect = &worker->shadow->suspect;

	if (!suspect->address)
		return;
	const char *address = suspect->address;
	suspect->address = NULL;
	if (memcmp(address, suspect->before, suspect->bytes) != 0)
		report_race(worker, suspect->pc, &suspect->other, suspect->memory);
}

static void suspect_write(struct emu_worker *worker, const char *address, size_t bytes,
	const char *pc, const struct mark *other, enum pmpp_emu_memory memory)
{
	struct suspect *suspect = &worker->shadow->suspect;

	if (suspect->address)
		return;
	if (bytes > sizeof suspect->before) {
		report_race(worker, pc, other, memory);
		return;
	}
	*suspect = (struct suspect){
		.address = address, .bytes = bytes, .pc = pc, .other = *other, .memory = memory};
	memcpy(suspect->before, address, bytes);
}

static void record_access(struct cell *cell, enum pmpp_emu_access kind, const struct mark *mark)
{
	if (kind != PMPP_EMU_READ) {
		cell->write = *mark;
		return;
	}
	if (cell->read[0].thread != mark->thread || cell->read[0].block != mark->block)
		cell->read[1] = cell->read[0];
	cell->read[0] = *mark;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static bool is_atomic(enum pmpp_emu_access kind)
{
	return kind == PMPP_EMU_ATOMIC || kind == PMPP_EMU_EXCHANGE ||
	       kind == PMPP_EMU_ATOMIC_LOAD || kind == PMPP_EMU_COMPARE;
}

struct access {
	const char *address;
	unsigned long bytes;
	enum pmpp_emu_access kind;
	enum pmpp_emu_memory memory;
	struct mark mark;
};

static struct access make_access(struct emu_worker *worker, const char *address,
	unsigned long bytes, enum pmpp_emu_access kind, const void *pc, enum pmpp_emu_memory memory)
{
	uint16_t thread = (uint16_t)(worker->current - worker->threads);

	return (struct access){.address = address,
		.bytes = bytes,
		.kind = kind,
		.memory = memory,
		.mark = {.pc = pc,
			.block = worker->block_ordinal,
			.clock = ++worker->shadow->clock,
			.epoch = worker->epochs[memory] & 0x7fffffffu,
			.atomic = is_atomic(kind),
			.thread = thread,
			.warp_epoch = (uint16_t)worker->warp_epochs[group_of(worker, thread)]}};
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
		suspect_write(
			worker, access->address, access->bytes, mark->pc, write, access->memory);
	else
		report_race(worker, mark->pc, write, access->memory);
}

/* An atomic operation is an acquire, and after a fence of the group also a release, of its address. */
static void synchronise(struct emu_worker *worker, const char *address, enum pmpp_emu_access kind)
{
	struct shadow *shadow = worker->shadow;
	uint16_t thread = (uint16_t)(worker->current - worker->threads);
	uint32_t group = group_of(worker, thread);
	struct order *order = &shadow->orders[group];
	uint32_t *released = &shadow->released_at[(uintptr_t)address / 8 % RELEASE_SLOTS];

	if (order->warp_epoch != worker->warp_epochs[group]) {
		order->warp_epoch = worker->warp_epochs[group];
		order->handed = order->acquired;
	}
	if (shadow->acquired_by[thread] < *released)
		shadow->acquired_by[thread] = *released;
	if (order->acquired < *released)
		order->acquired = *released;
	if (kind == PMPP_EMU_ATOMIC_LOAD)
		return;
	order->released = order->fenced;
	if (*released < order->fenced)
		*released = order->fenced;
}

void shadow_shared(struct emu_worker *worker, size_t offset, const char *address,
	unsigned long bytes, enum pmpp_emu_access kind, const void *pc)
{
	struct access access = make_access(worker, address, bytes, kind, pc, PMPP_EMU_SHARED);
	const struct cells *cells = &worker->shadow->shared;
	size_t end = offset + bytes;
	bool reads = kind != PMPP_EMU_WRITE && kind != PMPP_EMU_EXCHANGE;

	if (is_atomic(kind))
		synchronise(worker, address, kind);
	while (offset < end) {
		size_t part = split_cells(cells, offset, end);
		struct cell *cell = cell_at(cells, offset);

		check_off_reads(&access, cell);
		check_races(worker, &access, cell);
		if (reads && !worker->shadow->unwritten.pc &&
			(!cell->write.pc || cell->write.block != access.mark.block))
			worker->shadow->unwritten = access.mark;
		record_access(cell, kind, &access.mark);
		offset += part;
	}
}

bool shadow_pending(const struct shadow *shadow, size_t offset, size_t bytes)
{
	return memchr(shadow->pending + offset, true, bytes);
}

void shadow_pending_set(struct shadow *shadow, size_t offset, size_t bytes, bool pending)
{
	memset(shadow->pending + offset, pending, bytes);
}

void shadow_interval_end(struct emu_worker *worker)
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

/* Makes fenced writes visible to later acquires. */
static void release(struct emu_worker *worker)
{
	struct shadow *shadow = worker->shadow;
	size_t block = worker->block_ordinal;

	shadow->acquired = worker->block_ordinal;
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

void shadow_variable(struct emu_worker *worker, const char *address, enum pmpp_emu_access kind)
{
	if (!is_atomic(kind) || !is_checked(worker))
		return;
	release(worker);
	synchronise(worker, address, kind);
}

void shadow_global(struct emu_worker *worker, const struct emu_buffer *buffer, const char *address,
	unsigned long bytes, enum pmpp_emu_access kind, const void *pc)
{
	struct shadow *shadow = worker->shadow;
	const struct cells *cells = is_checked(worker) ? cells_of(shadow, buffer) : NULL;

	if (!cells)
		return;
	struct access access = make_access(worker, address, bytes, kind, pc, PMPP_EMU_GLOBAL);
	size_t offset = (size_t)(address - buffer->data), end = offset + bytes;
	uint64_t *total = kind == PMPP_EMU_READ ? &shadow->loaded : &shadow->stored;

	shadow_variable(worker, address, kind);
	while (offset < end) {
		size_t part = split_cells(cells, offset, end);
		struct cell *cell = cell_at(cells, offset);
		uint32_t *by = kind == PMPP_EMU_READ ? &cell->loaded_by : &cell->stored_by;

		check_off_reads(&access, cell);
		check_races(worker, &access, cell);
		if (*by != access.mark.block)
			*total += part;
		*by = access.mark.block;
		record_access(cell, kind, &access.mark);
		offset += part;
	}
}

/* A mark of an earlier interval races with no access of this block. */
static void settle(const struct emu_worker *worker, struct mark *mark, enum pmpp_emu_memory memory)
{
	if (mark->block == worker->block_ordinal &&
		&worker->threads[mark->thread] == worker->current &&
		mark->epoch == worker->epochs[memory])
		mark->epoch = (mark->epoch - 1) & 0x7fffffffu;
}

void shadow_settle(struct emu_worker *worker, const struct emu_buffer *buffer, const char *address,
	size_t offset, size_t bytes)
{
	struct shadow *shadow = worker->shadow;
	enum pmpp_emu_memory memory = buffer ? PMPP_EMU_GLOBAL : PMPP_EMU_SHARED;
	const struct cells *cells = &shadow->shared;

	if (buffer) {
		cells = cells_of(shadow, buffer);
		offset = (size_t)(address - buffer->data);
	}
	for (size_t end = offset + bytes; offset < end && cells;) {
		size_t part = split_cells(cells, offset, end);
		struct cell *cell = cell_at(cells, offset);

		settle(worker, &cell->write, memory);
		for (size_t k = 0; k < READERS; k++)
			settle(worker, &cell->read[k], memory);
		offset += part;
	}
}

void shadow_fence(struct emu_worker *worker, enum pmpp_emu_access kind)
{
	struct shadow *shadow = worker->shadow;
	uint16_t thread = (uint16_t)(worker->current - worker->threads);

	shadow->orders[group_of(worker, thread)].fenced = ++shadow->clock;
	if (kind == PMPP_EMU_FENCE)
		shadow->fenced = shadow->clock;
}
