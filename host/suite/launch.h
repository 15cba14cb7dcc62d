/*
 * A plan bound to kernels and operands: one run.
 */
#ifndef PMPP_HOST_SUITE_LAUNCH_H
#define PMPP_HOST_SUITE_LAUNCH_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/gpu/library.h"
#include "host/io/code_digest.h"
#include "host/record/record.h"

#define COMPILER_WARNS "the compiler warns" /* beginning of the notes about warnings */

/* Zero-initialised: none. */
struct kernel_warnings {
	struct text_list texts; /* "cuda_kernels/matmul/tiled.cu:31: unused variable 'x'", each
				   once, in the log's order */
	char *uninitialised;    /* owned; reason to reject the kernel: a variable is certainly used
				   uninitialised; NULL = none */
	char *suspicion; /* owned; added to the reason of a failed row: a variable may be used
			    uninitialised, or the compiler may be wrong; NULL = none */
};

struct program_entry {
	struct program_entry *next;
	const struct family *family;
	char key[512]; /* everything that the binary depends on: file, macros, options */
	char source_sha256[65], code_sha256[CODE_DIGEST_BYTES];
	struct kernel_warnings warnings;
	struct pmpp_error rejected;  /* the compiler's error; status PMPP_OK: none */
	struct gpu_program *program; /* NULL: rejected */
	struct gpu_kernel *kernels[PMPP_MAX_STEPS];
	size_t kernel_count;
};

/* A program that is built before its first use. */
struct early_program {
	struct early_program *next;
	char key[512];               /* as in struct program_entry */
	struct gpu_program *program; /* NULL: taken, or not built */
};

/* Zero-initialise it, then set device, kernel_dir, roof_dir and note. */
struct programs {
	struct gpu_device *device; /* not owned; must outlive the programs */
	const char *kernel_dir;    /* root of kernel files; NULL: embedded; not owned */
	const char *roof_dir;      /* root of internal families' files; NULL: embedded; not owned */
	void (*note)(void *context, const char *text); /* receives warnings; may be NULL */
	void *note_context;
	struct program_entry *entries;
	struct early_program *early;
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

/* Builds the programs of later calls of programs_get() on all CPUs, if the device allows it. A program that cannot
 * be built is left to programs_get(), which returns the error. */
void programs_build_early(
	struct programs *programs, const struct program_request *requests, size_t count);

/* Returns a kernel of the program by its name, owned by the entry. */
enum pmpp_status programs_kernel(struct program_entry *entry, const char *name,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);

void programs_finish(struct programs *programs);

/* Formats a note and reports it. */
void programs_note(const struct programs *programs, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A launch with its kernel and arguments. Points into itself: do not copy. */
struct bound_launch {
	struct gpu_kernel *kernel;
	struct gpu_launch launch; /* its args are the array below */
	struct gpu_arg args[PMPP_MAX_ARGS];
	struct gpu_tile_map tile_maps[PMPP_MAX_TILE_MAPS]; /* those of args */
};

struct bound_fill {
	struct gpu_buffer *buffer;
	uint32_t pattern;
	bool kept; /* struct plan_fill */
};

struct bound_copy {
	struct gpu_buffer *target;
	const struct gpu_buffer *source;
};

struct bound_call {
	struct gpu_library *library;
	struct gpu_call call;
};

struct bound_step {
	enum plan_step_kind kind;
	union {
		struct bound_launch launch;
		struct bound_fill fill;
		struct bound_copy copy;
		struct bound_call call;
	} as;
};

/* A plan with kernels and operands. Points into itself: do not copy. */
struct bound_run {
	struct gpu_library *library; /* of a run that consists of its calls; NULL = kernels */
	size_t step_count;
	struct bound_step steps[PMPP_MAX_STEPS]; /* in the order of the plan's steps */
};

/* Binds the plan to kernels of the program and to buffers. buffers: in the order of the family's
 * operands; scratch buffers from PMPP_MAX_OPERANDS on. */
enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error);

/* Builds the program of a request, and binds the plan to it: programs_get(), then launch_bind(). */
enum pmpp_status launch_build(struct programs *programs, const struct program_request *request,
	const struct plan *plan, struct gpu_buffer *const *buffers, struct bound_run *ret_run,
	struct pmpp_error *error);

/* Queues one step. */
enum pmpp_status launch_step(const struct bound_step *step, struct pmpp_error *error);

/* Queues the run's steps. */
enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error);

/* Queues one part of launch_run(), for several runs in a row. kept true: the fills that are kept; call it once, because
 * only the first run needs them. kept false: the other steps; call it for each run. Between the runs, no other code may
 * write to the buffers. */
enum pmpp_status launch_part(const struct bound_run *run, bool kept, struct pmpp_error *error);

/* The variables of the run's program in global memory (gpu_program.variables). */
struct gpu_variables launch_variables(const struct bound_run *run);

/* Sets them to their initial values. */
void launch_reset(const struct bound_run *run);

#endif
