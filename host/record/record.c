#include "host/record/record.h"

#include "common/array.h"
#include "common/clean_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/internal.h"

/* ---- Members ------------------------------------------------------------------------------- */

static void *member_of(const void *record, const struct record_field *field)
{
	return (char *)(uintptr_t)record + field->offset;
}

char **text_at(const void *record, size_t offset)
{
	return (char **)(void *)((char *)(uintptr_t)record + offset);
}

struct raw_list raw_list_get(const void *list)
{
	struct raw_list raw;

	memcpy(&raw, list, sizeof raw);
	return raw;
}

static void raw_list_set(void *list, struct raw_list raw)
{
	memcpy(list, &raw, sizeof raw);
}

void *raw_list_item(const struct record_type *type, struct raw_list list, size_t index)
{
	return (char *)list.items + index * type->size;
}

/* ---- Extra members ------------------------------------------------------------------------- */

json_t *extra_json(const struct record *record)
{
	return (json_t *)record->extra;
}

bool extra_add(struct record *record, const char *name, json_t *value)
{
	if (!record->extra)
		record->extra = (struct record_extra *)json_object();
	return json_object_set_new(extra_json(record), name, value) == 0;
}

/* ---- Empty values -------------------------------------------------------------------------- */

static void init_member(const struct record_field *field, void *member)
{
	static const double unknown[2] = {NAN, NAN};
	static const int64_t uncounted = -1;
	static const int no_word = WORD_NULL;
	/* Empty values that are not all zeros. */
	static const struct {
		const void *value;
		size_t size;
	} values[] = {
		[FIELD_COUNT] = {&uncounted, sizeof uncounted},
		[FIELD_NUMBER] = {unknown, sizeof *unknown},
		[FIELD_WORD] = {&no_word, sizeof no_word},
		[FIELD_INTERVAL] = {unknown, sizeof unknown},
	};

	if (field->kind < sizeof values / sizeof *values && values[field->kind].size)
		memcpy(member, values[field->kind].value, values[field->kind].size);
}

void record_init(const struct record_type *type, void *ret_record)
{
	memset(ret_record, 0, type->size);
	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
		void *member = member_of(ret_record, field);

		if (field->kind == FIELD_OBJECT) {
			record_init(field->type, member);
			((struct record *)member)->present = false;
		} else {
			init_member(field, member);
		}
	}
	((struct record *)ret_record)->present = true;
}

/* ---- Freeing ------------------------------------------------------------------------------- */

static void finish_text(const struct record_field *field, void *member)
{
	(void)field;
	free(*(char **)member);
}

static void finish_object(const struct record_field *field, void *member)
{
	record_finish(field->type, member);
}

static void finish_objects(const struct record_field *field, void *member)
{
	struct raw_list list = raw_list_get(member);

	for (size_t i = 0; i < list.count; i++)
		record_finish(field->type, raw_list_item(field->type, list, i));
	free(list.items);
}

void text_list_finish(struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct text_list){0};
}

static void finish_texts(const struct record_field *field, void *member)
{
	(void)field;
	text_list_finish(member);
}

static void finish_numbers(const struct record_field *field, void *member)
{
	(void)field;
	free(((struct number_list *)member)->items);
}

static void finish_integers(const struct record_field *field, void *member)
{
	(void)field;
	free(((struct integer_list *)member)->items);
}

void named_list_finish(struct named_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	free(list->items);
	*list = (struct named_list){0};
}

static void finish_named(const struct record_field *field, void *member)
{
	(void)field;
	named_list_finish(member);
}

static void (*const finishers[])(const struct record_field *field, void *member) = {
	[FIELD_TEXT] = finish_text,
	[FIELD_OBJECT] = finish_object,
	[FIELD_OBJECTS] = finish_objects,
	[FIELD_KEYED] = finish_objects,
	[FIELD_TEXTS] = finish_texts,
	[FIELD_NUMBERS] = finish_numbers,
	[FIELD_INTEGERS] = finish_integers,
	[FIELD_NAMED] = finish_named,
	[FIELD_INTERVAL] = NULL,
};

