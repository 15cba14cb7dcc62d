#include "host/cli/cmd.h"
#include "host/cli/command_job.h"

/* The event of a device has its roofs, and console_device() prints them. */
enum pmpp_status cmd_roofline(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return command_job(JOB_ROOFLINE, options, ret_exit, error);
}
