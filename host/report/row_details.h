/*
 * Details of a row that the tables do not show.
 */
#ifndef PMPP_HOST_REPORT_ROW_DETAILS_H
#define PMPP_HOST_REPORT_ROW_DETAILS_H

#include "host/record/record.h"

/* Returns the known fields of a record with their keys, "registers 32, spill_bytes 0"; malloc'ed; NULL:
 * none. keys: "registers spill_bytes". */
char *row_details_fields(const struct record_type *type, const void *record, const char *keys);

#endif
