/*
 * One access of one warp: what it costs the memory it goes to (PMPP 4th ed. 6.1, 3rd ed. 5.2; CUDA
 * C++ Programming Guide, "Device Memory Accesses" and "Shared Memory").
 *
 * Global memory moves in sectors of 32 bytes, four to a line of 128: a request costs as many
 * sectors as its lanes touch. Shared memory has 32 banks of 4 bytes: lanes that want different
 * words of one bank wait for each other, lanes that want the same word do not. An access of 8 or 16
 * bytes a lane is served half or a quarter of a warp at a time.
 */
#ifndef PMPP_COMMON_MODEL_ACCESS_H
#define PMPP_COMMON_MODEL_ACCESS_H

#include "common/model/warp.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SECTOR_BYTES = 32,
	LINE_BYTES = 128,
	BANKS = 32,
	BANK_BYTES = 4
};

struct warp_access {
	uint64_t address[WARP_THREADS]; /* of the first byte; of the lanes that take part */
	uint32_t lanes;                 /* bit i: lane i takes part; at least one does */
	uint32_t width_bytes;           /* of a lane's access: 1 to 16 */
};

struct global_cost {
	uint32_t sectors, lines128;
	uint32_t bytes_unique;    /* different bytes, <= sectors * SECTOR_BYTES */
	uint32_t alignment_bytes; /* largest power of two, <= LINE_BYTES, that divides the lowest
				     address */
};

struct global_cost access_global(const struct warp_access *access);

struct shared_cost {
	uint32_t phases;     /* passes that the access takes at best: 1, 2 (8 bytes), 4 (16) */
	uint32_t wavefronts; /* that it takes; == phases without a conflict */
	uint32_t ways;       /* most different words of one bank in one phase */
};

/* Parts of a warp that are served one after the other at this width of a lane's access: 1, 2 (8
 * bytes) or 4 (16 bytes). */
int access_phases(uint32_t width_bytes);

struct shared_cost access_shared(const struct warp_access *access);

/* Most lanes on one address: how often an atomic operation must be done one after the other. */
uint32_t access_multiplicity(const struct warp_access *access);

enum pattern_kind {
	PATTERN_SINGLE,     /* one lane */
	PATTERN_BROADCAST,  /* all the same address */
	PATTERN_CONTIGUOUS, /* lane after lane, no gap */
	PATTERN_STRIDE,     /* the same distance from lane to lane */
	PATTERN_SCATTERED,
	PATTERN_MIXED /* only of several requests: they differ */
};

struct access_pattern {
	enum pattern_kind kind;
	int32_t stride; /* of PATTERN_STRIDE: in widths, may be negative */
	int32_t run; /* lanes of each run that shows it, WARP_THREADS or a power of two below: the
			warp of a block narrower than itself walks along several rows */
};

/* Lanes that take no part leave gaps in no pattern. */
struct access_pattern access_pattern(const struct warp_access *access);

/* "contiguous", "stride 2", "broadcast in runs of 16". */
void access_pattern_text(const struct access_pattern *pattern, char *ret_text, size_t size);

#endif
