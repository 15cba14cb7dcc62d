/*
 * PTX of kernels: what NVIDIA's compilers make of them before the driver's assembler. Of the CUDA
 * file it comes from NVRTC, with no GPU and no driver; of the OpenCL file it is the program's
 * binary, where the driver is NVIDIA's. NVRTC also has the assembler: so it can tell the resources
 * of the finished kernel.
 */
#ifndef PMPP_HOST_GPU_PTX_H
#define PMPP_HOST_GPU_PTX_H

#include "host/gpu/gpu.h"

/* Whether NVRTC compiles for an architecture, "sm_90". PMPP_USAGE when not, with those that it
 * knows and the nearest; PMPP_UNAVAILABLE, with what to install, when there is no NVRTC. */
enum pmpp_status gpu_cuda_arch_check(const char *arch, struct pmpp_error *error);

/* Compiles CUDA C++ to PTX with the options of the cuda backend. arch is "sm_90"; one too new for
 * this NVRTC gets the newest that it knows, as the backend does. *ret_ptx is malloc'ed.
 * PMPP_UNAVAILABLE as above; PMPP_UNSUPPORTED for an arch too old; PMPP_BUILD with error->log. */
enum pmpp_status gpu_cuda_ptx(const struct gpu_program_desc *desc, const char *arch, char **ret_ptx,
	struct pmpp_error *error);

/* Compiles CUDA C++ for one architecture, "sm_90", and tells the resources of its kernels, beside
 * entries; max_block_threads stays unknown (-1). spill_bytes is all local memory of a thread, as
 * the driver tells it. PMPP_UNAVAILABLE as above; PMPP_UNSUPPORTED for an arch that this NVRTC does
 * not have; PMPP_BUILD with error->log. */
enum pmpp_status gpu_cuda_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error);

/* The binary of a program on an OpenCL device, malloc'ed. PMPP_UNSUPPORTED where it is no PTX. */
enum pmpp_status gpu_opencl_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);

#endif