void record_finish(const struct record_type *type, void *record)
{
	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
		if (finishers[field->kind])
			finishers[field->kind](field, member_of(record, field));
	}
	if (type->key_offset)
		free(*text_at(record, type->key_offset));
	json_decref(extra_json(record));
	record_init(type, record);
}

void record_member_clear(const struct record_field *field, void *member)
{
	if (finishers[field->kind])
		finishers[field->kind](field, member);
	if (field->kind == FIELD_TEXT)
		*(char **)member = NULL;
	else if (field->kind == FIELD_OBJECT)
		((struct record *)member)->present = false;
	else
		init_member(field, member);
}

bool record_member_is_null(const struct record_field *field, const void *member)
{
	return field->kind == FIELD_TEXT     ? !*(char *const *)member
	       : field->kind == FIELD_TEXTS  ? !((const struct text_list *)member)->count
	       : field->kind == FIELD_OBJECT ? !((const struct record *)member)->present
	       : field->kind == FIELD_COUNT  ? *(const int64_t *)member < 0
					     : isnan(*(const double *)member);
}

/* ---- Copying ------------------------------------------------------------------------------- */

static bool copy_members(const struct record_type *type, const void *from, void *to);

static bool copy_text(const struct record_field *field, const void *from, void *to)
{
	(void)field;
	const char *text = *(char *const *)from;
	char *copy = text ? strdup(text) : NULL;

	memcpy(to, &copy, sizeof copy);
	return copy || !text;
}

static bool copy_object(const struct record_field *field, const void *from, void *to)
{
	return copy_members(field->type, from, to);
}

static bool copy_objects(const struct record_field *field, const void *from, void *to)
{
	struct raw_list list = raw_list_get(from);

	for (size_t i = 0; i < list.count; i++) {
		void *item = record_list_add(field->type, to);
		if (!item || !copy_members(field->type, raw_list_item(field->type, list, i), item))
			return false;
	}
	return true;
}

static bool copy_texts(const struct record_field *field, const void *from, void *to)
{
	const struct text_list *list = from;

	(void)field;
	for (size_t i = 0; i < list->count; i++)
		if (!text_list_add(to, list->items[i]))
			return false;
	return true;
}

static bool copy_numbers(const struct record_field *field, const void *from, void *to)
{
	const struct number_list *list = from;

	(void)field;
	return number_list_set(to, list->items, list->count);
}

static bool copy_integers(const struct record_field *field, const void *from, void *to)
{
	const struct integer_list *list = from;

	(void)field;
	for (size_t i = 0; i < list->count; i++)
		if (!integer_list_add(to, list->items[i]))
			return false;
	return true;
}

static bool copy_named(const struct record_field *field, const void *from, void *to)
{
	const struct named_list *list = from;

	(void)field;
	for (size_t i = 0; i < list->count; i++)
		if (!named_list_add(to, list->items[i].name, list->items[i].value))
			return false;
	return true;
}

/* Copies values that own nothing, as bytes. */
static const size_t plain_sizes[] = {
	[FIELD_BOOL] = sizeof(bool),
	[FIELD_TRUTH] = sizeof(enum record_truth),
	[FIELD_INTEGER] = sizeof(int64_t),
	[FIELD_COUNT] = sizeof(int64_t),
	[FIELD_NUMBER] = sizeof(double),
	[FIELD_WORD] = sizeof(int),
	[FIELD_WORDS] = sizeof(unsigned),
	[FIELD_TRIPLE] = 3 * sizeof(int64_t),
	[FIELD_INTERVAL] = 2 * sizeof(double),
};

