/* show --ptx: what NVIDIA's compilers make of a variant's two files. */
#ifndef PMPP_HOST_CLI_SHOW_PTX_H
#define PMPP_HOST_CLI_SHOW_PTX_H

#include "host/cli/cli_options.h"

/* What `show` shows: a variant with its macros, and the problem whose choices and launches it has.
 */
struct show_row {
	const struct family *family;
	const struct variant *variant;
	struct config config;
	struct problem problem;
	struct plan plan;
};

/* Zero-initialise. */
struct show_ptx {
	char *opencl; /* owned; NULL: there is none */
	char opencl_origin[200];
	char opencl_reason[400]; /* why there is none */
	char *cuda;              /* owned */
	char cuda_arch[32];      /* "sm_90" */
};

/* Compiles both files. CUDA's architecture is that of --arch; without it the first NVIDIA device's,
 * or sm_90. That there is no NVIDIA OpenCL device is no error. PMPP_USAGE for an architecture that
 * NVRTC or the variant cannot have; PMPP_UNAVAILABLE without NVRTC; PMPP_BUILD. show_ptx_finish it
 * either way. */
enum pmpp_status show_ptx_make(const struct cli_options *options, const struct show_row *row,
	struct show_ptx *ret_ptx, struct pmpp_error *error);
void show_ptx_finish(struct show_ptx *ptx);

/* To stdout: the texts, and before them, with counts, a table of their instructions. */
enum pmpp_status show_ptx_put(const struct show_ptx *ptx, const struct show_row *row, bool counts,
	bool colour, struct pmpp_error *error);

#endif
