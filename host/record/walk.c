#include "host/record/walk.h"

#include "host/record/internal.h"

static void walk_list(
	const struct record_type *type, const void *member, const struct record_visitor *visitor)
{
	struct raw_list list = raw_list_get(member);

	for (size_t i = 0; i < list.count; i++)
		record_walk(type, raw_list_item(type, list, i), visitor);
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
		else if (field->kind != FIELD_OBJECT && visitor->member)
			visitor->member(visitor->context, field, member);
		else if (field->kind == FIELD_OBJECT && ((struct record *)member)->present)
			record_walk(field->type, member, visitor);
	}
}

const char *record_unknown_key(const struct record *record)
{
	json_t *extra = extra_json(record);

	return extra ? json_object_iter_key(json_object_iter(extra)) : NULL;
}
