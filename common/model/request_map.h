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
	LINE_SECTORS = LINE_BYTES / SECTOR_BYTES,
	/* A lane accesses at most 16 bytes, which are in at most two lines. */
	MAX_LINES = 2 * WARP_THREADS
};

/* A line of 128 bytes that a request accesses. */
struct line_touch {
	uint64_t number;   /* address / LINE_BYTES */
	uint32_t sectors;  /* bit i: the request accesses sector i of the line */
	uint64_t bytes[2]; /* bit i of the first: byte i is requested; of the second: byte 64 + i */
	uint32_t lanes;    /* bit i: lane i accesses the line */
};

struct sector_map {
	struct line_touch lines[MAX_LINES]; /* ascending */
	size_t line_count;
	uint32_t sectors; /* of all lines */
};

void request_map_sectors(const struct warp_access *access, struct sector_map *ret_map);

/* A pass of shared memory: each bank serves at most one word. */
struct bank_pass {
	int phase;             /* from 0: the part of the warp that is served */
	uint64_t word[BANKS];  /* address / BANK_BYTES */
	uint32_t lanes[BANKS]; /* bit i: lane i gets this word; 0: the bank is idle */
};

struct bank_map {
	/* A phase of n lanes takes at most n passes, and all phases have WARP_THREADS lanes. */
	struct bank_pass passes[WARP_THREADS];
	size_t pass_count;
	int phase_lanes; /* lanes of a phase: 32, 16 (8 bytes), 8 (16 bytes) */
};

void request_map_banks(const struct warp_access *access, struct bank_map *ret_map);

#endif
