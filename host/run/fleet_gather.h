/*
 * The reports of all ranks at the end of a fleet.
 */
#ifndef PMPP_HOST_RUN_FLEET_GATHER_H
#define PMPP_HOST_RUN_FLEET_GATHER_H

#include "host/record/fleet.h"
#include "host/run/fleet.h"

/*
 * Reports this rank and waits for the others. Sets *ret_prints to true in exactly one rank; if MPI
 * has ended, in one rank of each host. This rank prints and saves *ret_reports, which has a report
 * for every rank. The list is empty in the other ranks.
 *
 * Each rank writes its report to the fleet's folder. While all agents run, the lowest rank gets
 * the reports as MPI messages. The lowest rank of each host removes the folder of the host. A
 * rank whose agent has ended releases its lock and waits for the locks of the other ranks of its
 * host. Then the first rank that finds the folder reads the reports in it, and removes it. A rank
 * without a report was killed. The reports of ranks of other hosts are unknown in this case.
 *
 * The folder is renamed before its files are removed, so no rank finds only a part of the reports.
 *
 * Sets the report's message if the agent was killed. Errors leave the outputs untouched:
 * PMPP_OUT_OF_MEMORY, PMPP_IO.
 */
enum pmpp_status fleet_gather(struct fleet *fleet, struct fleet_report *report,
	struct fleet_report_list *ret_reports, bool *ret_prints, struct pmpp_error *error);

#endif
