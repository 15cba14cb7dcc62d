#include "common/model/block_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/model/line_cache.h"

#define MAX_WARPS 256   /* of a block */
#define JOINED_BYTES 16 /* of the widest access of a lane */
#define OPEN_LOADS 32   /* of a warp that more loads can join */

/* Loads of one warp so far: for each request the number of its sectors, then the sectors. */
struct load_queue {
	uint64_t *items;
	size_t count, capacity, next;
};

/* Loads of shared memory that are one access of the compiled code. */
struct joined_load {
	struct warp_access access; /* of all of them: address and width grow */
	uint32_t passes;           /* of the single loads */
};

/* A sector of global memory. masks: bit i is for watched block i. */
struct touched_sector {
	uint64_t number; /* plus 1; 0: the entry is empty */
	uint8_t by[TRAFFIC_WAYS];
	/* Bit i: part i of 32 is stored, by the last block that stored to the sector. */
	uint32_t written;
	uint8_t written_by; /* number of this block */
};

struct block_traffic {
	const struct access_model *model;
	struct line_cache *cache;
	struct load_queue queues[MAX_WARPS];
	size_t warps; /* of queues in use */
	struct joined_load open[OPEN_LOADS];
	size_t open_count, oldest;
	size_t open_warp; /* the warp of the open loads */
	struct touched_sector *touched;
	size_t touched_count, touched_capacity; /* capacity: 0 or a power of two */
	struct traffic_counts counts;
};

struct block_traffic *block_traffic_create(const struct access_model *model, uint64_t cache_bytes)
{
	struct block_traffic *traffic = calloc(1, sizeof *traffic);
	size_t lines = (size_t)(cache_bytes / model->line_bytes);

	if (!traffic)
		return NULL;
	traffic->model = model;
	traffic->cache =
		line_cache_create(lines ? lines : 1, model->line_bytes / model->sector_bytes);
	if (traffic->cache)
		return traffic;
	block_traffic_destroy(traffic);
	return NULL;
}

void block_traffic_destroy(struct block_traffic *traffic)
{
	if (!traffic)
		return;
	for (size_t i = 0; i < MAX_WARPS; i++)
		free(traffic->queues[i].items);
	line_cache_destroy(traffic->cache);
	free(traffic->touched);
	free(traffic);
}

/* ---- Sectors of a block ---------------------------------------------------------------------- */

static struct touched_sector *find_touched(
	struct touched_sector *table, size_t capacity, uint64_t number)
{
	size_t at = (number * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);

	while (table[at].number && table[at].number != number + 1)
		at = (at + 1) & (capacity - 1);
	return &table[at];
}

static bool grow_touched(struct block_traffic *traffic)
{
	size_t capacity = traffic->touched_capacity ? 2 * traffic->touched_capacity : 1024;
	struct touched_sector *table = calloc(capacity, sizeof *table);

	if (!table)
		return false;
	for (size_t i = 0; i < traffic->touched_capacity; i++)
		if (traffic->touched[i].number)
			*find_touched(table, capacity, traffic->touched[i].number - 1) =
				traffic->touched[i];
	free(traffic->touched);
	traffic->touched = table;
	traffic->touched_capacity = capacity;
	return true;
}

/* Records a sector of a request. bytes: bits of those that the request stores. */
static bool touch(
	struct block_traffic *traffic, uint64_t number, enum traffic_way way, uint32_t bytes)
{
	size_t block = traffic->counts.block_count;

	if (block == TRAFFIC_MAX_BLOCKS)
		return true;
	if (2 * traffic->touched_count >= traffic->touched_capacity && !grow_touched(traffic))
		return false;
	struct touched_sector *sector =
		find_touched(traffic->touched, traffic->touched_capacity, number);
	traffic->touched_count += !sector->number;
	sector->number = number + 1;
	sector->by[way] |= (uint8_t)(1u << block);
	if (way == TRAFFIC_LOADED)
		return true;
	sector->written = bytes | (sector->written_by == block ? sector->written : 0);
	sector->written_by = (uint8_t)block;
	return true;
}

