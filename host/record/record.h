/*
 * Records: the structs that hold results, and the tables that describe them.
 *
 * A record is a C struct whose first member is `struct record`. A table of fields (struct
 * record_type) gives each member's name in files, its kind, unit and meaning. The table drives the
 * JSON reader and writer (host/record/document.h), the JSON Schema files and docs/result-format.md
 * (tools/schema.h), and the functions below. A record owns its texts and lists.
 */
#ifndef PMPP_HOST_RECORD_RECORD_H
#define PMPP_HOST_RECORD_RECORD_H

#include "common/record.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Tables -------------------------------------------------------------------------------- */

/* Maximum number of keys of a named_list in a file. It is small because every search begins at the
 * first key. */
#define RECORD_MAX_NAMES 256

/* Values of a FIELD_WORD that are not an index into the table of words. */
#define WORD_NULL (-1)    /* null */
#define WORD_UNKNOWN (-2) /* a word of a newer version, kept in record.extra */

enum record_field_kind {
	FIELD_TEXT,     /* char *; NULL is null */
	FIELD_BOOL,     /* bool */
	FIELD_TRUTH,    /* enum record_truth */
	FIELD_INTEGER,  /* int64_t */
	FIELD_COUNT,    /* int64_t; a negative value is null: unknown */
	FIELD_NUMBER,   /* double; NaN and infinities are null: unknown */
	FIELD_WORD,     /* int: an index into words, WORD_NULL or WORD_UNKNOWN */
	FIELD_WORDS,    /* unsigned: bit i is words[i]; an array of words */
	FIELD_OBJECT,   /* a record, inline */
	FIELD_OBJECTS,  /* struct { T *items; size_t count; }: an array of records */
	FIELD_KEYED,    /* same struct; an object of objects, named by their key members */
	FIELD_TEXTS,    /* struct text_list */
	FIELD_NUMBERS,  /* struct number_list */
	FIELD_INTEGERS, /* struct integer_list */
	FIELD_NAMED,    /* struct named_list */
	FIELD_TRIPLE,   /* int64_t[3] */
	FIELD_INTERVAL  /* double[2]; null if one of them is not finite */
};

struct record_type;

struct record_field {
	const char *name; /* the key in JSON; NULL ends a table */
	enum record_field_kind kind;
	bool nullable, optional, omitted, is_private;
	size_t offset;                  /* offset of the member in the record */
	const char *unit;               /* such as "ns"; NULL = none */
	const char *meaning;            /* one line */
	const struct record_type *type; /* FIELD_OBJECT, FIELD_OBJECTS, FIELD_KEYED */
	const char *const *words;       /* possible words, ended by NULL: FIELD_WORD, FIELD_WORDS */
};

struct record_type {
	const char *name;    /* such as "result row" */
	const char *meaning; /* one line */
	size_t size;
	const struct record_field *(*fields)(void); /* returns the table; at most 64 fields */
	size_t key_offset; /* FIELD_KEYED: offset of the char * with the name */
};

/* Lists of records: a file NAME.def beside the header has one line for each member. Only this line
 * defines the member: records.inc makes the struct, its list and its table of fields from the file.
 *
 *     RECORD(mismatch, mismatch_record, "mismatch", "the first wrong element")
 *         INTEGER(row, "row of the element")
 *         NUMBER(got, "value in the output; null: not finite", NULLABLE)
 *     END
 *
 * These lines declare struct mismatch_record, struct mismatch_list and mismatch_type. The kinds are those
 * of enum record_field_kind. docs/result-format.md shows meanings, units and words. Options of a field:
 *
 *     UNIT("ns")
 *     NULLABLE    null is a value
 *     OPTIONAL    some objects do not have the key (record.absent)
 *     OMITTED     the key is omitted if the value is null or empty
 *     PRIVATE     contributions do not have the value (host/contribute/contribute.h). Kinds: TEXT,
 *                 TEXTS, COUNT, NUMBER, OBJECT */

#define ARRAY_COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Life ---------------------------------------------------------------------------------- */

/* Makes an empty record that is present. Numbers are NaN, counts -1, words WORD_NULL, texts NULL,
 * lists empty. Nested records are initialised in the same way, but not present. */
void record_init(const struct record_type *type, void *ret_record);

/* Frees the members of the record. The record is then as after record_init(). It may also be all
 * zeros before. */
void record_finish(const struct record_type *type, void *record);

