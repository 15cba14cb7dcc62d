#include "host/record/record.h"

#include "common/array.h"
#include "common/clean_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/internal.h"

/* ---- Kinds ---------------------------------------------------------------------------------- */

const struct record_kind record_kinds[] = {
	[FIELD_TEXT] = {"string", "text", sizeof(char *)},
	[FIELD_BOOL] = {"boolean", "boolean", sizeof(bool)},
	[FIELD_TRUTH] = {"boolean", "boolean", sizeof(enum record_truth)},
	[FIELD_INTEGER] = {"integer", "integer", sizeof(int64_t)},
	[FIELD_COUNT] = {"integer", "integer", sizeof(int64_t)},
	[FIELD_NUMBER] = {"number", "number", sizeof(double)},
	[FIELD_WORD] = {"string", "word", sizeof(int)},
	[FIELD_WORDS] = {"array", "array of words", sizeof(unsigned), FIELD_WORD},
	[FIELD_OBJECT] = {"object", "object"},
	[FIELD_OBJECTS] = {"array", "array of objects", sizeof(struct text_list), FIELD_OBJECT,
		LIST},
	[FIELD_KEYED] = {"object", "object of objects", sizeof(struct text_list), FIELD_OBJECT,
		LIST, true},
	[FIELD_TEXTS] = {"array", "array of texts", sizeof(struct text_list), FIELD_TEXT, LIST},
	[FIELD_NUMBERS] = {"array", "array of numbers", sizeof(struct number_list), FIELD_NUMBER,
		LIST},
	[FIELD_INTEGERS] = {"array", "array of integers", sizeof(struct integer_list),
		FIELD_INTEGER, LIST},
	[FIELD_NAMED] = {"object", "object of integers", sizeof(struct named_list), FIELD_INTEGER,
		LIST, true},
	[FIELD_TRIPLE] = {"array", "array of 3 integers", 3 * sizeof(int64_t), FIELD_INTEGER, 3},
	[FIELD_INTERVAL] = {"array", "array of 2 numbers", 2 * sizeof(double), FIELD_NUMBER, 2},
};

/* A list of any type. */
struct raw_list {
	char *items;
	size_t count;
};

struct elements elements_of(const struct record_field *field, const void *member)
{
	const struct record_kind *kind = &record_kinds[field->kind];
	struct raw_list list = {(char *)(uintptr_t)member, kind->length};

	if (kind->length == LIST)
		memcpy(&list, member, sizeof list);
	struct elements elements = {list.items, list.count, record_kinds[kind->element].size, 0, 0};
	if (field->type) {
		elements.size = field->type->size;
		elements.name = field->type->key_offset;
	} else if (kind->named) {
		elements.size = sizeof(struct named_value);
		elements.value = offsetof(struct named_value, value);
		elements.name = offsetof(struct named_value, name);
	}
	return elements;
}

void *element_add(const struct record_field *field, void *list)
{
	return field->type ? record_list_add(field->type, list)
			   : array_add(list, elements_of(field, list).size);
}

/* The text with the name of a record of a FIELD_KEYED. */
static char **key_of(const struct record_type *type, const void *record)
{
	return (char **)(void *)((char *)(uintptr_t)record + type->key_offset);
}

/* ---- Extra members ------------------------------------------------------------------------- */

const char *record_unknown_key(const struct record *record)
{
	json_t *extra = extra_json(record);

	return extra ? json_object_iter_key(json_object_iter(extra)) : NULL;
}

/* ---- Empty values -------------------------------------------------------------------------- */

static void init_member(const struct record_field *field, void *member)
{
	static const double unknown[2] = {NAN, NAN};
	static const int64_t uncounted = -1;
	static const int no_word = WORD_NULL;
	/* Empty values that are not all zeros. */
	static const void *const values[FIELD_INTERVAL + 1] = {
		[FIELD_COUNT] = &uncounted,
		[FIELD_NUMBER] = unknown,
		[FIELD_WORD] = &no_word,
		[FIELD_INTERVAL] = unknown,
	};
	size_t size = record_kinds[field->kind].size;

	if (field->kind == FIELD_OBJECT) {
		record_init(field->type, member);
		((struct record *)member)->present = false;
	} else if (values[field->kind]) {
		memcpy(member, values[field->kind], size);
	} else {
		memset(member, 0, size);
	}
}

void record_init(const struct record_type *type, void *ret_record)
{
	memset(ret_record, 0, type->size);
	for (size_t i = 0; type->fields()[i].name; i++)
		init_member(&type->fields()[i], member_of(ret_record, &type->fields()[i]));
	((struct record *)ret_record)->present = true;
}

/* ---- Freeing ------------------------------------------------------------------------------- */

static void finish_value(const struct record_field *field, enum record_field_kind kind, void *value)
{
	if (kind == FIELD_TEXT)
		free(*(char **)value);
	if (kind == FIELD_OBJECT)
		record_finish(field->type, value);
	if (record_kinds[kind].length != LIST)
		return;
	const struct elements elements = elements_of(field, value);
	for (size_t i = 0; i < elements.count; i++) {
		finish_value(field, record_kinds[kind].element, element_value(&elements, i));
		if (kind == FIELD_NAMED)
			free(*element_name(&elements, i));
	}
	free(elements.items);
}

