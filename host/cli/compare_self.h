/*
 * `compare --aa`: the machine compared with itself.
 */
#ifndef PMPP_HOST_CLI_COMPARE_SELF_H
#define PMPP_HOST_CLI_COMPARE_SELF_H

#include "host/cli/cli_options.h"

/* Runs the families of the command line, shows the floors of noise, and keeps them for later runs
 * on this machine. */
enum pmpp_status compare_self(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

#endif
