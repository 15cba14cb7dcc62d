/*
 * The part of NVRTC's binary interface that this backend uses, so that the build needs no CUDA
 * Toolkit. Source: NVRTC User Guide, docs.nvidia.com/cuda/nvrtc: "User interface". The symbols have
 * the names of the functions. tests/unit/test_cuda_api.py compares all of it with the headers of a
 * toolkit, where one is installed.
 */
#ifndef PMPP_HOST_GPU_CUDA_NVRTC_API_H
#define PMPP_HOST_GPU_CUDA_NVRTC_API_H

#include <stddef.h>

typedef struct nvrtcProgram_st *nvrtcProgram;

/* clang-format off */
/* Symbol, code, status (enum pmpp_status) of a failed call; OK: the caller of the function decides. */
#define NVRTC_RESULT_MAP(XX) \
	XX(NVRTC_SUCCESS, 0, OK) \
	XX(NVRTC_ERROR_OUT_OF_MEMORY, 1, OUT_OF_MEMORY) \
	XX(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2, OK) \
	XX(NVRTC_ERROR_INVALID_INPUT, 3, OK) \
	XX(NVRTC_ERROR_INVALID_PROGRAM, 4, OK) \
	XX(NVRTC_ERROR_INVALID_OPTION, 5, BUILD) \
	XX(NVRTC_ERROR_COMPILATION, 6, BUILD) \
	XX(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7, OK) \
	XX(NVRTC_ERROR_INTERNAL_ERROR, 11, OK)
/* clang-format on */

typedef enum {
#define XX(symbol, code, status) symbol = code,
	NVRTC_RESULT_MAP(XX)
#undef XX
} nvrtcResult;

/* clang-format off */
/* name, parameters. All functions return nvrtcResult and are in NVRTC 11.2 and newer. */
#define NVRTC_FUNCTION_MAP(XX) \
	XX(nvrtcVersion, (int *major, int *minor)) \
	XX(nvrtcGetNumSupportedArchs, (int *count)) \
	XX(nvrtcGetSupportedArchs, (int *archs)) \
	XX(nvrtcCreateProgram, \
		(nvrtcProgram *program, const char *source, const char *name, int header_count, \
			const char *const *headers, const char *const *header_names)) \
	XX(nvrtcDestroyProgram, (nvrtcProgram *program)) \
	XX(nvrtcCompileProgram, (nvrtcProgram program, int option_count, const char *const *options)) \
	XX(nvrtcGetCUBINSize, (nvrtcProgram program, size_t *bytes)) \
	XX(nvrtcGetCUBIN, (nvrtcProgram program, char *cubin)) \
	XX(nvrtcGetPTXSize, (nvrtcProgram program, size_t *bytes)) \
	XX(nvrtcGetPTX, (nvrtcProgram program, char *ptx)) \
	XX(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *bytes)) \
	XX(nvrtcGetProgramLog, (nvrtcProgram program, char *log))
/* clang-format on */

/* The functions. */
struct nvrtc_api {
#define XX(name, parameters) nvrtcResult(*name) parameters;
	NVRTC_FUNCTION_MAP(XX)
#undef XX
};

#endif
