/*
 * Walks over a record and all records in it.
 */
#ifndef PMPP_HOST_RECORD_WALK_H
#define PMPP_HOST_RECORD_WALK_H

#include "host/record/record.h"

struct record_visitor {
	void *context;
	/* Called for each record that is present, before its members. NULL: not called. */
	void (*record)(void *context, const struct record_type *type, struct record *record);
	/* Called for each member that is no record and no list of records. NULL: not called. */
	void (*member)(void *context, const struct record_field *field, void *member);
};

/* Visits a record, its members, and the records in it, in the order of the tables. Keys that the
 * record leaves out (record.absent) are not visited. */
void record_walk(
	const struct record_type *type, void *record, const struct record_visitor *visitor);

/* The first key or word of the record that this version does not know; NULL = none. Records in it
 * are not searched. */
const char *record_unknown_key(const struct record *record);

#endif
