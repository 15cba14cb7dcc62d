/*
 * The parts of a request: the lines, sectors and bytes of global memory, or the passes and banks of
 * shared memory. The sums are equal to those of access_global() and access_shared().
 */
#ifndef PMPP_COMMON_MODEL_REQUEST_MAP_H
#define PMPP_COMMON_MODEL_REQUEST_MAP_H

#include "common/model/access.h"

#include <stddef.h>
#include <stdint.h>

enum {
	/* A lane accesses at most 16 bytes, which are in at most two lines. */
	MAX_LINES = 2 * MAX_LANES
};

/* A line that a request accesses. */
struct line_touch {
	uint64_t number;                     /* address / line_bytes of the model */
	uint32_t sectors;                    /* bit i: the request accesses sector i of the line */
	uint64_t bytes[MAX_LINE_BYTES / 64]; /* bit i of word w: byte 64 w + i is requested */
	uint64_t lanes;                      /* bit i: lane i accesses the line */
};

struct sector_map {
	struct line_touch lines[MAX_LINES]; /* ascending */
	size_t line_count;
	uint32_t sectors; /* of all lines */
};

void request_map_sectors(const struct warp_access *access, struct sector_map *ret_map);

/* A pass of shared memory: each bank serves at most one word. */
struct bank_pass {
	int phase;                 /* from 0: the part of the warp that is served */
	uint64_t word[MAX_BANKS];  /* address / bank_bytes of the model */
	uint64_t lanes[MAX_BANKS]; /* bit i: lane i gets this word; 0: the bank is idle */
};

struct bank_map {
	/* A phase of n lanes takes at most n passes, and all phases together have all lanes. */
	struct bank_pass passes[MAX_LANES];
	size_t pass_count;
	int phase_lanes; /* lanes of the largest phase: access_phase_end() */
};

void request_map_banks(const struct warp_access *access, struct bank_map *ret_map);

#endif
