/*
 * Reads and writes result files. A file is written completely or not at all.
 */
#ifndef PMPP_HOST_RECORD_DOCUMENT_H
#define PMPP_HOST_RECORD_DOCUMENT_H

#include "host/record/record.h"

/* Maximum size of a file that is read: 35 000 rows with samples, or a million rows without. In the
 * committed files a row with all samples has about 7 kB. */
#define DOCUMENT_MAX_BYTES 256000000

/* A kind of file. */
struct document_kind {
	const struct record_type *type;
	const char *schema; /* "pmpp-result/1" */
	void *ret_record;   /* initialised if the file is of this kind, else untouched */
};

/* Reads a file of one of several kinds. *ret_kind: index of its kind. *ret_bytes: size of the file. Reads
 * a pipe to its end, and waits for its writer.
 *
 * PMPP_USAGE: the file cannot be read, is empty, is a folder, or has more than DOCUMENT_MAX_BYTES;
 * json_tree_create() (host/record/json.h) refuses its text; it has another schema or a newer
 * version; a key is missing, or a value has the wrong type. The message is one line with the file
 * and the key. For a file of no kind, the message is that of the first kind. */
enum pmpp_status document_load(const struct document_kind *kinds, size_t count, const char *path,
	size_t *ret_kind, size_t *ret_bytes, struct pmpp_error *error);

/* Same for a text in memory, of one kind. path: name of the text in messages. */
enum pmpp_status document_parse(const struct record_type *type, const char *schema,
	const char *path, const char *text, size_t length, void *ret_record,
	struct pmpp_error *error);

/* Checks that path can be written. "-" is stdout, which is always accepted. */
enum pmpp_status document_check_path(const char *path, struct pmpp_error *error);

/* Returns true if document_save_text() would replace an existing file. */
bool document_replaces(const char *path);

/* Writes text to path through a temporary file and a rename; to stdout for "-". */
enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error);

/* Same as document_save_text() for a record as indented JSON. *ret_warning (NULL: not wanted):
 * document_size_warning() for the text. */
enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	char **ret_warning, struct pmpp_error *error);

/* Returns a warning if document_load() would refuse a file of this size, else NULL. malloc'ed. */
char *document_size_warning(const char *path, size_t bytes);

/* Records in files of the cache directory (host/io/cache_file.h), of at most 1 MiB. document_cached()
 * returns an initialised record, which the caller finishes: it is empty if there is no usable file.
 * is_sane: rejects a record whose figures are wrong. Failures of both functions are ignored. */
void document_cached(const struct record_type *type, const char *schema, const char *folder,
	const char *name, bool (*is_sane)(const void *record), void *ret_record);
void document_cache(
	const struct record_type *type, const void *record, const char *folder, const char *name);

#endif
