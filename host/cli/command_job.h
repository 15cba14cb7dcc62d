/*
 * A command that runs a job: prepares it, runs it, shows it, writes its files.
 */
#ifndef PMPP_HOST_CLI_COMMAND_JOB_H
#define PMPP_HOST_CLI_COMMAND_JOB_H

#include "host/cli/cli_options.h"
#include "host/run/job.h"

enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

#endif
