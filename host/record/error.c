#include "host/record/error.h"

#include <stdio.h>
#include <string.h>

static const char *const status_words[] = {
#define XX(name, text) [PMPP_##name] = text,
	PMPP_STATUS_MAP(XX)
#undef XX
		NULL};

static const struct record_field error_fields[] = {
	MEMBER_IN(struct error_record, status, WORD, 0, status_words, "0.1", "kind of failure"),
	MEMBER(struct error_record, message, TEXT, 0, NULL, "0.1", "error message"),
	MEMBER(struct error_record, call, TEXT, FIELD_OMITTED, NULL, "0.1",
		"driver function that failed"),
	MEMBER(struct error_record, code, INTEGER, 0, NULL, "0.1",
		"code that the function returned; 0: none"),
	MEMBER(struct error_record, symbol, TEXT, FIELD_OMITTED, NULL, "0.1", "name of the code"),
	MEMBER(struct error_record, file, TEXT, FIELD_OMITTED, NULL, "0.1",
		"source file of the program that reported the failure"),
	MEMBER(struct error_record, line, INTEGER, 0, NULL, "0.1", "line of that file"),
	MEMBER(struct error_record, log, TEXT, FIELD_OMITTED, NULL, "0.1",
		"log of the kernel compiler"),
};

const struct record_type error_type = {"error", "a failure and its origin",
	sizeof(struct error_record), error_fields, MEMBER_COUNT(error_fields), 0};

void error_record_set(struct error_record *record, const struct pmpp_error *error)
{
	record->record.present = true;
	record->status = (int)error->status;
	text_set(&record->message, error->message);
	text_set_known(&record->call, error->call);
	record->code = error->code;
	text_set_known(&record->symbol, error->symbol);
	text_set_known(&record->file, error->file);
	record->line = error->line;
	text_set(&record->log, error->log);
}

void error_record_get(const struct error_record *record, struct pmpp_error *ret_error)
{
	enum pmpp_status status =
		record->status >= 0 ? (enum pmpp_status)record->status : PMPP_INTERNAL;

	pmpp_error_set(ret_error, status, text_or_empty(record->file), (int)record->line, "%s",
		text_or_empty(record->message));
	snprintf(ret_error->call, sizeof ret_error->call, "%s", text_or_empty(record->call));
	snprintf(ret_error->symbol, sizeof ret_error->symbol, "%s", text_or_empty(record->symbol));
	ret_error->code = (long)record->code;
	ret_error->log = record->log ? strdup(record->log) : NULL;
}
