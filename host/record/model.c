#include "host/record/model.h"

/* ---- Occupancy ----------------------------------------------------------------------------- */

static const struct record_field occupancy_fields[] = {
	MEMBER(struct occupancy_row, block_threads, INTEGER, 0, "threads", "0.1",
		"threads per block"),
	MEMBER(struct occupancy_row, blocks, INTEGER, 0, "blocks", "0.1",
		"resident blocks per multiprocessor; 0: no block fits"),
	MEMBER(struct occupancy_row, threads, INTEGER, 0, "threads", "0.1",
		"resident threads per multiprocessor"),
	MEMBER(struct occupancy_row, warps, INTEGER, 0, "warps", "0.1",
		"resident warps per multiprocessor"),
	MEMBER(struct occupancy_row, occupancy, NUMBER, 0, "1", "0.1",
		"resident warps / maximum warps per multiprocessor"),
	MEMBER(struct occupancy_row, simd_warps, COUNT, FIELD_OMITTED, "warps", "0.1",
		"resident warps of the fullest SIMD (partition, EU) of the multiprocessor"),
	MEMBER(struct occupancy_row, compiler_warps, COUNT, FIELD_OMITTED, "warps", "0.1",
		"AMD: the figure that LLVM prints as Occupancy, in waves of each SIMD"),
	MEMBER_IN(struct occupancy_row, limited_by, WORDS, 0, occupancy_limit_words, "0.1",
		"resources that limit the number of blocks"),
	MEMBER(struct occupancy_row, cliff_registers, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"smallest number of registers per thread that reduces the resident blocks; null: none"),
	MEMBER(struct occupancy_row, cliff_blocks, COUNT, FIELD_NULLABLE, "blocks", "0.1",
		"resident blocks with cliff_registers; null: none"),
};

static const struct record_type occupancy_row_type = {"occupancy of a block size",
	"resident blocks of one size per multiprocessor", sizeof(struct occupancy_row),
	occupancy_fields, MEMBER_COUNT(occupancy_fields), 0};

void occupancy_row_fill(
	const struct kernel_use *use, const struct occupancy *found, struct occupancy_row *ret_row)
{
	record_init(&occupancy_row_type, ret_row);
	ret_row->block_threads = use->threads;
	ret_row->blocks = found->blocks;
	ret_row->threads = found->threads;
	ret_row->warps = found->warps;
	ret_row->occupancy = found->ratio;
	ret_row->simd_warps = found->warps && !found->simd_warps ? -1 : found->simd_warps;
	ret_row->compiler_warps = found->compiler_warps ? found->compiler_warps : -1;
	ret_row->limited_by = found->limited_by;
	ret_row->cliff_registers = found->cliff_registers ? found->cliff_registers : -1;
	ret_row->cliff_blocks = found->cliff_registers ? found->cliff_blocks : -1;
}

/* ---- Memory -------------------------------------------------------------------------------- */

static const struct record_field bus_fields[] = {
	MEMBER(struct bus_record, latency_ratio, NUMBER, 0, "1", "0.1",
		"access time of a bank / time to transfer one burst"),
	MEMBER(struct bus_record, banks_needed, INTEGER, 0, NULL, "0.1",
		"minimum number of banks that keeps the bus busy"),
	MEMBER(struct bus_record, banks, INTEGER, 0, NULL, "0.1", "banks per channel"),
	MEMBER(struct bus_record, channels, INTEGER, 0, NULL, "0.1", "channels"),
	MEMBER(struct bus_record, busy, NUMBER, 0, "1", "0.1",
		"fraction of time in which the bus of a channel transfers data"),
};

static const struct record_type bus_type = {"bus", "utilisation of the bus of a channel",
	sizeof(struct bus_record), bus_fields, MEMBER_COUNT(bus_fields), 0};

const char *const model_matrix_words[] = {
	[MATRIX_LEFT] = "left", [MATRIX_RIGHT] = "right", [MATRIX_COUNT] = NULL};

static const struct record_field tile_fields[] = {
	MEMBER(struct tile_row, phase, INTEGER, 0, NULL, "0.1",
		"step of the product; in each step all blocks load one tile of each matrix"),
	MEMBER_IN(struct tile_row, matrix, WORD, 0, model_matrix_words, "0.1",
		"operand of the product"),
	MEMBER(struct tile_row, bursts, INTEGER, 0, NULL, "0.1", "number of different bursts"),
	MEMBER(struct tile_row, banks, INTEGER, 0, NULL, "0.1",
		"banks that hold one of the bursts, summed over all channels"),
	MEMBER(struct tile_row, conflicts, INTEGER, 0, "bursts", "0.1",
		"bursts that wait for another burst of the same bank"),
	MEMBER(struct tile_row, channels, INTEGERS, 0, NULL, "0.1",
		"channels that transfer one of the bursts"),
};

static const struct record_type tile_type = {"tile load",
	"banks and channels of the bursts that one step loads", sizeof(struct tile_row),
	tile_fields, MEMBER_COUNT(tile_fields), 0};

/* ---- Boundaries ---------------------------------------------------------------------------- */

