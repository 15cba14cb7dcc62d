#include "host/record/model.h"

/* ---- Memory -------------------------------------------------------------------------------- */

const char *const model_matrix_words[] = {
	[MATRIX_LEFT] = "left", [MATRIX_RIGHT] = "right", [MATRIX_COUNT] = NULL};

/* ---- Documents ----------------------------------------------------------------------------- */

static const char *const model_words[] = {[MODEL_OCCUPANCY] = "occupancy",
	[MODEL_DRAM] = "dram",
	[MODEL_BOUNDARY] = "boundary",
	NULL};

#define RECORD_TYPES
#define RECORDS "common/model/occupancy.def"
#include "common/records.inc"

#define RECORD_TYPES
#define RECORDS "host/record/model.def"
#include "common/records.inc"

void model_document_init(enum model_kind kind, struct model_document *ret_document)
{
	record_init(&model_document_type, ret_document);
	text_set(&ret_document->schema, MODEL_SCHEMA);
	ret_document->model = kind;
}

static enum pmpp_status stored_or_not(bool stored, struct pmpp_error *error)
{
	return stored ? PMPP_OK : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the model");
}

enum pmpp_status model_add_tile(struct model_document *document, int64_t phase,
	enum model_matrix matrix, const struct dram_load *load, struct pmpp_error *error)
{
	struct tile_row *row = record_list_add(&tile_type, &document->tiles);
	bool stored = row != NULL;

	if (stored) {
		row->phase = phase;
		row->matrix = matrix;
		row->bursts = load->bursts;
		row->banks = load->banks;
		row->conflicts = load->conflicts;
	}
	for (int i = 0; i < DRAM_MAX_CHANNELS && stored; i++)
		if (load->channels >> i & 1)
			stored = integer_list_add(&row->channels, i);
	return stored_or_not(stored, error);
}

enum pmpp_status model_add_boundary(struct model_document *document,
	const int64_t extent[BOUNDARY_DIMS], const int64_t block[BOUNDARY_DIMS],
	const struct boundary *found, struct pmpp_error *error)
{
	struct boundary_row *row = record_list_add(&boundary_type, &document->rows);
	bool stored = row != NULL;

	if (stored) {
		row->warps = found->warps;
		row->diverging = found->diverging;
		row->on = found->on;
		row->off = found->off;
	}
	for (int i = 0; i < BOUNDARY_DIMS && stored; i++)
		stored = integer_list_add(&row->size, extent[i]) &&
			 integer_list_add(&row->block, block[i]) &&
			 integer_list_add(&row->blocks, found->blocks[i]);
	return stored_or_not(stored, error);
}
