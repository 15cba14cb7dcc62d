/*
 * What one rank of a fleet (pmpp-run --fleet) reports at its end.
 */
#ifndef PMPP_HOST_RECORD_FLEET_H
#define PMPP_HOST_RECORD_FLEET_H

#include "host/record/result.h"

struct fleet_report {
	struct record record;
	int64_t rank;
	char *host;        /* name of the machine; NULL = unknown */
	char *device;      /* name of the device; NULL = unknown */
	char *uuid;        /* UUID, PCI address or label of the device; NULL = unknown */
	int64_t exit_code; /* of the rank's job; negative = the rank did not report */
	char *message;     /* what went wrong; NULL = nothing */
	char *untimed;     /* why the rank measured no times; NULL = measured, or not requested */
	struct result_document document; /* not present: the rank did not report */
};

struct fleet_report_list {
	struct fleet_report *items; /* by rank; owned */
	size_t count;
};

extern const struct record_type fleet_report_type;

void fleet_report_list_finish(struct fleet_report_list *list);

#endif
