/* Reads JSON trees into records, by the tables of fields. */
#include "host/record/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/internal.h"

struct reader {
	const char *origin;
	struct pmpp_error *error;
};

/* A value of the tree, and the member that it fills. */
struct place {
	const struct reader *reader;
	const struct place *parent; /* NULL: the document */
	const char *name;           /* key in the parent; NULL: an element of an array */
	size_t index;               /* of the element */
	const struct record_field *field;
	json_t *value; /* NULL: the key is missing */
	void *member;
};

typedef enum pmpp_status decode_fn(const struct place *at);

static enum pmpp_status read_object(
	const struct place *at, const struct record_type *type, void *record);

/* ---- Messages ------------------------------------------------------------------------------- */

#define PATH_BYTES 240

/* Writes the path of a value: "results[3].timing". Returns the text. */
static const char *path_of(const struct place *at, char text[PATH_BYTES])
{
	size_t used = at->parent ? strlen(path_of(at->parent, text)) : 0;

	if (!at->parent)
		text[0] = '\0';
	else if (at->name)
		snprintf(text + used, PATH_BYTES - used, "%s%s", used ? "." : "", at->name);
	else
		snprintf(text + used, PATH_BYTES - used, "[%zu]", at->index);
	return text;
}

/* Sets the message "a.json: results[3].timing: PROBLEM". */
static enum pmpp_status refuse(const struct place *at, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum pmpp_status refuse(const struct place *at, const char *format, ...)
{
	char path[PATH_BYTES], problem[PATH_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, sizeof problem, format, arguments);
	va_end(arguments);
	return PMPP_FAIL(at->reader->error, PMPP_USAGE, "%s: %s%s", at->reader->origin,
		at->parent ? path_of(at, path) : "the document", problem);
}

static const char *article(const char *words)
{
	return strchr("aeiou", *words) ? "an" : "a";
}

static enum pmpp_status wrong_type(const struct place *at, const char *expected)
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

	return refuse(at, " is %s; expected %s %s", words[json_typeof(at->value)],
		article(expected), expected);
}

static enum pmpp_status missing(const struct place *at)
{
	char path[PATH_BYTES];

	return PMPP_FAIL(at->reader->error, PMPP_USAGE, "%s: the key '%s' is missing",
		at->reader->origin, path_of(at, path));
}

static enum pmpp_status stored_or_not(const struct place *at, bool stored)
{
	char path[PATH_BYTES];

	return stored ? PMPP_OK
		      : PMPP_FAIL(at->reader->error, PMPP_OUT_OF_MEMORY, "%s: no memory for %s",
				at->reader->origin, path_of(at, path));
}

/* ---- Values -------------------------------------------------------------------------------- */

static enum pmpp_status read_text(const struct place *at)
{
	char **text = at->member;

	if (!json_is_string(at->value))
		return wrong_type(at, "text");
	text_set(text, json_string_value(at->value));
	return stored_or_not(at, *text);
}

static enum pmpp_status read_bool(const struct place *at)
{
	if (!json_is_boolean(at->value))
		return wrong_type(at, "boolean");
	if (at->field->kind == FIELD_TRUTH)
		*(enum record_truth *)at->member = truth_of(json_is_true(at->value));
	else
		*(bool *)at->member = json_is_true(at->value);
	return PMPP_OK;
}

/* Accepts a real number without a fraction. */
static enum pmpp_status read_integer(const struct place *at)
{
	double real = json_real_value(at->value);
	int64_t integer = json_integer_value(at->value);

	if (json_is_real(at->value) && real == floor(real) && fabs(real) <= 0x1p53)
		integer = (int64_t)real;
	else if (!json_is_integer(at->value))
		return wrong_type(at, "integer");
	if (at->field->kind == FIELD_COUNT && integer < 0)
		return refuse(at, " is %lld; expected 0 or more", (long long)integer);
	*(int64_t *)at->member = integer;
	return PMPP_OK;
}

