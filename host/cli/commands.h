/* The commands: one file each. Contract: struct command.run (options.h). */
#ifndef PMPP_HOST_CLI_COMMANDS_H
#define PMPP_HOST_CLI_COMMANDS_H

#include "host/run/job.h"
#include "host/cli/options.h"

typedef enum pmpp_status command_fn(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

command_fn cmd_run;
command_fn cmd_verify;
command_fn cmd_parity;
command_fn cmd_explain;
command_fn cmd_list;
command_fn cmd_devices;
command_fn cmd_show;
command_fn cmd_roofline;
command_fn cmd_doctor;
command_fn cmd_model_occupancy;
command_fn cmd_model_dram;
command_fn cmd_model_boundary;

/* Prepares and runs a job, shows it, writes the files (cmd_run.c). */
enum pmpp_status command_job(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error);

#endif
