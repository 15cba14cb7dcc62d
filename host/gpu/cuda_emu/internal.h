/*
 * The emulator's front end for CUDA C. The host's C++ compiler compiles a kernel file, with
 * runtime/pmpp_cuda.h before it.
 *
 * Not emulated: the table `lacks` in backend.c, and dynamic parallelism.
 *
 *   source    prepares the text of a kernel file
 *   backend   runs the compiler; the front end and the vtable
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H
#define PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H

#include "host/gpu/emu/front.h"

/* As emu_front.prepare: the kernel file with unchanged line numbers, then the records of its
 * entries (extern "C" definitions that are not templates). */
enum pmpp_status cuda_emu_prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error);

#endif
