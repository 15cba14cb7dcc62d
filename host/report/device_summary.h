/*
 * The closing lines of a job: numbers of rows, in total and for each device.
 */
#ifndef PMPP_HOST_REPORT_DEVICE_SUMMARY_H
#define PMPP_HOST_REPORT_DEVICE_SUMMARY_H

#include "host/record/result.h"

#include <stdio.h>

/* Writes "3 ok, 1 failed, 2 skipped", without counts of 0 and without a line end. */
void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out);

/* The rows of one device through one backend. */
struct device_tally {
	char name[DEVICE_TITLE_BYTES + 100]; /* "opencl:0.1 NAME" */
	size_t of_class[OUTCOME_CLASS_COUNT];
};

/* Zero-initialise. */
struct device_summary {
	struct device_tally *items; /* malloc'ed */
	size_t count;
};

/* Counts a row. name: with the label of the device, because two devices may have one title. */
void device_summary_add(struct device_summary *summary, const char *name, enum outcome_class class);

/* Writes a line for each device: "opencl:0.1 NAME: 3 ok". Writes nothing if there are fewer than
 * two devices. */
void device_summary_put(FILE *out, const struct device_summary *summary);

#endif
