/*
 * The command line, parsed by argp. Nothing here prints or ends the process; --help and --version
 * are returned as flags.
 */
#ifndef PMPP_HOST_CLI_OPTIONS_H
#define PMPP_HOST_CLI_OPTIONS_H

#include "host/cli/cli_options.h"

/* Reads the command line and PMPP_BACKEND, PMPP_DEVICE. If ret_options->help or version
 * is set, the caller prints that text and runs no command. Call cli_options_finish() in all cases.
 */
enum pmpp_status cli_options_parse(int argc, char **argv, const struct command_list *commands,
	struct cli_options *ret_options, struct pmpp_error *error);
void cli_options_finish(struct cli_options *options);

#endif
