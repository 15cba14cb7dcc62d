/*
 * The closing lines of a job: numbers of rows, in total and for each device.
 */
#ifndef PMPP_HOST_REPORT_DEVICE_SUMMARY_H
#define PMPP_HOST_REPORT_DEVICE_SUMMARY_H

#include "host/record/result.h"

#include <stdio.h>

/* Writes "3 ok, 1 failed, 2 skipped", without counts of 0 and without a line end. */
void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out);

/* Writes a line for each device through one backend: "opencl:0.1 NAME: 3 ok". Writes nothing if there are fewer
 * than two. */
void device_summary_put(FILE *out, const struct result_document *document);

#endif
