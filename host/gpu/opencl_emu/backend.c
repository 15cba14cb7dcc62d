#include "host/gpu/opencl_emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel of the CUDA front end. emu/selftest.c has the expected counts by line. */
static const char test_source[] =
	"__kernel void selftest(__global const float *in, __global float *out, __global uint *n)\n" /* 1 */
	"{\n"                                                                   /* 2 */
	"	__local float tile[64 * 32];\n"                                 /* 3 */
	"	int t = (int)get_local_id(0);\n"                                /* 4 */
	"	float sum = 0.0f;\n"                                            /* 5 */
	"	tile[t * 32] =\n"                                               /* 6 */
	"		in[2 * t];\n"                                           /* 7 */
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"                                /* 8 */
	"	for (int i = 0; i < 9; i++)\n"                                  /* 9 */
	"		if ((t + i) % 3 == 0)\n"                                /* 10 */
	"			sum += in[32 * i + t];\n"                       /* 11 */
	"	if (t < 40)\n"                                                  /* 12 */
	"		atomic_add(n, 1u);\n"                                   /* 13 */
	"	float4 four = (float4)(sum, tile[(t ^ 1) * 32], 0.0f, 0.0f);\n" /* 14 */
	"	((__global float4 *)out)[t] = four;\n"                          /* 15 */
	"}\n";

/* #line gives messages the name of the kernel's file. */
static enum pmpp_status prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error)
{
	if (asprintf(ret_text, "#line 1 \"%s\"\n%s", desc->name, desc->source) >= 0)
		return PMPP_OK;
	*ret_text = NULL;
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
}

/* The symbol of a `__local` variable of the kernel NAME is NAME.<variable>. */
static bool function_of(const char *symbol, char *ret_name, size_t size)
{
	size_t length = strcspn(symbol, ".");

	if (!symbol[length] || length == 0 || length >= size)
		return false;
	snprintf(ret_name, size, "%.*s", (int)length, symbol);
	return true;
}

/* "pmpp_user.count", "count", and "kernel.count" of a function. */
static void name_of(const char *symbol, char *ret_name, size_t size)
{
	const char *name = strrchr(symbol, '.');

	snprintf(ret_name, size, "%s", name ? name + 1 : symbol);
}

static const struct emu_front opencl_emu_front = {
	.backend = GPU_BACKEND_OPENCL_EMU,
	.title = "OpenCL emulator",
	.compiler_missing = "there is no clang 14 or later: install clang, or set CLANG to its "
			    "command",
	.source_file = OPENCL_EMU_SOURCE_FILE,
	.runtime_folder = "host/gpu/opencl_emu/runtime/",
	.flags = opencl_emu_flags,
	.warp = 0,
	/* As the CUDA emulator: both kernels of a variant have the same launches. */
	.max_groups = {INT32_MAX, 65535, 65535},
	.max_block = {1024, 1024, 64},
	/* As PoCL on many CPUs: variants for CPUs use more than a GPU has. */
	.static_shared_bytes = OPENCL_SHARED_LIMIT,
	.shared_bytes = 1024 * 1024,
	.capabilities = PMPP_CAP_OPENCL_CPU | PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE |
			PMPP_CAP_WARP_REDUCE | PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR,
	.arithmetic = {.rules = ARITHMETIC_OPENCL, .exact_divide = true},
	.exact_calls = true,
	.test_name = "selftest.cl",
	.test_source = test_source,
	.find_version = opencl_emu_find_version,
	.compiler = opencl_emu_compiler,
	.add_flags = opencl_emu_add_flags,
	.fill_flags = opencl_emu_fill_flags,
	.prepare = prepare,
	.compile = opencl_emu_compile,
	.function_of = function_of,
	.name_of = name_of,
};

const struct gpu_backend gpu_backend_opencl_emu = {
	.front = &opencl_emu_front,
	.source_resources = opencl_emu_amd_resources,
	EMU_SLOTS,
};
