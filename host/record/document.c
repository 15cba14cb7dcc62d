#include "host/record/document.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/io/atomic_file.h"
#include "host/io/cache_file.h"
#include "host/io/host_memory.h"
#include "host/record/internal.h"

/* ---- JSON text: limits, syntax, and messages about both ---------------------------------------- */

/* A JSON text and its values. All zeros: none. */
struct json_tree {
	const char *text; /* without a byte order mark */
	size_t length;
	const char *origin;
	struct json_t *root; /* owned */
};

/* Up to this size, the available memory is not checked. */
#define SMALL_TREE_BYTES (64u << 20)

/* ---- Messages ------------------------------------------------------------------------------ */

/* Finds the last key before a position, for the message of a syntax error. */
static void last_key(const char *text, size_t position, char *ret_key, size_t size)
{
	const char *start = NULL;
	const char *opened = NULL;
	size_t length = 0;
	bool quoted = false;

	for (size_t i = 0; i < position; i++) {
		if (quoted && text[i] == '\\')
			i++;
		else if (text[i] == '"' && (quoted = !quoted))
			opened = &text[i + 1];
		else if (text[i] == ':' && !quoted && opened) {
			start = opened;
			length = strcspn(start, "\"");
		}
	}
	snprintf(ret_key, size, "%.*s", (int)(length < size ? length : size - 1),
		start ? start : "");
}

static int line_of(const char *text, size_t position)
{
	int line = 1;

	for (size_t i = 0; i < position; i++)
		line += text[i] == '\n';
	return line;
}

/* Sets a message like "a.json: line 3, key seed: PROBLEM". */
static enum pmpp_status refuse_at(const struct json_tree *tree, size_t position, int line,
	const char *problem, const char *detail, struct pmpp_error *error)
{
	char key[64];

	last_key(tree->text, position, key, sizeof key);
	return PMPP_FAIL(error, PMPP_USAGE, "%s: line %d%s%s: %s%s", tree->origin, line,
		*key ? ", key " : "", key, problem, detail);
}

static enum pmpp_status bad_json(
	const struct json_tree *tree, const json_error_t *problem, struct pmpp_error *error)
{
	size_t position = problem->position > 0 ? (size_t)problem->position : 0;

	if (json_error_code(problem) == json_error_out_of_memory)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory for the JSON text", tree->origin);
	return refuse_at(tree, position < tree->length ? position : tree->length, problem->line,
		"not readable as JSON: ", problem->text, error);
}

/* ---- Limits -------------------------------------------------------------------------------- */

/* Counts of a text. The syntax is not checked. */
struct shape {
	size_t values;     /* upper limit of the number */
	size_t members;    /* of objects */
	size_t strings;    /* keys and values */
	size_t containers; /* objects and arrays */
	size_t too_deep;   /* position of the first value that is nested too deeply; 0 = none */
};

static struct shape measure(const char *text, size_t length)
{
	struct shape shape = {.values = 1};
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < length && !shape.too_deep; i++) {
		char c = text[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"') {
			quoted = !quoted;
			shape.strings += quoted;
		} else if (!quoted) {
			bool opens = c == '[' || c == '{';
			bool closes = c == ']' || c == '}';
			shape.members += c == ':';
			shape.containers += opens;
			shape.values += opens || c == ',';
			depth += opens;
			depth -= closes && depth > 0;
			shape.too_deep = depth > JSON_MAX_DEPTH ? i : 0;
		}
	}
	return shape;
}

/* Maximum sizes with jansson 2.14, the allocator of glibc and 64 bits. A number and its place in an
 * array: 48 bytes. A text: 96 bytes + its characters. A member: 96 bytes + the characters of its
 * key. An empty object: 240 bytes. */
static uint64_t tree_bytes(const struct shape *shape, size_t length)
{
	size_t texts = shape->strings > shape->members ? shape->strings - shape->members : 0;

	return (uint64_t)length + 64 * (uint64_t)shape->values + 48 * (uint64_t)texts +
	       96 * (uint64_t)shape->members + 256 * (uint64_t)shape->containers;
}

