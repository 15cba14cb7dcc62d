/* Reads JSON trees into records, by the tables of fields. */
#include "host/record/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clean_text.h"
#include "host/record/internal.h"

struct reader {
	const char *origin;
	struct pmpp_error *error;
	char path[240]; /* path of the current value: "results[3].timing" */
	size_t used;
};

typedef enum pmpp_status decode_fn(
	struct reader *reader, const struct record_field *field, json_t *value, void *member);

static enum pmpp_status read_object(
	struct reader *reader, const struct record_type *type, json_t *object, void *record);

/* ---- Paths --------------------------------------------------------------------------------- */

/* Extends the path. Returns the old length, for path_leave(). */
static size_t path_enter(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static size_t path_enter(struct reader *reader, const char *format, ...)
{
	size_t before = reader->used;
	size_t room = sizeof reader->path - before;
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(reader->path + before, room, format, arguments);
	va_end(arguments);
	if (length > 0)
		reader->used = before + ((size_t)length < room ? (size_t)length : room - 1);
	return before;
}

static void path_leave(struct reader *reader, size_t before)
{
	reader->used = before;
	reader->path[before] = '\0';
}

static const char *type_words(const json_t *value)
{
	static const char *const words[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a text",
		[JSON_INTEGER] = "an integer",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};
	return words[json_typeof(value)];
}

static enum pmpp_status wrong_type(struct reader *reader, const json_t *value, const char *expected)
{
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: %s is %s; expected %s", reader->origin,
		*reader->path ? reader->path : "the document", type_words(value), expected);
}

static enum pmpp_status missing(struct reader *reader)
{
	return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: the key '%s' is missing", reader->origin,
		reader->path);
}

static enum pmpp_status no_memory(struct reader *reader)
{
	return PMPP_FAIL(reader->error, PMPP_OUT_OF_MEMORY, "%s: no memory for %s", reader->origin,
		reader->path);
}

/* ---- Values -------------------------------------------------------------------------------- */

static enum pmpp_status read_text(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_string(value))
		return wrong_type(reader, value, "a text");
	text_set((char **)member, json_string_value(value));
	return *(char **)member ? PMPP_OK : no_memory(reader);
}

static enum pmpp_status read_bool(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_boolean(value))
		return wrong_type(reader, value, "true or false");
	*(bool *)member = json_is_true(value);
	return PMPP_OK;
}

static enum pmpp_status read_truth(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_boolean(value))
		return wrong_type(reader, value, "true, false or null");
	*(enum record_truth *)member = truth_of(json_is_true(value));
	return PMPP_OK;
}

/* Accepts a real number without a fraction as an integer. */
static bool integer_of(const json_t *value, int64_t *ret_integer)
{
	double real = json_real_value(value);

	if (json_is_integer(value)) {
		*ret_integer = json_integer_value(value);
		return true;
	}
	if (!json_is_real(value) || real != floor(real) || fabs(real) > 0x1p53)
		return false;
	*ret_integer = (int64_t)real;
	return true;
}

static enum pmpp_status read_integer(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	int64_t integer;

	if (!integer_of(value, &integer))
		return wrong_type(reader, value, "an integer");
	if (field->kind == FIELD_COUNT && integer < 0)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: %s is %lld; expected 0 or more",
			reader->origin, reader->path, (long long)integer);
	*(int64_t *)member = integer;
	return PMPP_OK;
}

static enum pmpp_status read_number(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_number(value))
		return wrong_type(reader, value, "a number");
	*(double *)member = json_number_value(value);
	return PMPP_OK;
}

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return WORD_UNKNOWN;
}

/* The record that has the member. */
static struct record *head_of(const struct record_field *field, void *member)
{
	return (struct record *)(void *)((char *)member - field->offset);
}

static enum pmpp_status read_word(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	if (!json_is_string(value))
		return wrong_type(reader, value, "a text");
	*(int *)member = find_word(field->words, json_string_value(value));
	if (*(int *)member == WORD_UNKNOWN &&
		!extra_add(head_of(field, member), field->name, json_incref(value)))
		return no_memory(reader);
	return PMPP_OK;
}

static enum pmpp_status read_words(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	json_t *unknown = NULL;
	json_t *item;
	size_t i;

	if (!json_is_array(value))
		return wrong_type(reader, value, "an array of texts");
	json_array_foreach (value, i, item) {
		if (!json_is_string(item)) {
			json_decref(unknown);
			return wrong_type(reader, item, "a text");
		}
		int word = find_word(field->words, json_string_value(item));
		if (word >= 0) {
			*(unsigned *)member |= 1u << word;
			continue;
		}
		unknown = unknown ? unknown : json_array();
		json_array_append(unknown, item);
	}
	if (unknown && !extra_add(head_of(field, member), field->name, unknown))
		return no_memory(reader);
	return PMPP_OK;
}

