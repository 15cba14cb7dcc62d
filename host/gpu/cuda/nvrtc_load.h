/*
 * NVRTC, the CUDA compiler as a library. It is opened at run time and needs no NVIDIA driver.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_LOAD_H
#define PMPP_HOST_GPU_CUDA_NVRTC_LOAD_H

#include "host/gpu/cuda/nvrtc_api.h"

#define NVRTC_MAX_INCLUDES 2

struct nvrtc_library {
	char path[1024];    /* of the library; "" = it could not be opened */
	char reason[700];   /* why it could not be opened, and what to do; "" = it is open */
	char origin[64];    /* where it was found: "VIRTUAL_ENV" (nvrtc_find.h) */
	char headers[1024]; /* folder of the CUDA headers of the same set; "" = missing */
	char advice[500];   /* that headers are missing, and what to do; "" = they are there */
	int major, minor;   /* version of the library */
	/* -I options for the headers: NVRTC does not search for them. */
	char includes[NVRTC_MAX_INCLUDES][1100];
	size_t include_count;
};

/* Opens the library at the first call. Never NULL; check `path`. */
const struct nvrtc_library *nvrtc_library(void);

/* The functions of the library. They may be called if it has a path. */
extern struct nvrtc_api nvrtc;

#endif
