/*
 * Explanations: why a variant is fast or slow. A file of the schema pmpp-explain/1 has one entry
 * for each launch. The tables in explanation.c give units and meanings; docs/result-format.md shows
 * them.
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

/* The access model of the trace (common/model/access_model.h). */
struct access_model_record {
	struct record record; /* not present: the default model, or there is no trace */
	char *name;
	int64_t width; /* lanes that run in lockstep */
	int64_t sector_bytes, line_bytes;
	int64_t banks, bank_bytes;
};

/* One request of an access, as an example (common/model/typical.h). */
struct request_record {
	struct record record;
	int64_t block, warp; /* numbers of the block in the grid and of the warp in the block */
	char *pattern;       /* pattern of this request */
	int64_t requests;    /* requests of the access with this pattern */
	struct integer_list offsets; /* for each lane; -1 = inactive lane */
	struct integer_list banks;   /* for each lane, shared memory only */
};

/* One divergent execution of a branch as an example, and sums over all divergent executions. An
 * execution is divergent if lanes of the warp take different ways. */
struct split_record {
	struct record record;
	int64_t block, warp;
	struct integer_list ways;   /* for each lane; -1 = inactive lane */
	int64_t lanes, first_lanes; /* sums over all divergent executions */
};

/* One access in the source. Members that its memory space does not have are unknown. */
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
	double active_lanes; /* mean over the requests */
	double sectors_per_request, lines128_per_request;
	int64_t bytes_moved;
	double efficiency;
	int64_t alignment_bytes;
	int64_t ways;
	double wavefronts_per_request;
	double multiplicity;           /* atomic operations only */
	int coalescing;                /* enum access_coalescing */
	struct request_record request; /* not present: an older file */
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
	struct split_record split; /* not present: no divergent execution, or an older file */
};

struct branch_list {
	struct branch_record *items;
	size_t count;
};

struct sampled_record {
	struct record record;
	int64_t blocks, total;
	bool in_part;
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
	int64_t line, other_line; /* -1 = unknown or none */
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
	int64_t shared_bytes; /* dynamic shared memory per block */
	int64_t index, count; /* index counts from 1 */
};

struct occupancy_record {
	struct record record;
	double ratio;
	int64_t blocks, threads, warps;
	unsigned limited_by;                /* bit i: enum occupancy_limit i */
	char *unit, *simd;                  /* "compute unit", "SIMD"; NULL: a multiprocessor */
	int64_t simd_warps, compiler_warps; /* -1 = a multiprocessor; not from AMD */
	char *target;
};

/* ---- Models and measurement ---------------------------------------------------------------- */

/* Operations per byte, for several counts of the bytes; NaN = unknown. */
struct intensity_record {
	struct record record;
	double compulsory; /* each input and each output counts once */
	double issued;     /* bytes that the variant declares */
	double requested;  /* traced: bytes that all lanes access in global memory */
	double loads;      /* traced: only the loads from global memory (exercise 6.4) */
	double moved;      /* traced: whole sectors; caches are ignored */
};

/* Roofs of the modelled hardware. */
struct target_roofs_record {
	struct record record;
	char *name;
	bool measured; /* false: roofs of the reference device */
	double copy_gbps, fma_gflops, ridge;
};

/* The checklist: the items of PMPP 4th ed., Table 6.1, and bank conflicts. */
enum checklist_item {
	CHECK_OCCUPANCY,
	CHECK_COALESCING,
	CHECK_DIVERGENCE,
	CHECK_TILING,
	CHECK_PRIVATISATION,
	CHECK_COARSENING,
	CHECK_BANKS, /* not in the table */
	CHECKLIST_COUNT
};

enum check_state {
	CHECK_UNKNOWN, /* nothing was traced, or the kernel ended early */
	CHECK_NOT_APPLICABLE,
	CHECK_DONE,
	CHECK_OPEN,
	CHECK_STATE_COUNT
};

/* Words of enum checklist_item and enum check_state; NULL ends each list. */
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

/* Measurement of the variant on a device, at a problem size for this device. */
struct measured_record {
	struct record record;
	char *backend, *device, *device_name;
	struct named_list problem;
	char *problem_text;
	double ns, gflops, gbps, fraction_of_roof;
	unsigned flags; /* enum timing_flag */
	char *load;     /* other programs use the CPU; NULL: no */
	int limited_by; /* enum limited_by */
	double attainable_gflops, attainable_gbps;
	int status; /* enum outcome_status */
};

/* Next rung of the ladder: the first variant that builds on this one. */
struct next_record {
	struct record record;
	char *variant, *technique, *idea, *claim;
};

/* ---- Explanations -------------------------------------------------------------------------- */

/* Explanation of one launch of a variant. The entries of a variant differ only in the launch, its
 * trace, its resources and its occupancy. A lost explanation has only the head, the status and the
 * reason. */
struct explanation_record {
	struct record record;
	char *family, *variant;
	char *label; /* name of a lost explanation, else NULL */
	char *technique, *idea, *book, *base, *title;
	bool own_kernel; /* of the user (--kernel-dir): no book, base, next, floors */
	struct next_record next;
	struct named_list problem;
	char *problem_text, *choices;
	struct named_list macros;
	char *fallback; /* of the measured row; NULL: none */
	char *file, *source_sha256;
	int status;   /* enum outcome_status of a lost explanation, else WORD_NULL */
	char *reason; /* reason of a lost explanation, else NULL */
	char *no_trace;
	char *traced; /* the emulator; NULL: no trace, or a file of an older version */
	struct launch_record launch;
	struct access_model_record model;
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
	struct error_record error; /* present if an error is the reason */
};

struct explanation_list {
	struct explanation_record *items;
	size_t count;
};

/* head_only = true: marks the members that only an explained variant has as absent. A variant that
 * has not run yet has only the head. false: marks them as present. */
void explanation_record_set_head_only(struct explanation_record *record, bool head_only);

/* Makes a head a lost explanation. */
void explanation_record_end(
	struct explanation_record *record, enum outcome_status status, const char *reason);

/* Adds the failures of the variant to the counts: its defects, its status on the device, and the
 * status of a lost explanation. Counts only the classes failed and broken. */
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
