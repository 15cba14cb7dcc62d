#include "host/gpu/math_options.h"

#include <string.h>

/*
 * default: what CUDA does unasked (division and square root rounded correctly, a*b+c may fuse),
 * asked for in OpenCL, where division is looser unless one asks. strict:  no fusing either. OpenCL
 * has no option for that: its backend puts
 *          "#pragma OPENCL FP_CONTRACT OFF" before the source.
 * fast:    NVRTC's option flushes denormals too, so OpenCL is told the same.
 * The emulator never fuses and never takes liberties, whatever is asked: it is there to be right.
 */
static const struct {
	const char *name;
	const char *options[GPU_BACKEND_COUNT];
} rows[] = {
	[GPU_MATH_DEFAULT] = {"default",
		{[GPU_BACKEND_OPENCL] = "-cl-fp32-correctly-rounded-divide-sqrt",
			[GPU_BACKEND_CUDA] = "",
			[GPU_BACKEND_CUDA_EMU] = "-ffp-contract=off",
			[GPU_BACKEND_FAKE] = ""}},
	[GPU_MATH_STRICT] = {"strict",
		{[GPU_BACKEND_OPENCL] = "-cl-fp32-correctly-rounded-divide-sqrt",
			[GPU_BACKEND_CUDA] = "-fmad=false",
			[GPU_BACKEND_CUDA_EMU] = "-ffp-contract=off",
			[GPU_BACKEND_FAKE] = "-strict"}},
	[GPU_MATH_FAST] = {"fast",
		{[GPU_BACKEND_OPENCL] = "-cl-fast-relaxed-math -cl-denorms-are-zero",
			[GPU_BACKEND_CUDA] = "-use_fast_math",
			[GPU_BACKEND_CUDA_EMU] = "-ffp-contract=off",
			[GPU_BACKEND_FAKE] = "-fast"}},
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

const char *gpu_math_name(enum gpu_math math)
{
	return (size_t)math < ROW_COUNT ? rows[math].name : "unknown";
}

bool gpu_math_find(const char *name, enum gpu_math *ret_math)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(name, rows[i].name) == 0) {
			*ret_math = (enum gpu_math)i;
			return true;
		}
	}
	return false;
}

const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math)
{
	if ((size_t)math >= ROW_COUNT || (size_t)backend >= GPU_BACKEND_COUNT)
		return "";
	return rows[math].options[backend];
}
