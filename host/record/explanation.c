#include "host/record/explanation.h"

#include <math.h>

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

bool explanation_has_warps(const struct explanation_record *entry)
{
	for (size_t i = 0; i < entry->checklist.count; i++)
		if (entry->checklist.items[i].item == CHECK_DIVERGENCE)
			return entry->checklist.items[i].state != CHECK_NOT_APPLICABLE;
	return true;
}

double floors_largest_ns(const struct floors_record *floors)
{
	const double ns[] = {floors->launch, floors->memory, floors->l2, floors->l1, floors->shared,
		floors->compute, floors->tensor};
	double largest = NAN;

	for (size_t i = 0; i < ARRAY_COUNT(ns) && floors->record.present; i++)
		largest = fmax(largest, ns[i]);
	return largest;
}
