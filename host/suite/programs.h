/*
 * Compiled programs and kernels of one device.
 */
#ifndef PMPP_HOST_SUITE_PROGRAMS_H
#define PMPP_HOST_SUITE_PROGRAMS_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/io/code_digest.h"
#include "host/record/record.h"

/* Zero-initialised: none. */
struct kernel_warnings {
	struct text_list texts; /* "cuda_kernels/matmul/tiled.cu:31: unused variable 'x'", each
				   once, in the log's order */
	char *uninitialised;    /* owned; reason to reject the kernel: a variable is certainly used
				   uninitialised; NULL = none */
	char *suspicion; /* owned; added to the reason of a failed row: a variable may be used
			    uninitialised; NULL = none */
};

/* Reads the program's log. name: name of the kernel file in the log. Ignores warnings about other
 * files (headers of the emulator and of vendors). Also ignores warnings that a variable in OpenCL's
 * local memory may be uninitialised: clang cannot see that other work-items set it. Returns false
 * if there is no memory; a reason to reject the kernel may then be missing. */
bool kernel_warnings_read(const struct gpu_program *program, const char *name, const char *source,
	struct kernel_warnings *warnings);

void kernel_warnings_finish(struct kernel_warnings *warnings); /* twice is allowed */

struct program_entry {
	struct program_entry *next;
	const struct family *family;
	char key[512]; /* everything that the binary depends on: file, macros, options */
	char source_sha256[65], code_sha256[CODE_DIGEST_BYTES];
	struct kernel_warnings warnings;
	struct gpu_program *program;
	struct gpu_kernel *kernels[PMPP_MAX_STEPS];
	size_t kernel_count;
};

/* Zero-initialise it, then set device, kernel_dir, roof_dir and note. */
struct programs {
	struct gpu_device *device; /* not owned; must outlive the programs */
	const char *kernel_dir;    /* root of kernel files; NULL: embedded; not owned */
	const char *roof_dir;      /* root of internal families' files; NULL: embedded; not owned */
	void (*note)(void *context, const char *text); /* receives warnings; may be NULL */
	void *note_context;
	struct program_entry *entries;
};

struct program_request {
	const struct config *config;
	const struct problem *problem;
	enum gpu_math math;
	bool traced;
	enum gpu_fill fill;
};

/* Returns the cached program, or builds it and reports the compiler's warnings as notes. Internal
 * families ignore kernel_dir. The entry is valid until programs_finish(). Fails like
 * gpu_program_create(), and with PMPP_USAGE if the file cannot be read. */
enum pmpp_status programs_get(struct programs *programs, const struct program_request *request,
	struct program_entry **ret_entry, struct pmpp_error *error);

/* Returns a kernel of the program by its name, owned by the entry. */
enum pmpp_status programs_kernel(struct program_entry *entry, const char *name,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);

void programs_finish(struct programs *programs);

#endif
