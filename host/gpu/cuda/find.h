/*
 * Where NVRTC and cuBLAS can be: toolkits, the dynamic linker's path, environments of Python and
 * conda. Reads only the names of files; nvrtc.c and cublas.c open the libraries.
 */
#ifndef PMPP_HOST_GPU_CUDA_FIND_H
#define PMPP_HOST_GPU_CUDA_FIND_H

#include <stdbool.h>

#define FIND_PATH_BYTES 1024
#define FIND_CACHE_FOLDER "cuda" /* folder of the cache directory with packages of tools/run.sh */

struct wanted_library {
	/* Names of its file, the newest first. A name changes with the ABI. major: of CUDA; 0 =
	 * unknown. name NULL: the end. */
	const struct {
		const char *name;
		int major;
	} names[6];
	const char *package; /* folder of NVIDIA's package of CUDA 12 and older */
};

/*
 * One candidate. library: path of a file that exists, or a bare name, for which the dynamic linker
 * searches. major: the major version of CUDA in the name; 0 = unknown. origin: where it was found,
 * for the user: "CUDA_HOME". Returns true to end the search.
 */
typedef bool library_visitor(void *context, const char *library, int major, const char *origin);

/*
 * Visits all candidates in this order: CUDA_HOME, CUDA_PATH; the dynamic linker's path; an active
 * environment (VIRTUAL_ENV, CONDA_PREFIX); the packages of the `python3` in PATH, of the user and of
 * the system; the cache directory; /usr/local/cuda. Newer versions are first in each of them.
 * Returns whether a visitor ended the search.
 */
bool find_library(const struct wanted_library *wanted, library_visitor *visit, void *context);

#endif
