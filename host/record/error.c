#include "host/record/error.h"

#include <stdio.h>
#include <string.h>

static const char *const status_words[] = {
#define XX(name, text) [PMPP_##name] = text,
	PMPP_STATUS_MAP(XX)
#undef XX
		NULL};

#define RECORD_TYPES
#define RECORDS "host/record/error.def"
#include "host/record/records.inc"

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
