/*
 * Counts the memory requests and the branches of the warps of a watched launch.
 *
 * A group of lanes runs one basic block, one lane after the other. The n-th accesses of all lanes
 * are one request of the warp. A basic block has no branches, so these accesses have the same
 * address of the code. If they differ, the compiler has generated code that the watch does not
 * support, and there is no report.
 *
 * Counts are kept by address of the code (a site). The report has counts by line of the source.
 *
 * The number of warp-executions of a line is the count of its most executed access: the compiler
 * keeps accesses in their basic block. A condition without an access has the count of its most
 * executed branch, which is the first branch of `a && b`. Another line has the count of the basic
 * block with most of its code. Other blocks may have a constant or invariant part of the line, which
 * the compiler has moved. The counts of a function that is inlined at several places are added.
 */
#include "host/gpu/emu/internal.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* If this share of the requests has one pattern, the report gives this pattern for the access. */
#define MAJORITY 0.75

/* A request of the running group. */
struct watch_request {
	const char *pc;
	int argument;
	enum pmpp_emu_access kind;
	struct warp_access access;
};

/* An access at a place of the code, to one argument. */
struct access_site {
	const char *pc;
	struct access_record counts; /* without line, pattern and typical request */
	struct request_votes votes;
	uint32_t next; /* number from 1 of the next site at this place; 0: none */
};

/* A basic block. */
struct block_site {
	const char *pc;
	uint64_t executions, lanes;
	uint64_t left;            /* number of groups that left it */
	struct split_votes split; /* groups whose lanes took different ways */
	const char *ways[2];      /* the first two next basic blocks */
	uint64_t whole[2];        /* number of groups that went that way with all lanes */
	size_t way_count;         /* of ways; 2: two or more */
};

/* A basic block after which the lanes of a warp took different ways. */
struct watch_divergence {
	size_t block;   /* index into blocks */
	uint64_t lanes; /* lanes that left the block */
	uint64_t first; /* those of them that run first */
};

#define WATCH_CONDITIONS 4 /* maximum number of conditions of a short-circuit expression */

/* A split of the lanes that may not be a divergence. The second condition of `a && b` is a basic
 * block of its own, from which all lanes may go to the waiting lanes. The compiler of a GPU
 * combines both conditions in one branch. */
struct watch_split {
	struct watch_divergence parts[WATCH_CONDITIONS];
	size_t count;        /* of parts; 0: there is no split */
	const char *on;      /* next basic block of the lanes that run first */
	const char *waiting; /* next basic block of the other lanes, which wait there */
};

struct watch {
	const struct emu_object *object;
	const struct access_model *model;
	struct access_site *accesses;
	struct block_site *blocks;
	size_t access_count, access_capacity, block_count, block_capacity;
	struct barrier_record *barriers; /* without text */
	size_t barrier_count, barrier_capacity;
	uint32_t *access_at, *block_at; /* by byte of the image: number from 1, 0: none */

	struct watch_request *pending; /* of the running group */
	size_t pending_count, pending_capacity;
	struct warp_place place;    /* of the running warp */
	size_t position[MAX_LANES]; /* accesses of each lane since the group began */
	struct watch_split split;
	bool diverged[PMPP_EMU_MAX_BLOCK / MIN_LANES]; /* by warp of the block: it has diverged */
	bool broken; /* lanes made different accesses in one basic block */
	bool out_of_memory;
	uint64_t steps, warps, divergent_warps;
	struct block_traffic *traffic; /* NULL: not counted */
};

/* ---- Basic blocks in the machine code -------------------------------------------------------- */

/* A basic block ends at the head of the next one, whether that one is executed or not. Every head
 * begins with a call of the same function, so these calls are the heads. */
#if defined(__x86_64__)
#define CALL_BYTES 5
#else
#define CALL_BYTES 4
#endif

/* Returns the function that the call before `end` calls; NULL if there is no direct call. */
static const char *called_by(const char *end)
{
#if defined(__x86_64__)
	int32_t distance;

	if ((unsigned char)end[-CALL_BYTES] != 0xe8)
		return NULL;
	memcpy(&distance, end - 4, sizeof distance);
	return end + distance;
#elif defined(__aarch64__)
	uint32_t word;

	memcpy(&word, end - CALL_BYTES, sizeof word);
	if (word >> 26 != 0x25)
		return NULL;
	return end - CALL_BYTES + ((int64_t)(int32_t)(word << 6) >> 6) * 4;
#else
	(void)end;
	return NULL;
#endif
}

