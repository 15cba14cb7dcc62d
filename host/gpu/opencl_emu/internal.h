/*
 * The emulator's front end for OpenCL C: clang compiles a kernel file for the host.
 *
 *   1. clang's front end writes LLVM IR as text, not optimised.
 *   2. ir.c finds the kernels, their parameters and the built-in functions that they call. It moves
 *      `__local` variables to the section of shared memory. It also removes their internal linkage.
 *      Otherwise the optimiser turns them into private variables. ir_vectors.c splits accesses to
 *      parts of vectors, and ir_names.c renames the functions of the file.
 *   3. clang optimises the IR and, in the traced build, adds the calls of the hooks.
 *   4. ir_hooks.c adds calls for accesses that the thread sanitizer of clang ignores: vectors of 3
 *      elements, vectors of 32 bytes and more, and copies of structs. ir_order.c orders the basic
 *      blocks.
 *   5. clang links object.o, the object of this IR, the other object files that programs share
 *      (parts.c), and the entries.
 *
 * On the host all address spaces of OpenCL are the address space of the process.
 *
 * Not emulated: images, pipes, kernels that enqueue kernels, inline assembly.
 *
 *   ir_text     lines of IR
 *   ir          reads and changes IR that is not optimised
 *   ir_names    renames functions and variables
 *   ir_vectors  splits accesses to parts of vectors
 *   ir_hooks    adds calls of the hooks
 *   ir_order    orders the basic blocks
 *   needs       splits the needs of a program by function
 *   parts       object files that programs share
 *   compiler    the steps
 *   amdgcn_text reads the figures in clang's assembly text for AMD's GPUs
 *   amdgcn      runs clang for AMD's GPUs: resources of a kernel
 *   backend     the front end and the vtable
 */
#ifndef PMPP_HOST_GPU_OPENCL_EMU_INTERNAL_H
#define PMPP_HOST_GPU_OPENCL_EMU_INTERNAL_H

#include "host/gpu/emu/front.h"

#define OPENCL_EMU_SOURCE_FILE "pmpp_kernel.cl"

/* ---- ir.c ---------------------------------------------------------------------------------- */

/* What the IR of a kernel file has. */
struct ir_facts {
	char *text;    /* the IR, changed */
	char *entries; /* C source: the record of each kernel */
	/* For each function that the file declares but does not define: the lines of needs.h
	 * (runtime/builtins.cl) for its types, then one line with its name. Overloads have the same
	 * last line. */
	char *needs;
	/* Elements of the largest array in local memory: a lower bound of its bytes. */
	unsigned long long largest_local;
};

/* Reads and changes IR that is not optimised. Returns false for lack of memory. The caller frees
 * the texts, also after a failure. */
bool ir_read(const char *ir, struct ir_facts *ret_facts);

#define OPENCL_SHARED_LIMIT (1024 * 1024) /* bytes of static shared memory of a block */

/* ---- needs.c ------------------------------------------------------------------------------- */

/* Returns a text for needs.h for each function of `needs` (struct ir_facts), with all its overloads, and
 * NULL after the last one. NULL for lack of memory. */
char **needs_split(const char *needs);
void needs_free(char **texts);

/* ---- ir_names.c ----------------------------------------------------------------------------- */

#define IR_PREFIX "pmpp_user."

/* Returns the IR with IR_PREFIX before the names of those functions and variables that other object
 * files see. The caller frees the text. NULL for lack of memory. */
char *ir_rename(const char *ir);

/* ---- ir_vectors.c -------------------------------------------------------------------------- */

/* Returns IR that is not optimised with accesses to only those elements of a vector that the source
 * names. The caller frees the text. NULL for lack of memory. */
char *ir_split_vectors(const char *ir);

/* ---- ir_hooks.c ---------------------------------------------------------------------------- */

/* Returns optimised IR with calls of the hooks for the accesses that the sanitizer ignores. The
 * caller frees the text. NULL for lack of memory. */
char *ir_add_hooks(const char *ir);

/* ---- ir_order.c ---------------------------------------------------------------------------- */

/* Returns the IR with the basic blocks of each function in the order in which lanes can run in
 * lockstep. The caller frees the text. NULL for lack of memory. */
char *ir_order(const char *ir);

/* ---- amdgcn_text.c ------------------------------------------------------------------------- */

/* Reads the resources of a kernel from the assembly text that clang writes for AMD's GPUs. Returns
 * false if the text has no such kernel. */
bool amdgcn_read_resources(
	const char *assembly, const char *entry, struct gpu_kernel_resources *ret_resources);

/* Returns the name of a function that is called but not defined, for example one that the library
 * lacks; "" = there is none. */
void amdgcn_missing_function(const char *assembly, char *ret_name, size_t size);

/* ---- amdgcn.c ------------------------------------------------------------------------------ */

/* gpu_source_resources() (host/gpu/ptx.h) for AMD's GPUs: "gfx942", or "gfx1100/64" for waves of 64.
 * PMPP_UNAVAILABLE: no clang with this target and a library of OpenCL's functions is installed. */
enum pmpp_status opencl_emu_amd_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error);

/* ---- parts.c ------------------------------------------------------------------------------- */

/* The types and the flag -march decide how vectors are passed to built-in functions: therefore all
 * parts of a program use the same -march. DWARF 4: with DWARF 5, binutils 2.40 does not find the calls of
 * some inlined functions. */
#define OPENCL_TARGET_FLAGS \
	"-march=native", "-fPIC", "-fvisibility=hidden", "-gline-tables-only", "-gdwarf-4"

#define OPENCL_PARTS_FILE "parts" /* a file with the names of the object files, for the linker */

/* The words of all commands, for the key of the cache. */
extern const char *const opencl_part_words[];

/* Writes the shared object files to the build folder: takes them from the cache, or compiles them. Writes
 * their names, except object.o, to OPENCL_PARTS_FILE. needs: of struct ir_facts. */
enum pmpp_status opencl_make_parts(const struct emu_build *build, const char *needs);

/* ---- compiler.c ---------------------------------------------------------------------------- */

extern const char *const *const opencl_emu_flags[];

/* As the members of struct emu_front. */
bool opencl_emu_find_version(char *ret_version, size_t size);
const char *opencl_emu_compiler(void);
void opencl_emu_add_flags(struct option_list *list, const struct gpu_program_desc *desc,
	const struct access_model *model);
const char *opencl_emu_fill_flags(enum gpu_fill fill, bool traced);
enum pmpp_status opencl_emu_compile(
	const struct emu_build *build, const char *options, char **ret_log);

#endif
