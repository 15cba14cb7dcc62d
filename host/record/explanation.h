/*
 * Explanations: why a variant is fast or slow, one entry for each launch, and the file that holds
 * them (schema pmpp-explain/1). The tables in explanation.c give units and meanings;
 * docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_EXPLANATION_H
#define PMPP_HOST_RECORD_EXPLANATION_H

#include "common/model/access.h"
#include "common/model/limit.h"
#include "common/model/occupancy.h"
#include "common/model/outcome.h"
#include "common/model/trace.h"
#include "host/record/result.h"

/* ---- Trace --------------------------------------------------------------------------------- */

/* One request of an access, as an example (common/model/typical.h). */
struct request_record {
	struct record record;
	int64_t block, warp;         /* numbers in the grid and in the block */
	char *pattern;               /* of this request */
	int64_t requests;            /* of the access with this pattern */
	struct integer_list offsets; /* of each lane; -1 = inactive lane */
	struct integer_list banks;   /* shared memory: beside offsets */
};

/* One execution of a branch in which the lanes of a warp went different ways, as an example, and
 * the sums of all such executions. */
struct split_record {
	struct record record;
	int64_t block, warp;
	struct integer_list ways;   /* of each lane; -1 = inactive lane */
	int64_t lanes, first_lanes; /* sums */
};

/* One access of the source. Members that only the other space has are unknown. */
struct access_record {
	struct record record;
	char *file;
	int64_t line;
	char *text; /* the source line; NULL = unknown */
	int space;  /* enum trace_space */
	int kind;   /* enum trace_kind */
	int64_t width_bytes;
	char *operand; /* NULL: shared memory */
	int64_t requests, bytes_requested, bytes_unique;
	char *pattern;
	double active_lanes; /* mean of the requests */
	double sectors_per_request, lines128_per_request;
	int64_t bytes_moved;
	double efficiency;
	int64_t alignment_bytes;
	int64_t ways;
	double wavefronts_per_request;
	double multiplicity;           /* atomic operations */
	int coalescing;                /* enum access_coalescing */
	struct request_record request; /* not present in older files */
};

struct access_list {
	struct access_record *items;
	size_t count;
};

struct line_record {
	struct record record;
	int64_t line;
	char *text;
	int64_t warp_executions, lanes;
	double simt;
};

struct line_list {
	struct line_record *items;
	size_t count;
};

struct branch_record {
	struct record record;
	int64_t line;
	char *text;
	int64_t executions, divergent;
	struct split_record
		split; /* not present without a divergent execution, and in older files */
};

struct branch_list {
	struct branch_record *items;
	size_t count;
};

struct sampled_record {
	struct record record;
	int64_t blocks, total;
};

/* Bytes of the whole launch. */
struct totals_record {
	struct record record;
	bool estimated;
	double bytes_compulsory;
	double bytes_loaded_requested, bytes_loaded_moved;
	double bytes_stored_requested, bytes_stored_moved;
	double bytes_atomic_requested, bytes_atomic_moved;
};

struct defect_record {
	struct record record;
	int kind;                 /* enum trace_defect_kind */
	int64_t line, other_line; /* -1 = unknown, or there is none */
	char *text;
};

struct defect_list {
	struct defect_record *items;
	size_t count;
};

/* ---- Launch -------------------------------------------------------------------------------- */

struct launch_record {
	struct record record;
	char *kernel;
	int64_t grid[3], block[3];
	int64_t shared_bytes; /* dynamic */
	int64_t index, count; /* index: from 1 */
};

struct occupancy_record {
	struct record record;
	double ratio;
	int64_t blocks, threads, warps;
	unsigned limited_by; /* bit i: enum occupancy_limit i */
	char *target;
};

/* ---- Models and measurement ---------------------------------------------------------------- */

/* Operations per moved byte, for several counts of the bytes; NaN = unknown. */
struct intensity_record {
	struct record record;
	double compulsory; /* each input once, each output once */
	double issued;     /* bytes that the variant's row declares */
	double requested;  /* traced: accesses of global memory by all lanes */
	double loads;      /* traced: loads from global memory alone (exercise 6.4) */
	double moved;      /* traced: whole sectors, without caches */
};