static bool (*const copiers[])(const struct record_field *field, const void *from, void *to) = {
	[FIELD_TEXT] = copy_text,
	[FIELD_OBJECT] = copy_object,
	[FIELD_OBJECTS] = copy_objects,
	[FIELD_KEYED] = copy_objects,
	[FIELD_TEXTS] = copy_texts,
	[FIELD_NUMBERS] = copy_numbers,
	[FIELD_INTEGERS] = copy_integers,
	[FIELD_NAMED] = copy_named,
	[FIELD_INTERVAL] = NULL,
};

/* `to` must be initialised. */
static bool copy_members(const struct record_type *type, const void *from, void *to)
{
	const struct record *source = from;
	struct record *target = to;

	target->present = source->present;
	target->absent = source->absent;
	if (source->extra) {
		target->extra = (struct record_extra *)json_deep_copy(extra_json(source));
		if (!target->extra)
			return false;
	}
	if (type->key_offset) {
		text_set(text_at(to, type->key_offset), *text_at(from, type->key_offset));
		if (!*text_at(to, type->key_offset) && *text_at(from, type->key_offset))
			return false;
	}
	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
		const void *member = member_of(from, field);
		if (!copiers[field->kind])
			memcpy(member_of(to, field), member, plain_sizes[field->kind]);
		else if (!copiers[field->kind](field, member, member_of(to, field)))
			return false;
	}
	return true;
}

enum pmpp_status record_copy(const struct record_type *type, const void *record, void *ret_record,
	struct pmpp_error *error)
{
	record_init(type, ret_record);
	if (copy_members(type, record, ret_record))
		return PMPP_OK;
	record_finish(type, ret_record);
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a copy of a %s", type->name);
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

	while (type->fields[index].name && strcmp(type->fields[index].name, name) != 0)
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

/* Makes room for one more item. Each capacity is a power of two, so it follows from the count. */
static void *grow(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return array_resize(items, count ? 2 * count : 1, size);
}

void *record_list_add(const struct record_type *type, void *list)
{
	struct raw_list raw = raw_list_get(list);
	void *items = grow(raw.items, raw.count, type->size);

	if (!items)
		return NULL;
	raw.items = items;
	void *item = raw_list_item(type, raw, raw.count++);
	record_init(type, item);
	raw_list_set(list, raw);
	return item;
}

void record_list_keep(
	const struct record_type *type, void *list, record_keep_fn *keep, void *context)
{
	struct raw_list raw = raw_list_get(list);
	size_t kept = 0;

	for (size_t i = 0; i < raw.count; i++) {
		void *item = raw_list_item(type, raw, i);
		if (!keep(context, item))
			record_finish(type, item);
		else if (kept++ < i)
			record_move(type, item, raw_list_item(type, raw, kept - 1));
	}
	raw.count = kept;
	raw_list_set(list, raw);
}

bool text_list_add(struct text_list *list, const char *text)
{
	char *copy = clean_copy(text);
	char **items = copy ? grow(list->items, list->count, sizeof *items) : NULL;

	if (!items) {
		free(copy);
		return false;
	}
	list->items = items;
	items[list->count++] = copy;
	return true;
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
	double *items = count ? malloc(count * sizeof *items) : NULL;

	if (count && !items)
		return false;
	if (count)
		memcpy(items, values, count * sizeof *items);
	free(list->items);
	*list = (struct number_list){items, count};
	return true;
}

bool integer_list_add(struct integer_list *list, int64_t value)
{
	int64_t *items = grow(list->items, list->count, sizeof *items);

	if (!items)
		return false;
	list->items = items;
	items[list->count++] = value;
	return true;
}

bool named_list_add(struct named_list *list, const char *name, int64_t value)
{
	char *copy = clean_copy(name);
	struct named_value *items = copy ? grow(list->items, list->count, sizeof *items) : NULL;

	if (!items) {
		free(copy);
		return false;
	}
	list->items = items;
	items[list->count++] = (struct named_value){copy, value};
	return true;
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
