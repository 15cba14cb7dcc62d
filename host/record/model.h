/*
 * The file of `model occupancy`, `model dram` and `model boundary` with --json (schema
 * pmpp-model/1). The three models share one type; the keys of the other models are absent.
 * The tables in model.c give units and meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_MODEL_H
#define PMPP_HOST_RECORD_MODEL_H

#include "common/model/boundary.h"
#include "common/model/dram.h"
#include "common/model/occupancy.h"
#include "host/record/record.h"

enum model_kind {
	MODEL_OCCUPANCY,
	MODEL_DRAM,
	MODEL_BOUNDARY
};

/* ---- Occupancy ----------------------------------------------------------------------------- */

struct occupancy_row {
	struct record record;
	int64_t block_threads;          /* threads per block of the kernel */
	int64_t blocks, threads, warps; /* resident per multiprocessor */
	double occupancy;
	int64_t simd_warps;                    /* of the fullest SIMD */
	int64_t compiler_warps;                /* of a SIMD, as LLVM prints; -1 = not from AMD */
	unsigned limited_by;                   /* bit i: enum occupancy_limit i */
	int64_t cliff_registers, cliff_blocks; /* -1 = no cliff */
};

struct occupancy_row_list {
	struct occupancy_row *items;
	size_t count;
};

/* Initialises *ret_row. */
void occupancy_row_fill(
	const struct kernel_use *use, const struct occupancy *found, struct occupancy_row *ret_row);

/* ---- Memory -------------------------------------------------------------------------------- */

struct bus_record {
	struct record record;
	double latency_ratio;
	int64_t banks_needed, banks, channels;
	double busy; /* fraction of the time, 0 to 1 */
};

/* The two operands of a product. */
enum model_matrix {
	MATRIX_LEFT,
	MATRIX_RIGHT,
	MATRIX_COUNT
};

extern const char *const model_matrix_words[];

struct tile_row {
	struct record record;
	int64_t phase;
	int matrix; /* enum model_matrix */
	int64_t bursts, banks, conflicts;
	struct integer_list channels;
};

struct tile_row_list {
	struct tile_row *items;
	size_t count;
};

/* ---- Boundaries ---------------------------------------------------------------------------- */

struct boundary_row {
	struct record record;
	struct integer_list size, block, blocks; /* x, y */
	int64_t warps, diverging, on, off;
};

struct boundary_row_list {
	struct boundary_row *items;
	size_t count;
};

/* ---- Documents ----------------------------------------------------------------------------- */

struct model_document {
	struct record record;
	char *schema;
	int model; /* enum model_kind */

	/* Occupancy. */
	char *cc;       /* NULL: not from NVIDIA, or hardware given by its figures */
	char *hardware; /* "gfx942"; NULL: given by its figures */
	char *unit;     /* "compute unit" */
	int64_t width;  /* of a warp; -1 = hardware given by its figures */
	int64_t registers, shared_bytes;
	int64_t sgprs, accvgprs; /* -1 = not from AMD */
	struct occupancy_row result;
	struct occupancy_row_list table;

	/* Memory. bus: not present without a latency ratio. */
	struct bus_record bus;
	struct tile_row_list tiles;

	/* Boundaries. */
	struct boundary_row_list rows;
};

#define MODEL_SCHEMA "pmpp-model/1"

extern const struct record_type model_document_type;

/* Makes an empty document of one model. The keys of the other models are absent. */
void model_document_init(enum model_kind kind, struct model_document *ret_document);

/* These functions append a row. */
enum pmpp_status model_add_occupancy(struct model_document *document, const struct kernel_use *use,
	const struct occupancy *found, struct pmpp_error *error);
enum pmpp_status model_add_tile(struct model_document *document, int64_t phase,
	enum model_matrix matrix, const struct dram_load *load, struct pmpp_error *error);
enum pmpp_status model_add_boundary(struct model_document *document,
	const int64_t extent[BOUNDARY_DIMS], const int64_t block[BOUNDARY_DIMS],
	const struct boundary *found, struct pmpp_error *error);

#endif
