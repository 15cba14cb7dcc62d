/*
 * The file of `model occupancy`, `model dram` and `model boundary` with --json (schema
 * pmpp-model/1). The three models share one type; the keys of the other models are absent.
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
	MODEL_BOUNDARY
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

/* ---- Documents ----------------------------------------------------------------------------- */

#define MODEL_SCHEMA "pmpp-model/1"

#endif
