/*
 * Result files: read and written. A file is written completely or not at all.
 */
#ifndef PMPP_HOST_RECORD_DOCUMENT_H
#define PMPP_HOST_RECORD_DOCUMENT_H

#include "host/record/record.h"

/* Size of the largest file that is read: 35 000 rows with samples, or a million rows without. A row
 * with all samples has about 7 kB (the committed files). */
#define DOCUMENT_MAX_BYTES 256000000

/* Reads a file of a schema ("pmpp-result/1") into *ret_record, initialised here and untouched on
 * failure. PMPP_USAGE in one line with the file and the key: the file cannot be read, is empty, is
 * a folder, has more than DOCUMENT_MAX_BYTES, is refused by json_tree_create (host/record/json.h),
 * has another schema or a newer version of it, lacks a key, or has a value of the wrong type. A
 * pipe is read to its end; the function waits for its writer. */
enum pmpp_status document_load(const struct record_type *type, const char *schema, const char *path,
	void *ret_record, struct pmpp_error *error);

/* As document_load(). *ret_bytes: size of the file. */
enum pmpp_status document_load_sized(const struct record_type *type, const char *schema,
	const char *path, void *ret_record, size_t *ret_bytes, struct pmpp_error *error);

/* The same for a text in memory. path: name of the text in messages. */
enum pmpp_status document_parse(const struct record_type *type, const char *schema,
	const char *path, const char *text, size_t length, void *ret_record,
	struct pmpp_error *error);

/* A kind of file. */
struct document_kind {
	const struct record_type *type;
	const char *schema;
	void *ret_record; /* initialised if the file is of this kind, else untouched */
};

/* Reads a file of one of several kinds. Errors as document_load(); a file of another kind has
 * the error of a wrong file of the first kind. */
enum pmpp_status document_load_kind(const struct document_kind *kinds, size_t count,
	const char *path, size_t *ret_kind, struct pmpp_error *error);

/* Bytes of a schema's name and version, with the ending zero. */
#define DOCUMENT_SCHEMA_BYTES 64

/* The schema that a file names, cut to size, with '?' for bytes that are not visible ASCII. Fails
 * as document_load. */
enum pmpp_status document_read_schema(
	const char *path, char ret_schema[DOCUMENT_SCHEMA_BYTES], struct pmpp_error *error);

/* Checks that path can be written; "-" is stdout and always can. */
enum pmpp_status document_check_path(const char *path, struct pmpp_error *error);

/* true: document_save_text() would replace an existing file. */
bool document_replaces(const char *path);

/* Writes text to path, through a temporary file and a rename, or to stdout for "-". */
enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error);

/* The same for a record as indented JSON. */
enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	struct pmpp_error *error);

/* As document_save(). *ret_warning: document_size_warning() about the text that was written. */
enum pmpp_status document_save_warned(const struct record_type *type, const void *record,
	const char *path, char **ret_warning, struct pmpp_error *error);

/* A warning if document_load() would refuse a file of this size, else NULL; malloc'ed. */
char *document_size_warning(const char *path, size_t bytes);

#endif
