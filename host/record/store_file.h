/*
 * File of many runs (schema pmpp-store/1). `store export` writes it, `store import` reads it.
 */
#ifndef PMPP_HOST_RECORD_STORE_FILE_H
#define PMPP_HOST_RECORD_STORE_FILE_H

#include "host/record/document.h"
#include "host/record/result.h"

#define RECORDS "host/record/store_file.def"
#include "host/record/records.inc"

#define STORE_SCHEMA "pmpp-store/1"

/* Reads a result file, a file of many runs, or a file of one other kind (NULL: none). Initialises
 * *ret_document. For the other kind: *ret_is_other is true, other->ret_record is filled, and
 * *ret_document is untouched. Errors: as document_load(). */
enum pmpp_status store_file_load(const char *path, const struct document_kind *other,
	struct store_document *ret_document, bool *ret_is_other, struct pmpp_error *error);

#endif