static const struct record_field boundary_fields[] = {
	MEMBER(struct boundary_row, size, INTEGERS, 0, "elements", "0.1", "width and height"),
	MEMBER(struct boundary_row, block, INTEGERS, 0, "threads", "0.1",
		"width and height of a block"),
	MEMBER(struct boundary_row, blocks, INTEGERS, 0, "blocks", "0.1",
		"width and height of the grid"),
	MEMBER(struct boundary_row, warps, INTEGER, 0, "warps", "0.1", "warps of the grid"),
	MEMBER(struct boundary_row, diverging, INTEGER, 0, "warps", "0.1",
		"warps with threads on both sides of the boundary"),
	MEMBER(struct boundary_row, on, INTEGER, 0, "warps", "0.1",
		"warps with all threads inside"),
	MEMBER(struct boundary_row, off, INTEGER, 0, "warps", "0.1", "warps with no thread inside"),
};

static const struct record_type boundary_type = {"boundary", "warps at a boundary test",
	sizeof(struct boundary_row), boundary_fields, MEMBER_COUNT(boundary_fields), 0};

/* ---- Documents ----------------------------------------------------------------------------- */

static const char *const model_words[] = {[MODEL_OCCUPANCY] = "occupancy",
	[MODEL_DRAM] = "dram",
	[MODEL_BOUNDARY] = "boundary",
	NULL};

static const struct record_field model_fields[] = {
	MEMBER(struct model_document, schema, TEXT, 0, NULL, "0.1", "name and major version"),
	MEMBER_IN(struct model_document, model, WORD, 0, model_words, "0.1", "the model"),
	MEMBER(struct model_document, cc, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"occupancy: compute capability; null: not from NVIDIA, or the user gave the "
		"figures of the hardware"),
	MEMBER(struct model_document, hardware, TEXT, FIELD_OMITTED, NULL, "0.1",
		"occupancy: name of the model, such as sm_90 or gfx942"),
	MEMBER(struct model_document, unit, TEXT, FIELD_OMITTED, NULL, "0.1",
		"occupancy: what holds the blocks: multiprocessor, compute unit, Xe core"),
	MEMBER(struct model_document, width, COUNT, FIELD_OMITTED, "lanes", "0.1",
		"occupancy: lanes of a warp (wave, sub-group)"),
	MEMBER(struct model_document, registers, INTEGER, FIELD_OPTIONAL, NULL, "0.1",
		"occupancy: registers per thread; 0: not limited"),
	MEMBER(struct model_document, shared_bytes, INTEGER, FIELD_OPTIONAL, "bytes", "0.1",
		"occupancy: shared memory per block"),
	MEMBER(struct model_document, sgprs, COUNT, FIELD_OMITTED, NULL, "0.1",
		"occupancy: scalar registers per wave (AMD); 0: not limited"),
	MEMBER(struct model_document, accvgprs, COUNT, FIELD_OMITTED, NULL, "0.1",
		"occupancy: AccVGPRs per thread (AMD)"),
	MEMBER_OF(struct model_document, result, OBJECT, FIELD_OPTIONAL, occupancy_row_type, "0.1",
		"occupancy: result for the block size of --threads"),
	MEMBER_OF(struct model_document, table, OBJECTS, FIELD_OPTIONAL, occupancy_row_type, "0.1",
		"occupancy: the same kernel in blocks of 32, 64, ... threads"),
	MEMBER_OF(struct model_document, bus, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL, bus_type,
		"0.1", "dram: utilisation of the bus; null: without --latency-ratio"),
	MEMBER_OF(struct model_document, tiles, OBJECTS, FIELD_OPTIONAL, tile_type, "0.1",
		"dram: loads of a tiled matrix product"),
	MEMBER_OF(struct model_document, rows, OBJECTS, FIELD_OPTIONAL, boundary_type, "0.1",
		"boundary: one entry for each size"),
};

const struct record_type model_document_type = {"model", "the figures of a model",
	sizeof(struct model_document), model_fields, MEMBER_COUNT(model_fields), 0};

/* The model that has the key. */
static const struct {
	const char *name;
	enum model_kind kind;
} model_keys[] = {
	{"cc", MODEL_OCCUPANCY},
	{"registers", MODEL_OCCUPANCY},
	{"shared_bytes", MODEL_OCCUPANCY},
	{"result", MODEL_OCCUPANCY},
	{"table", MODEL_OCCUPANCY},
	{"bus", MODEL_DRAM},
	{"tiles", MODEL_DRAM},
	{"rows", MODEL_BOUNDARY},
};

void model_document_init(enum model_kind kind, struct model_document *ret_document)
{
	record_init(&model_document_type, ret_document);
	text_set(&ret_document->schema, MODEL_SCHEMA);
	ret_document->model = kind;
	for (size_t i = 0; i < sizeof model_keys / sizeof *model_keys; i++)
		record_set_absent(&model_document_type, ret_document, model_keys[i].name,
			model_keys[i].kind != kind);
}

static enum pmpp_status stored_or_not(bool stored, struct pmpp_error *error)
{
	return stored ? PMPP_OK : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the model");
}

enum pmpp_status model_add_occupancy(struct model_document *document, const struct kernel_use *use,
	const struct occupancy *found, struct pmpp_error *error)
{
	struct occupancy_row *row = record_list_add(&occupancy_row_type, &document->table);

	if (row)
		occupancy_row_fill(use, found, row);
	return stored_or_not(row, error);
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
