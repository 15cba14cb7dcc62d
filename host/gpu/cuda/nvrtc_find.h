/*
 * Where NVRTC and cuBLAS can be: toolkits, the dynamic linker's path, environments of Python and
 * conda. Reads only the names of files; nvrtc_load.c and cublas.c open the libraries.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_FIND_H
#define PMPP_HOST_GPU_CUDA_NVRTC_FIND_H

#include <stdbool.h>

#define NVRTC_PATH_BYTES 1024
#define NVRTC_PLACE_CACHE "cuda" /* folder of the cache directory with packages of tools/run.sh */

/*
 * One candidate. library: path of a file that exists, or a bare name, for which the dynamic linker
 * searches. major: the major version of CUDA in the name; 0 = unknown. origin: where it was found,
 * for the user: "CUDA_HOME". Returns true to end the search.
 */
typedef bool nvrtc_visitor(void *context, const char *library, int major, const char *origin);

/*
 * Visits all candidates in this order: CUDA_HOME, CUDA_PATH; the dynamic linker's path; an active
 * environment (VIRTUAL_ENV, CONDA_PREFIX); the packages of the `python3` in PATH, of the user and of
 * the system; the cache directory; /usr/local/cuda. Newer versions are first in each of them.
 * Returns whether a visitor ended the search.
 */
bool nvrtc_find(nvrtc_visitor *visit, void *context);

/* The same for cuBLAS. */
bool cublas_find(nvrtc_visitor *visit, void *context);

/* Finds the include folder of the set that the library (a path) belongs to: it has cuda_fp16.h.
 * Headers of another set may not match the library. */
bool nvrtc_find_headers(const char *library, char ret_folder[NVRTC_PATH_BYTES]);

/* Finds the folder of cuda/std/type_traits that belongs to an include folder: CUDA 13 and the
 * packages of CUDA 12 keep these headers apart. */
bool nvrtc_find_cccl(const char *include, char ret_folder[NVRTC_PATH_BYTES]);

#endif
