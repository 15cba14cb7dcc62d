/* --math: its words, and the options of each compiler (host/gpu/backends.h). */
#ifndef PMPP_HOST_GPU_MATH_OPTIONS_H
#define PMPP_HOST_GPU_MATH_OPTIONS_H

#include "host/gpu/gpu.h"

/* "default", "strict", "fast". */
const char *gpu_math_name(enum gpu_math math);

/* Options of one backend's compiler, separated by spaces; "" for none. The OpenCL strict option is
 * given only to devices that have CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: the backend filters it. */
const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math);

#endif
