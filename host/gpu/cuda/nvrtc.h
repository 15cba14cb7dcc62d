/*
 * Compiling with NVRTC. It needs no NVIDIA driver.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_H
#define PMPP_HOST_GPU_CUDA_NVRTC_H

#include "common/status.h"
#include "host/gpu/cuda/nvrtc_load.h"

#include <stdbool.h>
#include <stddef.h>

#define NVRTC_MAX_ARCHS 128

/* Sets the supported real architectures, ascending: 75 for sm_75. There is at least one.
 * PMPP_UNAVAILABLE: there is no NVRTC. */
enum pmpp_status nvrtc_archs(
	int ret_archs[NVRTC_MAX_ARCHS], size_t *ret_count, struct pmpp_error *error);

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
 * *ret_size includes. The function adds the include folders of the toolkit. name: the name of the
 * file in messages.
 *
 * The caller frees *ret_cubin and *ret_log ("" = the log is empty). PMPP_BUILD: error->log has the
 * log. PMPP_UNAVAILABLE: there is no NVRTC.
 */
enum pmpp_status nvrtc_compile(const char *source, const char *name, const char *const *options,
	size_t option_count, void **ret_cubin, size_t *ret_size, char **ret_log,
	struct pmpp_error *error);

#endif
