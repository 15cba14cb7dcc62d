/*
 * Records of errors: a struct pmpp_error in events and files.
 */
#ifndef PMPP_HOST_RECORD_ERROR_H
#define PMPP_HOST_RECORD_ERROR_H

#include "host/record/record.h"

#define RECORDS "host/record/error.def"
#include "host/record/records.inc"

/* Convert between struct pmpp_error and its record. All members are kept. The record becomes
 * present. An older error in ret_error is replaced. */
void error_record_set(struct error_record *record, const struct pmpp_error *error);
void error_record_get(const struct error_record *record, struct pmpp_error *ret_error);

#endif
