/* Internal functions of host/record: lists of any record type, and extra members. */
#ifndef PMPP_HOST_RECORD_INTERNAL_H
#define PMPP_HOST_RECORD_INTERNAL_H

#include "host/record/record.h"

#include <jansson.h>

/* A JSON text and its values. */
struct json_tree {
	const char *text; /* without a byte order mark */
	size_t length;
	const char *origin;
	json_t *root;
};

/* A list of records of any type. In a record, `items` is a pointer to the type of its elements, so
 * this struct is copied to and from the record as bytes. */
struct raw_list {
	void *items;
	size_t count;
};

struct raw_list raw_list_get(const void *list);

/* Returns the record with this index. */
void *raw_list_item(const struct record_type *type, struct raw_list list, size_t index);

/* Returns the address of the text member at an offset. */
char **text_at(const void *record, size_t offset);

/* Returns the unknown members of a record as a JSON object; NULL: none. */
json_t *extra_json(const struct record *record);

/* Adds an unknown member. Takes over the reference. Returns false if there is no memory. */
bool extra_add(struct record *record, const char *name, json_t *value);

#endif
