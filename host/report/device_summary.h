/*
 * The closing lines of a job: numbers of rows, in total and for each device.
 */
#ifndef PMPP_HOST_REPORT_DEVICE_SUMMARY_H
#define PMPP_HOST_REPORT_DEVICE_SUMMARY_H

#include "host/record/result.h"

#include <stdio.h>

/* Class of the row's status; OUTCOME_CLASS_UNVERIFIED for an unknown status. */
enum outcome_class result_row_class(const struct result_row *row);

/* Writes "3 ok, 1 failed, 2 skipped", without the zeros and without a line end. */
void class_counts_put(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out);

/* Writes a line for each view of a device that has rows: "opencl, NAME, uuid:...: 3 ok". Nothing if
 * there are fewer than two. */
void device_summary_put(FILE *out, const struct result_document *document);

#endif
