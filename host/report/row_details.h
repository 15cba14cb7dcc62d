/*
 * What a table has no column for: details of a row, and the flags of all rows.
 */
#ifndef PMPP_HOST_REPORT_ROW_DETAILS_H
#define PMPP_HOST_REPORT_ROW_DETAILS_H

#include "host/record/result.h"

#include <stdbool.h>
#include <stdio.h>

/* What -v adds below a row: build options, resources, samples, flags, the step and the claim with
 * their intervals, the state of the device. Nothing for a row without a build. */
void row_details_put(FILE *out, const struct result_row *row);

/* "flags: 3 noisy, 1 throttled (-v shows the rows)": the number of rows with each flag. Nothing if
 * no row has a flag. shown: the rows' flags were printed, so no hint follows. */
void row_flags_put(FILE *out, const struct result_list *rows, bool shown);

#endif
