#include "host/gpu/cuda_emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* emu/selftest.c has the expected counts by line. */
static const char test_source[] =
	"extern \"C\" __global__ void selftest(const float *in, float *out, unsigned *n)\n" /* 1 */
	"{\n"                                                                               /* 2 */
	"	__shared__ float tile[64 * 32];\n"                                          /* 3 */
	"	int t = (int)threadIdx.x;\n"                                                /* 4 */
	"	float sum = 0.0f;\n"                                                        /* 5 */
	"	tile[t * 32] =\n"                                                           /* 6 */
	"		in[2 * t];\n"                                                       /* 7 */
	"	__syncthreads();\n"                                                         /* 8 */
	"	for (int i = 0; i < 9; i++)\n"                                              /* 9 */
	"		if ((t + i) % 3 == 0)\n"                                            /* 10 */
	"			sum += in[32 * i + t];\n"                                   /* 11 */
	"	if (t < 40)\n"                                                              /* 12 */
	"		atomicAdd(n, 1u);\n"                                                /* 13 */
	"	float4 four = make_float4(sum, tile[(t ^ 1) * 32], 0.0f, 0.0f);\n"          /* 14 */
	"	((float4 *)out)[t] = four;\n"                                               /* 15 */
	"}\n";

/* A static variable of the extern "C" function NAME has the symbol _ZZ<length of NAME><NAME>E... */
static bool function_of(const char *symbol, char *ret_name, size_t size)
{
	char *name;

	if (strncmp(symbol, "_ZZ", 3) != 0)
		return false;
	unsigned long length = strtoul(symbol + 3, &name, 10);
	if (length == 0 || length >= size || strlen(name) < length)
		return false;
	snprintf(ret_name, size, "%.*s", (int)length, name);
	return true;
}

/* The last name of a mangled symbol is that of the variable: _ZN5outer5countE, _ZZ1kE5count, _ZL5count. */
static void name_of(const char *symbol, char *ret_name, size_t size)
{
	const char *name = symbol;
	size_t length = strlen(symbol);
	char *after;

	for (const char *at = symbol; strncmp(symbol, "_Z", 2) == 0 && *at; at++) {
		unsigned long count = strtoul(at, &after, 10);
		if (*at < '1' || *at > '9' || count > strlen(after))
			continue;
		name = after;
		length = count;
		at = after + count - 1;
	}
	snprintf(ret_name, size, "%.*s", (int)length, name);
}

static const struct emu_front cuda_emu_front = {
	.backend = GPU_BACKEND_CUDA_EMU,
	.title = "CUDA emulator",
	.compiler_missing =
		"there is no C++ compiler for kernels: install g++, or set CXX to a compiler",
	.source_file = CUDA_EMU_SOURCE_FILE,
	.runtime_folder = "host/gpu/cuda_emu/runtime/",
	.flags = cuda_emu_flags,
	.warp = 32,
	/* Compute capability 9.0. */
	.max_groups = {INT32_MAX, 65535, 65535},
	.max_block = {1024, 1024, 64},
	.static_shared_bytes = 48 * 1024,
	.shared_bytes = 227 * 1024,
	.capabilities = PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE | PMPP_CAP_WARP_REDUCE |
			PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR,
	.arithmetic = {.rules = ARITHMETIC_CUDA, .exact_divide = true},
	/* From compute capability 7.0 on (CUDA C++ Programming Guide, Synchronization Functions). */
	.exited_count = true,
	.test_name = "selftest.cu",
	.test_source = test_source,
	.find_version = cuda_emu_find_version,
	.compiler = cuda_emu_compiler,
	.add_flags = cuda_emu_add_flags,
	.fill_flags = cuda_emu_fill_flags,
	.prepare = cuda_emu_prepare,
	.compile = cuda_emu_compile,
	.function_of = function_of,
	.name_of = name_of,
};

const struct gpu_backend gpu_backend_cuda_emu = {
	.front = &cuda_emu_front,
	EMU_SLOTS,
};
