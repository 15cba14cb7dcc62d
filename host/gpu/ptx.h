/*
 * PTX of kernels: the output of NVIDIA's compilers before the driver's assembler. NVRTC compiles a
 * CUDA file without a GPU and without a driver. NVIDIA's OpenCL driver returns PTX as the program's
 * binary. NVRTC also has the assembler, so it reports the resources of the finished kernel.
 *
 * These operations are optional for a backend. They return PMPP_UNSUPPORTED where the backend has
 * no such operation, and PMPP_UNAVAILABLE, with what to install, where this build lacks the
 * backend.
 */
#ifndef PMPP_HOST_GPU_PTX_H
#define PMPP_HOST_GPU_PTX_H

#include "host/gpu/gpu.h"

/* Whether the backend's compiler has an architecture, "sm_90". PMPP_USAGE when not, with those that
 * it has and the nearest; PMPP_UNAVAILABLE, with what to install, when there is no compiler. */
enum pmpp_status gpu_arch_check(enum gpu_backend_id id, const char *arch, struct pmpp_error *error);

/* Compiles a source to PTX with the options of the backend. arch is "sm_90"; one too new for this
 * compiler gets the newest that it has, as on a device. *ret_ptx is malloc'ed. PMPP_UNAVAILABLE as
 * above; PMPP_UNSUPPORTED for an arch too old; PMPP_BUILD with error->log. */
enum pmpp_status gpu_source_ptx(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, char **ret_ptx, struct pmpp_error *error);

/* Compiles a source for one architecture, "sm_90", and returns the resources of its kernels, in the
 * order of entries; max_block_threads stays unknown (-1). spill_bytes is all local memory of a
 * thread, as the driver reports it. PMPP_UNAVAILABLE as above; PMPP_UNSUPPORTED for an arch that
 * this compiler does not have; PMPP_BUILD with error->log. */
enum pmpp_status gpu_source_resources(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, const char *const *entries, size_t entry_count,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);

/* The binary of a program, malloc'ed. PMPP_UNSUPPORTED where it is no PTX. */
enum pmpp_status gpu_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);

#endif
