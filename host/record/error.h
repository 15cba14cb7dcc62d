/*
 * Errors as records: a struct pmpp_error on its way from the driver to the user and to files.
 */
#ifndef PMPP_HOST_RECORD_ERROR_H
#define PMPP_HOST_RECORD_ERROR_H

#include "host/record/record.h"

struct error_record {
	struct record record;
	int status; /* enum pmpp_status */
	char *message, *call;
	int64_t code;
	char *symbol, *file;
	int64_t line;
	char *log;
};

extern const struct record_type error_type;

/* Both ways keep every member. The record is then present; an older error in ret_error is dropped.
 */
void error_record_set(struct error_record *record, const struct pmpp_error *error);
void error_record_get(const struct error_record *record, struct pmpp_error *ret_error);

#endif
