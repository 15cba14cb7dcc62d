/*
 * Replaces NVRTC: it compiles nothing, but needs the same files as NVRTC, and makes machine code or
 * PTX by the same option. The machine code has the parameter list of vecadd/fine, and nothing else.
 * tests/cli/test_cuda_setup.py compiles this file as libnvrtc.so.NN, with the macros MAJOR and MINOR,
 * and an empty file as libnvrtc-builtins.so.NN.N.
 */
#include "host/gpu/cuda/nvrtc_api.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ARCH (MAJOR >= 13 ? 75 : 50)

struct nvrtcProgram_st {
	const char *source;
	char log[400];
	const void *binary;
	size_t bytes;
};

/* The forms and attributes of host/gpu/cuda/program.c. */
struct info {
	unsigned char form, attribute;
	unsigned short bytes, words[6];
};

static const struct cubin {
	Elf64_Ehdr head;
	Elf64_Shdr sections[3];
	char names[32];
	struct info info[4];
	unsigned char bank[12];
} cubin = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
		   .e_shoff = offsetof(struct cubin, sections),
		   .e_shentsize = sizeof(Elf64_Shdr),
		   .e_shnum = 3,
		   .e_shstrndx = 1},
	.sections = {{0},
		{.sh_offset = offsetof(struct cubin, names), .sh_size = sizeof cubin.names},
		{.sh_name = 1,
			.sh_offset = offsetof(struct cubin, info),
			.sh_size = sizeof cubin.info + sizeof cubin.bank}},
	.names = "\0.nv.info.vecadd_fine",
	.info = {{4, 0x17, 12, {0, 0, 3, 24}}, {4, 0x17, 12, {0, 0, 2, 16}},
		{4, 0x17, 12, {0, 0, 1, 8}}, {4, 0x17, 12, {0, 0, 0, 0}}},
	.bank = {4, 0x0a, 8}};
static const char ptx[] = "//PTX";

#define FUNCTION(name, ...)            \
	nvrtcResult name(__VA_ARGS__); \
	nvrtcResult name(__VA_ARGS__)

/* A function that only sets *result. */
#define SETS(name, result, value, ...) \
	nvrtcResult name(__VA_ARGS__); \
	nvrtcResult name(__VA_ARGS__)  \
	{                              \
		*(result) = (value);   \
		return NVRTC_SUCCESS;  \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

SETS(nvrtcGetNumSupportedArchs, count, 2, int *count)
SETS(nvrtcGetCUBINSize, bytes, program->binary == &cubin ? program->bytes : 0, nvrtcProgram program,
	size_t *bytes)
SETS(nvrtcGetPTXSize, bytes, program->bytes, nvrtcProgram program, size_t *bytes)
SETS(nvrtcGetProgramLogSize, bytes, strlen(program->log) + 1, nvrtcProgram program, size_t *bytes)

FUNCTION(nvrtcVersion, int *major, int *minor)
{
	*major = MAJOR;
	*minor = MINOR;
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
	program->binary = &cubin;
	program->bytes = sizeof cubin;
	for (int i = 0; i < option_count; i++) {
		if (strncmp(options[i], "-arch=compute_", strlen("-arch=compute_")) == 0) {
			program->binary = ptx;
			program->bytes = sizeof ptx;
		}
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

FUNCTION(nvrtcGetCUBIN, nvrtcProgram program, char *image)
{
	memcpy(image, program->binary, program->bytes);
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetPTX, nvrtcProgram program, char *image)
{
	return nvrtcGetCUBIN(program, image);
}

FUNCTION(nvrtcGetProgramLog, nvrtcProgram program, char *log)
{
	memcpy(log, program->log, strlen(program->log) + 1);
	return NVRTC_SUCCESS;
}
