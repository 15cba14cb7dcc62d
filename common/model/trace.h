/*
 * What a launch did: every access, line and branch of the kernel, counted over warps that ran in
 * lockstep (host/gpu/cuda_emu). Plain data; what is said of it, `explain` says.
 *
 * Counts are of the blocks that were run, `sampled_blocks` of `total_blocks`. Blocks stand for
 * others: trace_estimate() gives a figure of the whole launch.
 */
#ifndef PMPP_COMMON_MODEL_TRACE_H
#define PMPP_COMMON_MODEL_TRACE_H

#include "common/model/access.h"
#include "common/model/outcome.h"
#include "common/model/typical.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_space {
	TRACE_GLOBAL,
	TRACE_SHARED
};

enum trace_kind {
	TRACE_LOAD,
	TRACE_STORE,
	TRACE_ATOMIC
};

/* By space and by kind; ended by NULL. */
extern const char *const trace_space_words[], *const trace_kind_words[];

/* One access of the source. Where the compiler made several of it that go the same way, they are
 * one. */
struct trace_access {
	int line;
	enum trace_space space;
	enum trace_kind kind;
	uint32_t width_bytes; /* of one lane's access */
	int argument;         /* of the kernel, from 1, whose buffer it goes to; 0: shared memory */
	uint64_t requests;    /* warps that issued it */
	uint64_t lanes;       /* that took part, of all requests */
	uint64_t bytes_requested;   /* lanes x width */
	uint64_t bytes_unique;      /* different bytes of each request, added up */
	uint64_t sectors, lines128; /* global memory: touched by each request, added up */
	uint64_t passes; /* global memory: of the first-level cache, as access_shared() counts */
	uint64_t wavefronts, phases; /* shared memory: taken, and the least possible */
	uint32_t ways;               /* shared memory: of the worst request */
	uint64_t multiplicity;    /* atomics: most lanes on one address of each request, added up */
	uint32_t alignment_bytes; /* global memory: least of the requests */
	struct access_pattern pattern;
	struct pattern_votes typical; /* the most common pattern, and a request that shows it */
};

enum access_coalescing {
	ACCESS_COALESCED,
	ACCESS_UNCOALESCED,
	ACCESS_SHARED, /* shared memory: the question does not apply */
	ACCESS_COALESCING_COUNT
};

/* "n/a (shared)" for ACCESS_SHARED; ended by NULL. */
extern const char *const access_coalescing_words[ACCESS_COALESCING_COUNT + 1];

/*
 * Exercise 6.3 of PMPP, 4th ed., for any access. A coalesced request touches at most one sector
 * more than its active lanes' bytes fill: the extra one is for a start that is not on a sector's
 * boundary. If the lanes form several contiguous runs (rows of a block narrower than a warp) of two
 * sectors or more, each run may have one extra sector.
 */
enum access_coalescing trace_access_coalescing(const struct trace_access *access);

/* A warp-execution: one warp issues the line once, with some of its lanes. */
struct trace_line {
	int line;
	uint64_t warp_executions;
	uint64_t lanes;
};

/* A branch that went two ways, at one time or another. */
struct trace_branch {
	int line;
	uint64_t executions;      /* by warps */
	uint64_t divergent;       /* in which lanes of one warp went different ways */
	struct split_votes split; /* of the divergent executions */
};

enum trace_defect_kind {
	TRACE_NO_DEFECT,
	TRACE_RACE,
	TRACE_OUT_OF_BOUNDS,
	TRACE_UNINITIALISED,
	TRACE_BARRIER,  /* not reached by all threads */
	TRACE_DEADLOCK, /* lanes of a warp never meet */
	TRACE_FAULT,    /* a signal: division by zero, stack overflow */
	TRACE_RUNAWAY,  /* over the step or time limit */
	TRACE_DEFECT_COUNT
};

/* By kind; ended by NULL. */
extern const char *const trace_defect_words[TRACE_DEFECT_COUNT + 1];

/* The class of a launch with this defect: a fault or a runaway stopped the kernel (broken), any
 * other defect spoils its result (failed). */
enum outcome_class trace_defect_class(enum trace_defect_kind kind);

/* What ended the kernel early. */
struct trace_defect {
	enum trace_defect_kind kind;
	int line, other_line; /* 0: unknown, or there is none */
	char text[320];
};

struct trace {
	uint64_t sampled_blocks, total_blocks;
	bool estimated; /* not all blocks were run */

	struct trace_access *accesses; /* owned; by line */
	size_t access_count;
	struct trace_line *lines; /* owned; ascending */
	size_t line_count;
	struct trace_branch *branches; /* owned; by line */
	size_t branch_count;

	uint64_t warps, divergent_warps; /* of the blocks; those that diverged at least once */
	uint64_t steps;                  /* basic blocks entered, by lanes */

	/* Different bytes of global memory that blocks load and store, each block for itself: what
	 * would be moved if nothing were fetched twice by one block. */
	uint64_t block_bytes_loaded, block_bytes_stored;

	struct trace_defect defect; /* kind TRACE_NO_DEFECT: none */
};

void trace_finish(struct trace *trace); /* frees what it owns */

/* A count of the sampled blocks as one of the whole launch. */
double trace_estimate(const struct trace *trace, uint64_t count);

/* Sums over the accesses of one space and kind; lanes x width, or sectors x SECTOR_BYTES. */
uint64_t trace_bytes_requested(
	const struct trace *trace, enum trace_space space, enum trace_kind kind);
uint64_t trace_bytes_moved(const struct trace *trace, enum trace_kind kind);

/* The same for passes: of the first-level cache (TRACE_GLOBAL), or of shared memory. */
uint64_t trace_passes(const struct trace *trace, enum trace_space space, enum trace_kind kind);

/* Lanes over 32 x warp-executions, of all lines; NAN where there are none. */
double trace_simt_efficiency(const struct trace *trace);

#endif