/* Reads a key that is a name, not a field. Cleaning could make two different names equal. Therefore
 * a name that is not clean is refused. */
static enum pmpp_status check_name(struct reader *reader, const char *name)
{
	char *clean = clean_text_copy(name, strlen(name), CLEAN_LINE);
	bool same = clean && strcmp(clean, name) == 0;
	bool stored = clean != NULL;

	free(clean);
	if (!stored)
		return no_memory(reader);
	return same ? PMPP_OK
		    : PMPP_FAIL(reader->error, PMPP_USAGE,
			      "%s: %s: the name has control characters: remove them",
			      reader->origin, reader->path);
}

/* ---- Records inside records ---------------------------------------------------------------- */

static enum pmpp_status read_nested(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	((struct record *)member)->present = true;
	return read_object(reader, field->type, value, member);
}

static enum pmpp_status read_objects(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	enum pmpp_status status = PMPP_OK;
	json_t *item;
	size_t i;

	if (!json_is_array(value))
		return wrong_type(reader, value, "an array");
	json_array_foreach (value, i, item) {
		size_t before = path_enter(reader, "[%zu]", i);
		void *record = record_list_add(field->type, member);
		status =
			record ? read_object(reader, field->type, item, record) : no_memory(reader);
		if (status != PMPP_OK)
			return status;
		path_leave(reader, before);
		/* Each tree is freed as soon as it is read, so that a long list needs less
		 * memory. */
		json_array_set_new(value, i, json_null());
	}
	return PMPP_OK;
}

static enum pmpp_status read_keyed(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	enum pmpp_status status = PMPP_OK;
	const char *name;
	json_t *item;

	if (!json_is_object(value))
		return wrong_type(reader, value, "an object");
	json_object_foreach (value, name, item) {
		size_t before = path_enter(reader, ".%s", name);
		status = check_name(reader, name);
		if (status != PMPP_OK)
			return status;
		void *record = record_list_add(field->type, member);
		if (!record)
			return no_memory(reader);
		char **key = text_at(record, field->type->key_offset);
		text_set(key, name);
		if (!*key)
			return no_memory(reader);
		status = read_object(reader, field->type, item, record);
		if (status != PMPP_OK)
			return status;
		path_leave(reader, before);
	}
	return PMPP_OK;
}

/* ---- Lists --------------------------------------------------------------------------------- */

static enum pmpp_status read_texts(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	json_t *item;
	size_t i;

	(void)field;
	if (!json_is_array(value))
		return wrong_type(reader, value, "an array of texts");
	json_array_foreach (value, i, item) {
		if (!json_is_string(item))
			return wrong_type(reader, item, "a text");
		if (!text_list_add(member, json_string_value(item)))
			return no_memory(reader);
	}
	return PMPP_OK;
}

static enum pmpp_status read_numbers(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	size_t count = json_array_size(value);
	struct number_list *list = member;

	(void)field;
	if (!json_is_array(value))
		return wrong_type(reader, value, "an array of numbers");
	list->items = count ? malloc(count * sizeof *list->items) : NULL;
	if (count && !list->items)
		return no_memory(reader);
	for (list->count = 0; list->count < count; list->count++) {
		json_t *item = json_array_get(value, list->count);
		if (!json_is_number(item) && !json_is_null(item))
			return wrong_type(reader, item, "a number");
		list->items[list->count] = json_is_null(item) ? NAN : json_number_value(item);
	}
	return PMPP_OK;
}

static enum pmpp_status read_integers(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	json_t *item;
	int64_t integer;
	size_t i;

	(void)field;
	if (!json_is_array(value))
		return wrong_type(reader, value, "an array of integers");
	json_array_foreach (value, i, item) {
		if (!integer_of(item, &integer))
			return wrong_type(reader, item, "an integer");
		if (!integer_list_add(member, integer))
			return no_memory(reader);
	}
	return PMPP_OK;
}

static enum pmpp_status read_named(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	const char *name;
	json_t *item;
	int64_t integer;

	(void)field;
	if (!json_is_object(value))
		return wrong_type(reader, value, "an object of integers");
	if (json_object_size(value) > RECORD_MAX_NAMES)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s: %s has %zu keys; the limit is %d",
			reader->origin, reader->path, json_object_size(value), RECORD_MAX_NAMES);
	json_object_foreach (value, name, item) {
		size_t before = path_enter(reader, ".%s", name);
		enum pmpp_status status = check_name(reader, name);
		if (status != PMPP_OK)
			return status;
		if (!integer_of(item, &integer))
			return wrong_type(reader, item, "an integer");
		if (!named_list_add(member, name, integer))
			return no_memory(reader);
		path_leave(reader, before);
	}
	return PMPP_OK;
}

