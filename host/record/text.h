/*
 * Values of records as text, for CSV and Markdown tables.
 */
#ifndef PMPP_HOST_RECORD_TEXT_H
#define PMPP_HOST_RECORD_TEXT_H

#include "host/record/record.h"

#include <stdio.h>

/* Writes the value of a field: numbers with 9 digits, lists separated by blanks, named integers as
 * "m=7 n=5", nothing for null. The name must be in the table. The field must not be a record or a
 * list of records. */
void record_put_value(
	const struct record_type *type, const void *record, const char *name, FILE *out);

#endif
