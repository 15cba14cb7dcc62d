#include "host/cli/cmd.h"
#include "host/cli/command_job.h"

/* The roofs arrive with the device event; console_device shows them. */
enum pmpp_status cmd_roofline(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return command_job(JOB_ROOFLINE, options, ret_exit, error);
}
