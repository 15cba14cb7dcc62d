#include "host/cli/cmd.h"
#include "host/cli/command_fleet.h"
#include "host/cli/command_job.h"

enum pmpp_status cmd_run(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return (options->fleet ? command_fleet : command_job)(JOB_RUN, options, ret_exit, error);
}

enum pmpp_status cmd_verify(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return (options->fleet ? command_fleet : command_job)(JOB_VERIFY, options, ret_exit, error);
}
