/*
 * NVRTC, the CUDA compiler as a library. It is opened at run time and needs no NVIDIA driver. The smallest
 * installation: NVIDIA's packages of the Python Package Index.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_H
#define PMPP_HOST_GPU_CUDA_NVRTC_H

#include "host/gpu/backend_text.h"

#include <stdbool.h>
#include <stddef.h>

#define NVRTC_MAX_INCLUDES 2
#define NVRTC_COMMAND_BYTES 400

struct nvrtc_library {
	char path[1024];    /* of the library; "" = it could not be opened */
	char reason[700];   /* why it could not be opened, and what to do; "" = it is open */
	char origin[64];    /* where it was found: "VIRTUAL_ENV" (find.h) */
	char headers[1024]; /* folder of the CUDA headers of the same set; "" = missing */
	char advice[500];   /* that headers are missing, and what to do; "" = they are there */
	int major, minor;   /* version of the library */
	/* -I options for the headers: NVRTC does not search for them. */
	char includes[NVRTC_MAX_INCLUDES][1100];
	size_t include_count;
};

/* Opens the library at the first call. Never NULL; check `path`. */
const struct nvrtc_library *nvrtc_library(void);

/*
 * Writes the shell command that installs NVRTC and its headers in the cache directory, where
 * find_library() finds them. tools/run.sh runs the command as it is printed.
 *
 * cuda_version: 1000 * major + 10 * minor of the driver; 0 = no driver. The packages are not newer:
 * a driver may reject what a newer NVRTC compiles. arch: 70 for a device of compute capability 7.0,
 * 0 = any; NVRTC 13 does not support devices below 7.5.
 */
const char *nvrtc_install_command(int cuda_version, int arch, char text[NVRTC_COMMAND_BYTES]);

/* Sets the -arch option for a device. arch: its compute capability, 90 for 9.0. The option is
 * "-arch=sm_90". If this NVRTC does not support the architecture, the option is its newest one as PTX,
 * which the driver then compiles: "-arch=compute_90". specific: also the instructions that only this
 * architecture has, "-arch=sm_90a". PMPP_UNSUPPORTED: the device is too old for this NVRTC; or
 * `specific` is set, and this NVRTC does not support the architecture.
 */
enum pmpp_status nvrtc_arch_option(
	int arch, bool specific, char *ret_option, size_t size, struct pmpp_error *error);

/*
 * Compiles CUDA C++ for one architecture. With "-arch=sm_90" in the options, the binary is a cubin;
 * with a virtual architecture ("-arch=compute_90"), it is PTX with a zero at its end, which
 * *ret_size includes. The function adds the include folders of the toolkit to the options. name: the name of the
 * file in messages.
 *
 * The caller frees *ret_cubin and *ret_log ("" = the log is empty). PMPP_BUILD: error->log has the
 * log. PMPP_UNAVAILABLE: there is no NVRTC.
 */
enum pmpp_status nvrtc_compile(const char *source, const char *name, struct option_list *options,
	void **ret_cubin, size_t *ret_size, char **ret_log, struct pmpp_error *error);

#endif
