/*
 * The emulator's front end for OpenCL C: clang compiles a kernel file for the host.
 *
 *   1. clang's front end writes LLVM IR as text, not optimised.
 *   2. ir.c finds the kernels, their parameters and the built-in functions that they call. It moves
 *      `__local` variables to the section of shared memory. It also removes their internal linkage.
 *      Otherwise the optimiser turns them into private variables. It renames the functions of the file.
 *      ir_vectors.c splits accesses to parts of vectors.
 *   3. clang optimises the IR and, in the traced build, adds the calls of the hooks.
 *   4. ir_traced.c adds calls for accesses that the thread sanitizer of clang ignores: vectors of 3
 *      elements, vectors of 32 bytes and more, and copies of structs. It also orders the basic
 *      blocks.
 *   5. clang links object.o, the object of this IR, the other object files that programs share,
 *      and the entries.
 *
 * On the host all address spaces of OpenCL are the address space of the process.
 *
 * Not emulated: images, pipes, kernels that enqueue kernels, inline assembly.
 *
 *   ir_text     lines of IR
 *   ir_vectors  splits accesses to parts of vectors
 *   ir          reads and changes IR that is not optimised
 *   ir_traced   adds calls of the hooks, and orders the basic blocks
 *   amdgcn      runs clang for AMD's GPUs: resources of a kernel
 *   backend     the steps; object files that programs share; the front end and the vtable
 */
#ifndef PMPP_HOST_GPU_OPENCL_EMU_INTERNAL_H
#define PMPP_HOST_GPU_OPENCL_EMU_INTERNAL_H

#include "host/gpu/emu/front.h"

#define OPENCL_EMU_SOURCE_FILE "pmpp_kernel.cl"

/* ---- ir_vectors.c -------------------------------------------------------------------------- */

/* Returns IR that is not optimised with accesses to only those elements of a vector that the source
 * names. The caller frees the text. NULL for lack of memory. */
char *ir_split_vectors(const char *ir);

/* ---- ir.c ---------------------------------------------------------------------------------- */

/* What the IR of a kernel file has. */
struct ir_facts {
	char *text;    /* the IR, changed */
	char *entries; /* C source: the record of each kernel */
	/* For each function that the file declares but does not define, with all its overloads: a text of
	 * needs.h (runtime/builtins.cl), which begins with IR_NEED_START. */
	char *needs;
	/* Elements of the largest array in local memory: a lower bound of its bytes. */
	unsigned long long largest_local;
};

#define IR_NEED_START "#define PMPP_ONLY\n"

/* Reads and changes IR that is not optimised. Returns false for lack of memory. The caller frees
 * the texts, also after a failure. */
bool ir_read(const char *ir, struct ir_facts *ret_facts);

/* ---- ir_traced.c --------------------------------------------------------------------------- */

/* Returns optimised IR with calls of the hooks for the accesses that the sanitizer ignores, and with the basic
 * blocks of each function in the order in which lanes can run in lockstep. The caller frees the text. NULL for
 * lack of memory. */
char *ir_trace(const char *ir);

/* ---- amdgcn.c ------------------------------------------------------------------------------ */

/* gpu_source_resources() (host/gpu/ptx.h) for AMD's GPUs: "gfx942", or "gfx1100/64" for waves of 64.
 * PMPP_UNAVAILABLE: no clang with this target and a library of OpenCL's functions is installed. */
extern const struct gpu_offline opencl_emu_offline;

#endif
