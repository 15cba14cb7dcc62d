#include "host/record/model.h"

/* ---- Memory -------------------------------------------------------------------------------- */

const char *const model_matrix_words[] = {
	[MATRIX_LEFT] = "left", [MATRIX_RIGHT] = "right", [MATRIX_COUNT] = NULL};

const char *const tree_words[] = {
	[TREE_INTERLEAVED] = "interleaved", [TREE_SEQUENTIAL] = "sequential", NULL};

/* ---- Documents ----------------------------------------------------------------------------- */

static const char *const model_words[] = {[MODEL_OCCUPANCY] = "occupancy",
	[MODEL_DRAM] = "dram",
	[MODEL_BOUNDARY] = "boundary",
	[MODEL_WARPS] = "warps",
	[MODEL_REDUCE] = "reduce",
	NULL};

#define RECORD_TYPES
#define RECORDS "common/model/occupancy.def"
#include "common/records.inc"

#define RECORD_TYPES
#define RECORDS "host/record/model.def"
#include "common/records.inc"
