/*
 * The cost of one access of one warp to global or shared memory (PMPP 4th ed. 6.1, 3rd ed. 5.2;
 * CUDA C++ Programming Guide, "Device Memory Accesses" and "Shared Memory").
 *
 * Global memory transfers sectors of 32 bytes; a line of 128 bytes has four sectors. A request
 * costs one transfer for each sector that its lanes access. Shared memory has 32 banks of 4 bytes.
 * Lanes that access different words of one bank are served one after another; lanes that access the
 * same word are served together. If a lane accesses 8 or 16 bytes, half or a quarter of the warp is
 * served at a time.
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
	uint64_t address[WARP_THREADS]; /* of the first byte; only active lanes count */
	uint32_t lanes;                 /* bit i: lane i is active; at least one lane is */
	uint32_t width_bytes;           /* of a lane's access: 1 to 16 */
};

struct global_cost {
	uint32_t sectors, lines128;
	uint32_t bytes_unique;    /* number of different bytes, <= sectors * SECTOR_BYTES */
	uint32_t alignment_bytes; /* largest power of two, <= LINE_BYTES, that divides the lowest
				     address */
};

struct global_cost access_global(const struct warp_access *access);

struct shared_cost {
	uint32_t phases;     /* minimum number of passes: 1, 2 (8 bytes), 4 (16 bytes) */
	uint32_t wavefronts; /* number of passes; == phases if there is no bank conflict */
	uint32_t ways;       /* largest number of different words of one bank in one phase */
};

/* Number of parts of a warp that are served one after another: 1, 2 (8 bytes) or 4 (16 bytes).
 * width_bytes: size of one lane's access. */
int access_phases(uint32_t width_bytes);

struct shared_cost access_shared(const struct warp_access *access);

/* Largest number of active lanes with the same address. An atomic operation takes that many steps.
 */
uint32_t access_multiplicity(const struct warp_access *access);

enum pattern_kind {
	PATTERN_SINGLE,     /* one lane */
	PATTERN_BROADCAST,  /* all lanes have the same address */
	PATTERN_CONTIGUOUS, /* neighbouring lanes access neighbouring elements */
	PATTERN_STRIDE,     /* the same distance from each lane to the next */
	PATTERN_SCATTERED,
	PATTERN_MIXED /* only for several requests: their patterns differ */
};

struct access_pattern {
	enum pattern_kind kind;
	int32_t stride; /* for PATTERN_STRIDE: in units of the access width; may be negative */
	int32_t run;    /* number of lanes of each run with the pattern: WARP_THREADS, or a smaller
			 * power of two if a block is narrower than a warp, which then covers
			 * several rows */
};

/* Inactive lanes do not interrupt a pattern. */
struct access_pattern access_pattern(const struct warp_access *access);

/* "contiguous", "stride 2", "broadcast in runs of 16". */
void access_pattern_text(const struct access_pattern *pattern, char *ret_text, size_t size);

#endif
