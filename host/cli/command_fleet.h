/*
 * --fleet: a command that runs as one rank of several, and the comparison of the files of all ranks.
 */
#ifndef PMPP_HOST_CLI_COMMAND_FLEET_H
#define PMPP_HOST_CLI_COMMAND_FLEET_H

#include "host/cli/cli_options.h"
#include "host/run/job.h"

/* As cmd_job(), on the device of the rank. Output files get the number of the rank in their
 * names. If there are several ranks, the rank prints one line in place of tables. The exit code of
 * the launcher's process is that of fleet_split(). */
enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

/* compare --fleet: prints the table of all ranks. *ret_exit: that of fleet_table_put(). */
enum pmpp_status command_fleet_compare(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

#endif
