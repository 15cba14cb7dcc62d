/*
 * Compiler warnings about one kernel file.
 */
#ifndef PMPP_HOST_SUITE_WARNINGS_H
#define PMPP_HOST_SUITE_WARNINGS_H

#include "host/gpu/gpu.h"
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

/* Reports the first ten warnings of a file as notes. note: NULL = no report. */
void kernel_warnings_report(const struct kernel_warnings *warnings, const char *name,
	void (*note)(void *context, const char *text), void *context);

#endif
