/*
 * Kernel files: the source and the macros from which a compiler builds a variant.
 */
#ifndef PMPP_HOST_SUITE_KERNEL_FILE_H
#define PMPP_HOST_SUITE_KERNEL_FILE_H

#include "common/family.h"
#include "common/ptx.h"
#include "host/gpu/gpu.h"

#define KERNEL_NAME_BYTES 128
#define KERNEL_PATH_BYTES 160

#define HOST_CODE_BYTES 200

struct kernel_file {
	char name[KERNEL_NAME_BYTES]; /* "matmul/tiled.cu" */
	char *source;                 /* owned */
	/* The functions of the host in the user's CUDA file, which are blank in `source`;
	 * "" = none. */
	char host_code[HOST_CODE_BYTES];
	/* The macros of the config, then the constants of the row, then the choices of the
	 * problem. Names point into `choices`: do not copy the struct. */
	struct gpu_macro macros[PMPP_MAX_MACROS + PMPP_MAX_CONSTANTS + PMPP_CHOICE_MACROS];
	struct choice_macros choices;
	/* The input of the GPU layer's compilers, without `math`. It points into this struct. */
	struct gpu_program_desc desc;
};

/* The technique in the rows of a kernel that is not the project's. */
#define OWN_KERNEL_TECHNIQUE "your kernel"

/* false: the variant has no kernel file in the language of the backend. */
bool kernel_file_exists(const struct variant *variant, enum gpu_backend_id backend);

/* Path of the kernel file below the root: "cuda_kernels/matmul/tiled.cu"; "mine.cu" for a file of the user. */
void kernel_file_path(const struct variant *variant, enum gpu_backend_id backend,
	char ret_path[KERNEL_PATH_BYTES]);

/* The folder of a variant's kernel file: that of the user's file, else `root`. */
const char *kernel_file_root(const struct variant *variant, const char *root);

/* Reads the file that a backend compiles. root: the folder of the kernel files; NULL: embedded.
 * PMPP_USAGE if the file cannot be read. */
enum pmpp_status kernel_file_load(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, struct kernel_file *ret_file,
	struct pmpp_error *error);
void kernel_file_finish(struct kernel_file *file);

/* true: the folder `root` has other code than this build for the variant. The digests of the code are
 * compared (code_digest()), so a copy with other comments is still the project's kernel. root: NULL =
 * embedded. false if the folder has no such file. Kernels that measure the device are always the
 * project's. */
bool kernel_file_is_own(
	const struct variant *variant, enum gpu_backend_id backend, const char *root);

/* Compiles the variant's file for an architecture ("sm_90") without a device. root: folder of the
 * kernel files (NULL: embedded). *ret_ptx is malloc'ed. Fails as kernel_file_load() and
 * gpu_source_ptx(). */
enum pmpp_status kernel_ptx_of_file(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, enum gpu_math math, const char *arch,
	char **ret_ptx, struct pmpp_error *error);

/* Counts the instructions of the kernels that the plan launches. texts: PTX of the two sides; NULL
 * gives counts of 0. The caller finishes the table, also after a failure (PMPP_OUT_OF_MEMORY). */
enum pmpp_status kernel_ptx_count(const struct plan *plan, const char *const texts[2],
	struct ptx_table *table, struct pmpp_error *error);

#endif
