/*
 * Asynchronous copies of a work-group (OpenCL C 6.12.10). Each work-item copies its share of the
 * elements: number id, id + count and so on. The copy begins at the call and completes at
 * wait_group_events(): when it returns, the elements of all work-items are there. The wait is no
 * barrier: it orders no other accesses.
 *
 * From global to local memory, pieces of 4, 8 and 16 bytes are copies of the emulator
 * (pmpp_emu_copy()): until the wait, no thread may read the destination. Other pieces, and
 * copies from local to global memory, are made at the wait, which is the latest moment that the
 * specification allows. A wait completes only the copies of its events.
 *
 * An event is a number, from 1. A copy with an event joins the earlier copies of this event.
 */
#if defined NEED_async_work_group_copy || defined NEED_async_work_group_strided_copy || \
	defined NEED_wait_group_events

size_t __attribute__((overloadable)) get_group_id(uint);
size_t __attribute__((overloadable)) get_num_groups(uint);

/* The share of a work-item in a copy. */
struct pmpp_share {
	struct pmpp_share *next; /* next share of the work-item, in call order */
	ulong event;
	bool begun;  /* copies of the emulator, made at the call */
	ulong group; /* number of their group */
	char *to;
	const char *from;
	ulong count, size, to_step, from_step; /* size and steps in bytes */
	const void *pc;
};
struct pmpp_pending {
	ulong last;  /* the last event */
	ulong block; /* the block of the shares, from 1 */
	struct pmpp_share *first;
};
/* Weak: several object files define this table, and all must use the same one. */
__attribute__((weak, visibility("hidden"))) struct pmpp_pending pmpp_pending[PMPP_EMU_MAX_BLOCK];

/* The lanes may have different numbers of elements: each element is a basic block. */
static void pmpp_copy_now(const struct pmpp_share *share)
{
	for (ulong i = 0; i < share->count; i++) {
		PMPP_STEP();
		char *to = share->to + i * share->to_step;
		const char *from = share->from + i * share->from_step;
		PMPP_SEEN(from, share->size, PMPP_EMU_READ, share->pc);
		PMPP_SEEN(to, share->size, PMPP_EMU_WRITE, share->pc);
		__builtin_memcpy(to, from, share->size);
	}
	PMPP_STEP();
}

/* Starts the emulator's copy of one element. */
static void pmpp_copy_piece(int line, const void *pc, char *to, const char *from, ulong size)
{
	for (ulong at = 0; at < size; at += 16) {
		ulong data[2] = {0, 0}, bytes = size < 16 ? size : 16;
		PMPP_SEEN(from + at, bytes, PMPP_EMU_READ, pc);
		__builtin_memcpy(data, from + at, bytes);
		pmpp_emu_copy(line, to + at, from + at, bytes, 0, data[0], data[1]);
	}
}

static void pmpp_copy_begin(struct pmpp_share *share)
{
	int line = pmpp_emu_line(share->pc);

	for (ulong i = 0; i < share->count; i++) {
		PMPP_STEP();
		pmpp_copy_piece(line, share->pc, share->to + i * share->to_step,
			share->from + i * share->from_step, share->size);
	}
	PMPP_STEP();
	share->group = pmpp_emu_copy_commit();
}

/* The shares of the work-item in this block. Shares of an earlier block had no wait. */
static struct pmpp_pending *pmpp_pending_of(ulong id)
{
	struct pmpp_pending *pending = &pmpp_pending[id];
	ulong block = 1 + get_group_id(0) +
		      get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));

	while (pending->block != block && pending->first) {
		struct pmpp_share *share = pending->first;
		pending->first = share->next;
		pmpp_emu_release(share, share->pc);
	}
	pending->block = block;
	return pending;
}

/* The share of a work-item. steps: in bytes, from one element to the next. Returns the event. */
static ulong pmpp_copy_share(char *to, const char *from, ulong count, ulong size, ulong to_step,
	ulong from_step, bool to_local, ulong event, const void *pc)
{
	ulong id = pmpp_item(), items = pmpp_item_count();
	struct pmpp_pending *pending = pmpp_pending_of(id);
	struct pmpp_share share = {0, event ? event : ++pending->last,
		to_local && (size == 4 || size % 8 == 0), 0, to + id * to_step,
		from + id * from_step, id < count ? (count - id + items - 1) / items : 0, size,
		to_step * items, from_step * items, pc};
	struct pmpp_share *kept = pmpp_emu_allocate(sizeof share, pc);
	struct pmpp_share **last = &pending->first;

	if (!kept) { /* the specification allows a copy at the call */
		pmpp_copy_now(&share);
		return share.event;
	}
	if (share.begun)
		pmpp_copy_begin(&share);
	while (*last)
		last = &(*last)->next;
	*kept = share;
	*last = kept;
	return share.event;
}

