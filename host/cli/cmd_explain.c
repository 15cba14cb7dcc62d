#include "host/cli/cmd.h"
#include "host/cli/command_job.h"

/* The collector prints each explanation when it is complete. */
enum pmpp_status cmd_explain(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	return command_job(JOB_EXPLAIN, options, ret_exit, error);
}
