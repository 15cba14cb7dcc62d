/* The table of commands. */
#ifndef PMPP_HOST_CLI_COMMANDS_H
#define PMPP_HOST_CLI_COMMANDS_H

#include "host/cli/cli_options.h"

extern const struct command_list commands;

/* Title of a group, such as "Use results". */
const char *command_group_title(enum command_group group);

#endif
