/*
 * Refusals of a kernel whose parameter list does not take the arguments of a launch. The texts are
 * the same on every backend. Arguments are counted from 1 in them. The front adds the name of the
 * kernel.
 */
#ifndef PMPP_HOST_GPU_ARGUMENTS_H
#define PMPP_HOST_GPU_ARGUMENTS_H

#include "host/gpu/gpu.h"

/* What a backend adds if the file has no kernel of the wanted name. */
#define GPU_NO_KERNEL "the file has no kernel of this name; use the name of the project's kernel"

/* The number of arguments, with OpenCL's __local pointer to dynamic shared memory. */
size_t gpu_argument_count(const struct gpu_device_info *info, const struct gpu_launch *launch);

/* The kernel has another number of parameters. Returns PMPP_LAUNCH. */
enum pmpp_status gpu_refuse_count(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t parameters, struct pmpp_error *error);

/* The parameter at index (from 0) has another size or kind. found: what is known of the parameter,
 * "the kernel has 4 bytes". Returns PMPP_LAUNCH. */
enum pmpp_status gpu_refuse_argument(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t index, const char *found, struct pmpp_error *error);

#endif
