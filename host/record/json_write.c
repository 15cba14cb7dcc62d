/* Writes records as JSON text, by the tables of fields. */
#include "host/record/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/internal.h"

/* 17 digits keep all bits of any number. For a number that was rounded to 15 decimal digits, 15
 * digits keep all bits and are shorter. */
#define EXACT JSON_REAL_PRECISION(17)
#define ROUNDED JSON_REAL_PRECISION(15)

struct writer {
	const char *bad; /* key of a text that cannot be written; NULL = none */
};

static json_t *object_json(
	const struct record_type *type, const struct record *record, struct writer *writer);

/* ---- Values -------------------------------------------------------------------------------- */

/* JSON cannot represent a text that is not UTF-8. Jansson omits such a text without an error. */
static json_t *string_json(
	const struct record_field *field, const char *text, struct writer *writer)
{
	json_t *value = json_string(text);

	if (!value)
		writer->bad = field->name;
	return value;
}

static void set_key(const struct record_field *field, json_t *object, const char *key,
	json_t *value, struct writer *writer)
{
	if (!key || json_object_set_new(object, key, value) != 0)
		writer->bad = field->name;
}

static json_t *real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const char *text = *(char *const *)member;

	if (text)
		return string_json(field, text, writer);
	if (!(field->nullable || field->omitted))
		writer->bad = field->name;
	return json_null();
}

static json_t *bool_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	(void)field, (void)writer;
	return json_boolean(*(const bool *)member);
}

static json_t *truth_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	enum record_truth truth = *(const enum record_truth *)member;

	(void)field, (void)writer;
	return truth == TRUTH_UNKNOWN ? json_null() : json_boolean(truth == TRUTH_YES);
}

static json_t *integer_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	(void)field, (void)writer;
	return json_integer(*(const int64_t *)member);
}

static json_t *count_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	int64_t count = *(const int64_t *)member;

	(void)field, (void)writer;
	return count >= 0 ? json_integer(count) : json_null();
}

static json_t *number_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	(void)field, (void)writer;
	return real_json(*(const double *)member);
}

static json_t *word_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	int value = *(const int *)member;

	(void)writer;
	return value >= 0 ? json_string(field->words[value]) : json_null();
}

static json_t *words_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	unsigned bits = *(const unsigned *)member;
	json_t *array = json_array();

	(void)writer;
	for (size_t i = 0; field->words[i]; i++)
		if (bits >> i & 1)
			json_array_append_new(array, json_string(field->words[i]));
	return array;
}

static json_t *nested_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const struct record *record = member;

	return record->present ? object_json(field->type, record, writer) : json_null();
}

static json_t *objects_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	struct raw_list list = raw_list_get(member);
	json_t *array = json_array();

	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(array,
			object_json(field->type, raw_list_item(field->type, list, i), writer));
	return array;
}

static json_t *keyed_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	struct raw_list list = raw_list_get(member);
	json_t *object = json_object();

	for (size_t i = 0; i < list.count; i++) {
		void *item = raw_list_item(field->type, list, i);
		const char *key = *text_at(item, field->type->key_offset);
		set_key(field, object, key, object_json(field->type, item, writer), writer);
	}
	return object;
}

static json_t *texts_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const struct text_list *list = member;
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, string_json(field, list->items[i], writer));
	return array;
}

static json_t *numbers_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const struct number_list *list = member;
	json_t *array = json_array();

	(void)field, (void)writer;
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, real_json(list->items[i]));
	return array;
}

static json_t *integers_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const struct integer_list *list = member;
	json_t *array = json_array();

	(void)field, (void)writer;
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_integer(list->items[i]));
	return array;
}

static json_t *named_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const struct named_list *list = member;
	json_t *object = json_object();

	for (size_t i = 0; i < list->count; i++)
		set_key(field, object, list->items[i].name, json_integer(list->items[i].value),
			writer);
	return object;
}

static json_t *triple_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const int64_t *values = member;

	(void)field, (void)writer;
	return json_pack(
		"[I,I,I]", (json_int_t)values[0], (json_int_t)values[1], (json_int_t)values[2]);
}

static json_t *interval_json(
	const struct record_field *field, const void *member, struct writer *writer)
{
	const double *ends = member;

	(void)field, (void)writer;
	return isfinite(ends[0]) && isfinite(ends[1]) ? json_pack("[f,f]", ends[0], ends[1])
						      : json_null();
}

