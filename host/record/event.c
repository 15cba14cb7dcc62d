#include "host/record/event.h"

static const char *const kind_words[] = {
#define XX(name, text) [EVENT_##name] = text,
	EVENT_MAP(XX)
#undef XX
		NULL};

static const char *const action_words[] = {
	[GROUP_RUN] = "run", [GROUP_VERIFY] = "verify", [GROUP_PARITY] = "parity", NULL};

/* ---- Groups -------------------------------------------------------------------------------- */

static const struct record_field group_row_fields[] = {
	MEMBER(struct group_row, label, TEXT, 0, NULL, "0.1", "variant and values of a sweep"),
	MEMBER(struct group_row, technique, TEXT, 0, NULL, "0.1",
		"optimisation that the variant adds"),
};

const struct record_type group_row_type = {"group row", "a row that a group will have",
	sizeof(struct group_row), group_row_fields, MEMBER_COUNT(group_row_fields), 0};

static const struct record_field group_fields[] = {
	MEMBER(struct group_record, number, INTEGER, 0, NULL, "0.1", "number of the group"),
	MEMBER_IN(struct group_record, action, WORD, 0, action_words, "0.1",
		"what is done with the group's tasks"),
	MEMBER(struct group_record, family, TEXT, 0, NULL, "0.1", "family of the rows"),
	MEMBER(struct group_record, problem, TEXT, 0, NULL, "0.1", "sizes"),
	MEMBER(struct group_record, choices, TEXT, 0, NULL, "0.1", "type, operation and data"),
	MEMBER(struct group_record, device, TEXT, 0, NULL, "0.1", "label of the device"),
	MEMBER(struct group_record, device_name, TEXT, 0, NULL, "0.1", "name of the device"),
	MEMBER(struct group_record, platform, TEXT, FIELD_OMITTED, NULL, "0.1",
		"OpenCL platform of the device"),
	MEMBER(struct group_record, driver, TEXT, 0, NULL, "0.1", "driver of the device"),
	MEMBER(struct group_record, other, TEXT, FIELD_OMITTED, NULL, "0.1",
		"parity: label and name of the second device"),
	MEMBER(struct group_record, gpu, BOOL, 0, NULL, "0.1", "the device is a GPU"),
	MEMBER(struct group_record, peers, BOOL, 0, NULL, "0.1",
		"the rows are compared with libraries"),
	MEMBER(struct group_record, results_only, BOOL, 0, NULL, "0.1",
		"parity: the sides are different devices"),
	MEMBER_OF(struct group_record, rows, OBJECTS, 0, group_row_type, "0.1",
		"the rows that will follow"),
};

const struct record_type group_type = {"group", "rows that belong together",
	sizeof(struct group_record), group_fields, MEMBER_COUNT(group_fields), 0};

/* ---- Events -------------------------------------------------------------------------------- */

static const struct record_field event_fields[] = {
	MEMBER_IN(struct event, kind, WORD, 0, kind_words, "0.1", "kind of event"),
	MEMBER(struct event, task, COUNT, FIELD_OMITTED | FIELD_NULLABLE, NULL, "0.1",
		"number of the task"),
	MEMBER(struct event, label, TEXT, FIELD_OMITTED, NULL, "0.1", "name of task or device"),
	MEMBER(struct event, text, TEXT, FIELD_OMITTED, NULL, "0.1", "message or stage"),
	MEMBER(struct event, position, COUNT, FIELD_OMITTED, NULL, "0.1",
		"number of a started task among the tasks of the job, from 1"),
	MEMBER(struct event, total, COUNT, FIELD_OMITTED, NULL, "0.1",
		"number of tasks of the job"),
	MEMBER(struct event, fenced, BOOL, 0, NULL, "0.1",
		"the task has buffers between unmapped pages"),
	MEMBER_OF(struct event, device, OBJECT, FIELD_OMITTED, device_type, "0.1", "a device"),
	MEMBER_OF(struct event, group, OBJECT, FIELD_OMITTED, group_type, "0.1", "a group"),
	MEMBER_OF(struct event, row, OBJECT, FIELD_OMITTED, result_row_type, "0.1", "a result"),
	MEMBER_OF(struct event, rows, OBJECTS, FIELD_OMITTED, result_row_type, "0.1",
		"the results of a comparison"),
	MEMBER_OF(struct event, parity, OBJECT, FIELD_OMITTED, parity_row_type, "0.1",
		"a comparison of backends"),
	MEMBER_OF(struct event, explanations, OBJECTS, FIELD_OMITTED, explanation_type, "0.1",
		"the explanations of a variant, or the head of one"),
	MEMBER_OF(struct event, error, OBJECT, FIELD_OMITTED, error_type, "0.1", "a failure"),
};

const struct record_type event_type = {"event", "what a job reports while it runs",
	sizeof(struct event), event_fields, MEMBER_COUNT(event_fields), 0};

void event_set_lost(struct event *event, const char *name, const char *reason)
{
	text_format(&event->text, "%s %s is skipped: it cannot be opened: %s",
		text_or_empty(event->label), text_or_empty(name), reason);
}
