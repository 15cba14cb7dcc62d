/* Internal functions of host/record: kinds of members, lists of any type, and extra members. */
#ifndef PMPP_HOST_RECORD_INTERNAL_H
#define PMPP_HOST_RECORD_INTERNAL_H

#include "host/record/record.h"

#include <jansson.h>

/* A kind of member, by enum record_field_kind. */
struct record_kind {
	const char *json, *words;       /* type in JSON; words in messages and in Markdown */
	size_t size;                    /* of the member; 0: a record */
	enum record_field_kind element; /* arrays and JSON objects: kind of the elements */
	size_t length;                  /* number of elements; LIST; 0: a single value */
	bool named;                     /* the elements are the members of a JSON object */
};

#define LIST SIZE_MAX

extern const struct record_kind record_kinds[];

/* The elements of a member. In a record, the pointer of a list has the type of its elements, so the list
 * is copied to and from the record as bytes. */
struct elements {
	char *items;
	size_t count, size;
	size_t value, name; /* offsets in an element: the value, and the text with its name */
};

struct elements elements_of(const struct record_field *field, const void *member);

static inline void *element_value(const struct elements *elements, size_t index)
{
	return elements->items + index * elements->size + elements->value;
}

static inline char **element_name(const struct elements *elements, size_t index)
{
	return (char **)(void *)(elements->items + index * elements->size + elements->name);
}

/* Appends an element that is empty, or all zeros, to a list, and returns its address; NULL if there is no
 * memory. */
void *element_add(const struct record_field *field, void *list);

/* Returns the address of a member. */
static inline void *member_of(const void *record, const struct record_field *field)
{
	return (char *)(uintptr_t)record + field->offset;
}

/* Returns the unknown members of a record as a JSON object; NULL: none. */
static inline json_t *extra_json(const struct record *record)
{
	return (json_t *)record->extra;
}

#endif