/* Returns the end of the basic block at pc: the address after its last instruction. */
static const char *block_end(const struct emu_object *object, const char *pc)
{
	const char *limit = object->code_end;
	const char *hook = called_by(pc);

	for (const char *at = pc + CALL_BYTES; at < limit; at++)
		if (hook && called_by(at) == hook)
			return at - CALL_BYTES;
	return limit;
}

#define NEAR_HEAD 64 /* a jump to an address in these bytes before a head leads to the head */

#if defined(__x86_64__)
/* end: of the block with the jump. A jump to a head behind the following block does not lead into this
 * block. */
static bool leads_to(const char *target, const char *head, const char *end)
{
	const char *begin = head - CALL_BYTES;

	return target <= begin && begin - target <= NEAR_HEAD && (begin <= end || target > end);
}

/* Returns the last jump between pc and end that leads to the head; NULL: none. */
static const char *last_jump_to(const char *head, const char *pc, const char *end)
{
	for (const char *at = end - 2; at >= pc; at--) {
		int32_t distance;
		unsigned char first = (unsigned char)at[0];
		if (first >> 4 == 0x7 && leads_to(at + 2 + (signed char)at[1], head, end))
			return at;
		if (first != 0x0f || at + 6 > end || (unsigned char)at[1] >> 4 != 0x8)
			continue;
		memcpy(&distance, at + 2, sizeof distance);
		if (leads_to(at + 6 + distance, head, end))
			return at;
	}
	return NULL;
}
#endif

/* Returns the conditional jump at the end of a basic block, if its target is one of the heads. NULL
 * if there is no such jump, and on hosts other than x86-64.
 *
 * The compiler may place instructions of the next block after the jump, so the jump is found by its
 * target. Bytes of another instruction can look like a short jump to the following block, so jumps to
 * this block are searched last. */
static const char *jump_to(const struct emu_object *object, const char *pc,
	const char *const *heads, size_t head_count)
{
#if defined(__x86_64__)
	const char *end = block_end(object, pc);
	const char *following = end + CALL_BYTES;
	const char *jump = NULL;
	bool is_way = false;

	for (size_t i = 0; i < head_count && !jump; i++) {
		is_way |= heads[i] == following;
		if (heads[i] && heads[i] != following)
			jump = last_jump_to(heads[i], pc, end);
	}
	return !jump && is_way ? last_jump_to(following, pc, end) : jump;
#else
	(void)object, (void)pc, (void)heads, (void)head_count;
	return NULL;
#endif
}

#if defined(__x86_64__)
static bool leads_to_head(const struct emu_object *object, const char *target, const char *hook)
{
	if (!hook || target < object->image_begin)
		return false;
	for (int i = 0; i <= NEAR_HEAD && target + i + CALL_BYTES <= object->code_end; i++)
		if (called_by(target + i + CALL_BYTES) == hook)
			return true;
	return false;
}
#endif

/* Returns the conditional jump that is the last instruction of a basic block, also if no thread took
 * it. NULL as for jump_to(). */
static const char *last_jump(const struct emu_object *object, const char *pc)
{
#if defined(__x86_64__)
	const char *end = block_end(object, pc);
	const char *hook = called_by(pc);
	int32_t distance;

	if (end - pc >= 2 && (unsigned char)end[-2] >> 4 == 0x7 &&
		leads_to_head(object, end + (signed char)end[-1], hook))
		return end - 2;
	if (end - pc < 6 || (unsigned char)end[-6] != 0x0f || (unsigned char)end[-5] >> 4 != 0x8)
		return NULL;
	memcpy(&distance, end - 4, sizeof distance);
	return leads_to_head(object, end + distance, hook) ? end - 6 : NULL;
#else
	(void)object, (void)pc;
	return NULL;
#endif
}

struct watch *watch_create(
	const struct emu_object *object, const struct access_model *model, uint64_t cache_bytes)
{
	size_t bytes = (size_t)(object->image_end - object->image_begin);
	struct watch *watch = calloc(1, sizeof *watch);

	if (!watch)
		return NULL;
	watch->object = object;
	watch->model = model;
	watch->access_at = calloc(bytes, sizeof *watch->access_at);
	watch->block_at = calloc(bytes, sizeof *watch->block_at);
	if (cache_bytes)
		watch->traffic = block_traffic_create(model, cache_bytes);
	if (watch->access_at && watch->block_at && (watch->traffic || !cache_bytes))
		return watch;
	watch_destroy(watch);
	return NULL;
}

