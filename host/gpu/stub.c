/*
 * The rows of backends that this build lacks: no devices, and the reason. The meson.build of the
 * backend's folder writes the reason into gpu_config.h, and so asks for the row.
 */
#include "host/gpu/backend.h"
#include "host/gpu/gpu_config.h"
#include "host/gpu/ptx.h"

#include <stdio.h>

static enum pmpp_status stub_enumerate(const char *reason, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state)
{
	snprintf(ret_state->reason, sizeof ret_state->reason, "%s", reason);
	*ret_infos = NULL;
	*ret_count = 0;
	return PMPP_OK;
}

static enum pmpp_status stub_open(const struct gpu_device_info *info,
	struct gpu_device **ret_device, struct pmpp_error *error)
{
	(void)ret_device;
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "this build has no %s backend",
		gpu_backend_name(info->backend));
}

/* Without an open device no other slot can be reached. */
#define STUB(name, ID, why)                                                                       \
	static enum pmpp_status name##_enumerate(struct gpu_device_info **ret_infos,              \
		size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error) \
	{                                                                                         \
		(void)error;                                                                      \
		return stub_enumerate(why, ret_infos, ret_count, ret_state);                      \
	}                                                                                         \
	const struct gpu_backend gpu_backend_##name = {                                           \
		.id = GPU_BACKEND_##ID,                                                           \
		.enumerate = name##_enumerate,                                                    \
		.open = stub_open,                                                                \
	};

#ifdef PMPP_NO_OPENCL
STUB(opencl, OPENCL, PMPP_NO_OPENCL)

enum pmpp_status gpu_opencl_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	(void)program;
	(void)ret_ptx;
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", PMPP_NO_OPENCL);
}
#endif
#ifdef PMPP_NO_CUDA
STUB(cuda, CUDA, PMPP_NO_CUDA)

enum pmpp_status gpu_cuda_arch_check(const char *arch, struct pmpp_error *error)
{
	(void)arch;
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", PMPP_NO_CUDA);
}

enum pmpp_status gpu_cuda_ptx(const struct gpu_program_desc *desc, const char *arch, char **ret_ptx,
	struct pmpp_error *error)
{
	(void)desc;
	(void)ret_ptx;
	return gpu_cuda_arch_check(arch, error);
}

enum pmpp_status gpu_cuda_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error)
{
	(void)desc;
	(void)entries;
	(void)entry_count;
	(void)ret_resources;
	return gpu_cuda_arch_check(arch, error);
}
#endif
#ifdef PMPP_NO_CUDA_EMU
STUB(cuda_emu, CUDA_EMU, PMPP_NO_CUDA_EMU)
#endif
