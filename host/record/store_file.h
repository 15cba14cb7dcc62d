/*
 * File of many runs (schema pmpp-store/1). `store export` writes it, `store import` reads it.
 */
#ifndef PMPP_HOST_RECORD_STORE_FILE_H
#define PMPP_HOST_RECORD_STORE_FILE_H

#include "host/record/document.h"
#include "host/record/result.h"

struct result_document_list {
	struct result_document *items;
	size_t count;
};

struct store_document {
	struct record record;
	char *schema;
	struct tool_record tool;
	struct result_document_list documents;
};

#define STORE_SCHEMA "pmpp-store/1"

extern const struct record_type store_document_type;

/* Reads a result file, a file of many runs, or a file of one other kind (NULL: none). Initialises
 * *ret_document. For the other kind: *ret_is_other is true, other->ret_record is filled, and
 * *ret_document is untouched. Errors: as document_load(). */
enum pmpp_status store_file_load(const char *path, const struct document_kind *other,
	struct store_document *ret_document, bool *ret_is_other, struct pmpp_error *error);

#endif
