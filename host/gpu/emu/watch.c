/*
 * Counts the memory requests and the branches of the warps of a watched launch.
 *
 * A group of lanes runs one basic block, one lane after the other. The n-th accesses of all lanes
 * are one request of the warp. A basic block has no branches, so these accesses have the same
 * address of the code. If they differ, the compiler has generated code that the watch does not
 * support, and there is no report.
 *
 * Counts are kept by address of the code (a site). report.c converts them to counts by line.
 */
#include "host/gpu/emu/watch.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

#define OWN_STACK (-1)

struct watch *watch_create(const struct emu_object *object, const struct access_model *model)
{
	size_t bytes = (size_t)(object->image_end - object->image_begin);
	struct watch *watch = calloc(1, sizeof *watch);

	if (!watch)
		return NULL;
	watch->object = object;
	watch->model = model;
	watch->access_at = calloc(bytes, sizeof *watch->access_at);
	watch->block_at = calloc(bytes, sizeof *watch->block_at);
	if (watch->access_at && watch->block_at)
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
	free(watch->access_at);
	free(watch->block_at);
	free(watch->pending);
	free(watch);
}

uint64_t watch_steps(const struct watch *watch)
{
	return watch->steps;
}

void watch_warp(struct watch *watch, bool diverged)
{
	watch->warps++;
	watch->divergent_warps += diverged;
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
	if (argument == OWN_STACK)
		return;
	if (pending->argument == OWN_STACK)
		pending->argument = argument;
	pending->access.address[lane] = address;
	pending->access.lanes |= (uint64_t)1 << lane;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

void watch_warp_enter(struct watch *watch, const struct warp_place *place)
{
	watch->place = *place;
}

void watch_group_begin(struct watch *watch, uint64_t lanes, bool entering, const char *pc)
{
	uint64_t count = (uint64_t)__builtin_popcountll(lanes);
	struct block_site *site = entering ? block_site(watch, pc) : NULL;

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

/* Counts the current split, if there is one: its lanes have diverged. */
static void count_split(struct watch *watch)
{
	struct watch_split *split = &watch->split;

	for (size_t i = 0; i < split->count; i++) {
		const struct watch_divergence *part = &split->parts[i];
		typical_vote_split(
			&watch->blocks[part->block].split, part->lanes, part->first, &watch->place);
	}
	watch->diverged |= split->count > 0;
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
		!emu_jump_find(watch->object, split->on, &split->waiting, 1))
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
		count_split(watch);
		return;
	}
	const struct watch_divergence part = {.block = (size_t)(site - watch->blocks),
		.lanes = left,
		.first = first_of(left, next)};
	bool two = ways_of(left, next, ways);
	for (uint64_t lanes = left; lanes; lanes &= lanes - 1)
		count_way(&watch->blocks[part.block], next[__builtin_ctzll(lanes)]);
	watch->blocks[part.block].left++;
	if (two && continue_split(watch, &part, requests, ways))
		return;
	count_split(watch);
	if (two && ways[0] == ways[1])
		return;
	watch->split = (struct watch_split){
		.parts = {part}, .count = 1, .on = ways[0], .waiting = ways[1]};
	if (!two)
		count_split(watch);
}

bool watch_warp_leave(struct watch *watch)
{
	count_split(watch);
	bool diverged = watch->diverged;
	watch->diverged = false;
	return diverged;
}