void watch_destroy(struct watch *watch)
{
	if (!watch)
		return;
	free(watch->accesses);
	free(watch->blocks);
	free(watch->barriers);
	free(watch->access_at);
	free(watch->block_at);
	free(watch->pending);
	block_traffic_destroy(watch->traffic);
	free(watch);
}

uint64_t watch_steps(const struct watch *watch)
{
	return watch->steps;
}

/* Whether there is room for one more item of an array. */
static bool has_room(struct watch *watch, void *array, size_t *capacity, size_t count, size_t size)
{
	bool room = array_reserve(array, capacity, count, size);

	watch->out_of_memory |= !room;
	return room;
}

/* ---- Sites ----------------------------------------------------------------------------------- */

static size_t offset_of(const struct watch *watch, const char *pc)
{
	return (size_t)(pc - watch->object->image_begin);
}

/* Finds or adds the site of a request. NULL for lack of memory. */
static struct access_site *access_site(struct watch *watch, const struct watch_request *pending)
{
	static const enum trace_kind kinds[] = {[PMPP_EMU_READ] = TRACE_LOAD,
		[PMPP_EMU_WRITE] = TRACE_STORE,
		[PMPP_EMU_ATOMIC] = TRACE_ATOMIC,
		[PMPP_EMU_EXCHANGE] = TRACE_ATOMIC,
		[PMPP_EMU_ATOMIC_LOAD] = TRACE_ATOMIC,
		[PMPP_EMU_COMPARE] = TRACE_ATOMIC,
		[PMPP_EMU_COPY] = TRACE_COPY};
	uint32_t *number = &watch->access_at[offset_of(watch, pending->pc)];

	for (uint32_t n = *number; n; n = watch->accesses[n - 1].next)
		if (watch->accesses[n - 1].counts.argument == pending->argument)
			return &watch->accesses[n - 1];
	if (!has_room(watch, &watch->accesses, &watch->access_capacity, watch->access_count,
		    sizeof *watch->accesses))
		return NULL;
	struct access_site *site = &watch->accesses[watch->access_count++];
	*site = (struct access_site){.pc = pending->pc,
		.counts = {.space = pending->argument ? TRACE_GLOBAL : TRACE_SHARED,
			.kind = kinds[pending->kind],
			.width_bytes = pending->access.width_bytes,
			.argument = pending->argument,
			.alignment_bytes = watch->model->line_bytes},
		.next = *number};
	*number = (uint32_t)watch->access_count;
	return site;
}

static struct block_site *block_site(struct watch *watch, const char *pc)
{
	uint32_t *number = &watch->block_at[offset_of(watch, pc)];

	if (*number)
		return &watch->blocks[*number - 1];
	if (!has_room(watch, &watch->blocks, &watch->block_capacity, watch->block_count,
		    sizeof *watch->blocks))
		return NULL;
	struct block_site *site = &watch->blocks[watch->block_count++];
	*site = (struct block_site){.pc = pc};
	*number = (uint32_t)watch->block_count;
	return site;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static void count_traffic(
	struct watch *watch, const struct access_record *counts, const struct warp_access *access)
{
	bool loads = counts->kind == TRACE_LOAD, shared = counts->space == TRACE_SHARED;
	enum traffic_kind kind = shared ? (loads ? TRAFFIC_SHARED_LOAD : TRAFFIC_SHARED_STORE)
					: (loads ? TRAFFIC_LOAD : TRAFFIC_STORE);