/* Makes a deep copy. Overwrites *ret_record without finishing it. On PMPP_OUT_OF_MEMORY *ret_record
 * is empty. */
enum pmpp_status record_copy(const struct record_type *type, const void *record, void *ret_record,
	struct pmpp_error *error);

/* Moves a record and its members. `from` is then as after record_init(). Overwrites `to` without
 * finishing it. */
void record_move(const struct record_type *type, void *from, void *to);

/* Marks a field as absent from the JSON object, or as part of it. The name must be in the table. */
void record_set_absent(const struct record_type *type, void *record, const char *name, bool absent);

/* Returns the index of a field in the table. The name must be in the table. */
size_t record_field_index(const struct record_type *type, const char *name);

/* For members of private fields: sets the member to its value after record_init(). */
void record_member_clear(const struct record_field *field, void *member);

enum record_truth truth_of(bool value);

/* ---- Filling ------------------------------------------------------------------------------- */

/* The functions clean all texts (common/clean_text.h): bytes that are not UTF-8
 * and control characters become "\xNN".
 *
 * They replace *text. For lack of memory *text becomes NULL, and the writer reports a missing text.
 * text_set_known stores NULL for "": null in files. */
void text_set(char **text, const char *value); /* NULL is allowed */
void text_set_known(char **text, const char *value);
void text_format(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns "" for NULL, for printing and comparing. */
const char *text_or_empty(const char *text);

bool text_equal(const char *a, const char *b); /* NULL equals "" */

/* Appends an initialised record to a list and returns it; NULL if there is no memory. list points
 * to a struct { T *items; size_t count; }. */
void *record_list_add(const struct record_type *type, void *list);

/* Appends a copy of a record. PMPP_OUT_OF_MEMORY is the only error. */
enum pmpp_status record_list_add_copy(
	const struct record_type *type, void *list, const void *record, struct pmpp_error *error);

/* Frees all records of a list. The list is then empty. */
void record_list_clear(const struct record_type *type, void *list);

/* Finishes the records of a list for which keep() returns false, and removes them. */
typedef bool record_keep_fn(void *context, const void *record);
void record_list_keep(
	const struct record_type *type, void *list, record_keep_fn *keep, void *context);

/* Append a value, or set the values. Return false if there is no memory. */
bool text_list_add(struct text_list *list, const char *text);
bool text_list_has(const struct text_list *list, const char *text);
bool number_list_set(struct number_list *list, const double *values, size_t count);
bool integer_list_add(struct integer_list *list, int64_t value);
bool named_list_add(struct named_list *list, const char *name, int64_t value);

/* Appends the values of a list. Returns false if there is no memory. */
bool named_list_append(const struct named_list *from, struct named_list *to);

/* Counts a text: adds 1 to the value of its name. Returns true if it is new. */
bool named_list_count(struct named_list *list, const char *text);

/* Free a list that is not part of a record. */
void text_list_finish(struct text_list *list);
void named_list_finish(struct named_list *list);

/* Returns the value of a name; fallback if the list does not have the name. */
int64_t named_list_get(const struct named_list *list, const char *name, int64_t fallback);

bool named_list_equal(const struct named_list *a, const struct named_list *b);

/* Returns the values in the order of their names; malloc'ed. The names belong to the list. NULL: no memory. */
struct named_value *named_list_sorted(const struct named_list *list);

/* ---- Words --------------------------------------------------------------------------------- */

/* Returns the word of a value of a FIELD_WORD; "" for WORD_NULL and WORD_UNKNOWN. */
const char *word_text(const char *const *words, int value);

/* ---- Visits -------------------------------------------------------------------------------- */

struct record_visitor {
	void *context;
	/* called for each present record, before its members; may be NULL */
	void (*record)(void *context, const struct record_type *type, struct record *record);
	/* called for each member that is not a list of records; may be NULL */
	void (*member)(void *context, const struct record_field *field, void *member);
	/* called for each text of a member, after the member; may be NULL */
	void (*text)(void *context, const struct record_field *field, char **text);
};

/* Visits a record, its members, and the records in it, in the order of the tables. Does not visit
 * absent keys (record.absent). */
void record_walk(
	const struct record_type *type, void *record, const struct record_visitor *visitor);

/* Returns the first key or word of the record that this version does not know; NULL = none. Does
 * not search the records in it. */
const char *record_unknown_key(const struct record *record);

#endif