/* A list of numbers can have null: unknown. */
static enum pmpp_status read_number(const struct place *at)
{
	bool unknown = json_is_null(at->value) && at->field->kind == FIELD_NUMBERS;

	if (!json_is_number(at->value) && !unknown)
		return wrong_type(at, "number");
	*(double *)at->member = unknown ? NAN : json_number_value(at->value);
	return PMPP_OK;
}

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return WORD_UNKNOWN;
}

/* Keeps unknown words in the record that has the member. */
static enum pmpp_status keep_words(const struct place *at, json_t *unknown)
{
	struct record *head = (struct record *)(void *)((char *)at->member - at->field->offset);

	return stored_or_not(at, extra_add(head, at->field->name, unknown));
}

static enum pmpp_status read_word(const struct place *at)
{
	int *word = at->member;

	if (!json_is_string(at->value))
		return wrong_type(at, "text");
	*word = find_word(at->field->words, json_string_value(at->value));
	return *word == WORD_UNKNOWN ? keep_words(at, json_incref(at->value)) : PMPP_OK;
}

static enum pmpp_status read_words(const struct place *at)
{
	json_t *unknown = NULL;
	json_t *item;
	size_t i;

	if (!json_is_array(at->value))
		return wrong_type(at, "array of texts");
	json_array_foreach (at->value, i, item) {
		const struct place element = {at->reader, at, NULL, i, at->field, item, NULL};
		if (!json_is_string(item)) {
			json_decref(unknown);
			return wrong_type(&element, "text");
		}
		int word = find_word(at->field->words, json_string_value(item));
		if (word >= 0) {
			*(unsigned *)at->member |= 1u << word;
			continue;
		}
		unknown = unknown ? unknown : json_array();
		json_array_append(unknown, item);
	}
	return unknown ? keep_words(at, unknown) : PMPP_OK;
}

static enum pmpp_status read_nested(const struct place *at)
{
	((struct record *)at->member)->present = true;
	return read_object(at, at->field->type, at->member);
}

static decode_fn read_elements;

static decode_fn *const decoders[] = {
	[FIELD_TEXT] = read_text,
	[FIELD_BOOL] = read_bool,
	[FIELD_TRUTH] = read_bool,
	[FIELD_INTEGER] = read_integer,
	[FIELD_COUNT] = read_integer,
	[FIELD_NUMBER] = read_number,
	[FIELD_WORD] = read_word,
	[FIELD_WORDS] = read_words,
	[FIELD_OBJECT] = read_nested,
	[FIELD_OBJECTS] = read_elements,
	[FIELD_KEYED] = read_elements,
	[FIELD_TEXTS] = read_elements,
	[FIELD_NUMBERS] = read_elements,
	[FIELD_INTEGERS] = read_elements,
	[FIELD_NAMED] = read_elements,
	[FIELD_TRIPLE] = read_elements,
	[FIELD_INTERVAL] = read_elements,
};

/* ---- Elements ------------------------------------------------------------------------------- */

/* Sets the name of an element. Cleaning could make two different names equal. Therefore a name that is
 * not clean is refused. */
static enum pmpp_status read_name(const struct place *at, char **ret_name)
{
	text_set(ret_name, at->name);
	if (*ret_name && (strcmp(*ret_name, at->name) != 0 || strchr(at->name, '\n')))
		return refuse(at, ": the name has control characters: remove them");
	return stored_or_not(at, *ret_name);
}

/* Reads a value into the next element of the member `at`. */
static enum pmpp_status read_element(const struct place *at, const char *name, size_t index)
{
	const struct record_kind *kind = &record_kinds[at->field->kind];
	json_t *value = name ? json_object_get(at->value, name) : json_array_get(at->value, index);
	struct place element = {at->reader, at, name, index, at->field, value, NULL};
	enum pmpp_status status = PMPP_OK;

