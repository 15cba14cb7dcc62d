/* show --ptx: the PTX that NVIDIA's compilers generate from the two kernel files of a variant. */
#ifndef PMPP_HOST_CLI_SHOW_PTX_H
#define PMPP_HOST_CLI_SHOW_PTX_H

#include "host/cli/cli_options.h"

/* A variant that `show` describes, with its macros, its problem and its launches. */
struct show_row {
	const struct family *family;
	const struct variant *variant;
	struct config config;
	struct problem problem;
	struct plan plan;
};

/* Zero-initialise. */
struct show_ptx {
	char *opencl; /* owned; NULL = none */
	char opencl_origin[200];
	char opencl_reason[800]; /* why opencl is NULL */
	char *cuda;              /* owned */
	char cuda_arch[32];      /* "sm_90" */
};

/* Compiles both files. The architecture of CUDA is --arch, else that of the first NVIDIA device,
 * else sm_90. A missing NVIDIA OpenCL device is not an error. PMPP_USAGE: NVRTC or the variant does
 * not support the architecture; PMPP_UNAVAILABLE: there is no NVRTC; PMPP_BUILD. Call
 * show_ptx_finish() in all cases. */
enum pmpp_status show_ptx_make(const struct cli_options *options, const struct show_row *row,
	struct show_ptx *ret_ptx, struct pmpp_error *error);
void show_ptx_finish(struct show_ptx *ptx);

/* Prints the texts to stdout. counts: prints a table of their instructions first. */
enum pmpp_status show_ptx_put(const struct show_ptx *ptx, const struct show_row *row, bool counts,
	bool colour, struct pmpp_error *error);

#endif
