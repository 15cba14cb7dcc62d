/*
 * Traffic of watched blocks: what the requests of a warp do not show one by one.
 *
 *   - the sectors that a block fetches into a first-level cache (line_cache.h). The block has the whole cache: other
 *     blocks on the multiprocessor only add fetches, unless they load the same sectors at the same time. The
 *     warps of a block take turns, one request each, until all of them wait or have ended. The cache is
 *     empty when a block begins
 *   - the passes of shared memory that a compiler saves because it joins loads: a warp that loads
 *     neighbouring words of 16 aligned bytes one after the other, without a store or a barrier in between,
 *     can load them at once (ptxas does so: docs/explain.md, "Fewer reads and writes in the compiled code")
 *   - the sectors of global memory that a block loads and stores, each once, and those of them that
 *     another watched block has loaded or stored
 */
#ifndef PMPP_COMMON_MODEL_BLOCK_TRAFFIC_H
#define PMPP_COMMON_MODEL_BLOCK_TRAFFIC_H

#include "common/model/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAFFIC_MAX_BLOCKS 8

enum traffic_way {
	TRAFFIC_LOADED,
	TRAFFIC_STORED, /* atomic operations too */
	TRAFFIC_WAYS
};

/* The sectors of one block, each counted once. */
struct block_sectors {
	uint64_t number; /* of the block in the grid, x fastest */
	uint64_t sectors[TRAFFIC_WAYS];
	uint64_t with[TRAFFIC_WAYS][TRAFFIC_MAX_BLOCKS]; /* those that watched block i has too */
	uint64_t
		half_pairs; /* loaded sectors: the other sector of their aligned pair is not loaded */
	uint64_t partial;   /* stored sectors of which the block stores a part */
};

/* Sums over the watched blocks. All zero: nothing was counted. */
struct traffic_counts {
	uint64_t fetched;       /* sectors that loads fetch into the first-level cache */
	uint64_t joined_passes; /* passes of shared memory that joined loads save */
	struct block_sectors blocks[TRAFFIC_MAX_BLOCKS]; /* the first watched blocks */
	size_t block_count;
};

struct block_traffic;

/* model: with sectors and lines. cache_bytes: of the first-level cache. NULL for lack of memory. */
struct block_traffic *block_traffic_create(const struct access_model *model, uint64_t cache_bytes);
void block_traffic_destroy(struct block_traffic *traffic);

enum traffic_kind {
	TRAFFIC_LOAD,
	TRAFFIC_STORE,
	TRAFFIC_SHARED_LOAD,
	TRAFFIC_SHARED_STORE, /* and atomic operations, and destinations of copies */
};

/* Adds a request of a warp (its number in the block), in the order of the program. Returns false for lack
 * of memory; the counts are then too small. */
bool block_traffic_add(struct block_traffic *traffic, size_t warp, enum traffic_kind kind,
	const struct warp_access *access);

/* Call it when each warp of the block has run as far as it can. */
void block_traffic_round_end(struct block_traffic *traffic);

/* number: of the block that has ended. */
void block_traffic_block_end(struct block_traffic *traffic, uint64_t number);

void block_traffic_report(const struct block_traffic *traffic, struct traffic_counts *ret_counts);

#endif
