/*
 * The cost of one access of one warp to global or shared memory (PMPP 4th ed. 6.1, 3rd ed. 5.2;
 * CUDA C++ Programming Guide, "Device Memory Accesses" and "Shared Memory").
 *
 * Global memory transfers sectors (32 bytes in the default model); a line (128 bytes) has several
 * sectors. A request costs one transfer for each sector that its lanes access. Shared memory has
 * banks (32 of 4 bytes). Lanes that access different words of one bank are served one after
 * another. Lanes that access the same word are served together.
 *
 * One pass serves at most as many bytes as all banks have once (128): 32 lanes with 4 bytes each,
 * 16 lanes with 8 bytes each, or 8 lanes with 16 bytes each. The lanes of one such pass are a
 * phase.
 *
 * Two neighbouring phases are one if their lanes are paired: every active lane has the address of its
 * neighbour, or every active lane has that of the lane two places away. An inactive partner does not
 * count. This rule holds for lanes with more than one word, if model->joins_pairs.
 *
 * If the banks of a model are unknown (0), so are its passes: all members of struct shared_cost are
 * 0, and all lanes are one phase.
 */
#ifndef PMPP_COMMON_MODEL_ACCESS_H
#define PMPP_COMMON_MODEL_ACCESS_H

#include "common/model/access_model.h"
#include "common/model/warp.h"

#include <stddef.h>
#include <stdint.h>

/* The lanes of a warp are numbers 0 to model->lanes - 1. */
struct warp_access {
	const struct access_model *model;
	uint64_t lanes;              /* bit i: lane i is active; at least one lane is */
	uint32_t width_bytes;        /* bytes per lane: 1 to 16 */
	uint64_t address[MAX_LANES]; /* of the first byte; only active lanes count */
};

struct global_cost {
	uint32_t sectors, lines;
	uint32_t bytes_unique;    /* number of different bytes, <= sectors * sector_bytes */
	uint32_t alignment_bytes; /* largest power of two, <= line_bytes, that divides the lowest
				     address */
};

struct global_cost access_global(const struct warp_access *access);

struct shared_cost {
	uint32_t phases;     /* phases that have an active lane: the minimum number of passes */
	uint32_t wavefronts; /* number of passes; == phases if there is no bank conflict */
	uint32_t ways;       /* largest number of different words of one bank in one phase */
};

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
	int32_t stride; /* for PATTERN_STRIDE: in units of the bytes per lane; may be negative */
	int32_t run;    /* number of lanes of each run with the pattern: all lanes of the model, or
			 * a smaller power of two if a block is narrower than a warp, which then
			 * covers several rows */
};

/* Inactive lanes do not interrupt a pattern. */
struct access_pattern access_pattern(const struct warp_access *access);

/* "contiguous", "stride 2", "broadcast in runs of 16". */
void access_pattern_text(const struct access_pattern *pattern, const struct access_model *model,
	char *ret_text, size_t size);

/* ---- Passes over the banks ------------------------------------------------------------------ */

/*
 * The passes of a request of shared memory over its banks. Their number is that of access_shared().
 */

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
	int phase_lanes; /* lanes of the largest phase */
};

void request_map_banks(const struct warp_access *access, struct bank_map *ret_map);

#endif
