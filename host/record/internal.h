/* Shared by the files of host/record: lists of any record type, and the extra members. */
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

/* A list of records. In the record itself `items` has the element's type, so that the list is read
 * and written as bytes. */
struct raw_list {
	void *items;
	size_t count;
};

struct raw_list raw_list_get(const void *list);

/* Record number index of a list. */
void *raw_list_item(const struct record_type *type, struct raw_list list, size_t index);

/* The text member at an offset, and where it is. */
char **text_at(const void *record, size_t offset);

/* The unknown members of a record as a JSON object; NULL = none. */
json_t *extra_json(const struct record *record);

/* Adds an unknown member. Takes the reference; false for lack of memory. */
bool extra_add(struct record *record, const char *name, json_t *value);

#endif
