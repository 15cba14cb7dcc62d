/*
 * Records from and to JSON text. Together with schema.c this is the only code that uses a JSON
 * library.
 */
#ifndef PMPP_HOST_RECORD_JSON_H
#define PMPP_HOST_RECORD_JSON_H

#include "host/record/record.h"

/* Reads a JSON object. origin names the text in messages: a file's path. *ret_record is
 * initialised here and is left untouched on failure. PMPP_USAGE for a text that is not JSON (or is
 * nested too deeply), a missing key, a wrong type, a null that is not allowed: one line with the
 * origin and the key ("a.json: results[3].timing.cold.median: ..."). Keys and words that the table
 * does not have are kept in record.extra. */
enum pmpp_status record_read(const struct record_type *type, const char *text, size_t length,
	const char *origin, void *ret_record, struct pmpp_error *error);

enum record_style {
	RECORD_ONE_LINE, /* for a pipe: one line, ended by a newline */
	RECORD_INDENTED  /* for files: several lines, ended by a newline */
};

/* *ret_text is malloc'ed and owned by the caller. PMPP_INTERNAL, with the key, if a required text
 * is NULL, or if a text or a name is not UTF-8. */
enum pmpp_status record_write(const struct record_type *type, const void *record,
	enum record_style style, char **ret_text, struct pmpp_error *error);

#endif