static enum pmpp_status read_triple(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_array(value) || json_array_size(value) != 3)
		return wrong_type(reader, value, "an array of 3 integers");
	for (size_t i = 0; i < 3; i++) {
		json_t *item = json_array_get(value, i);
		if (!integer_of(item, &((int64_t *)member)[i]))
			return wrong_type(reader, item, "an integer");
	}
	return PMPP_OK;
}

static enum pmpp_status read_interval(
	struct reader *reader, const struct record_field *field, json_t *value, void *member)
{
	(void)field;
	if (!json_is_array(value) || json_array_size(value) != 2)
		return wrong_type(reader, value, "an array of 2 numbers");
	for (size_t i = 0; i < 2; i++) {
		json_t *item = json_array_get(value, i);
		if (!json_is_number(item))
			return wrong_type(reader, item, "a number");
		((double *)member)[i] = json_number_value(item);
	}
	return PMPP_OK;
}

static decode_fn *const decoders[] = {
	[FIELD_TEXT] = read_text,
	[FIELD_BOOL] = read_bool,
	[FIELD_TRUTH] = read_truth,
	[FIELD_INTEGER] = read_integer,
	[FIELD_COUNT] = read_integer,
	[FIELD_NUMBER] = read_number,
	[FIELD_WORD] = read_word,
	[FIELD_WORDS] = read_words,
	[FIELD_OBJECT] = read_nested,
	[FIELD_OBJECTS] = read_objects,
	[FIELD_KEYED] = read_keyed,
	[FIELD_TEXTS] = read_texts,
	[FIELD_NUMBERS] = read_numbers,
	[FIELD_INTEGERS] = read_integers,
	[FIELD_NAMED] = read_named,
	[FIELD_TRIPLE] = read_triple,
	[FIELD_INTERVAL] = read_interval,
};

/* ---- Objects ------------------------------------------------------------------------------- */

static enum pmpp_status read_field(struct reader *reader, const struct record_type *type,
	size_t index, json_t *object, void *record)
{
	const struct record_field *field = &type->fields[index];
	json_t *value = json_object_get(object, field->name);
	struct record *head = record;
	enum pmpp_status status = PMPP_OK;
	size_t before = path_enter(reader, *reader->path ? ".%s" : "%s", field->name);

	if (!value && field->optional)
		head->absent |= (uint64_t)1 << index;
	else if (!value && !field->omitted)
		return missing(reader);
	else if (value && !(json_is_null(value) && field->nullable))
		status =
			decoders[field->kind](reader, field, value, (char *)record + field->offset);
	if (status == PMPP_OK)
		path_leave(reader, before);
	return status;
}

static enum pmpp_status keep_extra(
	struct reader *reader, const struct record_type *type, json_t *object, void *record)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (type->fields[record_field_index(type, name)].name)
			continue;
		if (!extra_add(record, name, json_incref(value)))
			return no_memory(reader);
	}
	return PMPP_OK;
}

/* record is initialised. */
static enum pmpp_status read_object(
	struct reader *reader, const struct record_type *type, json_t *object, void *record)
{
	enum pmpp_status status = PMPP_OK;

	if (!json_is_object(object))
		return wrong_type(reader, object, "an object");
	for (size_t i = 0; type->fields[i].name && status == PMPP_OK; i++)
		status = read_field(reader, type, i, object, record);
	return status == PMPP_OK ? keep_extra(reader, type, object, record) : status;
}

/* ---- Documents ----------------------------------------------------------------------------- */

enum pmpp_status json_tree_text(const struct json_tree *tree, const char *key,
	const char **ret_text, struct pmpp_error *error)
{
	struct reader reader = {.origin = tree->origin, .error = error};

	if (!json_is_object(tree->root))
		return wrong_type(&reader, tree->root, "an object");
	json_t *value = json_object_get(tree->root, key);
	path_enter(&reader, "%s", key);
	if (!value)
		return missing(&reader);
	if (!json_is_string(value))
		return wrong_type(&reader, value, "a text");
	*ret_text = json_string_value(value);
	return PMPP_OK;
}

enum pmpp_status json_tree_read(struct json_tree *tree, const struct record_type *type,
	void *ret_record, struct pmpp_error *error)
{
	struct reader reader = {.origin = tree->origin, .error = error};
	void *record = malloc(type->size);

	if (!record)
		return no_memory(&reader);
	record_init(type, record);
	enum pmpp_status status = read_object(&reader, type, tree->root, record);
	if (status == PMPP_OK)
		memcpy(ret_record, record, type->size);
	else
		record_finish(type, record);
	free(record);
	return status;
}

enum pmpp_status record_read(const struct record_type *type, const char *text, size_t length,
	const char *origin, void *ret_record, struct pmpp_error *error)
{
	struct json_tree *tree = NULL;
	enum pmpp_status status = json_tree_create(&tree, text, length, origin, error);

	if (status == PMPP_OK)
		status = json_tree_read(tree, type, ret_record, error);
	json_tree_destroy(&tree);
	return status;
}
