/*
 * The libraries in the column "x peer" of the tables.
 */
#ifndef PMPP_HOST_REPORT_PEER_SUMMARY_H
#define PMPP_HOST_REPORT_PEER_SUMMARY_H

#include "host/record/result.h"

#include <stdio.h>

/* Prints a line with each library that is the fastest peer of a row: "x peer = time of the library /
 * time of the variant: cublas-f32 (34 rows), cublas-f16 (7 rows)". Prints nothing if there is none. */
void peer_summary_put(FILE *out, const struct result_list *rows);

#endif