#define PMPP_EVENT(number) __builtin_astype((ulong)(number), event_t)
#define PMPP_NUMBER(event) __builtin_astype(event, ulong)
/* T3 has the size of 4 elements in memory. */
#define PMPP_COPY(V, TO, FROM, local)                                                           \
	PMPP_DEF event_t async_work_group_copy(                                                 \
		TO V *to, const FROM V *from, size_t count, event_t event)                      \
	{                                                                                       \
		return PMPP_EVENT(pmpp_copy_share((char *)(ulong)to, (const char *)(ulong)from, \
			count, sizeof(V), sizeof(V), sizeof(V), local, PMPP_NUMBER(event),      \
			PMPP_PC));                                                              \
	}
#define PMPP_COPY_STRIDED(V, TO, FROM, local)                                                   \
	PMPP_DEF event_t async_work_group_strided_copy(                                         \
		TO V *to, const FROM V *from, size_t count, size_t stride, event_t event)       \
	{                                                                                       \
		return PMPP_EVENT(pmpp_copy_share((char *)(ulong)to, (const char *)(ulong)from, \
			count, sizeof(V), sizeof(V) * (local ? 1 : stride),                     \
			sizeof(V) * (local ? stride : 1), local, PMPP_NUMBER(event), PMPP_PC)); \
	}
#define PMPP_COPY_BOTH(V, copy) copy(V, __local, __global, true) copy(V, __global, __local, false)
#define PMPP_COPY_VECTOR(n, T, copy) PMPP_COPY_BOTH(T##n, copy)
#define PMPP_COPIES(T, I, U, copy) PMPP_COPY_BOTH(T, copy) PMPP_SIZES(PMPP_COPY_VECTOR, T, copy)
#ifdef NEED_async_work_group_copy
PMPP_TYPES(PMPP_COPIES, PMPP_COPY)
#endif
#ifdef NEED_async_work_group_strided_copy
PMPP_TYPES(PMPP_COPIES, PMPP_COPY_STRIDED)
#endif

#ifdef NEED_wait_group_events
/* Later accesses of other work-items do not race with those of the copy. */
static void pmpp_settle(const struct pmpp_share *share)
{
	for (ulong i = 0; i < share->count; i++) {
		pmpp_emu_settle(share->from + i * share->from_step, share->size);
		pmpp_emu_settle(share->to + i * share->to_step, share->size);
	}
}
static void pmpp_complete(struct pmpp_pending *pending, ulong event)
{
	struct pmpp_share **link = &pending->first;

	while (*link) {
		struct pmpp_share *share = *link;
		if (share->event != event) {
			link = &share->next;
			continue;
		}
		if (share->begun)
			pmpp_emu_copy_wait_group(share->group);
		else
			pmpp_copy_now(share);
		pmpp_settle(share);
		*link = share->next;
		pmpp_emu_release(share, share->pc);
	}
}
/* The work-items meet twice: when all have begun their shares, and when all shares are complete.
 * Without flags, a barrier orders no accesses. */
static void pmpp_wait(int count, const event_t *events, const void *pc)
{
	struct pmpp_pending *pending = pmpp_pending_of(pmpp_item());

	pmpp_emu_barrier(pmpp_emu_line(pc), 0);
	for (int i = 0; i < count; i++)
		pmpp_complete(pending, PMPP_NUMBER(events[i]));
	pmpp_emu_barrier(pmpp_emu_line(pc), 0);
}
#define PMPP_WAIT(S, x)                                                    \
	PMPP_DEF void wait_group_events(int count, S event_t *events)      \
	{                                                                  \
		pmpp_wait(count, (const event_t *)(ulong)events, PMPP_PC); \
	}
PMPP_SPACES(PMPP_WAIT, )
#endif
#endif

#ifdef NEED_prefetch
#define PMPP_PREFETCH(V)                                          \
	PMPP_DEF void prefetch(const __global V *p, size_t count) \
	{                                                         \
	}
#define PMPP_PREFETCH_VECTOR(n, T) PMPP_PREFETCH(T##n)
#define PMPP_PREFETCHES(T, I, U, x) PMPP_PREFETCH(T) PMPP_SIZES(PMPP_PREFETCH_VECTOR, T)
PMPP_TYPES(PMPP_PREFETCHES, )
#endif