	if (kind->length == LIST)
		status = stored_or_not(&element, element_add(at->field, at->member));
	if (status != PMPP_OK)
		return status;
	const struct elements elements = elements_of(at->field, at->member);
	element.member = element_value(&elements, index);
	if (name)
		status = read_name(&element, element_name(&elements, index));
	return status == PMPP_OK ? decoders[kind->element](&element) : status;
}

static enum pmpp_status read_elements(const struct place *at)
{
	const struct record_kind *kind = &record_kinds[at->field->kind];
	size_t count = kind->named ? json_object_size(at->value) : json_array_size(at->value);
	enum pmpp_status status = PMPP_OK;
	const char *name;
	json_t *value;
	size_t index = 0;

	if (!(kind->named ? json_is_object(at->value) : json_is_array(at->value)) ||
		(kind->length != LIST && kind->length != count))
		return wrong_type(at, kind->words);
	if (at->field->kind == FIELD_NAMED && count > RECORD_MAX_NAMES)
		return refuse(at, " has %zu keys; the limit is %d", count, RECORD_MAX_NAMES);
	json_object_foreach (at->value, name, value)
		if (status == PMPP_OK)
			status = read_element(at, name, index++);
	for (; !kind->named && index < count && status == PMPP_OK; index++) {
		status = read_element(at, NULL, index);
		/* Each tree is freed as soon as it is read, so that a long list needs less
		 * memory. */
		if (at->field->type)
			json_array_set_new(at->value, index, json_null());
	}
	return status;
}

/* ---- Objects ------------------------------------------------------------------------------- */

/* record is initialised. */
static enum pmpp_status read_object(
	const struct place *at, const struct record_type *type, void *record)
{
	struct record *head = record;
	enum pmpp_status status = PMPP_OK;
	const char *name;
	json_t *value;

	if (!json_is_object(at->value))
		return wrong_type(at, "object");
	for (size_t i = 0; type->fields()[i].name && status == PMPP_OK; i++) {
		const struct record_field *field = &type->fields()[i];
		const struct place member = {at->reader, at, field->name, 0, field,
			json_object_get(at->value, field->name), member_of(record, field)};
		if (!member.value && field->optional)
			head->absent |= (uint64_t)1 << i;
		else if (!member.value && !field->omitted)
			status = missing(&member);
		else if (member.value && !(json_is_null(member.value) && field->nullable))
			status = decoders[field->kind](&member);
	}
	json_object_foreach (at->value, name, value)
		if (status == PMPP_OK && !type->fields()[record_field_index(type, name)].name)
			status = stored_or_not(at, extra_add(record, name, json_incref(value)));
	return status;
}

/* ---- Documents ----------------------------------------------------------------------------- */

enum pmpp_status json_tree_text(const struct json_tree *tree, const char *key,
	const char **ret_text, struct pmpp_error *error)
{
	const struct reader reader = {tree->origin, error};
	const struct place root = {.reader = &reader, .value = tree->root};
	const struct place member = {.reader = &reader,
		.parent = &root,
		.name = key,
		.value = json_object_get(tree->root, key)};

	if (!json_is_object(tree->root))
		return wrong_type(&root, "object");
	if (!member.value)
		return missing(&member);
	if (!json_is_string(member.value))
		return wrong_type(&member, "text");
	*ret_text = json_string_value(member.value);
	return PMPP_OK;
}

enum pmpp_status json_tree_read(struct json_tree *tree, const struct record_type *type,
	void *ret_record, struct pmpp_error *error)
{
	const struct reader reader = {tree->origin, error};
	const struct place root = {.reader = &reader, .value = tree->root};
	void *record = malloc(type->size);

	if (!record)
		return stored_or_not(&root, false);
	record_init(type, record);
	enum pmpp_status status = read_object(&root, type, record);
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
	struct json_tree tree = {.root = NULL};
	enum pmpp_status status = json_tree_create(&tree, text, length, origin, error);

	if (status == PMPP_OK)
		status = json_tree_read(&tree, type, ret_record, error);
	json_tree_destroy(&tree);
	return status;
}
