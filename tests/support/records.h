/* Records that are finished at the end of their scope, and records as text. */
#ifndef PMPP_TESTS_SUPPORT_RECORDS_H
#define PMPP_TESTS_SUPPORT_RECORDS_H

#include "host/record/document.h"
#include "host/record/record.h"
#include "tests/support/test.h"

struct scoped_record {
	const struct record_type *type;
	void *record;
};

static inline struct scoped_record scoped_record_begin(const struct record_type *type, void *record)
{
	record_init(type, record);
	return (struct scoped_record){.type = type, .record = record};
}

/* For FINISHED. */
static inline void scoped_record_end(struct scoped_record *scoped)
{
	record_finish(scoped->type, scoped->record);
}

/* Declares a record with record_init(): TEST_RECORD(event_type, struct event, event); */
#define TEST_RECORD(type, structure, name) \
	structure name;                    \
	FINISHED(scoped_record_end)        \
	struct scoped_record name##_scope = scoped_record_begin(&(type), &name)

/* The record as JSON, freed at the end of the row. */
static inline char *test_record_text(
	const struct record_type *type, const void *record, enum record_style style)
{
	char *text = NULL;

	test_ok(record_write(type, record, style, &text, &test_error));
	return test_keep(text);
}

#endif
