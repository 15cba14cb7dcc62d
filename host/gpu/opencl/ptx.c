#include "common/ptx.h"
#include "host/gpu/opencl/internal.h"

#include <stdlib.h>

enum pmpp_status opencl_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	cl_program id = ((struct opencl_program *)program)->program;
	unsigned char *binary = NULL;
	size_t size = 0;
	enum pmpp_status status = CL_CALL(error, PMPP_BUILD, clGetProgramInfo, id,
		CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);

	if (status != PMPP_OK)
		return status;
	/* One more byte: NVIDIA's text may have no zero at its end. */
	binary = calloc(1, size + 1);
	if (!binary)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = CL_CALL(error, PMPP_BUILD, clGetProgramInfo, id, CL_PROGRAM_BINARIES,
		sizeof binary, &binary, NULL);
	if (status == PMPP_OK && !ptx_is((const char *)binary))
		status = PMPP_FAIL(error, PMPP_UNSUPPORTED, "the program binary of %s is not PTX",
			program->device->info.name);
	if (status != PMPP_OK) {
		free(binary);
		return status;
	}
	*ret_ptx = (char *)binary;
	return PMPP_OK;
}
