/*
 * The tables of fields as JSON Schema (draft 2020-12) and as Markdown. These functions generate
 * docs/schema/ and docs/result-format.md. A test compares the files with the tables.
 */
#ifndef PMPP_TOOLS_SCHEMA_H
#define PMPP_TOOLS_SCHEMA_H

#include "host/record/record.h"

/* A kind of file. */
struct document_type {
	const char *schema; /* "pmpp-result/1" */
	const struct record_type *type;
	const char *writer; /* commands that write it */
};

extern const struct document_type document_types[];
extern const size_t document_type_count;

/* Returns the schema of a kind of file as JSON; malloc'ed, NULL if there is no memory. */
char *schema_text(const struct document_type *document);

/* Returns the text of docs/result-format.md; malloc'ed, NULL if there is no memory. */
char *schema_markdown(void);

#endif
