/*
 * The file of the commands `model ...` with --json (schema pmpp-model/1). The models share one
 * type; the keys of the other models are absent.
 * model.def gives units and meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_MODEL_H
#define PMPP_HOST_RECORD_MODEL_H

#include "common/model/boundary.h"
#include "common/model/dram.h"
#include "common/model/lanes.h"
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
extern const char *const tree_words[]; /* by enum tree_order */

/* ---- Documents ----------------------------------------------------------------------------- */

#define MODEL_SCHEMA "pmpp-model/1"

#endif