void record_finish(const struct record_type *type, void *record)
{
	for (size_t i = 0; type->fields()[i].name; i++)
		finish_value(&type->fields()[i], type->fields()[i].kind,
			member_of(record, &type->fields()[i]));
	if (type->key_offset)
		free(*key_of(type, record));
	json_decref(extra_json(record));
	record_init(type, record);
}

void text_list_finish(struct text_list *list)
{
	const struct record_field field = {.kind = FIELD_TEXTS};

	record_member_clear(&field, list);
}

void named_list_finish(struct named_list *list)
{
	const struct record_field field = {.kind = FIELD_NAMED};

	record_member_clear(&field, list);
}

void record_member_clear(const struct record_field *field, void *member)
{
	finish_value(field, field->kind, member);
	init_member(field, member);
}

/* ---- Copying ------------------------------------------------------------------------------- */

static bool copy_members(const struct record_type *type, const void *from, void *to);

static bool copy_text(const char *text, char **to)
{
	*to = text ? strdup(text) : NULL;
	return *to || !text;
}

static bool copy_list(const struct record_field *field, const void *from, void *to);

static bool copy_value(
	const struct record_field *field, enum record_field_kind kind, const void *from, void *to)
{
	if (kind == FIELD_TEXT)
		return copy_text(*(char *const *)from, to);
	if (kind == FIELD_OBJECT)
		return copy_members(field->type, from, to);
	if (record_kinds[kind].length == LIST)
		return copy_list(field, from, to);
	memcpy(to, from, record_kinds[kind].size);
	return true;
}

static bool copy_list(const struct record_field *field, const void *from, void *to)
{
	const struct elements elements = elements_of(field, from);

	for (size_t i = 0; i < elements.count; i++) {
		if (!element_add(field, to))
			return false;
		const struct elements copies = elements_of(field, to);
		if (!copy_value(field, record_kinds[field->kind].element,
			    element_value(&elements, i), element_value(&copies, i)))
			return false;
		if (field->kind == FIELD_NAMED &&
			!copy_text(*element_name(&elements, i), element_name(&copies, i)))
			return false;
	}
	return true;
}

/* `to` must be initialised. */
static bool copy_members(const struct record_type *type, const void *from, void *to)
{
	const struct record *source = from;
	struct record *target = to;
	bool copied = !type->key_offset || copy_text(*key_of(type, from), key_of(type, to));

	target->present = source->present;
	target->absent = source->absent;
	if (source->extra) {
		target->extra = (struct record_extra *)json_deep_copy(extra_json(source));
		copied = copied && target->extra;
	}
	for (size_t i = 0; type->fields()[i].name && copied; i++) {
		const struct record_field *field = &type->fields()[i];
		copied = copy_value(
			field, field->kind, member_of(from, field), member_of(to, field));
	}
	return copied;
}

enum pmpp_status record_copy(const struct record_type *type, const void *record, void *ret_record,
	struct pmpp_error *error)
{
	record_init(type, ret_record);
	if (copy_members(type, record, ret_record))
		return PMPP_OK;
	record_finish(type, ret_record);
	return PMPP_NO_MEMORY(error, "a copy of a %s", type->name);
}

void record_move(const struct record_type *type, void *from, void *to)
{
	memcpy(to, from, type->size);
	record_init(type, from);
}

/* ---- Fields -------------------------------------------------------------------------------- */

size_t record_field_index(const struct record_type *type, const char *name)
{
	size_t index = 0;

	while (type->fields()[index].name && strcmp(type->fields()[index].name, name) != 0)
		index++;
	return index;
}

void record_set_absent(const struct record_type *type, void *record, const char *name, bool absent)
{
	uint64_t bit = (uint64_t)1 << record_field_index(type, name);
	struct record *head = record;

	head->absent = absent ? head->absent | bit : head->absent & ~bit;
}

enum record_truth truth_of(bool value)
{
	return value ? TRUTH_YES : TRUTH_NO;
}

const char *word_text(const char *const *words, int value)
{
	return value >= 0 ? words[value] : "";
}

/* ---- Texts --------------------------------------------------------------------------------- */

static char *clean_copy(const char *text)
{
	return clean_text_copy(text, strlen(text), CLEAN_LINES);
}

void text_set(char **text, const char *value)
{
	char *copy = value ? clean_copy(value) : NULL;

	free(*text);
	*text = copy;
}

void text_set_known(char **text, const char *value)
{
	text_set(text, value && *value ? value : NULL);
}

void text_format(char **text, const char *format, ...)
{
	char *made = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&made, format, arguments) < 0)
		made = NULL;
	va_end(arguments);
	text_set(text, made);
	free(made);
}

const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

bool text_equal(const char *a, const char *b)
{
	return strcmp(text_or_empty(a), text_or_empty(b)) == 0;
}