static void count_sector(struct block_traffic *traffic, const struct touched_sector *sector)
{
	size_t index = traffic->counts.block_count;
	struct block_sectors *block = &traffic->counts.blocks[index];

	for (int way = 0; way < TRAFFIC_WAYS; way++) {
		if (!(sector->by[way] >> index & 1))
			continue;
		block->sectors[way]++;
		for (size_t i = 0; i < TRAFFIC_MAX_BLOCKS; i++)
			block->with[way][i] += sector->by[way] >> i & 1;
	}
	if (sector->by[TRAFFIC_STORED] >> index & 1)
		block->partial += sector->written != UINT32_MAX;
	if (!(sector->by[TRAFFIC_LOADED] >> index & 1))
		return;
	const struct touched_sector *other =
		find_touched(traffic->touched, traffic->touched_capacity, (sector->number - 1) ^ 1);
	block->half_pairs += !(other->by[TRAFFIC_LOADED] >> index & 1);
}

/* ---- Requests of global memory --------------------------------------------------------------- */

static bool queue_add(struct load_queue *queue, uint64_t item)
{
	if (!array_reserve(&queue->items, &queue->capacity, queue->count, sizeof item))
		return false;
	queue->items[queue->count++] = item;
	return true;
}

/* Adds a sector to the running request of the queue, unless the request has it. */
static bool queue_sector(struct load_queue *queue, size_t request, uint64_t sector)
{
	for (size_t i = queue->count; i-- > request + 1;)
		if (queue->items[i] == sector)
			return true;
	queue->items[request]++;
	return queue_add(queue, sector);
}

/* Bits of the parts of a sector that an access of a lane stores. A sector has 32 parts. */
static uint32_t bytes_of_sector(uint64_t sector, uint64_t begin, uint64_t end, unsigned size)
{
	uint64_t first = sector * size, last = first + size;
	uint32_t bits = 0;

	for (uint64_t at = begin > first ? begin : first; at < end && at < last; at++)
		bits |= (uint32_t)1 << (at - first) * 32 / size;
	return bits;
}

static bool add_global(struct block_traffic *traffic, size_t warp, enum traffic_kind kind,
	const struct warp_access *access)
{
	struct load_queue *queue = &traffic->queues[warp];
	unsigned size = traffic->model->sector_bytes;
	enum traffic_way way = kind == TRAFFIC_LOAD ? TRAFFIC_LOADED : TRAFFIC_STORED;
	size_t request = queue->count;
	bool done = kind != TRAFFIC_LOAD || queue_add(queue, 0);

	for (uint64_t lanes = access->lanes; lanes && done; lanes &= lanes - 1) {
		uint64_t begin = access->address[__builtin_ctzll(lanes)];
		uint64_t end = begin + access->width_bytes;
		for (uint64_t sector = begin / size; sector * size < end && done; sector++) {
			uint32_t bytes = way == TRAFFIC_STORED
						 ? bytes_of_sector(sector, begin, end, size)
						 : 0;
			done = touch(traffic, sector, way, bytes) &&
			       (kind != TRAFFIC_LOAD || queue_sector(queue, request, sector));
		}
	}
	return done;
}

/* Loads the sectors of the next request of a queue. Returns false if there is none. */
static bool load_next(struct block_traffic *traffic, struct load_queue *queue)
{
	if (queue->next == queue->count)
		return false;
	for (uint64_t sectors = queue->items[queue->next++]; sectors > 0; sectors--)
		traffic->counts.fetched +=
			line_cache_load(traffic->cache, queue->items[queue->next++]);
	return true;
}

/* ---- Loads of shared memory ------------------------------------------------------------------ */

/* Whether lanes of the access begin at the same offset in 16 aligned bytes. */
static bool is_aligned(const struct warp_access *access)
{
	uint64_t first = access->address[__builtin_ctzll(access->lanes)] % JOINED_BYTES;

	for (uint64_t lanes = access->lanes; lanes; lanes &= lanes - 1)
		if (access->address[__builtin_ctzll(lanes)] % JOINED_BYTES != first)
			return false;
	return first + access->width_bytes <= JOINED_BYTES;
}

/* Whether each lane of `next` begins `distance` bytes after that of `access`. */
static bool is_at(
	const struct warp_access *next, const struct warp_access *access, int64_t distance)
{
	if (next->lanes != access->lanes)
		return false;
	for (uint64_t lanes = next->lanes; lanes; lanes &= lanes - 1) {
		int lane = __builtin_ctzll(lanes);
		if ((int64_t)(next->address[lane] - access->address[lane]) != distance)
			return false;
	}
	return true;
}