	watch->out_of_memory |= !block_traffic_add(watch->traffic, watch->place.warp, kind, access);
}

static void count_request(struct watch *watch, const struct watch_request *pending)
{
	const struct warp_access *access = &pending->access;
	struct access_site *site = access_site(watch, pending);
	struct access_pattern pattern = access_pattern(access);

	if (!site)
		return;
	struct access_record *counts = &site->counts;
	int64_t lanes = __builtin_popcountll(access->lanes);
	struct global_cost cost = access_global(access);
	struct shared_cost banks = access_shared(access);
	counts->requests++;
	counts->lanes += lanes;
	counts->bytes_requested += lanes * access->width_bytes;
	counts->bytes_unique += cost.bytes_unique;
	if (counts->kind == TRACE_ATOMIC)
		counts->same_address += access_multiplicity(access);
	typical_vote_request(&site->votes, access, &pattern, &watch->place);
	if (watch->traffic)
		count_traffic(watch, counts, access);
	if (counts->space == TRACE_SHARED) {
		counts->phases += banks.phases;
		counts->wavefronts += banks.wavefronts;
		counts->ways = banks.ways > counts->ways ? banks.ways : counts->ways;
		return;
	}
	counts->passes += banks.wavefronts;
	counts->sectors += cost.sectors;
	counts->lines += cost.lines;
	if (cost.alignment_bytes < counts->alignment_bytes)
		counts->alignment_bytes = cost.alignment_bytes;
}

void watch_access(struct watch *watch, unsigned lane, int argument, uint64_t address,
	uint32_t bytes, enum pmpp_emu_access kind, const char *pc)
{
	size_t position = watch->position[lane]++;

	if (position == watch->pending_count) {
		if (!has_room(watch, &watch->pending, &watch->pending_capacity, position,
			    sizeof *watch->pending))
			return;
		/* Not the whole struct: the addresses of inactive lanes need no value. */
		struct watch_request *request = &watch->pending[watch->pending_count++];
		request->pc = pc;
		request->argument = argument;
		request->kind = kind;
		request->access.model = watch->model;
		request->access.lanes = 0;
		request->access.width_bytes = bytes;
	}
	if (position >= watch->pending_count || watch->pending[position].pc != pc ||
		watch->pending[position].access.width_bytes != bytes) {
		watch->broken = true;
		return;
	}
	struct watch_request *pending = &watch->pending[position];
	if (argument == WATCH_OWN_STACK)
		return;
	if (pending->argument == WATCH_OWN_STACK)
		pending->argument = argument;
	pending->access.address[lane] = address;
	pending->access.lanes |= (uint64_t)1 << lane;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

void watch_group_begin(struct watch *watch, const struct warp_place *place, uint64_t lanes,
	bool entering, const char *pc)
{
	uint64_t count = (uint64_t)__builtin_popcountll(lanes);
	struct block_site *site = entering ? block_site(watch, pc) : NULL;

	watch->place = *place;
	watch->pending_count = 0;
	memset(watch->position, 0, sizeof watch->position);
	if (!site)
		return;
	watch->steps += count;
	site->executions++;
	site->lanes += count;
}

static void count_way(struct block_site *site, const char *way)
{
	for (size_t i = 0; i < site->way_count; i++)
		if (site->ways[i] == way)
			return;
	if (site->way_count < 2)
		site->ways[site->way_count++] = way;
}

static void count_whole(struct block_site *site, const char *way)
{
	for (size_t i = 0; i < site->way_count; i++)
		site->whole[i] += site->ways[i] == way;
}

void watch_split_end(struct watch *watch)
{
	struct watch_split *split = &watch->split;

	for (size_t i = 0; i < split->count; i++) {
		const struct watch_divergence *part = &split->parts[i];
		typical_vote_split(
			&watch->blocks[part->block].split, part->lanes, part->first, &watch->place);
	}
	watch->diverged[watch->place.warp] |= split->count > 0;
	split->count = 0;
}

/* Compares two addresses. NULL, the end of the kernel, is after all others. */
static bool is_before(const char *way, const char *other)
{
	return way && (!other || way < other);
}

/* Returns the lanes that went to the lowest address: they run first. */
static uint64_t first_of(uint64_t left, const char *const next[MAX_LANES])
{
	const char *lowest = NULL;
	uint64_t first = 0;

	for (uint64_t lanes = left; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);

		if (is_before(next[lane], lowest)) {
			lowest = next[lane];
			first = 0;
		}
		if (next[lane] == lowest)
			first |= (uint64_t)1 << lane;
	}
	return first;
}

/* Returns the two next basic blocks of the lanes, the lower address first. Returns false if there
 * are more than two. */
static bool ways_of(uint64_t left, const char *const next[MAX_LANES], const char *ret_ways[2])
{
	ret_ways[0] = ret_ways[1] = next[__builtin_ctzll(left)];
	for (uint64_t lanes = left; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);

		if (next[lane] == ret_ways[0] || next[lane] == ret_ways[1])
			continue;
		if (ret_ways[0] != ret_ways[1])
			return false;
		ret_ways[1] = next[lane];
	}
	if (is_before(ret_ways[1], ret_ways[0])) {
		const char *lower = ret_ways[1];
		ret_ways[1] = ret_ways[0];
		ret_ways[0] = lower;
	}
	return true;
}

