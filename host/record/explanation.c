#include "host/record/explanation.h"

/* ---- Models and measurement ---------------------------------------------------------------- */

const char *const check_item_words[] = {
	[CHECK_OCCUPANCY] = "occupancy",
	[CHECK_COALESCING] = "coalescing",
	[CHECK_DIVERGENCE] = "divergence",
	[CHECK_TILING] = "tiling",
	[CHECK_PRIVATISATION] = "privatisation",
	[CHECK_COARSENING] = "coarsening",
	[CHECK_BANKS] = "bank conflicts",
	[CHECKLIST_COUNT] = NULL,
};

const char *const check_state_words[] = {
	[CHECK_UNKNOWN] = "unknown",
	[CHECK_NOT_APPLICABLE] = "not applicable",
	[CHECK_DONE] = "done",
	[CHECK_OPEN] = "open",
	[CHECK_STATE_COUNT] = NULL,
};

/* ---- Explanations -------------------------------------------------------------------------- */

void explanation_record_set_head_only(struct explanation_record *record, bool head_only)
{
	record->record.absent = 0;
	for (size_t i = 0; explanation_type.fields()[i].name && head_only; i++)
		if (explanation_type.fields()[i].optional)
			record->record.absent |= (uint64_t)1 << i;
}

void explanation_record_end(
	struct explanation_record *record, enum outcome_status status, const char *reason)
{
	explanation_record_set_head_only(record, true);
	record->status = (int)status;
	text_set_known(&record->reason, reason);
	text_set_known(&record->no_trace, reason);
}

static void count_class(size_t counts[OUTCOME_CLASS_COUNT], enum outcome_class class)
{
	if (class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN)
		counts[class]++;
}

/* status: status of a record, or WORD_UNKNOWN for a word of a newer version. */
static void count_status(size_t counts[OUTCOME_CLASS_COUNT], int status)
{
	if (status >= 0)
		count_class(counts, outcome_class_of((enum outcome_status)status));
}

void explanation_record_count(
	const struct explanation_record *record, size_t counts[OUTCOME_CLASS_COUNT])
{
	for (size_t i = 0; i < record->defects.count; i++) {
		int kind = record->defects.items[i].kind;
		if (kind >= 0)
			count_class(counts, trace_defect_class((enum trace_defect_kind)kind));
	}
	if (record->measured.record.present)
		count_status(counts, record->measured.status);
	count_status(counts, record->status);
}

#define RECORD_TYPES
#define RECORDS "common/model/trace.def"
#include "common/records.inc"

#define RECORD_TYPES
#define RECORDS "host/record/explanation.def"
#include "common/records.inc"

/* ---- Examples of a trace ------------------------------------------------------------------- */

#define INACTIVE (-1)
#define MAX_OFFSET ((int64_t)1 << 48)
#define MAX_WIDTH_BYTES 16
#define MIN_SECTOR_BYTES 16
#define MIN_BANKS 8        /* >= 5: no two words of an unaligned 16-byte access in one bank */
#define BOUNDARY_BYTES 128 /* a multiple of the lines of all models */

/* ---- To records ---------------------------------------------------------------------------- */

/* Returns the 128-byte boundary at or below the lowest address. */
static uint64_t boundary_of(const struct warp_access *access)
{
	uint64_t lowest = UINT64_MAX;

	for (uint32_t lane = 0; lane < access->model->lanes; lane++)
		if (access->lanes >> lane & 1 && access->address[lane] < lowest)
			lowest = access->address[lane];
	return lowest / BOUNDARY_BYTES * BOUNDARY_BYTES;
}

bool request_record_set(
	struct request_record *record, enum trace_space space, const struct pattern_votes *typical)
{
	const struct warp_access *access = &typical->example;
	const struct access_model *model = access->model;
	char pattern[64];
	bool done = true;

	if (!typical->requests)
		return true;
	uint64_t boundary = boundary_of(access);
	access_pattern_text(&typical->pattern, model, pattern, sizeof pattern);
	record->record.present = true;
	record->block = (int64_t)typical->place.block;
	record->warp = typical->place.warp;
	text_set(&record->pattern, pattern);
	record->requests = (int64_t)typical->requests;
	for (uint32_t lane = 0; lane < model->lanes && done; lane++) {
		bool active = access->lanes >> lane & 1;
		int64_t offset = active ? (int64_t)(access->address[lane] - boundary) : INACTIVE;
		done = integer_list_add(&record->offsets, offset);
		if (done && space == TRACE_SHARED && model->banks)
			done = integer_list_add(&record->banks,
				active ? offset / model->bank_bytes % model->banks : INACTIVE);
	}
	return done;
}

