/*
 * PTX of kernels: the output of NVIDIA's compilers before the driver's assembler. NVRTC compiles a
 * CUDA file without a GPU and without a driver. NVIDIA's OpenCL driver returns PTX as the program's
 * binary. NVRTC also has the assembler, so it reports the resources of the finished kernel.
 *
 * These operations are optional for a backend. They return PMPP_UNSUPPORTED if the backend has no
 * such operation. They return PMPP_UNAVAILABLE if this build lacks the backend, or if there is no
 * compiler; the message names what to install.
 */
#ifndef PMPP_HOST_GPU_PTX_H
#define PMPP_HOST_GPU_PTX_H

#include "host/gpu/gpu.h"

/* Checks that the backend's compiler supports an architecture, "sm_90". PMPP_USAGE if not; the
 * message has the supported architectures and similar names. */
enum pmpp_status gpu_arch_check(enum gpu_backend_id id, const char *arch, struct pmpp_error *error);

/* Compiles a source to PTX with the options of the backend. arch: "sm_90". If arch is too new for
 * the compiler, the newest supported architecture is used, as on a device. The caller frees
 * *ret_ptx. PMPP_UNSUPPORTED: arch is too old. PMPP_BUILD: error->log has the log. */
enum pmpp_status gpu_source_ptx(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, char **ret_ptx, struct pmpp_error *error);

/* Compiles a source for one architecture, "sm_90" or "gfx942" (with another width of a wave:
 * "gfx1100/64"), and returns the resources of its kernels, in the
 * order of entries. max_block_threads is unknown (-1). spill_bytes is all local memory of a thread,
 * as the driver reports it. PMPP_UNSUPPORTED: the compiler does not support arch. PMPP_BUILD:
 * error->log has the log. */
enum pmpp_status gpu_source_resources(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, const char *const *entries, size_t entry_count,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);

/* Writes name and version of the compiler of gpu_source_resources(), "NVRTC 12.9"; "" = unknown. */
void gpu_compiler_text(enum gpu_backend_id id, char *ret_text, size_t size);

/* Returns the binary of a program; the caller frees it. PMPP_UNSUPPORTED: the binary is not PTX. */
enum pmpp_status gpu_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);

#endif
