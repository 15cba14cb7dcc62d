#include "host/cli/cmd.h"
#include "host/cli/command_job.h"

#include <string.h>

enum pmpp_status cmd_parity(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	/* --backend chooses the CUDA backend that is compared with OpenCL. */
	if (options->job.backend && strcmp(options->job.backend, "opencl") == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"parity compares OpenCL with CUDA: give --backend=cuda, cuda-emu or "
			"opencl-emu");
	return command_job(JOB_PARITY, options, ret_exit, error);
}