/* Whether the block only evaluates the next condition of a short-circuit expression. This is the
 * case if the lanes of the split that run first have run it without a memory request, and if its
 * branch leads to the waiting lanes. The split then ends if all lanes go there; otherwise it
 * continues with this branch. */
static bool continue_split(struct watch *watch, const struct watch_divergence *part,
	size_t requests, const char *const ways[2])
{
	struct watch_split *split = &watch->split;
	bool back = ways[0] == split->waiting || ways[1] == split->waiting;

	if (!split->count || watch->blocks[part->block].pc != split->on || requests || !back ||
		!jump_to(watch->object, split->on, &split->waiting, 1))
		return false;
	if (ways[0] == ways[1]) {
		split->count = 0;
		return true;
	}
	if (split->count == WATCH_CONDITIONS)
		return false;
	split->parts[split->count++] = *part;
	split->on = ways[0] == split->waiting ? ways[1] : ways[0];
	return true;
}

void watch_group_end(
	struct watch *watch, const char *pc, uint64_t left, const char *const next[MAX_LANES])
{
	const struct block_site *site = left && pc ? block_site(watch, pc) : NULL;
	const char *ways[2];
	size_t requests = 0;

	for (size_t i = 0; i < watch->pending_count; i++) {
		if (!watch->pending[i].access.lanes)
			continue;
		count_request(watch, &watch->pending[i]);
		requests++;
	}
	if (!site) {
		watch_split_end(watch);
		return;
	}
	const struct watch_divergence part = {.block = (size_t)(site - watch->blocks),
		.lanes = left,
		.first = first_of(left, next)};
	bool two = ways_of(left, next, ways);
	for (uint64_t lanes = left; lanes; lanes &= lanes - 1)
		count_way(&watch->blocks[part.block], next[__builtin_ctzll(lanes)]);
	watch->blocks[part.block].left++;
	if (two && ways[0] == ways[1])
		count_whole(&watch->blocks[part.block], ways[0]);
	if (two && continue_split(watch, &part, requests, ways))
		return;
	watch_split_end(watch);
	if (two && ways[0] == ways[1])
		return;
	watch->split = (struct watch_split){
		.parts = {part}, .count = 1, .on = ways[0], .waiting = ways[1]};
	if (!two)
		watch_split_end(watch);
}

void watch_round_end(struct watch *watch)
{
	if (watch->traffic)
		block_traffic_round_end(watch->traffic);
}

void watch_block_end(struct watch *watch, size_t warps)
{
	if (watch->traffic)
		block_traffic_block_end(watch->traffic, watch->place.block);
	watch->warps += warps;
	for (size_t w = 0; w < warps; w++)
		watch->divergent_warps += watch->diverged[w];
	memset(watch->diverged, 0, sizeof watch->diverged);
}

void watch_barrier(struct watch *watch, int line)
{
	size_t i = 0;

	while (i < watch->barrier_count && watch->barriers[i].line != line)
		i++;
	if (i == watch->barrier_count) {
		if (!has_room(watch, &watch->barriers, &watch->barrier_capacity, i,
			    sizeof *watch->barriers))
			return;
		watch->barriers[watch->barrier_count++] = (struct barrier_record){.line = line};
	}
	watch->barriers[i].executions++;
}

/* ---- Lines of the report --------------------------------------------------------------------- */

enum evidence {
	NO_EVIDENCE,
	IN_BLOCK,
	HAS_BRANCH,
	HAS_ACCESS
};

/* The count of a line at one place, from one access, or from the branch or the code of one basic
 * block. A place is a line, and the calls where its function is inlined. */
struct line_count {
	struct emu_place place;
	enum evidence evidence;
	size_t number; /* of the access or basic block */
	size_t bytes;  /* of code */
	uint64_t executions, lanes;
};

/* The addresses whose lines are queried, and their counts without a place. */
struct queries {
	const char **pcs;
	struct line_count *counts;
	size_t count, pc_capacity, capacity;
	bool out_of_memory;
};

