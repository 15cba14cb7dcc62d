#include "host/cli/cmd.h"
#include "host/cli/command_fleet.h"
#include "host/cli/command_job.h"

enum pmpp_status cmd_job(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return (options->fleet ? command_fleet : command_job)(
		options->command->action, options, ret_exit, error);
}