static enum pmpp_status check_limits(const struct json_tree *tree, struct pmpp_error *error)
{
	struct shape shape = measure(tree->text, tree->length);
	uint64_t bytes = tree_bytes(&shape, tree->length);
	struct host_memory memory;
	char problem[64];

	if (shape.too_deep) {
		snprintf(problem, sizeof problem, "nested to a depth of more than %d levels",
			JSON_MAX_DEPTH);
		return refuse_at(tree, shape.too_deep, line_of(tree->text, shape.too_deep), problem,
			"", error);
	}
	if (shape.values > JSON_MAX_VALUES)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: about %zu values; the limit is %d: split the file", tree->origin,
			shape.values, JSON_MAX_VALUES);
	if (bytes < SMALL_TREE_BYTES)
		return PMPP_OK;
	host_memory_read(&memory);
	if (bytes > memory.available_bytes)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: needs about %.0f MB of memory to read; %.0f MB can be allocated",
			tree->origin, (double)bytes / 1e6, (double)memory.available_bytes / 1e6);
	return PMPP_OK;
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* A reader may ignore a byte order mark (RFC 8259, section 8.1). */
static void skip_mark(struct json_tree *tree)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = sizeof mark - 1;

	if (tree->length >= size && memcmp(tree->text, mark, size) == 0) {
		tree->text += size;
		tree->length -= size;
	}
}

/* *ret_tree is unchanged after an error. text and origin must stay valid while the tree exists. Errors: as
 * record_read(). */
static enum pmpp_status json_tree_create(struct json_tree *ret_tree, const char *text,
	size_t length, const char *origin, struct pmpp_error *error)
{
	struct json_tree tree = {.text = text, .length = length, .origin = origin};
	json_error_t problem;

	skip_mark(&tree);
	enum pmpp_status status = check_limits(&tree, error);
	if (status != PMPP_OK)
		return status;
	tree.root = json_loadb(tree.text, tree.length, JSON_REJECT_DUPLICATES, &problem);
	if (!tree.root)
		return bad_json(&tree, &problem, error);
	*ret_tree = tree;
	return PMPP_OK;
}

static void json_tree_destroy(struct json_tree *tree)
{
	json_decref(tree->root);
	tree->root = NULL;
}

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

struct value;

/* How a kind of members is read and written. */
static const struct codec {
	enum pmpp_status (*decode)(const struct place *at);
	json_t *(*encode)(const struct value *at);
} codecs[FIELD_INTERVAL + 1];

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

/* Adds an unknown member. Takes over the reference. Returns false if there is no memory. */
static bool extra_add(struct record *record, const char *name, json_t *value)
{
	if (!record->extra)
		record->extra = (struct record_extra *)json_object();
	return json_object_set_new(extra_json(record), name, value) == 0;
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
	return status == PMPP_OK ? codecs[kind->element].decode(&element) : status;
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
			status = codecs[field->kind].decode(&member);
	}
	json_object_foreach (at->value, name, value)
		if (status == PMPP_OK && !type->fields()[record_field_index(type, name)].name)
			status = stored_or_not(at, extra_add(record, name, json_incref(value)));
	return status;
}

/* ---- Documents ----------------------------------------------------------------------------- */

/* Returns a text member of the object. *ret_text is owned by the tree. PMPP_USAGE: the tree is not
 * an object, or the member is missing or not a text. */
