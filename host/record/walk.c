#include "host/record/walk.h"

#include "host/record/internal.h"

static void walk_list(
	const struct record_type *type, const void *member, const struct record_visitor *visitor)
{
	struct raw_list list = raw_list_get(member);

	for (size_t i = 0; i < list.count; i++)
		record_walk(type, raw_list_item(type, list, i), visitor);
}

static void walk_texts(
	const struct record_field *field, void *member, const struct record_visitor *visitor)
{
	const struct text_list *texts = member;
	const struct named_list *names = member;

	if (field->kind == FIELD_TEXT)
		visitor->text(visitor->context, field, member);
	for (size_t i = 0; field->kind == FIELD_TEXTS && i < texts->count; i++)
		visitor->text(visitor->context, field, &texts->items[i]);
	for (size_t i = 0; field->kind == FIELD_NAMED && i < names->count; i++)
		visitor->text(visitor->context, field, &names->items[i].name);
}

void record_walk(const struct record_type *type, void *record, const struct record_visitor *visitor)
{
	struct record *head = record;

	if (visitor->record)
		visitor->record(visitor->context, type, head);
	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
		void *member = (char *)record + field->offset;
		if (head->absent >> i & 1)
			continue;
		if (field->kind == FIELD_OBJECTS || field->kind == FIELD_KEYED)
			walk_list(field->type, member, visitor);
		else if (visitor->member)
			visitor->member(visitor->context, field, member);
		if (visitor->text)
			walk_texts(field, member, visitor);
		if (field->kind == FIELD_OBJECT && ((struct record *)member)->present)
			record_walk(field->type, member, visitor);
	}
}

const char *record_unknown_key(const struct record *record)
{
	json_t *extra = extra_json(record);

	return extra ? json_object_iter_key(json_object_iter(extra)) : NULL;
}
