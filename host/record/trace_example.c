#include "host/record/trace_example.h"

#define INACTIVE (-1)
#define MAX_OFFSET ((int64_t)1 << 48)
#define MAX_WIDTH_BYTES 16

/* ---- To records ---------------------------------------------------------------------------- */

/* Returns the 128-byte boundary at or below the lowest address. */
static uint64_t boundary_of(const struct warp_access *access)
{
	uint64_t lowest = UINT64_MAX;

	for (int lane = 0; lane < WARP_THREADS; lane++)
		if (access->lanes >> lane & 1 && access->address[lane] < lowest)
			lowest = access->address[lane];
	return lowest / LINE_BYTES * LINE_BYTES;
}

bool request_record_set(
	struct request_record *record, enum trace_space space, const struct pattern_votes *typical)
{
	const struct warp_access *access = &typical->example;
	char pattern[64];
	bool done = true;

	if (!typical->requests)
		return true;
	uint64_t boundary = boundary_of(access);
	access_pattern_text(&typical->pattern, pattern, sizeof pattern);
	record->record.present = true;
	record->block = (int64_t)typical->place.block;
	record->warp = typical->place.warp;
	text_set(&record->pattern, pattern);
	record->requests = (int64_t)typical->requests;
	for (int lane = 0; lane < WARP_THREADS && done; lane++) {
		bool active = access->lanes >> lane & 1;
		int64_t offset = active ? (int64_t)(access->address[lane] - boundary) : INACTIVE;
		done = integer_list_add(&record->offsets, offset);
		if (done && space == TRACE_SHARED)
			done = integer_list_add(
				&record->banks, active ? offset / BANK_BYTES % BANKS : INACTIVE);
	}
	return done;
}

bool split_record_set(struct split_record *record, const struct split_votes *votes)
{
	bool done = true;

	if (!votes->executions)
		return true;
	record->record.present = true;
	record->block = (int64_t)votes->place.block;
	record->warp = votes->place.warp;
	record->lanes = (int64_t)votes->lanes;
	record->first_lanes = (int64_t)votes->first_lanes;
	for (int lane = 0; lane < WARP_THREADS && done; lane++) {
		bool active = votes->example >> lane & 1;
		bool first = votes->first >> lane & 1;
		done = integer_list_add(&record->ways, active ? !first : INACTIVE);
	}
	return done;
}

/* ---- From records -------------------------------------------------------------------------- */

bool request_record_read(const struct access_record *access, struct warp_access *ret_access)
{
	const struct request_record *record = &access->request;
	struct warp_access read = {0};

	if (!record->record.present || record->offsets.count != WARP_THREADS ||
		access->width_bytes < 1 || access->width_bytes > MAX_WIDTH_BYTES)
		return false;
	read.width_bytes = (uint32_t)access->width_bytes;
	for (int lane = 0; lane < WARP_THREADS; lane++) {
		int64_t offset = record->offsets.items[lane];
		if (offset < INACTIVE || offset > MAX_OFFSET)
			return false;
		if (offset == INACTIVE)
			continue;
		read.address[lane] = (uint64_t)offset;
		read.lanes |= 1u << lane;
	}
	if (!read.lanes)
		return false;
	*ret_access = read;
	return true;
}

bool split_record_read(const struct split_record *record, uint32_t *ret_lanes, uint32_t *ret_first)
{
	uint32_t lanes = 0;
	uint32_t first = 0;

	if (!record->record.present || record->ways.count != WARP_THREADS)
		return false;
	for (int lane = 0; lane < WARP_THREADS; lane++) {
		int64_t way = record->ways.items[lane];
		if (way < INACTIVE || way > 1)
			return false;
		lanes |= (uint32_t)(way != INACTIVE) << lane;
		first |= (uint32_t)(way == 0) << lane;
	}
	if (!lanes)
		return false;
	*ret_lanes = lanes;
	*ret_first = first;
	return true;
}
