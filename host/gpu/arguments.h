/*
 * Errors for a kernel whose parameter list does not match a launch. The messages are the same
 * on every backend and count arguments from 1. The front adds the name of the kernel.
 */
#ifndef PMPP_HOST_GPU_ARGUMENTS_H
#define PMPP_HOST_GPU_ARGUMENTS_H

#include "host/gpu/gpu.h"

/* Returns the number of arguments, including OpenCL's __local pointer to dynamic shared memory. */
size_t gpu_argument_count(const struct gpu_device_info *info, const struct gpu_launch *launch);

/* Records that the kernel has another number of parameters. Returns PMPP_LAUNCH. */
enum pmpp_status gpu_refuse_count(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t parameters, struct pmpp_error *error);

/* Records that the parameter at `index` (from 0) has another size or kind. found: a text about the
 * parameter, such as "the kernel has 4 bytes". Returns PMPP_LAUNCH. */
enum pmpp_status gpu_refuse_argument(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t index, const char *found, struct pmpp_error *error);

/* Returns the address of the value for a parameter of `bytes` bytes; 0: the size is unknown. An integer also
 * fits a parameter of 4 or 8 bytes, if an int can hold it: its value is then in *room, which must live as
 * long as the address. Returns NULL if the argument does not fit. Not for buffers and tile maps. */
const void *gpu_argument_value(const struct gpu_arg *arg, size_t bytes, int64_t *room);

#endif