bool split_record_set(struct split_record *record, const struct split_votes *votes,
	const struct access_model *model)
{
	bool done = true;

	if (!votes->executions)
		return true;
	record->record.present = true;
	record->block = (int64_t)votes->place.block;
	record->warp = votes->place.warp;
	record->lanes = (int64_t)votes->lanes;
	record->first_lanes = (int64_t)votes->first_lanes;
	for (uint32_t lane = 0; lane < model->lanes && done; lane++) {
		bool active = votes->example >> lane & 1;
		bool first = votes->first >> lane & 1;
		done = integer_list_add(&record->ways, active ? !first : INACTIVE);
	}
	return done;
}

/* ---- From records -------------------------------------------------------------------------- */

bool request_record_read(const struct access_record *access, const struct access_model *model,
	struct warp_access *ret_access)
{
	const struct request_record *record = &access->request;
	struct warp_access read = {.model = model};

	if (!record->record.present || record->offsets.count != model->lanes ||
		access->width_bytes < 1 || access->width_bytes > MAX_WIDTH_BYTES)
		return false;
	read.width_bytes = (uint32_t)access->width_bytes;
	for (uint32_t lane = 0; lane < model->lanes; lane++) {
		int64_t offset = record->offsets.items[lane];
		if (offset < INACTIVE || offset > MAX_OFFSET)
			return false;
		if (offset == INACTIVE)
			continue;
		read.address[lane] = (uint64_t)offset;
		read.lanes |= (uint64_t)1 << lane;
	}
	if (!read.lanes)
		return false;
	*ret_access = read;
	return true;
}

bool split_record_read(const struct split_record *record, const struct access_model *model,
	uint64_t *ret_lanes, uint64_t *ret_first)
{
	uint64_t lanes = 0;
	uint64_t first = 0;

	if (!record->record.present || record->ways.count != model->lanes)
		return false;
	for (uint32_t lane = 0; lane < model->lanes; lane++) {
		int64_t way = record->ways.items[lane];
		if (way < INACTIVE || way > 1)
			return false;
		lanes |= (uint64_t)(way != INACTIVE) << lane;
		first |= (uint64_t)(way == 0) << lane;
	}
	if (!lanes)
		return false;
	*ret_lanes = lanes;
	*ret_first = first;
	return true;
}

/* ---- The model ----------------------------------------------------------------------------- */

void access_model_record_set(struct access_model_record *record, const struct access_model *model)
{
	if (model == access_model_default())
		return;
	record->record.present = true;
	text_set(&record->name, model->name);
	record->width = model->lanes;
	record->sector_bytes = model->sector_bytes;
	record->line_bytes = model->line_bytes;
	record->banks = model->banks;
	record->bank_bytes = model->bank_bytes;
}

static bool is_power(int64_t value, int64_t min, int64_t max)
{
	return value >= min && value <= max && (value & (value - 1)) == 0;
}

static bool has_valid_banks(const struct access_model_record *record)
{
	bool unknown = record->banks == 0 && record->bank_bytes == 0;

	return unknown ||
	       (is_power(record->banks, MIN_BANKS, MAX_BANKS) && record->bank_bytes == BANK_BYTES);
}

const struct access_model *access_model_record_read(
	const struct access_model_record *record, struct access_model *ret_model)
{
	if (!record->record.present)
		return access_model_default();
	if (!is_power(record->width, MIN_LANES, MAX_LANES) ||
		!is_power(record->line_bytes, MIN_SECTOR_BYTES, MAX_LINE_BYTES) ||
		!is_power(record->sector_bytes, MIN_SECTOR_BYTES, record->line_bytes) ||
		!has_valid_banks(record))
		return NULL;
	const struct access_model *known = access_model_find(text_or_empty(record->name));

	*ret_model = (struct access_model){.name = text_or_empty(record->name),
		.lanes = (uint32_t)record->width,
		.sector_bytes = (uint32_t)record->sector_bytes,
		.line_bytes = (uint32_t)record->line_bytes,
		.banks = (uint32_t)record->banks,
		.bank_bytes = (uint32_t)record->bank_bytes,
		.joins_pairs = known && known->joins_pairs};
	return ret_model;
}
