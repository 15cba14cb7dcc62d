/*
 * The reports of all ranks at the end of a fleet.
 */
#ifndef PMPP_HOST_RUN_FLEET_GATHER_H
#define PMPP_HOST_RUN_FLEET_GATHER_H

#include "host/record/fleet.h"
#include "host/run/fleet.h"

/*
 * Reports this rank and waits for the others. Sets *ret_speaks to true in exactly one rank (of each
 * host, if MPI has ended): it prints and saves *ret_reports, which has a report for every rank. The
 * list is empty in the other ranks.
 *
 * While all agents live, the reports are MPI messages. Otherwise each rank of a host writes its
 * report to the fleet's folder, releases its lock, and waits for the locks of the others. A rank
 * without a report was killed. The first rank that takes the lock of the folder gets the reports,
 * and removes the folder. The reports of ranks of other hosts are unknown in this case.
 *
 * Sets the report's message if the agent was killed. Errors leave the outputs untouched:
 * PMPP_OUT_OF_MEMORY, PMPP_IO.
 */
enum pmpp_status fleet_gather(struct fleet *fleet, struct fleet_report *report,
	struct fleet_report_list *ret_reports, bool *ret_speaks, struct pmpp_error *error);

#endif
