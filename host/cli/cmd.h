/*
 * The functions of the commands. Each is in the file of its name. Contract: struct command.run
 * (cli_options.h).
 */
#ifndef PMPP_HOST_CLI_CMD_H
#define PMPP_HOST_CLI_CMD_H

#include "host/cli/cli_options.h"

typedef enum pmpp_status command_fn(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

command_fn cmd_job;
command_fn cmd_explain;
command_fn cmd_compare;
command_fn cmd_contribute;
command_fn cmd_report;
command_fn cmd_list;
command_fn cmd_devices;
command_fn cmd_show;
command_fn cmd_selftest;
command_fn cmd_try;
command_fn cmd_new;
command_fn cmd_doctor;
command_fn cmd_history;
command_fn cmd_store_export;
command_fn cmd_store_import;
command_fn cmd_store_list;
command_fn cmd_store_remove;
command_fn cmd_model;

/* The table of commands (commands.c). */
extern const struct command_list commands;

/* Title of a group, such as "Use results". */
const char *command_group_title(enum command_group group);

#endif