/* The roofs of the target of the models. */
struct target_roofs_record {
	struct record record;
	char *name;
	bool measured; /* false: the reference device's */
	double copy_gbps, fma_gflops, ridge;
};

/* The checklist of six (PMPP 4th ed., Table 6.1). */
enum checklist_item {
	CHECK_OCCUPANCY,
	CHECK_COALESCING,
	CHECK_DIVERGENCE,
	CHECK_TILING,
	CHECK_PRIVATISATION,
	CHECK_COARSENING,
	CHECKLIST_COUNT
};

enum check_state {
	CHECK_UNKNOWN, /* nothing was traced, or the kernel ended early */
	CHECK_NOT_APPLICABLE,
	CHECK_DONE,
	CHECK_OPEN,
	CHECK_STATE_COUNT
};

/* By item and by state; ended by NULL. */
extern const char *const check_item_words[CHECKLIST_COUNT + 1];
extern const char *const check_state_words[CHECK_STATE_COUNT + 1];

struct check_record {
	struct record record;
	int item;   /* enum checklist_item */
	int state;  /* enum check_state */
	char *text; /* the figure that decides the state; NULL = none */
};

struct check_list {
	struct check_record *items;
	size_t count;
};

/* The variant on a device, at the device's own problem size. */
struct measured_record {
	struct record record;
	char *backend, *device, *device_name;
	struct named_list problem;
	char *problem_text;
	double ns, gflops, gbps, fraction_of_roof;
	unsigned flags; /* enum timing_flag */
	int limited_by; /* enum limited_by */
	double attainable_gflops, attainable_gbps;
	int status; /* enum outcome_status */
};

/* The next rung of the ladder: the first variant that builds on this one. */
struct next_record {
	struct record record;
	char *variant, *technique, *idea, *claim;
};

/* ---- Explanations -------------------------------------------------------------------------- */

/* One launch of a variant. The entries of a variant differ in the launch, its trace, its resources
 * and its occupancy only. A lost explanation has the head alone, and status and reason. */
struct explanation_record {
	struct record record;
	char *family, *variant;
	char *label; /* a lost explanation's name; NULL elsewhere */
	char *technique, *idea, *book, *base, *title;
	struct next_record next;
	struct named_list problem;
	char *problem_text, *choices;
	struct named_list macros;
	char *file, *source_sha256;
	int status;   /* enum outcome_status of a lost explanation; WORD_NULL elsewhere */
	char *reason; /* why it is lost; NULL elsewhere */
	char *no_trace;
	struct launch_record launch;
	struct sampled_record sampled;
	bool estimated;
	struct access_list accesses;
	struct line_list lines;
	struct branch_list branches;
	double simt_efficiency;
	int64_t warps, divergent_warps;
	struct totals_record totals;
	struct defect_list defects;
	struct resources_record resources;
	char *no_resources;
	struct occupancy_record occupancy;
	struct intensity_record intensity;
	struct target_roofs_record roofs;
	int limited_by; /* enum limited_by */
	bool limit_predicted;
	char *limit_text;
	struct check_list checklist;
	struct measured_record measured;
	char *no_measurement;
	char *log;
	struct error_record error; /* present where an error lost it */
};

struct explanation_list {
	struct explanation_record *items;
	size_t count;
};

/* Marks the members that only an explained variant has as absent or present. The head of a variant
 * that has not run yet does not have them. */
void explanation_record_set_head_only(struct explanation_record *record, bool head_only);

/* Turns a head into a lost explanation. */
void explanation_record_end(
	struct explanation_record *record, enum outcome_status status, const char *reason);

/* Adds the failures of the variant to the counts: its defects, its status on the device, the status
 * of a lost explanation. Only failed and broken are counted. */
void explanation_record_count(
	const struct explanation_record *record, size_t counts[OUTCOME_CLASS_COUNT]);

/* A file of the schema pmpp-explain/1. */
struct explain_document {
	struct record record;
	char *schema;
	struct tool_record tool;
	struct explanation_list explanations;
};

#define EXPLAIN_SCHEMA "pmpp-explain/1"

extern const struct record_type access_type, line_type, branch_type, defect_type, check_item_type,
	explanation_type, explain_document_type;

#endif
