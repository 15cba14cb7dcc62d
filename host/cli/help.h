/*
 * The texts of --help.
 */
#ifndef PMPP_HOST_CLI_HELP_H
#define PMPP_HOST_CLI_HELP_H

#include <stdio.h>

#include "host/cli/cli_options.h"

/* Help of the command, or of all when none was given. */
void cli_help(const struct command_list *commands, const struct cli_options *options, FILE *out);

#endif
