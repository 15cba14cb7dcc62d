/*
 * The file of the commands `model ...` with --json (schema pmpp-model/1). The models share one
 * type; the keys of the other models are absent.
 * model.def gives units and meanings; docs/result-format.md shows them.
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
	MODEL_BOUNDARY,
	MODEL_WARPS,
	MODEL_REDUCE
};

#define RECORDS "host/record/model.def"
#include "common/records.inc"

/* ---- Memory -------------------------------------------------------------------------------- */

/* The two operands of a product. */
enum model_matrix {
	MATRIX_LEFT,
	MATRIX_RIGHT,
	MATRIX_COUNT
};

extern const char *const model_matrix_words[];

/* The order of the additions of a reduction. */
enum tree_order {
	TREE_INTERLEAVED, /* thread t adds if t is a multiple of 2, 4, 8, ... */
	TREE_SEQUENTIAL,  /* thread t adds if t < half, a quarter, ... of the elements */
	TREE_ORDER_COUNT
};

extern const char *const tree_words[]; /* by enum tree_order */

/* ---- Documents ----------------------------------------------------------------------------- */

#define MODEL_SCHEMA "pmpp-model/1"

#endif
