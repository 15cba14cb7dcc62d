/* What a watch has counted, by address of the code: shared by watch.c, which counts, and report.c,
 * which turns it into lines. */
#ifndef PMPP_HOST_GPU_CUDA_EMU_WATCH_H
#define PMPP_HOST_GPU_CUDA_EMU_WATCH_H

#include "host/gpu/cuda_emu/internal.h"

/* A request in the making. */
struct watch_request {
	const char *pc;
	int argument;
	enum pmpp_emu_access kind;
	struct warp_access access;
};

/* An access at a place of the code, to one argument. */
struct access_site {
	const char *pc;
	struct trace_access counts; /* all but line, pattern and typical request */
	struct request_votes votes;
	uint32_t next; /* number from 1 of the next site at this place; 0: none */
};

/* A basic block. */
struct block_site {
	const char *pc;
	uint64_t executions, lanes;
	uint64_t left;            /* groups that left it */
	struct split_votes split; /* groups in which the ways differ */
	const char *ways[2];      /* the first two ways that were gone */
	size_t way_count;         /* 2: or more */
};

/* A basic block that lanes left in different ways. */
struct watch_parting {
	size_t block;          /* index of blocks */
	uint32_t lanes, first; /* that left it; those of them that run first */
};

#define WATCH_CONDITIONS 4 /* of one short-circuit expression */

/* Lanes of a warp parted, and it is not certain that they will do different things: of `a && b` the
 * second condition is a basic block of its own, from which they may all come back to the others. A
 * GPU's compiler makes one condition of both. */
struct watch_split {
	struct watch_parting parts[WATCH_CONDITIONS];
	size_t count;        /* 0: there is none */
	const char *on;      /* where those go on that run first ... */
	const char *waiting; /* ... and where the others wait */
};

struct watch {
	const struct emu_object *object;
	struct access_site *accesses;
	struct block_site *blocks;
	size_t access_count, access_room, block_count, block_room;
	uint32_t *access_at, *block_at; /* by byte of the image: number from 1, 0: none */

	struct watch_request *pending; /* of the group that runs */
	size_t pending_count, pending_room;
	struct warp_place place;   /* of the warp that runs */
	size_t position[EMU_WARP]; /* accesses of each lane since the group began */
	struct watch_split split;
	bool diverged; /* the warp that runs did, since it began to run */
	bool broken;   /* lanes did different things in one basic block */
	bool out_of_memory;
	uint64_t steps, warps, divergent_warps;
};

#endif
