/*
 * Records as JSON text, and their files. A file is written completely or not at all.
 */
#ifndef PMPP_HOST_RECORD_DOCUMENT_H
#define PMPP_HOST_RECORD_DOCUMENT_H

#include "host/record/record.h"

#include <stdio.h>

/* ---- JSON text --------------------------------------------------------------------------------- */

/* Limits of a JSON text. The formats need 8 levels. Newer versions may need more levels, but each
 * level indents a rewritten file further. Result files with all samples have about one value per 16
 * bytes. */
#define JSON_MAX_DEPTH 32
#define JSON_MAX_VALUES (32 << 20)

/* Reads a JSON object into a record. Initialises *ret_record; does not touch it on failure. origin:
 * name of the text in messages, such as the path of the file. Keeps unknown keys and words in
 * record.extra. The texts of the record are clean (common/clean_text.h). Does not compare values
 * with each other: callers must accept quartiles in any order, and rows of devices that the file
 * does not have. Ignores a UTF-8 byte order mark at the start.
 *
 * PMPP_USAGE: the text is not JSON (RFC 8259) or not UTF-8; an object has a key twice; a number does not
 * fit in int64_t or double; the text has the character U+0000, exceeds a limit above, or needs more
 * memory than the process can allocate; a key is missing, a type is wrong, a null is not allowed, or a
 * FIELD_NAMED has more than RECORD_MAX_NAMES keys. The message is one line with the origin and, if they
 * are known, the line and the key ("a.json: results[3].timing.cold.median: ..."). */
enum pmpp_status record_read(const struct record_type *type, const char *text, size_t length,
	const char *origin, void *ret_record, struct pmpp_error *error);

enum record_style {
	RECORD_ONE_LINE, /* for a pipe: one line with a newline at its end */
	RECORD_INDENTED, /* for files: several lines with a newline at the end */
	RECORD_ROWS      /* for small files: one line for each key of the outer record, and for each
		     * record of its lists. Numbers have 15 significant digits */
};

/* Writes a record as JSON. *ret_text is malloc'ed and owned by the caller. PMPP_INTERNAL with the
 * key: a required text is NULL, or a text or a name is not UTF-8. */
enum pmpp_status record_write(const struct record_type *type, const void *record,
	enum record_style style, char **ret_text, struct pmpp_error *error);

/* Writes the value of a field as text, for CSV and Markdown tables: numbers with 9 digits, lists separated
 * by blanks, named integers as "m=7 n=5", nothing for null. The name must be in the table. The field
 * must not be a record or a list of records. */
void record_put_value(
	const struct record_type *type, const void *record, const char *name, FILE *out);

/* ---- Files ------------------------------------------------------------------------------------- */

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
 * record_read() refuses its text; it has another schema or a newer
 * version; a key is missing, or a value has the wrong type. The message is one line with the file
 * and the key. For a file of no kind, the message is that of the first kind. */
enum pmpp_status document_load(const struct document_kind *kinds, size_t count, const char *path,
	size_t *ret_kind, size_t *ret_bytes, struct pmpp_error *error);

/* Checks that path can be written. "-" is stdout, which is always accepted. So is NULL: no file. */
enum pmpp_status document_check_path(const char *path, struct pmpp_error *error);

/* Returns true if document_save_text() would replace an existing file. */
bool document_replaces(const char *path);

/* Writes text to path through a temporary file and a rename; to stdout for "-". */
enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error);

/* Same as document_save_text() for a table, which is freed. path NULL: no file. text NULL: there was no
 * memory for the table. */
enum pmpp_status document_save_table(const char *path, char *text, struct pmpp_error *error);

/* Same as document_save_text() for a record as indented JSON. path NULL: no file. *ret_warning (NULL: not
 * wanted): a warning if document_load() would refuse a file of this size, else NULL; malloc'ed. */
enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	char **ret_warning, struct pmpp_error *error);

/* Records in files of the cache directory (host/io/cache_file.h), of at most 1 MiB. document_cached()
 * returns an initialised record, which the caller finishes: it is empty if there is no usable file.
 * is_sane: rejects a record whose figures are wrong. Failures of both functions are ignored. */
void document_cached(const struct record_type *type, const char *schema, const char *folder,
	const char *name, bool (*is_sane)(const void *record), void *ret_record);
void document_cache(
	const struct record_type *type, const void *record, const char *folder, const char *name);

#endif
