#include "host/gpu/fake/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_LENGTH 65536

struct fake_control fake_control;

static struct {
	struct {
		enum fake_slot slot;
		const char *entry; /* NULL: none */
		uint64_t bytes;
	} calls[RECORD_LENGTH];
	uint64_t call_count;
	uint64_t slot_counts[FAKE_SLOT_COUNT];
	uint64_t live;
	char misuse[200];
} record;

static const struct {
	const char *name;
	enum pmpp_status status;
} slots[] = {
#define XX(name, status) {#name, PMPP_##status},
	FAKE_SLOT_MAP(XX)
#undef XX
};

/* ---- Record -------------------------------------------------------------------------------- */

const char *fake_slot_name(enum fake_slot slot)
{
	return (size_t)slot < FAKE_SLOT_COUNT ? slots[slot].name : "none";
}

static enum pmpp_status record_call(
	enum fake_slot slot, const char *entry, uint64_t bytes, struct pmpp_error *error)
{
	enum pmpp_status status = slots[slot].status;
	char call[64];

	if (record.call_count < RECORD_LENGTH) {
		record.calls[record.call_count].slot = slot;
		record.calls[record.call_count].entry = entry;
		record.calls[record.call_count].bytes = bytes;
	}
	record.call_count++;
	record.slot_counts[slot]++;
	if (record.call_count != fake_control.fail_at)
		return PMPP_OK;

	if (fake_control.fail_status != PMPP_OK)
		status = fake_control.fail_status;
	snprintf(call, sizeof call, "fake_%s", slots[slot].name);
	pmpp_error_set_call(error, status, __FILE__, __LINE__, call, -1, "FAKE_FAILED_ON_REQUEST");
	if (status == PMPP_BUILD)
		error->log = strdup("fake.cu:1:1: error: failed on request\n");
	return status;
}

enum pmpp_status fake_record(enum fake_slot slot, struct pmpp_error *error)
{
	return record_call(slot, NULL, 0, error);
}

enum pmpp_status fake_record_bytes(enum fake_slot slot, uint64_t bytes, struct pmpp_error *error)
{
	return record_call(slot, NULL, bytes, error);
}

enum pmpp_status fake_record_entry(enum fake_slot slot, const char *entry, struct pmpp_error *error)
{
	return record_call(slot, entry, 0, error);
}

void fake_count_live(int change)
{
	record.live += (uint64_t)change;
}

void fake_note_misuse(const char *format, ...)
{
	va_list arguments;

	if (record.misuse[0] != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(record.misuse, sizeof record.misuse, format, arguments);
	va_end(arguments);
}

uint64_t fake_call_count(void)
{
	return record.call_count;
}

static bool is_recorded(uint64_t n)
{
	return n >= 1 && n <= record.call_count && n <= RECORD_LENGTH;
}

enum fake_slot fake_call(uint64_t n)
{
	return is_recorded(n) ? record.calls[n - 1].slot : FAKE_SLOT_COUNT;
}

const char *fake_call_entry(uint64_t n)
{
	return is_recorded(n) && record.calls[n - 1].entry ? record.calls[n - 1].entry : "";
}

uint64_t fake_call_bytes(uint64_t n)
{
	return is_recorded(n) ? record.calls[n - 1].bytes : 0;
}

uint64_t fake_slot_count(enum fake_slot slot)
{
	return (size_t)slot < FAKE_SLOT_COUNT ? record.slot_counts[slot] : 0;
}

uint64_t fake_live_count(void)
{
	return record.live;
}

const char *fake_misuse(void)
{
	return record.misuse;
}

/* ---- Control ------------------------------------------------------------------------------- */

void fake_reset(void)
{
	memset(&record, 0, sizeof record);
	fake_control = (struct fake_control){
		.device_count = 1,
		.timer_scale = 1,
		.reason = "the test requests no device",
		.info = {.backend = GPU_BACKEND_FAKE,
			.index = "0",
			.name = "Fake device",
			.vendor = "pmpp",
			.driver = "fake 1",
			.compiler = "none",
			.arch = "fake",
			.uuid = "00000000-0000-0000-0000-00000000fa4e",
			.type = GPU_TYPE_GPU,
			.limits = {.global_bytes = 1ull << 30,
				.max_buffer_bytes = 1ull << 28,
				.max_groups = {INT32_MAX, 65535, 65535},
				.max_block = {1024, 1024, 64},
				.max_block_threads = 1024,
				.shared_bytes = 48 << 10,
				.shared_optin_bytes = 64 << 10,
				.cache_bytes = 1 << 20,
				.compute_units = 2,
				.warp_size = 32,
				.clock_mhz = 1000,
				.buffer_align_bytes = 256,
				.timer_resolution_ns = 1}},
	};
}