static json_t *(*const encoders[])(
	const struct record_field *field, const void *member, struct writer *writer) = {
	[FIELD_TEXT] = text_json,
	[FIELD_BOOL] = bool_json,
	[FIELD_TRUTH] = truth_json,
	[FIELD_INTEGER] = integer_json,
	[FIELD_COUNT] = count_json,
	[FIELD_NUMBER] = number_json,
	[FIELD_WORD] = word_json,
	[FIELD_WORDS] = words_json,
	[FIELD_OBJECT] = nested_json,
	[FIELD_OBJECTS] = objects_json,
	[FIELD_KEYED] = keyed_json,
	[FIELD_TEXTS] = texts_json,
	[FIELD_NUMBERS] = numbers_json,
	[FIELD_INTEGERS] = integers_json,
	[FIELD_NAMED] = named_json,
	[FIELD_TRIPLE] = triple_json,
	[FIELD_INTERVAL] = interval_json,
};

/* ---- Objects ------------------------------------------------------------------------------- */

static bool is_empty(const json_t *value)
{
	return json_is_null(value) || json_is_false(value) ||
	       (json_is_array(value) && json_array_size(value) == 0) ||
	       (json_is_object(value) && json_object_size(value) == 0);
}

/* Writes the keys of a newer version that the reader kept. Adds its unknown words to the known
 * ones. */
static void add_extra(json_t *object, const struct record *record)
{
	const char *name;
	json_t *value;

	json_object_foreach (extra_json(record), name, value) {
		json_t *known = json_object_get(object, name);
		if (json_is_array(known) && json_is_array(value))
			json_array_extend(known, value);
		else
			json_object_set(object, name, value);
	}
}

static json_t *object_json(
	const struct record_type *type, const struct record *record, struct writer *writer)
{
	json_t *object = json_object();

	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
		const void *member = (const char *)record + field->offset;
		if (record->absent >> i & 1)
			continue;
		json_t *value = encoders[field->kind](field, member, writer);
		if (field->omitted && is_empty(value))
			json_decref(value);
		else
			json_object_set_new(object, field->name, value);
	}
	add_extra(object, record);
	return object;
}

/* ---- Texts ---------------------------------------------------------------------------------- */

static bool put_line(const json_t *value, FILE *out)
{
	return json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY | ROUNDED) == 0;
}

/* Writes a list of objects, one line for each object. */
static bool put_value(const json_t *value, FILE *out)
{
	size_t count = json_array_size(value);
	bool ok = true;

	if (count == 0 || !json_is_object(json_array_get(value, 0)))
		return put_line(value, out);
	for (size_t i = 0; i < count && ok; i++) {
		fputs(i ? ",\n" : "[\n", out);
		ok = put_line(json_array_get(value, i), out);
	}
	fputs("\n]", out);
	return ok;
}

static bool put_key(const char *name, FILE *out)
{
	json_t *key = json_string(name);
	bool ok = key && put_line(key, out);

	json_decref(key);
	fputc(':', out);
	return ok;
}

/* malloc'ed, like the text of json_dumps(). NULL if there is no memory. */
static char *rows_text(json_t *object)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "{\n", *name;
	json_t *value;
	bool ok = out != NULL;

	if (!out)
		return NULL;
	json_object_foreach (object, name, value) {
		fputs(separator, out);
		ok = ok && put_key(name, out) && put_value(value, out);
		separator = ",\n";
	}
	fputs("\n}", out);
	ok = ok && !ferror(out);
	if (fclose(out) == 0 && ok)
		return text;
	free(text);
	return NULL;
}

static char *text_of(json_t *object, enum record_style style)
{
	if (style == RECORD_ROWS)
		return rows_text(object);
	return json_dumps(
		object, (style == RECORD_ONE_LINE ? JSON_COMPACT : JSON_INDENT(1)) | EXACT);
}

enum pmpp_status record_write(const struct record_type *type, const void *record,
	enum record_style style, char **ret_text, struct pmpp_error *error)
{
	struct writer writer = {0};
	enum pmpp_status status = PMPP_OK;
	json_t *object = object_json(type, record, &writer);
	char *text = object ? text_of(object, style) : NULL;
	char *line = NULL;

	if (writer.bad)
		status = PMPP_FAIL(error, PMPP_INTERNAL,
			"%s: the text '%s' was not set or is not UTF-8", type->name, writer.bad);
	else if (!text || asprintf(&line, "%s\n", text) < 0)
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for a %s as JSON", type->name);
	else
		*ret_text = line;
	if (status == PMPP_INTERNAL)
		free(line);
	free(text);
	json_decref(object);
	return status;
}