static void add_query(struct queries *queries, const char *pc, struct line_count query)
{
	if (array_reserve(&queries->pcs, &queries->pc_capacity, queries->count, sizeof pc) &&
		array_reserve(&queries->counts, &queries->capacity, queries->count, sizeof query)) {
		queries->pcs[queries->count] = pc;
		queries->counts[queries->count++] = query;
	} else {
		queries->out_of_memory = true;
	}
}

static struct line_count block_count(
	const struct watch *watch, size_t number, enum evidence evidence)
{
	const struct block_site *site = &watch->blocks[number];

	return (struct line_count){.evidence = evidence,
		.number = number,
		.bytes = 1,
		.executions = site->executions,
		.lanes = site->lanes};
}

/* Adds the jump at the end of a block. A block without one has its last byte as a place. */
static void add_branch(const struct watch *watch, size_t number, struct queries *queries)
{
	const struct block_site *site = &watch->blocks[number];
	const char *jump = jump_to(watch->object, site->pc, site->ways, site->way_count);

	if (!jump)
		jump = last_jump(watch->object, site->pc);
	add_query(queries, jump ? jump : block_end(watch->object, site->pc) - 1,
		block_count(watch, number, jump ? HAS_BRANCH : NO_EVIDENCE));
}

/* Adds the accesses first, then the branch of each block, then each byte of code of the blocks. */
static void add_queries(const struct watch *watch, struct queries *queries)
{
	for (size_t i = 0; i < watch->access_count; i++) {
		const struct access_record *counts = &watch->accesses[i].counts;
		add_query(queries, watch->accesses[i].pc,
			(struct line_count){.evidence = HAS_ACCESS,
				.number = i,
				.bytes = 1,
				.executions = (uint64_t)counts->requests,
				.lanes = (uint64_t)counts->lanes});
	}
	for (size_t i = 0; i < watch->block_count; i++)
		add_branch(watch, i, queries);
	for (size_t i = 0; i < watch->block_count; i++) {
		const char *end = block_end(watch->object, watch->blocks[i].pc);
		for (const char *pc = watch->blocks[i].pc - 1; pc < end; pc++)
			add_query(queries, pc, block_count(watch, i, IN_BLOCK));
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const struct emu_place *a, const struct emu_place *b)
{
	int lines = compare_numbers((uint64_t)a->line, (uint64_t)b->line);

	return lines ? lines : compare_numbers(a->inlined_at, b->inlined_at);
}

static int compare_counts(const void *a, const void *b)
{
	const struct line_count *first = a;
	const struct line_count *second = b;
	int places = compare_places(&first->place, &second->place);

	if (places)
		return places;
	if (first->evidence != second->evidence)
		return compare_numbers(first->evidence, second->evidence);
	return compare_numbers(first->number, second->number);
}

/* Whether count a is preferred to count b of the same place: an access before a branch, a branch
 * before code, the access or branch with more executions, the block with more code. g++ 14 copies
 * code after an `if` to both of its ways: of blocks with as much code, the one with more executions,
 * so that the width of a warp does not decide. */
static bool is_better_count(const struct line_count *a, const struct line_count *b)
{
	if (a->evidence != b->evidence)
		return a->evidence > b->evidence;
	if (a->evidence == IN_BLOCK && a->bytes != b->bytes)
		return a->bytes > b->bytes;
	if (a->executions != b->executions)
		return a->executions > b->executions;
	return a->lanes > b->lanes;
}

/* Merges the entries of one access or block: there is one entry per byte of code. Then keeps the
 * best count of each place. counts is sorted. Returns the number of remaining counts. */
static size_t best_of_places(struct line_count *counts, size_t count)
{
	size_t parts = 0;
	size_t places = 0;

	for (size_t i = 0; i < count; i++)
		if (parts > 0 && compare_counts(&counts[parts - 1], &counts[i]) == 0)
			counts[parts - 1].bytes++;
		else
			counts[parts++] = counts[i];
	for (size_t i = 0; i < parts; i++)
		if (places == 0 || compare_places(&counts[places - 1].place, &counts[i].place) != 0)
			counts[places++] = counts[i];
		else if (is_better_count(&counts[i], &counts[places - 1]))
			counts[places - 1] = counts[i];
	return places;
}

static bool report_lines(
	struct queries *queries, const struct emu_place *places, struct trace *trace)
{
	struct line_count *counts = queries->counts;
	size_t count = 0;

	trace->lines = calloc(queries->count + 1, sizeof *trace->lines);
	if (!trace->lines)
		return false;
	for (size_t i = 0; i < queries->count; i++)
		if (places[i].line > 0 && counts[i].evidence != NO_EVIDENCE) {
			counts[count] = counts[i];
			counts[count++].place = places[i];
		}
	if (count > 0)
		qsort(counts, count, sizeof *counts, compare_counts);
	count = best_of_places(counts, count);
	for (size_t i = 0; i < count; i++) {
		struct line_record *line = &trace->lines[trace->line_count];
		if (trace->line_count > 0 && line[-1].line == counts[i].place.line)
			line--;
		else
			trace->line_count++;
		line->line = counts[i].place.line;
		line->warp_executions += counts[i].executions;
		line->lanes += counts[i].lanes;
	}
	return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static struct access_pattern pattern_of(
	const struct access_site *site, const struct access_model *model)
{
	const struct pattern_votes *max = typical_request(&site->votes);

	if ((double)max->requests >= MAJORITY * (double)site->counts.requests)
		return max->pattern;
	return (struct access_pattern){.kind = PATTERN_MIXED, .run = (int32_t)model->lanes};
}

static bool same_access(const struct access_record *a, const struct access_record *b)
{
	return a->line == b->line && a->space == b->space && a->kind == b->kind &&
	       a->width_bytes == b->width_bytes && a->argument == b->argument &&
	       memcmp(&a->lane_pattern, &b->lane_pattern, sizeof a->lane_pattern) == 0;
}

static void add_access(struct access_record *to, const struct access_record *from)
{
	to->requests += from->requests;
	to->lanes += from->lanes;
	to->bytes_requested += from->bytes_requested;
	to->bytes_unique += from->bytes_unique;
	to->sectors += from->sectors;
	to->lines += from->lines;
	to->passes += from->passes;
	to->wavefronts += from->wavefronts;
	to->phases += from->phases;
	to->ways = from->ways > to->ways ? from->ways : to->ways;
	to->same_address += from->same_address;
	if (from->alignment_bytes < to->alignment_bytes)
		to->alignment_bytes = from->alignment_bytes;
	pattern_votes_add(&to->typical, &from->typical);
}

static int compare_accesses(const void *a, const void *b)
{
	const struct access_site *first = a;
	const struct access_site *second = b;

	if (first->counts.line != second->counts.line)
		return (int)(first->counts.line - second->counts.line);
	return (first->pc > second->pc) - (first->pc < second->pc);
}

static bool report_accesses(
	const struct watch *watch, const struct emu_place *places, struct trace *trace)
{
	size_t count = watch->access_count;
	struct access_site *sites = calloc(count + 1, sizeof *sites);

	trace->accesses = calloc(count + 1, sizeof *trace->accesses);
	if (!sites || !trace->accesses) {
		free(sites);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		sites[i] = watch->accesses[i];
		sites[i].counts.line = places[i].line;
		sites[i].counts.lane_pattern = pattern_of(&sites[i], watch->model);
		sites[i].counts.typical = *typical_request(&sites[i].votes);
	}
	qsort(sites, count, sizeof *sites, compare_accesses);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;
		while (k < trace->access_count &&
			!same_access(&trace->accesses[k], &sites[i].counts))
			k++;
		if (k < trace->access_count)
			add_access(&trace->accesses[k], &sites[i].counts);
		else
			trace->accesses[trace->access_count++] = sites[i].counts;
	}
	free(sites);
	return true;
}

/* ---- Branches -------------------------------------------------------------------------------- */

static int compare_branches(const void *a, const void *b)
{
	return (int)(((const struct branch_record *)a)->line -
		     ((const struct branch_record *)b)->line);
}

/* Several conditions on one line are several branches. */
static bool report_branches(
	const struct watch *watch, const struct emu_place *places, struct trace *trace)
{
	trace->branches = calloc(watch->block_count + 1, sizeof *trace->branches);
	if (!trace->branches)
		return false;
	for (size_t i = 0; i < watch->block_count; i++) {
		const struct block_site *site = &watch->blocks[i];
		if (site->way_count > 1 && places[i].line > 0)
			trace->branches[trace->branch_count++] =
				(struct branch_record){.line = places[i].line,
					.executions = site->left,
					.divergent = site->split.executions,
					.votes = site->split};
	}
	qsort(trace->branches, trace->branch_count, sizeof *trace->branches, compare_branches);
	return true;
}

/* ---- Idle passes ----------------------------------------------------------------------------- */

#define PREDICATED_ACCESSES 4 /* of a short branch, at most */

/* Returns the loads and stores of shared memory in one execution of a basic block. 0: there are too many, or
 * other accesses. */
static double predicated_accesses(const struct watch *watch, const struct block_site *site)
{
	const char *end = block_end(watch->object, site->pc);
	double count = 0;

	for (size_t i = 0; i < watch->access_count; i++) {
		const struct access_site *access = &watch->accesses[i];
		if (access->pc <= site->pc || access->pc > end)
			continue;
		if (access->counts.space != TRACE_SHARED || access->counts.kind == TRACE_ATOMIC)
			return 0;
		count += (double)access->counts.requests / (double)site->executions;
	}
	return count <= PREDICATED_ACCESSES ? count : 0;
}

/* NULL: the end of the kernel, or a block that did not run. */
static const struct block_site *known_block(const struct watch *watch, const char *pc)
{
	uint32_t number = pc ? watch->block_at[offset_of(watch, pc)] : 0;

	return number ? &watch->blocks[number - 1] : NULL;
}

/* Returns the passes of warps that skip a short branch. An NVIDIA compiler replaces the branch by predicates: the
 * warp executes the accesses with no lane (floor_work.idle_passes). */
static uint64_t idle_passes(const struct watch *watch)
{
	double passes = 0;

	for (size_t i = 0; i < watch->block_count; i++) {
		const struct block_site *site = &watch->blocks[i];
		for (size_t way = 0; way < 2 && site->way_count == 2; way++) {
			const struct block_site *branch = known_block(watch, site->ways[way]);
			/* The compiler does not replace the branch of a loop. */
			bool is_short = branch && branch->way_count == 1 &&
					branch->ways[0] == site->ways[1 - way] &&
					!last_jump(watch->object, branch->pc);
			if (is_short)
				passes += (double)site->whole[1 - way] *
					  predicated_accesses(watch, branch);
		}
	}
	return (uint64_t)(passes + 0.5);
}

/* ---- Barriers ------------------------------------------------------------------------------------ */

static int compare_barriers(const void *a, const void *b)
{
	return (int)(((const struct barrier_record *)a)->line -
		     ((const struct barrier_record *)b)->line);
}

static bool report_barriers(const struct watch *watch, struct trace *trace)
{
	size_t count = watch->barrier_count;

	trace->barriers = calloc(count + 1, sizeof *trace->barriers);
	if (!trace->barriers)
		return false;
	if (count > 0)
		memcpy(trace->barriers, watch->barriers, count * sizeof *trace->barriers);
	trace->barrier_count = count;
	qsort(trace->barriers, count, sizeof *trace->barriers, compare_barriers);
	return true;
}

enum pmpp_status watch_report(const struct watch *watch, const struct emu_program *program,
	struct trace *ret_trace, struct pmpp_error *error)
{
	struct queries queries = {.out_of_memory = watch->out_of_memory};
	struct trace trace = {.model = watch->model,
		.warps = watch->warps,
		.divergent_warps = watch->divergent_warps,
		.steps = watch->steps};

	if (watch->broken)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"%s: the lanes of a warp make different accesses in one basic block, so they "
			"cannot be counted: the compiler has rearranged the code",
			program->name);
	add_queries(watch, &queries);
	struct emu_place *places =
		queries.out_of_memory ? NULL : calloc(queries.count + 1, sizeof *places);
	if (places)
		emu_places(program, watch->object, queries.pcs, queries.count, places);
	bool done = places && report_accesses(watch, places, &trace) &&
		    report_branches(watch, places + watch->access_count, &trace) &&
		    report_lines(&queries, places, &trace) && report_barriers(watch, &trace);
	free(queries.pcs);
	free(queries.counts);
	free(places);
	if (!done) {
		trace_finish(&trace);
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for the counts of %s", program->name);
	}
	if (watch->traffic) {
		block_traffic_report(watch->traffic, &trace.traffic);
		trace.traffic.idle_passes = idle_passes(watch);
	}
	*ret_trace = trace;
	return PMPP_OK;
}
