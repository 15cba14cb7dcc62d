/*
 * The OpenCL 1.2 API: the headers of Khronos, or Apple's framework. Features of later versions and of
 * extensions are used by their numbers, after a query.
 */
#ifndef PMPP_HOST_GPU_OPENCL_CL_API_H
#define PMPP_HOST_GPU_OPENCL_CL_API_H

#ifdef __APPLE__
#define CL_SILENCE_DEPRECATION
#include <OpenCL/opencl.h>
#else
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#endif

#endif
