/*
 * NVRTC, the CUDA compiler as a library: opened at run time, works without an NVIDIA driver.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_H
#define PMPP_HOST_GPU_CUDA_NVRTC_H

#include "common/status.h"

#include <stddef.h>

#define NVRTC_MAX_INCLUDES 2
#define NVRTC_MAX_ARCHS 128

struct nvrtc_library {
	char path[200];   /* of the library; "" when none could be opened */
	char reason[300]; /* why not, and what to do; "" when it was */
	int major, minor; /* its version */
	/* Folders with the toolkit's headers, as -I options: NVRTC finds none by itself. */
	char includes[NVRTC_MAX_INCLUDES][512];
	size_t include_count;
};

/* Opens the library at the first call. Never NULL; look at path. */
const struct nvrtc_library *nvrtc_library(void);

/* The real architectures it compiles for, ascending: 75 for sm_75. At least one.
 * PMPP_UNAVAILABLE when there is no NVRTC. */
enum pmpp_status nvrtc_archs(
	int ret_archs[NVRTC_MAX_ARCHS], size_t *ret_count, struct pmpp_error *error);

/* The -arch option for a device of compute capability arch / 10 . arch % 10: "-arch=sm_90"; where
 * this NVRTC is too old to know it, the newest that it does know, as PTX for the driver to compile:
 * "-arch=compute_90". PMPP_UNSUPPORTED when the device is too old for this NVRTC. */
enum pmpp_status nvrtc_arch_option(
	int arch, char *ret_option, size_t size, struct pmpp_error *error);

/*
 * Compiles CUDA C++ for one architecture ("-arch=sm_90" among the options) to a cubin; to PTX
 * (zero-terminated, the zero counts) for a virtual one ("-arch=compute_90"). The toolkit's include
 * folders are added here. name is what messages show for the file.
 *
 * *ret_cubin and *ret_log ("" when the compiler said nothing) are malloc'ed; the caller frees them.
 * PMPP_BUILD carries the log in error->log; PMPP_UNAVAILABLE when there is no NVRTC.
 */
enum pmpp_status nvrtc_compile(const char *source, const char *name, const char *const *options,
	size_t option_count, void **ret_cubin, size_t *ret_size, char **ret_log,
	struct pmpp_error *error);

#endif
