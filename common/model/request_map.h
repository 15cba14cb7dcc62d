/*
 * The passes of a request of shared memory over its banks. Their number is that of access_shared().
 */
#ifndef PMPP_COMMON_MODEL_REQUEST_MAP_H
#define PMPP_COMMON_MODEL_REQUEST_MAP_H

#include "common/model/access.h"

#include <stddef.h>
#include <stdint.h>

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
