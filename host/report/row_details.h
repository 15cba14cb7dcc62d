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

/* Writes "    NAME: KEY VALUE, KEY VALUE" of the known fields. keys: "registers spill_bytes". Writes nothing
 * if no field is known. */
void row_details_line(FILE *out, const char *name, const struct record_type *type,
	const void *record, const char *keys);

#endif
