/*
 * The emulator's front end for CUDA C. The host's C++ compiler compiles a kernel file, with
 * runtime/pmpp_cuda.h before it.
 *
 * Not emulated: the table `lacks` in compiler.c, and dynamic parallelism.
 *
 *   source    prepares the text of a kernel file
 *   compiler  runs the compiler
 *   backend   the front end and the vtable
 */
#ifndef PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H
#define PMPP_HOST_GPU_CUDA_EMU_INTERNAL_H

#include "host/gpu/emu/front.h"

#define CUDA_EMU_SOURCE_FILE "pmpp_kernel.cu"

/* ---- compiler.c ---------------------------------------------------------------------------- */

extern const char *const *const cuda_emu_flags[];

/* As the members of struct emu_front. The first call of cuda_emu_fill_flags() for a compiler runs
 * it to try the flags. */
bool cuda_emu_find_version(char *ret_version, size_t size);
const char *cuda_emu_compiler(void);
void cuda_emu_add_flags(struct option_list *list, const struct gpu_program_desc *desc,
	const struct access_model *model);
const char *cuda_emu_fill_flags(enum gpu_fill fill, bool traced);
enum pmpp_status cuda_emu_compile(
	const struct emu_build *build, const char *options, char **ret_log);

/* ---- source.c ------------------------------------------------------------------------------ */

/* As emu_front.prepare: the kernel file with unchanged line numbers, then the records of its
 * entries (extern "C" definitions that are not templates). */
enum pmpp_status cuda_emu_prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error);

#endif
