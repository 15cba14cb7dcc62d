/* --math: its words, and the options of each compiler (host/gpu/backends.h). */
#ifndef PMPP_HOST_GPU_MATH_OPTIONS_H
#define PMPP_HOST_GPU_MATH_OPTIONS_H

#include "host/gpu/gpu.h"

/* Returns "default", "strict" or "fast". */
const char *gpu_math_name(enum gpu_math math);

/* Returns the options of the backend's compiler, separated by spaces; "" = none. The OpenCL backend
 * removes the option for correct rounding if the device lacks CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.
 */
const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math);

#endif
