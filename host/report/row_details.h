/*
 * Details of a row that the tables do not show.
 */
#ifndef PMPP_HOST_REPORT_ROW_DETAILS_H
#define PMPP_HOST_REPORT_ROW_DETAILS_H

#include "host/record/result.h"

#include <stdio.h>

/* Prints the details of -v for a row: build options, resources, samples, flags, the step and the
 * claim with their intervals, the state of the device. Prints nothing for a row without a build. */
void row_details_put(FILE *out, const struct result_row *row);

/* Returns the known fields of a record with their keys, "registers 32, spill_bytes 0"; malloc'ed; NULL:
 * none. keys: "registers spill_bytes". */
char *row_details_fields(const struct record_type *type, const void *record, const char *keys);

/* Writes them as a line, "    NAME: registers 32, spill_bytes 0", or nothing. */
void row_details_line(FILE *out, const char *name, const struct record_type *type,
	const void *record, const char *keys);

#endif
