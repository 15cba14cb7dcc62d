/*
 * The compiler's warnings about one kernel file.
 */
#ifndef PMPP_HOST_SUITE_WARNINGS_H
#define PMPP_HOST_SUITE_WARNINGS_H

#include "host/gpu/gpu.h"
#include "host/record/record.h"

/* Zero-initialise. */
struct kernel_warnings {
	struct text_list texts; /* "cuda_kernels/matmul/tiled.cu:31: unused variable 'x'", each
				   once, in the log's order */
	char *uninitialised;    /* owned; the reason to reject the kernel: a variable is certainly
				   used before it has a value; NULL = none */
	char *suspicion;        /* owned; for the reason of a row that failed: a variable may be
				   used before it has a value; NULL = none */
};

/* Reads the program's log. name: that of the kernel file, as the compiler knows it. Left out are
 * warnings about other files (headers of the emulator and of vendors), and those that a variable in
 * OpenCL's local memory may have no value: clang does not know that other work-items set it. */
void kernel_warnings_read(const struct gpu_program *program, const char *name, const char *source,
	struct kernel_warnings *warnings);

void kernel_warnings_finish(struct kernel_warnings *warnings); /* twice is allowed */

/* Reports the warnings as notes, the first ten of a file. note: NULL = no report. */
void kernel_warnings_report(const struct kernel_warnings *warnings, const char *name,
	void (*note)(void *context, const char *text), void *context);

#endif
