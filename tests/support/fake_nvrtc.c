/*
 * Replaces NVRTC: it compiles nothing, but needs the same files as NVRTC, and makes machine code or
 * PTX by the same option. tests/cli/test_cuda_setup.py compiles this file as libnvrtc.so.NN, with
 * the macros MAJOR and MINOR, and an empty file as libnvrtc-builtins.so.NN.N.
 */
#include "host/gpu/cuda/nvrtc_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ARCH (MAJOR >= 13 ? 75 : 50)

struct nvrtcProgram_st {
	const char *source;
	char log[400];
	const char *binary;
};

#define FUNCTION(name, ...)            \
	nvrtcResult name(__VA_ARGS__); \
	nvrtcResult name(__VA_ARGS__)

FUNCTION(nvrtcVersion, int *major, int *minor)
{
	*major = MAJOR;
	*minor = MINOR;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetNumSupportedArchs, int *count)
{
	*count = 2;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetSupportedArchs, int *archs)
{
	archs[0] = FIRST_ARCH;
	archs[1] = 90;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcCreateProgram, nvrtcProgram *program, const char *source, const char *name,
	int header_count, const char *const *headers, const char *const *header_names)
{
	(void)name;
	(void)header_count;
	(void)headers;
	(void)header_names;
	*program = calloc(1, sizeof **program);
	if (!*program)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	(*program)->source = source;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcDestroyProgram, nvrtcProgram *program)
{
	free(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcCompileProgram, nvrtcProgram program, int option_count, const char *const *options)
{
	char name[64], path[1200];
	int found = strstr(program->source, "#include <cuda_fp16.h>") == NULL;

	/* NVRTC opens this library by its name, too. */
	snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", MAJOR, MINOR);
	if (!dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
		snprintf(program->log, sizeof program->log, "nvrtc: failed to open %s", name);
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	}
	program->binary = "\177ELF";
	for (int i = 0; i < option_count; i++) {
		if (strncmp(options[i], "-arch=compute_", strlen("-arch=compute_")) == 0)
			program->binary = "//PTX";
		snprintf(path, sizeof path, "%s/cuda_fp16.h", options[i] + 2);
		if (strncmp(options[i], "-I", 2) == 0 && access(path, R_OK) == 0)
			found = 1;
	}
	if (found)
		return NVRTC_SUCCESS;
	snprintf(program->log, sizeof program->log,
		"k.cu(1): catastrophic error: cannot open source file \"cuda_fp16.h\"");
	return NVRTC_ERROR_COMPILATION;
}

FUNCTION(nvrtcGetCUBINSize, nvrtcProgram program, size_t *bytes)
{
	*bytes = program->binary[0] == '\177' ? strlen(program->binary) + 1 : 0;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetCUBIN, nvrtcProgram program, char *cubin)
{
	memcpy(cubin, program->binary, strlen(program->binary) + 1);
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetPTXSize, nvrtcProgram program, size_t *bytes)
{
	*bytes = strlen(program->binary) + 1;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetPTX, nvrtcProgram program, char *ptx)
{
	return nvrtcGetCUBIN(program, ptx);
}

FUNCTION(nvrtcGetProgramLogSize, nvrtcProgram program, size_t *bytes)
{
	*bytes = strlen(program->log) + 1;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetProgramLog, nvrtcProgram program, char *log)
{
	memcpy(log, program->log, strlen(program->log) + 1);
	return NVRTC_SUCCESS;
}
