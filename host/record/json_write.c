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

/* A member, or an element of one. */
struct place {
	const struct record_field *field;
	const void *member;
	const char **bad; /* is set to the key of a text that cannot be written */
};

typedef json_t *encode_fn(const struct place *at);

static json_t *object_json(
	const struct record_type *type, const struct record *record, const char **bad);

/* ---- Values -------------------------------------------------------------------------------- */

static json_t *real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* JSON cannot represent a text that is not UTF-8. Jansson omits such a text without an error. */
static json_t *text_json(const struct place *at)
{
	const char *text = *(char *const *)at->member;
	json_t *value = text ? json_string(text) : json_null();

	if (!value || !(text || at->field->nullable || at->field->omitted))
		*at->bad = at->field->name;
	return value;
}

static json_t *bool_json(const struct place *at)
{
	return json_boolean(*(const bool *)at->member);
}

static json_t *truth_json(const struct place *at)
{
	enum record_truth truth = *(const enum record_truth *)at->member;

	return truth == TRUTH_UNKNOWN ? json_null() : json_boolean(truth == TRUTH_YES);
}

static json_t *integer_json(const struct place *at)
{
	int64_t value = *(const int64_t *)at->member;

	return at->field->kind == FIELD_COUNT && value < 0 ? json_null() : json_integer(value);
}

static json_t *number_json(const struct place *at)
{
	return real_json(*(const double *)at->member);
}

static json_t *word_json(const struct place *at)
{
	int value = *(const int *)at->member;

	return value >= 0 ? json_string(at->field->words[value]) : json_null();
}

static json_t *words_json(const struct place *at)
{
	unsigned bits = *(const unsigned *)at->member;
	json_t *array = json_array();

	for (size_t i = 0; at->field->words[i]; i++)
		if (bits >> i & 1)
			json_array_append_new(array, json_string(at->field->words[i]));
	return array;
}

static json_t *nested_json(const struct place *at)
{
	const struct record *record = at->member;

	return record->present ? object_json(at->field->type, record, at->bad) : json_null();
}

static encode_fn elements_json, interval_json;

static encode_fn *const encoders[] = {
	[FIELD_TEXT] = text_json,
	[FIELD_BOOL] = bool_json,
	[FIELD_TRUTH] = truth_json,
	[FIELD_INTEGER] = integer_json,
	[FIELD_COUNT] = integer_json,
	[FIELD_NUMBER] = number_json,
	[FIELD_WORD] = word_json,
	[FIELD_WORDS] = words_json,
	[FIELD_OBJECT] = nested_json,
	[FIELD_OBJECTS] = elements_json,
	[FIELD_KEYED] = elements_json,
	[FIELD_TEXTS] = elements_json,
	[FIELD_NUMBERS] = elements_json,
	[FIELD_INTEGERS] = elements_json,
	[FIELD_NAMED] = elements_json,
	[FIELD_TRIPLE] = elements_json,
	[FIELD_INTERVAL] = interval_json,
};

static json_t *elements_json(const struct place *at)
{
	const struct record_kind *kind = &record_kinds[at->field->kind];
	const struct elements elements = elements_of(at->field, at->member);
	json_t *list = kind->named ? json_object() : json_array();

	for (size_t i = 0; i < elements.count; i++) {
		const struct place element = {at->field, element_value(&elements, i), at->bad};
		json_t *value = encoders[kind->element](&element);
		if (!kind->named)
			json_array_append_new(list, value);
		else if (json_object_set_new(list, *element_name(&elements, i), value) != 0)
			*at->bad = at->field->name;
	}
	return list;
}

static json_t *interval_json(const struct place *at)
{
	const double *ends = at->member;

	return isfinite(ends[0]) && isfinite(ends[1]) ? elements_json(at) : json_null();
}

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
	const struct record_type *type, const struct record *record, const char **bad)
{
	json_t *object = json_object();

	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		const struct place at = {field, member_of(record, field), bad};
		if (record->absent >> i & 1)
			continue;
		json_t *value = encoders[field->kind](&at);
		if (field->omitted && is_empty(value))
			json_decref(value);
		else
			json_object_set_new(object, field->name, value);
	}
	add_extra(object, record);
	return object;
}

/* ---- Texts ---------------------------------------------------------------------------------- */

/* Splits the text of an object: one line for each key, and one for each object in the lists of the
 * object. malloc'ed; NULL if there is no memory. */
static char *split_rows(const char *line)
{
	char *text = NULL;
	size_t size, depth = 0;
	FILE *out = open_memstream(&text, &size);
	bool quoted = false, rows = false;

	for (const char *c = line; out && *c; c++) {
		bool opens = !quoted && strchr("{[", *c), closes = !quoted && strchr("}]", *c);
		depth += opens;
		if (opens && depth == 2)
			rows = *c == '[' && c[1] == '{';
		bool outer = !quoted && (depth == 1 || (depth == 2 && rows));
		if (closes && outer)
			fputc('\n', out);
		fputc(*c, out);
		if (outer && (opens || *c == ','))
			fputc('\n', out);
		depth -= closes;
		if (*c == '"')
			quoted = !quoted;
		else if (quoted && *c == '\\')
			fputc(*++c, out);
	}
	bool stored = out && !ferror(out);
	if (out && fclose(out) == 0 && stored)
		return text;
	free(text);
	return NULL;
}

static char *text_of(json_t *object, enum record_style style)
{
	if (style != RECORD_ROWS)
		return json_dumps(
			object, (style == RECORD_ONE_LINE ? JSON_COMPACT : JSON_INDENT(1)) | EXACT);
	char *line = json_dumps(object, JSON_COMPACT | ROUNDED);
	char *text = line ? split_rows(line) : NULL;
	free(line);
	return text;
}

enum pmpp_status record_write(const struct record_type *type, const void *record,
	enum record_style style, char **ret_text, struct pmpp_error *error)
{
	const char *bad = NULL;
	enum pmpp_status status = PMPP_OK;
	json_t *object = object_json(type, record, &bad);
	char *text = object ? text_of(object, style) : NULL;
	char *line = NULL;

	if (bad)
		status = PMPP_FAIL(error, PMPP_INTERNAL,
			"%s: the text '%s' was not set or is not UTF-8", type->name, bad);
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

/* ---- Cells ---------------------------------------------------------------------------------- */

static void put_cell(const json_t *value, FILE *out)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.9g", json_real_value(value));
}

void record_put_value(
	const struct record_type *type, const void *record, const char *name, FILE *out)
{
	const struct record_field *field = &type->fields()[record_field_index(type, name)];
	const char *bad = NULL, *separator = "", *key;
	json_t *value = encoders[field->kind](
		       &(struct place){field, member_of(record, field), &bad}),
	       *item;
	size_t i;

	put_cell(value, out);
	json_array_foreach (value, i, item) {
		fputs(separator, out);
		put_cell(item, out);
		separator = " ";
	}
	json_object_foreach (value, key, item) {
		fprintf(out, "%s%s=", separator, key);
		put_cell(item, out);
		separator = " ";
	}
	json_decref(value);
}
