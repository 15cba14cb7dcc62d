/*
 * Details of a row, and the flags of all rows: a table has no columns for them.
 */
#ifndef PMPP_HOST_REPORT_ROW_DETAILS_H
#define PMPP_HOST_REPORT_ROW_DETAILS_H

#include "host/record/result.h"

#include <stdbool.h>
#include <stdio.h>

/* What -v adds below a row: build options, resources, samples, flags, the step and the claim with
 * their intervals, the state of the device. Prints nothing for a row without a build. */
void row_details_put(FILE *out, const struct result_row *row);

/* "flags: 3 noisy, 1 throttled (-v shows the rows)": the number of rows with each flag. Prints
 * nothing if no row has a flag. shown: the flags of the rows were printed, so no hint follows. */
void row_flags_put(FILE *out, const struct result_list *rows, bool shown);

#endif
