/*
 * The summary of a fleet: a line for each rank, the stragglers, and the ranks that failed.
 */
#ifndef PMPP_HOST_REPORT_FLEET_TABLE_H
#define PMPP_HOST_REPORT_FLEET_TABLE_H

#include "host/record/fleet.h"

#include <stdio.h>

/* Finds stragglers among the ranks whose devices have the same name: compares rows of the same
 * variant, problem and build options (fleet_is_straggler()). */
void fleet_table_put(FILE *out, const struct fleet_report_list *reports);

#endif
