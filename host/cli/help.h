/*
 * The texts of --help. No line has more than 79 columns.
 */
#ifndef PMPP_HOST_CLI_HELP_H
#define PMPP_HOST_CLI_HELP_H

#include <stdio.h>

#include "host/cli/cli_options.h"

/* A line of the exit status or of the environment. */
struct help_entry {
	const char *name; /* "77", "PMPP_STORE" */
	const char *help; /* phrase of --help; NULL = only the man page has the entry */
	const char *text; /* sentences of the man page */
};

extern const struct help_entry help_exits[], help_environment[];
extern const size_t help_exit_count, help_environment_count;

/* One paragraph; the man page begins with it. */
extern const char help_description[];

/* Help of the command, or of all if none is given. */
void cli_help(const struct cli_options *options, FILE *out);

#endif
