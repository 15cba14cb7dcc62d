/* OpenBLAS on a CPU device. Functions as in backend.h. */
#ifndef PMPP_HOST_GPU_OPENCL_OPENBLAS_H
#define PMPP_HOST_GPU_OPENCL_OPENBLAS_H

#include "host/gpu/opencl/internal.h"

enum pmpp_status openblas_open(
	struct gpu_device *device, struct gpu_library **ret_library, struct pmpp_error *error);
void openblas_close(struct gpu_library *library);
enum pmpp_status openblas_multiply(
	struct gpu_library *library, const struct gpu_product *product, struct pmpp_error *error);
enum pmpp_status openblas_wake_up(struct gpu_library *library, struct pmpp_error *error);

#endif