/* ---- Lists --------------------------------------------------------------------------------- */

void *record_list_add(const struct record_type *type, void *list)
{
	void *item = array_add(list, type->size);

	if (item)
		record_init(type, item);
	return item;
}

enum pmpp_status record_list_add_copy(
	const struct record_type *type, void *list, const void *record, struct pmpp_error *error)
{
	void *item = record_list_add(type, list);

	return item ? record_copy(type, record, item, error)
		    : PMPP_NO_MEMORY(error, "a %s", type->name);
}

void record_list_clear(const struct record_type *type, void *list)
{
	const struct record_field field = {.kind = FIELD_OBJECTS, .type = type};

	record_member_clear(&field, list);
}

void record_list_keep(
	const struct record_type *type, void *list, record_keep_fn *keep, void *context)
{
	struct raw_list raw;
	size_t kept = 0;

	memcpy(&raw, list, sizeof raw);
	for (size_t i = 0; i < raw.count; i++) {
		char *item = raw.items + i * type->size;
		if (!keep(context, item))
			record_finish(type, item);
		else if (kept++ < i)
			record_move(type, item, raw.items + (kept - 1) * type->size);
	}
	raw.count = kept;
	memcpy(list, &raw, sizeof raw);
}

bool text_list_add(struct text_list *list, const char *text)
{
	char *copy = clean_copy(text);
	char **item = copy ? array_add(list, sizeof copy) : NULL;

	if (item)
		*item = copy;
	else
		free(copy);
	return item;
}

bool text_list_has(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->items[i], text))
			return true;
	return false;
}

bool number_list_set(struct number_list *list, const double *values, size_t count)
{
	double *items = NULL;

	free(list->items);
	*list = (struct number_list){0};
	while (list->count < count && (items = array_add(list, sizeof *items)))
		*items = values[list->count - 1];
	return list->count == count;
}

bool integer_list_add(struct integer_list *list, int64_t value)
{
	int64_t *item = array_add(list, sizeof value);

	if (item)
		*item = value;
	return item;
}

bool named_list_add(struct named_list *list, const char *name, int64_t value)
{
	char *copy = clean_copy(name);
	struct named_value *item = copy ? array_add(list, sizeof *item) : NULL;

	if (item)
		*item = (struct named_value){copy, value};
	else
		free(copy);
	return item;
}

bool named_list_append(const struct named_list *from, struct named_list *to)
{
	bool ok = true;

	for (size_t i = 0; i < from->count && ok; i++)
		ok = named_list_add(to, from->items[i].name, from->items[i].value);
	return ok;
}

bool named_list_count(struct named_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, text) == 0) {
			list->items[i].value++;
			return false;
		}
	return named_list_add(list, text, 1);
}

static const struct named_value *named_find(const struct named_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	return NULL;
}

int64_t named_list_get(const struct named_list *list, const char *name, int64_t fallback)
{
	const struct named_value *found = named_find(list, name);

	return found ? found->value : fallback;
}

bool named_list_equal(const struct named_list *a, const struct named_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct named_value *other = named_find(b, a->items[i].name);
		if (!other || other->value != a->items[i].value)
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named_value *)a)->name, ((const struct named_value *)b)->name);
}

struct named_value *named_list_sorted(const struct named_list *list)
{
	struct named_value *sorted = calloc(list->count + 1, sizeof *sorted);

	if (sorted && list->count) {
		memcpy(sorted, list->items, list->count * sizeof *sorted);
		qsort(sorted, list->count, sizeof *sorted, by_name);
	}
	return sorted;
}

/* ---- Visits --------------------------------------------------------------------------------- */

/* Visits the texts of a member, and the records of a list. */
static void walk_elements(
	const struct record_field *field, void *member, const struct record_visitor *visitor)
{
	const struct elements elements = elements_of(field, member);
	enum record_field_kind element = record_kinds[field->kind].element;

	for (size_t i = 0; i < elements.count; i++) {
		if (element == FIELD_OBJECT)
			record_walk(field->type, element_value(&elements, i), visitor);
		else if (visitor->text && element == FIELD_TEXT)
			visitor->text(visitor->context, field, element_value(&elements, i));
		else if (visitor->text && field->kind == FIELD_NAMED)
			visitor->text(visitor->context, field, element_name(&elements, i));
	}
}

void record_walk(const struct record_type *type, void *record, const struct record_visitor *visitor)
{
	struct record *head = record;

	if (visitor->record)
		visitor->record(visitor->context, type, head);
	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		void *member = member_of(record, field);
		if (head->absent >> i & 1)
			continue;
		if (visitor->member && record_kinds[field->kind].element != FIELD_OBJECT)
			visitor->member(visitor->context, field, member);
		if (record_kinds[field->kind].length)
			walk_elements(field, member, visitor);
		else if (visitor->text && field->kind == FIELD_TEXT)
			visitor->text(visitor->context, field, member);
		else if (field->kind == FIELD_OBJECT && ((struct record *)member)->present)
			record_walk(field->type, member, visitor);
	}
}
