/*
 * Conversion of records from and to JSON text. Only this code and schema.c use a JSON library.
 */
#ifndef PMPP_HOST_RECORD_JSON_H
#define PMPP_HOST_RECORD_JSON_H

#include "host/record/record.h"

#include <stdio.h>

/* Limits of a JSON text. The formats need 8 levels. Newer versions may need more levels, but each
 * level indents a rewritten file further. Result files with all samples have about one value per 16
 * bytes. */
#define JSON_MAX_DEPTH 32
#define JSON_MAX_VALUES (32 << 20)

/* A JSON text and its values. All zeros: none. */
struct json_tree {
	const char *text; /* without a byte order mark */
	size_t length;
	const char *origin;
	struct json_t *root; /* owned */
};

/* Parses a JSON text. *ret_tree is unchanged after an error. text and origin must stay valid while the
 * tree exists. origin: name of the text in messages, such as the path of the file. Ignores a UTF-8 byte
 * order mark at the start.
 *
 * PMPP_USAGE: the text is not JSON (RFC 8259) or not UTF-8; an object has a key twice; a number
 * does not fit in int64_t or double; the text has the character U+0000, exceeds a limit above, or
 * needs more memory than the process can allocate. The message is one line with the origin and, if
 * they are known, the line and the key. */
enum pmpp_status json_tree_create(struct json_tree *ret_tree, const char *text, size_t length,
	const char *origin, struct pmpp_error *error);

void json_tree_destroy(struct json_tree *tree); /* may be all zeros */

/* Returns the maximum memory of the tree of a JSON text, in bytes. */
uint64_t json_tree_bytes(const char *text, size_t length);

/* Returns a text member of the object. *ret_text is owned by the tree. PMPP_USAGE: the tree is not
 * an object, or the member is missing or not a text. */
enum pmpp_status json_tree_text(const struct json_tree *tree, const char *key,
	const char **ret_text, struct pmpp_error *error);

/* Reads the object into a record, like record_read(). It frees parts of the tree: after the call,
 * only json_tree_destroy() is allowed. */
enum pmpp_status json_tree_read(struct json_tree *tree, const struct record_type *type,
	void *ret_record, struct pmpp_error *error);

/* Reads a JSON object into a record. Initialises *ret_record; does not touch it on failure. origin:
 * name of the text in messages, such as the path of the file. Keeps unknown keys and words in
 * record.extra. The texts of the record are clean (common/clean_text.h). Does not compare values
 * with each other: callers must accept quartiles in any order, and rows of devices that the file
 * does not have.
 *
 * PMPP_USAGE: as json_tree_create(), and a missing key, a wrong type, a null that is not allowed,
 * or a FIELD_NAMED with more than RECORD_MAX_NAMES keys. The message is one line with the origin
 * and the key ("a.json: results[3].timing.cold.median: ..."). */
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

#endif