static enum pmpp_status json_tree_text(const struct json_tree *tree, const char *key,
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

/* Reads the object into a record, like record_read(). It frees parts of the tree: after the call,
 * only json_tree_destroy() is allowed. */
static enum pmpp_status json_tree_read(struct json_tree *tree, const struct record_type *type,
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

/* 17 digits keep all bits of any number. For a number that was rounded to 15 decimal digits, 15
 * digits keep all bits and are shorter. */
#define EXACT JSON_REAL_PRECISION(17)
#define ROUNDED JSON_REAL_PRECISION(15)

/* A member, or an element of one. */
struct value {
	const struct record_field *field;
	const void *member;
	const char **bad; /* is set to the key of a text that cannot be written */
};

static json_t *object_json(
	const struct record_type *type, const struct record *record, const char **bad);

/* ---- Values -------------------------------------------------------------------------------- */

static json_t *real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* JSON cannot represent a text that is not UTF-8. Jansson omits such a text without an error. */
static json_t *text_json(const struct value *at)
{
	const char *text = *(char *const *)at->member;
	json_t *value = text ? json_string(text) : json_null();

	if (!value || !(text || at->field->nullable || at->field->omitted))
		*at->bad = at->field->name;
	return value;
}

static json_t *bool_json(const struct value *at)
{
	return json_boolean(*(const bool *)at->member);
}

static json_t *truth_json(const struct value *at)
{
	enum record_truth truth = *(const enum record_truth *)at->member;

	return truth == TRUTH_UNKNOWN ? json_null() : json_boolean(truth == TRUTH_YES);
}

static json_t *integer_json(const struct value *at)
{
	int64_t value = *(const int64_t *)at->member;

	return at->field->kind == FIELD_COUNT && value < 0 ? json_null() : json_integer(value);
}

static json_t *number_json(const struct value *at)
{
	return real_json(*(const double *)at->member);
}

static json_t *word_json(const struct value *at)
{
	int value = *(const int *)at->member;

	return value >= 0 ? json_string(at->field->words[value]) : json_null();
}

static json_t *words_json(const struct value *at)
{
	unsigned bits = *(const unsigned *)at->member;
	json_t *array = json_array();

	for (size_t i = 0; at->field->words[i]; i++)
		if (bits >> i & 1)
			json_array_append_new(array, json_string(at->field->words[i]));
	return array;
}

static json_t *nested_json(const struct value *at)
{
	const struct record *record = at->member;

	return record->present ? object_json(at->field->type, record, at->bad) : json_null();
}

static json_t *elements_json(const struct value *at)
{
	const struct record_kind *kind = &record_kinds[at->field->kind];
	const struct elements elements = elements_of(at->field, at->member);
	json_t *list = kind->named ? json_object() : json_array();

	for (size_t i = 0; i < elements.count; i++) {
		const struct value element = {at->field, element_value(&elements, i), at->bad};
		json_t *value = codecs[kind->element].encode(&element);
		if (!kind->named)
			json_array_append_new(list, value);
		else if (json_object_set_new(list, *element_name(&elements, i), value) != 0)
			*at->bad = at->field->name;
	}
	return list;
}

static json_t *interval_json(const struct value *at)
{
	const double *ends = at->member;

	return isfinite(ends[0]) && isfinite(ends[1]) ? elements_json(at) : json_null();
}

static const struct codec codecs[FIELD_INTERVAL + 1] = {
	[FIELD_TEXT] = {read_text, text_json},
	[FIELD_BOOL] = {read_bool, bool_json},
	[FIELD_TRUTH] = {read_bool, truth_json},
	[FIELD_INTEGER] = {read_integer, integer_json},
	[FIELD_COUNT] = {read_integer, integer_json},
	[FIELD_NUMBER] = {read_number, number_json},
	[FIELD_WORD] = {read_word, word_json},
	[FIELD_WORDS] = {read_words, words_json},
	[FIELD_OBJECT] = {read_nested, nested_json},
	[FIELD_OBJECTS] = {read_elements, elements_json},
	[FIELD_KEYED] = {read_elements, elements_json},
	[FIELD_TEXTS] = {read_elements, elements_json},
	[FIELD_NUMBERS] = {read_elements, elements_json},
	[FIELD_INTEGERS] = {read_elements, elements_json},
	[FIELD_NAMED] = {read_elements, elements_json},
	[FIELD_TRIPLE] = {read_elements, elements_json},
	[FIELD_INTERVAL] = {read_elements, interval_json},
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
	const struct record_type *type, const struct record *record, const char **bad)
{
	json_t *object = json_object();

	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		const struct value at = {field, member_of(record, field), bad};
		if (record->absent >> i & 1)
			continue;
		json_t *value = codecs[field->kind].encode(&at);
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
		status = PMPP_NO_MEMORY(error, "a %s as JSON", type->name);
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
	json_t *value = codecs[field->kind].encode(
		       &(struct value){field, member_of(record, field), &bad}),
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

/* Maximum bytes of a schema's name and version, including the final zero. */
#define DOCUMENT_SCHEMA_BYTES 64

/* ---- Reading ------------------------------------------------------------------------------- */

static enum pmpp_status check_schema(
	const char *path, const char *found, const char *wanted, struct pmpp_error *error)
{
	size_t name = strcspn(wanted, "/") + 1;
	char *end = NULL;

	if (strcmp(found, wanted) == 0)
		return PMPP_OK;
	if (strncmp(found, wanted, name) == 0 &&
		strtol(found + name, &end, 10) > strtol(wanted + name, NULL, 10) && !*end)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: schema is '%.40s', a newer version than '%s': update pmpp", path,
			found, wanted);
	return PMPP_FAIL(
		error, PMPP_USAGE, "%s: schema is '%.40s'; expected '%s'", path, found, wanted);
}

static enum pmpp_status too_large(
	const char *path, const char *min, double bytes, struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_USAGE, "%s: %s%.1f MB; the limit is %.0f MB: split the file",
		path, min, bytes / 1e6, DOCUMENT_MAX_BYTES / 1e6);
}

/* Reads the whole file. Reads a file of unknown length (a pipe, a device) up to the limit. The caller
 * frees *ret_text, also after an error. */
static enum pmpp_status read_file(
	const char *path, char **ret_text, size_t *ret_length, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	struct stat info;
	char block[16384];
	size_t total = 0, got = 0;
	FILE *file = fopen(path, "re");

	if (!file || fstat(fileno(file), &info) != 0)
		status = PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(info.st_mode))
		status = PMPP_FAIL(error, PMPP_USAGE, "%s is a folder: give the files in it", path);
	else if (S_ISREG(info.st_mode) && info.st_size > DOCUMENT_MAX_BYTES)
		status = too_large(path, "", (double)info.st_size, error);
	FILE *out = status == PMPP_OK ? open_memstream(ret_text, ret_length) : NULL;
	while (out && total <= DOCUMENT_MAX_BYTES &&
		(got = fread(block, 1, sizeof block, file)) > 0) {
		fwrite(block, 1, got, out);
		total += got;
	}
	if (out && total > DOCUMENT_MAX_BYTES)
		status = too_large(path, "more than ", DOCUMENT_MAX_BYTES, error);
	else if (out && ferror(file))
		status = PMPP_FAIL(error, PMPP_USAGE, "%s: %s", path, strerror(errno));
	bool stored = out && !ferror(out);
	if (out && fclose(out) != 0)
		stored = false;
	if (file)
		fclose(file);
	if (status == PMPP_OK && !stored)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
	if (status == PMPP_OK && total == 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s is empty: write it again (`pmpp-run run FAMILY --json=FILE`)", path);
	return status;
}

/* Copies the schema of a tree, cut to the size of the buffer. '?' replaces bytes that are not
 * visible ASCII. */
static enum pmpp_status schema_of(const struct json_tree *tree,
	char ret_schema[DOCUMENT_SCHEMA_BYTES], struct pmpp_error *error)
{
	const char *schema = NULL;
	enum pmpp_status status = json_tree_text(tree, "schema", &schema, error);

	if (status != PMPP_OK) {
		pmpp_error_append(error, ": give a file of `pmpp-run run FAMILY --json=FILE`");
		return status;
	}
	snprintf(ret_schema, DOCUMENT_SCHEMA_BYTES, "%s", schema);
	for (char *c = ret_schema; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return PMPP_OK;
}

/* Returns the kind whose schema has the same name, or the first kind. */
static size_t kind_of(const char *found, const struct document_kind *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t name = strcspn(kinds[i].schema, "/") + 1;
		if (strncmp(found, kinds[i].schema, name) == 0)
			return i;
	}
	return 0;
}

/* document_load() for a text in memory. */
static enum pmpp_status parse_kind(const struct document_kind *kinds, size_t count,
	const char *path, const char *text, size_t length, size_t *ret_kind,
	struct pmpp_error *error)
{
	char found[DOCUMENT_SCHEMA_BYTES];
	struct json_tree tree = {.root = NULL};
	size_t kind = 0;
	enum pmpp_status status = json_tree_create(&tree, text, length, path, error);

	/* Checks the version before the record, so that the message about a newer file names its
	 * version. */
	if (status == PMPP_OK)
		status = schema_of(&tree, found, error);
	if (status == PMPP_OK) {
		kind = kind_of(found, kinds, count);
		status = check_schema(path, found, kinds[kind].schema, error);
	}
	if (status == PMPP_OK)
		status = json_tree_read(&tree, kinds[kind].type, kinds[kind].ret_record, error);
	json_tree_destroy(&tree);
	if (status == PMPP_OK)
		*ret_kind = kind;
	return status;
}

enum pmpp_status document_load(const struct document_kind *kinds, size_t count, const char *path,
	size_t *ret_kind, size_t *ret_bytes, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = read_file(path, &text, ret_bytes, error);

	if (status == PMPP_OK)
		status = parse_kind(kinds, count, path, text, *ret_bytes, ret_kind, error);
	free(text);
	return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

enum pmpp_status document_check_path(const char *path, struct pmpp_error *error)
{
	return !path || strcmp(path, "-") == 0 ? PMPP_OK : atomic_file_check(path, error);
}

bool document_replaces(const char *path)
{
	struct stat info;

	return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum pmpp_status document_save_text(const char *path, const char *text, struct pmpp_error *error)
{
	struct iovec part = {(void *)(uintptr_t)text, strlen(text)};

	if (strcmp(path, "-") != 0)
		return atomic_file_write(path, &part, 1, error);
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
		if (errno == EPIPE)
			return PMPP_FAIL(error, PMPP_INTERRUPTED,
				"stdout: interrupted: no process reads the pipe");
		return PMPP_FAIL(error, PMPP_IO, "stdout: %s", strerror(errno));
	}
	return PMPP_OK;
}

enum pmpp_status document_save_table(const char *path, char *text, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (path && text)
		status = document_save_text(path, text, error);
	else if (path)
		status = PMPP_NO_MEMORY(error, "a table");
	free(text);
	return status;
}

static char *document_size_warning(const char *path, size_t bytes)
{
	char *warning = NULL;

	if (bytes > DOCUMENT_MAX_BYTES)
		text_format(&warning,
			"%s has %.1f MB; pmpp reads files up to %.0f MB: run fewer variants or "
			"sizes for each file",
			strcmp(path, "-") == 0 ? "the JSON text" : path, (double)bytes / 1e6,
			DOCUMENT_MAX_BYTES / 1e6);
	return warning;
}

enum pmpp_status document_save(const struct record_type *type, const void *record, const char *path,
	char **ret_warning, struct pmpp_error *error)
{
	char *text = NULL;

	if (!path)
		return PMPP_OK;
	enum pmpp_status status = record_write(type, record, RECORD_INDENTED, &text, error);
	if (status == PMPP_OK)
		status = document_save_text(path, text, error);
	if (status == PMPP_OK && ret_warning)
		*ret_warning = document_size_warning(path, strlen(text));
	free(text);
	return status;
}

#define MAX_CACHED_BYTES ((size_t)1 << 20)

void document_cached(const struct record_type *type, const char *schema, const char *folder,
	const char *name, bool (*is_sane)(const void *record), void *ret_record)
{
	const struct document_kind kind = {type, schema, ret_record};
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	void *text = NULL;
	size_t size = 0, only;
	enum pmpp_status status = PMPP_USAGE;

	if (cache_read(folder, name, MAX_CACHED_BYTES, NULL, &text, &size) == CACHE_READ_OK)
		status = parse_kind(&kind, 1, name, text, size, &only, &ignored);
	free(text);
	pmpp_error_clear(&ignored);
	if (status == PMPP_OK && is_sane(ret_record))
		return;
	if (status == PMPP_OK)
		record_finish(type, ret_record);
	record_init(type, ret_record);
}

void document_cache(
	const struct record_type *type, const void *record, const char *folder, const char *name)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *text = NULL;

	if (record_write(type, record, RECORD_INDENTED, &text, &ignored) == PMPP_OK)
		cache_file_write(folder, name, &(struct iovec){text, strlen(text)}, 1);
	free(text);
	pmpp_error_clear(&ignored);
}
