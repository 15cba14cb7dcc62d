/*
 * Visits a record and all records in it.
 */
#ifndef PMPP_HOST_RECORD_WALK_H
#define PMPP_HOST_RECORD_WALK_H

#include "host/record/record.h"

struct record_visitor {
	void *context;
	/* called for each present record, before its members; may be NULL */
	void (*record)(void *context, const struct record_type *type, struct record *record);
	/* called for each member that is not a list of records; may be NULL */
	void (*member)(void *context, const struct record_field *field, void *member);
	/* called for each text of a member, after the member; may be NULL */
	void (*text)(void *context, const struct record_field *field, char **text);
};

/* Visits a record, its members, and the records in it, in the order of the tables. Does not visit
 * absent keys (record.absent). */
void record_walk(
	const struct record_type *type, void *record, const struct record_visitor *visitor);

/* Returns the first key or word of the record that this version does not know; NULL = none. Does
 * not search the records in it. */
const char *record_unknown_key(const struct record *record);

#endif
