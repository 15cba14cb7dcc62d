/*
 * Records from and to JSON text. Together with schema.c this is the only code that uses a JSON
 * library.
 */
#ifndef PMPP_HOST_RECORD_JSON_H
#define PMPP_HOST_RECORD_JSON_H

#include "host/record/record.h"

/* Limits of a JSON text. The formats need 8 levels. The further levels are for members of newer
 * versions; the limit keeps the indentation of a rewritten file small. Result files with all
 * samples have about one value in 16 bytes. */
#define JSON_MAX_DEPTH 32
#define JSON_MAX_VALUES (32 << 20)

/* A JSON text that was parsed. */
struct json_tree;

/* text and origin must outlive the tree. origin names the text in messages: a file's path. A UTF-8
 * byte order mark at the start is ignored. PMPP_USAGE in one line, with the origin, and the line
 * and the key if they are known: the text is not JSON (RFC 8259) or not UTF-8; it has a key twice
 * in one object, a number that does not fit in int64_t or double, or the character U+0000; it
 * exceeds a limit above; it needs more memory than this process can allocate. */
enum pmpp_status json_tree_create(struct json_tree **ret_tree, const char *text, size_t length,
	const char *origin, struct pmpp_error *error);

void json_tree_destroy(struct json_tree **tree); /* NULL in *tree is allowed */

/* Upper limit of the memory for the tree of a JSON text, in bytes. */
uint64_t json_tree_bytes(const char *text, size_t length);

/* A text member of the object. *ret_text belongs to the tree. PMPP_USAGE: the tree is not an
 * object, or the member is missing or not a text. */
enum pmpp_status json_tree_text(const struct json_tree *tree, const char *key,
	const char **ret_text, struct pmpp_error *error);

/* Reads the object into a record as record_read does. Only destroy the tree afterwards: its lists
 * are consumed. */
enum pmpp_status json_tree_read(struct json_tree *tree, const struct record_type *type,
	void *ret_record, struct pmpp_error *error);

/* Reads a JSON object. origin names the text in messages: a file's path. *ret_record is
 * initialised here and is left untouched on failure. PMPP_USAGE as json_tree_create, and for a
 * missing key, a wrong type, a null that is not allowed, or a FIELD_NAMED with more than
 * RECORD_MAX_NAMES keys: one line with the origin and the key ("a.json:
 * results[3].timing.cold.median: ..."). Keys and words that the table does not have are kept in
 * record.extra. The texts of records are clean (common/clean_text.h). Values are not compared with
 * each other: callers must accept quartiles in any order, and rows of devices that the file does
 * not have. */
enum pmpp_status record_read(const struct record_type *type, const char *text, size_t length,
	const char *origin, void *ret_record, struct pmpp_error *error);

enum record_style {
	RECORD_ONE_LINE, /* for a pipe: one line, ended by a newline */
	RECORD_INDENTED, /* for files: several lines, ended by a newline */
	RECORD_ROWS /* for small files: a line for each key, and for each record of a list of the
		     * outer record. Numbers have 15 significant digits */
};

/* *ret_text is malloc'ed and owned by the caller. PMPP_INTERNAL, with the key, if a required text
 * is NULL, or if a text or a name is not UTF-8. */
enum pmpp_status record_write(const struct record_type *type, const void *record,
	enum record_style style, char **ret_text, struct pmpp_error *error);

#endif
