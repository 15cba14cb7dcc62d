/* The counts of a watch by address of the code. Used by watch.c, which counts, and by report.c,
 * which converts addresses to lines. */
#ifndef PMPP_HOST_GPU_EMU_WATCH_H
#define PMPP_HOST_GPU_EMU_WATCH_H

#include "host/gpu/emu/internal.h"

/* A request of the running group. */
struct watch_request {
	const char *pc;
	int argument;
	enum pmpp_emu_access kind;
	struct warp_access access;
};

/* An access at a place of the code, to one argument. */
struct access_site {
	const char *pc;
	struct access_record counts; /* without line, pattern and typical request */
	struct request_votes votes;
	uint32_t next; /* number from 1 of the next site at this place; 0: none */
};

/* A basic block. */
struct block_site {
	const char *pc;
	uint64_t executions, lanes;
	uint64_t left;            /* number of groups that left it */
	struct split_votes split; /* groups whose lanes took different ways */
	const char *ways[2];      /* the first two next basic blocks */
	size_t way_count;         /* of ways; 2: two or more */
};

/* A basic block after which the lanes of a warp took different ways. */
struct watch_divergence {
	size_t block;   /* index into blocks */
	uint64_t lanes; /* lanes that left the block */
	uint64_t first; /* those of them that run first */
};

#define WATCH_CONDITIONS 4 /* maximum number of conditions of a short-circuit expression */

/* A split of the lanes that may not be a divergence. The second condition of `a && b` is a basic
 * block of its own, from which all lanes may go to the waiting lanes. The compiler of a GPU
 * combines both conditions in one branch. */
struct watch_split {
	struct watch_divergence parts[WATCH_CONDITIONS];
	size_t count;        /* of parts; 0: there is no split */
	const char *on;      /* next basic block of the lanes that run first */
	const char *waiting; /* next basic block of the other lanes, which wait there */
};

struct watch {
	const struct emu_object *object;
	const struct access_model *model;
	struct access_site *accesses;
	struct block_site *blocks;
	size_t access_count, access_capacity, block_count, block_capacity;
	uint32_t *access_at, *block_at; /* by byte of the image: number from 1, 0: none */

	struct watch_request *pending; /* of the running group */
	size_t pending_count, pending_capacity;
	struct warp_place place;    /* of the running warp */
	size_t position[MAX_LANES]; /* accesses of each lane since the group began */
	struct watch_split split;
	bool diverged; /* the running warp has diverged since watch_warp_leave() */
	bool broken;   /* lanes made different accesses in one basic block */
	bool out_of_memory;
	uint64_t steps, warps, divergent_warps;
};

#endif
