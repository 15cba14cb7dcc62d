/*
 * The trace of a launch: counts for every access, line and branch of the kernel, over warps that
 * ran in lockstep (host/gpu/emu). This file has plain data; `explain` judges it.
 *
 * The counts are sums over the blocks that were watched: `sampled_blocks` of `total_blocks`. Of a very long
 * block only the first part is watched (`unwatched_steps`). trace_estimate() scales a count to the whole
 * launch.
 */
#ifndef PMPP_COMMON_MODEL_TRACE_H
#define PMPP_COMMON_MODEL_TRACE_H

#include "common/model/access.h"
#include "common/model/block_traffic.h"
#include "common/model/outcome.h"
#include "common/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Examples for drawings ------------------------------------------------------------------ */

/*
 * Examples for drawings: the typical request of an access, and the typical divergent execution of a
 * branch, lane by lane. The functions count requests and executions one at a time, and keep only
 * the counts and the examples.
 */

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

/* ---- Traces --------------------------------------------------------------------------------- */

enum trace_space {
	TRACE_GLOBAL,
	TRACE_SHARED
};

enum trace_kind {
	TRACE_LOAD,
	TRACE_STORE,
	TRACE_ATOMIC,
	TRACE_COPY /* the destination of an asynchronous copy, in shared memory */
};

/* By space and by kind; ended by NULL. */
extern const char *const trace_space_words[], *const trace_kind_words[];

enum access_coalescing {
	ACCESS_COALESCED,
	ACCESS_UNCOALESCED,
	ACCESS_SHARED, /* shared memory: not applicable */
	ACCESS_COALESCING_COUNT
};

/* "n/a (shared)" for ACCESS_SHARED; ended by NULL. */
extern const char *const access_coalescing_words[ACCESS_COALESCING_COUNT + 1];

#define RECORDS "common/model/trace.def"
#include "common/records.inc"

/*
 * Exercise 6.3 of PMPP, 4th ed., for any access. A coalesced request accesses at most one sector
 * more than the bytes of its active lanes fill: the extra sector allows a start that is not on a
 * sector boundary. If the lanes form several contiguous runs (rows of a block narrower than a warp)
 * of two sectors or more, each run may have one extra sector.
 */
enum access_coalescing trace_access_coalescing(
	const struct access_record *access, const struct access_model *model);

/* name, word in result files, class of the launch (trace_defect_class()) */
#define TRACE_DEFECT_MAP(XX)                                                                    \
	XX(NO_DEFECT, "none", OK)                                                               \
	XX(RACE, "race", FAILED)                                                                \
	XX(OUT_OF_BOUNDS, "out-of-bounds", FAILED)                                              \
	XX(UNINITIALISED, "uninitialised", FAILED)                                              \
	XX(BARRIER, "barrier", FAILED)   /* not all threads of a block reach the barrier */     \
	XX(DEADLOCK, "deadlock", FAILED) /* lanes of a warp wait for lanes that never arrive */ \
	XX(FAULT, "fault", BROKEN)       /* a signal: division by zero, stack overflow */       \
	XX(RUNAWAY, "runaway", BROKEN)   /* over the time limit */

enum trace_defect_kind {
#define XX(name, word, class) TRACE_##name,
	TRACE_DEFECT_MAP(XX)
#undef XX
	TRACE_DEFECT_COUNT
};

/* By kind; ended by NULL. */
extern const char *const trace_defect_words[TRACE_DEFECT_COUNT + 1];

/* The class of a launch with this defect: a fault or a runaway stopped the kernel (broken), any
 * other defect spoils its result (failed). */
enum outcome_class trace_defect_class(enum trace_defect_kind kind);

/* The defect that ended the kernel early. */
struct trace_defect {
	enum trace_defect_kind kind;
	int line, other_line; /* 0: unknown, or there is none */
	char text[320];
};

struct trace {
	const struct access_model *model; /* NULL: nothing was traced */
	uint64_t sampled_blocks, total_blocks;
	bool estimated; /* not everything was watched */

	/* The emulator fills the counts. `explain` fills the other members, and moves the arrays into its
	 * records. */
	struct access_record *accesses; /* owned; by line */
	size_t access_count;
	struct line_record *lines; /* owned; ascending */
	size_t line_count;
	struct branch_record *branches; /* owned; by line. Both directions were taken */
	size_t branch_count;
	struct barrier_record *barriers; /* owned; by line */
	size_t barrier_count;

	uint64_t warps, divergent_warps; /* all warps; warps that diverged at least once */
	uint64_t steps;                  /* basic blocks entered, summed over the lanes */
	uint64_t unwatched_steps;        /* those of the last block after its watch ended */

	/* Different bytes of global memory that each block loads and stores, summed over the
	 * blocks: the traffic if each block fetched every byte only once. */
	uint64_t block_bytes_loaded, block_bytes_stored;

	struct traffic_counts traffic; /* only if requested: gpu_watch.cache_bytes */

	/* A plain load of an address that other threads change by atomic operations. A
	 * compare-and-swap of its thread checks the value, so it is not a race. 0: none, or the
	 * line is unknown. */
	int guess_line;

	/* A barrier or warp operation that threads reached after others had returned, which CUDA allows
	 * and OpenCL does not. 0: none. */
	int exit_line;

	struct trace_defect defect; /* kind TRACE_NO_DEFECT: none */
};

/* The text about exit_line, with a %d for it. */
#define TRACE_EXIT_NOTE                                                                      \
	"line %d: some threads returned before this barrier or warp operation. CUDA allows " \
	"this; it is not portable to OpenCL. Let all threads reach the line"

void trace_finish(struct trace *trace); /* frees the arrays */

/* Scales a count of the sampled blocks to the whole launch. */
double trace_estimate(const struct trace *trace, int64_t count);

/* Sums a count over the accesses of a space. count: TRACE_COUNT(member of struct access_record). kinds: a
 * bit for each enum trace_kind. */
#define TRACE_COUNT(member) offsetof(struct access_record, member)
#define TRACE_BIT(kind) (1u << (kind))
#define TRACE_ALL_KINDS 15u
int64_t trace_sum(const struct trace *trace, size_t count, enum trace_space space, unsigned kinds);

/* Sums over all lines. */
void trace_sum_lines(const struct trace *trace, int64_t *ret_executions, int64_t *ret_lanes);

/* Active lanes / (lanes of the model x warp-executions), over all lines. NAN: there are no lines. */
double trace_simt_efficiency(const struct trace *trace);

#endif
