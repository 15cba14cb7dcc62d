/*
 * What the tables of fields say, for people and for other programs: JSON Schema (draft 2020-12)
 * and Markdown. docs/schema/ and docs/result-format.md are made of them; a test compares.
 */
#ifndef PMPP_HOST_RECORD_SCHEMA_H
#define PMPP_HOST_RECORD_SCHEMA_H

#include "host/record/record.h"

/* A kind of file. */
struct document_type {
	const char *schema; /* "pmpp-result/1" */
	const struct record_type *type;
	const char *writer; /* the commands that write it */
};

extern const struct document_type document_types[];
extern const size_t document_type_count;

/* The schema of a kind of file as JSON; malloc'ed, NULL for lack of memory. */
char *schema_text(const struct document_type *document);

/* The whole of docs/result-format.md; malloc'ed, NULL for lack of memory. */
char *schema_markdown(void);

#endif
