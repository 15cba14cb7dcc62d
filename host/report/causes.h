/*
 * Likely causes of wrong results that only the rows of several sizes or engines show.
 */
#ifndef PMPP_HOST_REPORT_CAUSES_H
#define PMPP_HOST_REPORT_CAUSES_H

#include "host/record/result.h"

#include <stdio.h>

/* Writes a line for each cause of a variant on a device; nothing if there is none. */
void causes_put(FILE *out, const struct result_document *document);

#endif
