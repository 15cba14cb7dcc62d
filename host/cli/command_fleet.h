/*
 * A command that runs as one rank of several: --fleet.
 */
#ifndef PMPP_HOST_CLI_COMMAND_FLEET_H
#define PMPP_HOST_CLI_COMMAND_FLEET_H

#include "host/cli/cli_options.h"
#include "host/run/job.h"

/* As command_job(). Output files get the number of the rank in their names. If there are several
 * ranks, only one of them prints. It prints the summary, and saves it beside the file of --json,
 * else of --csv, else of --md. */
enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

#endif