/* Adds the load to an open one if both together are aligned bytes. */
static bool join(struct joined_load *load, const struct warp_access *next)
{
	struct warp_access *access = &load->access;
	uint64_t begin = access->address[__builtin_ctzll(access->lanes)] % JOINED_BYTES;
	bool after = begin + access->width_bytes + next->width_bytes <= JOINED_BYTES &&
		     is_at(next, access, access->width_bytes);
	bool before = !after && begin >= next->width_bytes &&
		      is_at(next, access, -(int64_t)next->width_bytes);

	if (!after && !before)
		return false;
	if (before)
		memcpy(access->address, next->address, sizeof access->address);
	access->width_bytes += next->width_bytes;
	load->passes += access_shared(next).wavefronts;
	return true;
}

/* Counts the passes that the joined load saves. A compiler joins 8 or 16 aligned bytes. */
static void close_load(struct block_traffic *traffic, const struct joined_load *load)
{
	const struct warp_access *access = &load->access;
	uint64_t begin = access->address[__builtin_ctzll(access->lanes)];

	if ((access->width_bytes != 8 && access->width_bytes != 16) ||
		begin % access->width_bytes != 0)
		return;
	uint32_t passes = access_shared(access).wavefronts;
	traffic->counts.joined_passes += load->passes > passes ? load->passes - passes : 0;
}

static void close_loads(struct block_traffic *traffic)
{
	for (size_t i = 0; i < traffic->open_count; i++)
		close_load(traffic, &traffic->open[i]);
	traffic->open_count = traffic->oldest = 0;
}

static void add_shared_load(struct block_traffic *traffic, const struct warp_access *access)
{
	for (size_t i = 0; i < traffic->open_count; i++)
		if (join(&traffic->open[i], access))
			return;
	if (!is_aligned(access))
		return;
	size_t at = traffic->open_count;
	if (at == OPEN_LOADS) {
		at = traffic->oldest++ % OPEN_LOADS;
		close_load(traffic, &traffic->open[at]);
	} else {
		traffic->open_count++;
	}
	traffic->open[at] =
		(struct joined_load){.access = *access, .passes = access_shared(access).wavefronts};
}

/* ---- Interface ------------------------------------------------------------------------------- */

bool block_traffic_add(struct block_traffic *traffic, size_t warp, enum traffic_kind kind,
	const struct warp_access *access)
{
	if (warp >= MAX_WARPS)
		return false;
	traffic->warps = warp >= traffic->warps ? warp + 1 : traffic->warps;
	if (kind == TRAFFIC_LOAD || kind == TRAFFIC_STORE)
		return add_global(traffic, warp, kind, access);
	if (warp != traffic->open_warp || kind == TRAFFIC_SHARED_STORE)
		close_loads(traffic);
	traffic->open_warp = warp;
	if (kind == TRAFFIC_SHARED_LOAD)
		add_shared_load(traffic, access);
	return true;
}

void block_traffic_round_end(struct block_traffic *traffic)
{
	bool any = true;

	close_loads(traffic);
	while (any) {
		any = false;
		for (size_t i = 0; i < traffic->warps; i++)
			any |= load_next(traffic, &traffic->queues[i]);
	}
	for (size_t i = 0; i < traffic->warps; i++)
		traffic->queues[i].count = traffic->queues[i].next = 0;
}

void block_traffic_block_end(struct block_traffic *traffic, uint64_t number)
{
	struct traffic_counts *counts = &traffic->counts;

	block_traffic_round_end(traffic);
	line_cache_clear(traffic->cache);
	if (counts->block_count == TRAFFIC_MAX_BLOCKS)
		return;
	counts->blocks[counts->block_count].number = number;
	for (size_t i = 0; i < traffic->touched_capacity; i++)
		if (traffic->touched[i].number)
			count_sector(traffic, &traffic->touched[i]);
	counts->block_count++;
}

void block_traffic_report(const struct block_traffic *traffic, struct traffic_counts *ret_counts)
{
	*ret_counts = traffic->counts;
}
