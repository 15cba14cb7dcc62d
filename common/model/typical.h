/*
 * Examples for drawings: the typical request of an access, and the typical divergent execution of a
 * branch, lane by lane. The functions count requests and executions one at a time, and keep only
 * the counts and the examples.
 */
#ifndef PMPP_COMMON_MODEL_TYPICAL_H
#define PMPP_COMMON_MODEL_TYPICAL_H

#include "common/model/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TYPICAL_PATTERNS = 4
};

/* The place of a warp. */
struct warp_place {
	uint64_t block; /* number in the grid, x fastest */
	uint32_t warp;  /* number in the block */
	bool middle;    /* the block is number N / 2, from 0, of the N watched blocks */
};

/* The requests of one pattern, and one of them as the example: it has the most active lanes. If
 * several requests have as many, it is the first one of the middle block, or the first of all if
 * the middle block has none. */
struct pattern_votes {
	struct access_pattern pattern;
	uint64_t requests;
	struct warp_access example; /* undefined if requests == 0 */
	struct warp_place place;    /* of the example */
};

/* The first TYPICAL_PATTERNS patterns of an access. Requests of further patterns are not counted.
 * Zero-initialise. */
struct request_votes {
	struct pattern_votes patterns[TYPICAL_PATTERNS];
};

void typical_vote_request(struct request_votes *votes, const struct warp_access *access,
	const struct access_pattern *pattern, const struct warp_place *place);

/* The most common pattern. If several are equally common, the pattern that occurred first. */
const struct pattern_votes *typical_request(const struct request_votes *votes);

/* Adds the typical request of another place of the code that belongs to the same access. With the
 * same pattern the counts are added and the better example stays; else the more common pattern
 * stays. */
void pattern_votes_add(struct pattern_votes *to, const struct pattern_votes *from);

/* The executions of a branch in which the lanes of a warp take both directions. The lanes that
 * continue at the lowest address of the code run first; the others wait. Zero-initialise. */
struct split_votes {
	uint64_t executions;
	uint64_t lanes, first_lanes; /* summed over the executions: active lanes; that run first */
	uint64_t example, first;     /* one execution, bit i: lane i is active; lane i runs first */
	struct warp_place place;     /* of the example, chosen like the example of a pattern */
};

void typical_vote_split(
	struct split_votes *votes, uint64_t lanes, uint64_t first, const struct warp_place *place);

#endif
