/* Functions of explanations as records (host/record/explanation.h). */
#include "host/record/document.h"
#include "host/record/explanation.h"
#include "tests/support/records.h"
#include "tests/support/test.h"

/* ---- What is wrong ------------------------------------------------------------------------- */

#define NONE WORD_NULL

/* Words; NONE: the record has none. */
static const struct count_row {
	const char *name;
	int defects[2], measured, ended;
	size_t failed, broken;
} count_rows[] = {
	{"nothing wrong", {NONE, NONE}, NONE, NONE},
	{"no defect", {TRACE_NO_DEFECT, NONE}, NONE, NONE},
	{"race", {TRACE_RACE, NONE}, NONE, NONE, 1},
	{"out of bounds", {TRACE_OUT_OF_BOUNDS, NONE}, NONE, NONE, 1},
	{"uninitialised", {TRACE_UNINITIALISED, NONE}, NONE, NONE, 1},
	{"barrier", {TRACE_BARRIER, NONE}, NONE, NONE, 1},
	{"deadlock", {TRACE_DEADLOCK, NONE}, NONE, NONE, 1},
	{"fault", {TRACE_FAULT, NONE}, NONE, NONE, 0, 1},
	{"runaway", {TRACE_RUNAWAY, NONE}, NONE, NONE, 0, 1},
	{"two defects", {TRACE_RACE, TRACE_RUNAWAY}, NONE, NONE, 1, 1},
	{"unknown defect", {WORD_UNKNOWN, NONE}, NONE, NONE},
	{"measured: ok", {NONE, NONE}, OUTCOME_OK, NONE},
	{"measured: skipped", {NONE, NONE}, OUTCOME_SKIPPED, NONE},
	{"measured: unsupported", {NONE, NONE}, OUTCOME_UNSUPPORTED, NONE},
	{"measured: unverified", {NONE, NONE}, OUTCOME_UNVERIFIED, NONE},
	{"measured: failed", {NONE, NONE}, OUTCOME_FAILED, NONE, 1},
	{"measured: build error", {NONE, NONE}, OUTCOME_BUILD_ERROR, NONE, 0, 1},
	{"measured: unknown", {NONE, NONE}, WORD_UNKNOWN, NONE},
	{"lost: crashed", {NONE, NONE}, NONE, OUTCOME_CRASHED, 0, 1},
	{"lost: timeout", {NONE, NONE}, NONE, OUTCOME_TIMEOUT, 0, 1},
	{"lost: unsupported", {NONE, NONE}, NONE, OUTCOME_UNSUPPORTED},
	{"all of it", {TRACE_RACE, TRACE_FAULT}, OUTCOME_FAILED, OUTCOME_CRASHED, 2, 2},
};

TEST_ROWS(count, count_rows, "count: %s", row->name)
{
	size_t counts[OUTCOME_CLASS_COUNT] = {0};

	TEST_RECORD(explanation_type, struct explanation_record, record);
	for (size_t i = 0; i < 2; i++) {
		if (row->defects[i] == NONE)
			continue;
		struct defect_record *defect = record_list_add(&defect_type, &record.defects);
		SOME(defect);
		defect->kind = row->defects[i];
	}
	record.measured.record.present = row->measured != NONE;
	record.measured.status = row->measured;
	record.status = row->ended;
	explanation_record_count(&record, counts);
	for (size_t i = 0; i < OUTCOME_CLASS_COUNT; i++)
		EQUAL(counts[i], i == OUTCOME_CLASS_FAILED   ? row->failed
				 : i == OUTCOME_CLASS_BROKEN ? row->broken
							     : 0);
}

/* ---- Lost explanations --------------------------------------------------------------------- */

static void fill_head(struct explanation_record *record)
{
	text_set(&record->family, "f");
	text_set(&record->variant, "v");
	text_set(&record->technique, "t");
	text_set(&record->idea, "i");
	text_set(&record->title, "F");
	text_set(&record->problem_text, "n=1");
	text_set(&record->choices, "f32");
}

TEST(lost, "a lost explanation")
{
	struct explanation_record again;

	TEST_RECORD(explanation_type, struct explanation_record, record);
	fill_head(&record);
	explanation_record_end(&record, OUTCOME_CRASHED, "signal 11");
	const char *text = test_record_text(&explanation_type, &record, RECORD_ONE_LINE);
	STRING(text,
		"{\"family\":\"f\",\"variant\":\"v\",\"technique\":\"t\",\"idea\":\"i\","
		"\"title\":\"F\",\"problem_text\":\"n=1\",\"choices\":\"f32\","
		"\"status\":\"crashed\",\"reason\":\"signal 11\",\"no_trace\":\"signal 11\"}\n");
	test_ok(record_read(&explanation_type, text, strlen(text), "text", &again, &test_error));
	STRING(text, test_record_text(&explanation_type, &again, RECORD_ONE_LINE));
	record_finish(&explanation_type, &again);
}

/* A head that a variant fills later has every key again. */
TEST(head_only, "a head")
{
	TEST_RECORD(explanation_type, struct explanation_record, record);
	fill_head(&record);
	explanation_record_set_head_only(&record, true);
	const char *text = test_record_text(&explanation_type, &record, RECORD_ONE_LINE);
	LACKS(text, "\"checklist\"", "\"status\"");
	HAS(text, "\"no_trace\":null");
	explanation_record_set_head_only(&record, false);
	text_set(&record.book, "4th ed.");
	HAS(test_record_text(&explanation_type, &record, RECORD_ONE_LINE), "\"checklist\":[]");
}
